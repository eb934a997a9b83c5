"""Tangents of every layout into a compiled backward, and the layout of the gradients that it hands on."""

from typing import Any

import torch
from torch.nn import functional

from suites.harness import ANY, Check, clause, leaf, tensor

from .outside import hand_back, noted_strides, with_gaps

LAST = (60, 1, 15, 3)
#: Where a backward is traced, and taken apart: kernels are another matter, and take long.
TRACED = ("aot_eager", "aot_eager_decomp_partition")


@clause("A17", modes="train", shapes=("static", "dynamic"), fullgraph=False)
def test_transposed_tangent(check: Check) -> None:
    """A tangent whose rows and columns are exchanged in memory is read by element, not by position."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return hand_back(a.sin() * b, lambda tangent: tangent.t().contiguous().t())

    check(program, tensor(3, 4), tensor(3, 4)).gradient(0, 1)


@clause("A17", modes="train", fullgraph=False)
def test_tangent_with_gaps_and_an_offset(check: Check) -> None:
    """A tangent that lies in every second place of a larger buffer is read without what lies between."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return hand_back(a.cos() * b, with_gaps)

    check(program, tensor(3, 4), tensor(3, 4)).gradient(0, 1)


@clause("A17", modes="train", fullgraph=False)
def test_overlapping_tangent(check: Check) -> None:
    """A tangent whose rows overlap in memory is read as eager reads it, element by element."""

    def windows(tangent: torch.Tensor) -> torch.Tensor:
        return tangent.as_strided((3, 4), (1, 2))

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return hand_back((a @ b).sin(), windows)

    check(program, tensor(3, 2), tensor(2, 4)).gradient(0, 1)


@clause("A17", modes="train", shapes=("static", "dynamic"))
def test_plain_tangent_of_a_channels_last_output(check: Check) -> None:
    """A contiguous tangent of a channels_last output is made channels_last, and the gradients are eager's."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return functional.conv2d(a, weight, padding=1)

    check(program, tensor(2, 3, 4, 5, strides=LAST), leaf(2, 3, 3, 3)).strides("out", 40, 1, 10, 2).gradient(0, 1)


@clause("A17", modes="train", fullgraph=False)
def test_channels_last_tangent_of_a_plain_output(check: Check) -> None:
    """A channels_last tangent of a contiguous output is made contiguous, and the gradients are eager's."""

    def program(a: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return hand_back(a.exp() * scale, lambda tangent: tangent.contiguous(memory_format=torch.channels_last))

    check(program, tensor(2, 3, 4, 5), tensor(3, 1, 1)).gradient(0, 1)


@clause("A17", modes="train", fullgraph=False)
def test_plain_tangents_of_dense_permuted_outputs(check: Check) -> None:
    """Outputs of an order of dimensions that has no name as a format take contiguous tangents."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        permuted = (a.sin() * b).permute(1, 2, 0)
        return hand_back(permuted, lambda tangent: tangent.contiguous())

    check(program, tensor(2, 3, 4), tensor(3, 4)).gradient(0, 1)


@clause("A17", modes="train", fullgraph=False)
def test_complex_and_narrow_tangents(check: Check) -> None:
    """Strided tangents of complex and of half-precision outputs are made contiguous in their own dtype."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        turned = hand_back(a * a, lambda tangent: tangent.t().contiguous().t())
        return turned, hand_back(b * 4, lambda tangent: tangent.t().contiguous().t())

    check(program, tensor(2, 3, dtype=torch.complex64), tensor(2, 3, dtype=torch.float16)).gradient(0, 1)


@clause("A17", modes="train", fullgraph=False)
def test_tangents_of_two_layouts_in_two_calls(check: Check) -> None:
    """One compiled backward takes a transposed tangent of the first call and a contiguous one of the second."""

    def program(a: torch.Tensor, turn: bool) -> torch.Tensor:
        b = a.sin() * a
        return hand_back(b, lambda tangent: tangent.t().contiguous().t() if turn else tangent)

    check(program, calls=[(tensor(3, 4), True), (tensor(3, 4), False)]).gradient(0)


@clause("A17", modes="train", fullgraph=False)
def test_layout_of_the_gradient_of_channels_last_images(check: Check) -> None:
    """The gradient that a convolution hands to its channels_last images is channels_last."""
    notes: list[Any] = []

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return functional.conv2d(noted_strides(a, notes), weight, padding=1)

    result = check(program, tensor(2, 3, 4, 5, strides=LAST), leaf(2, 3, 3, 3)).gradient(0, 1)
    result.mutated_in_backward("closure notes")


@clause("A17", modes="train", fullgraph=False)
def test_layout_of_the_gradient_of_a_product(check: Check) -> None:
    """The gradients that matrix products hand to plain and to transposed operands have eager's strides."""
    plain: list[Any] = []
    turned: list[Any] = []

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        matrix = torch.arange(6.0, device=a.device).view(3, 2)
        return matrix.t() @ noted_strides(a, plain), noted_strides(b, turned).t() @ matrix

    result = check(program, tensor(3, 4), tensor(3, 4)).gradient(0, 1)
    result.mutated_in_backward("closure plain", "closure turned")


@clause("A17", modes="train", fullgraph=False)
def test_layout_of_the_gradient_of_pooled_images(check: Check) -> None:
    """The gradients of pooling and interpolation of channels_last images have eager's strides."""
    pooling: list[Any] = []
    resampling: list[Any] = []

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        pooled = functional.avg_pool2d(noted_strides(a, pooling), 2)
        return pooled, functional.interpolate(noted_strides(a, resampling), scale_factor=2.0, mode="nearest")

    result = check(program, tensor(2, 3, 4, 4, strides=(48, 1, 12, 3))).gradient(0)
    result.mutated_in_backward("closure pooling", "closure resampling")


@clause("A17", modes="train", fullgraph=False, on=TRACED)
def test_layout_of_gradients_of_images(check: Check) -> None:
    """Operators on channels_last images and volumes hand their gradients on in eager's strides."""
    images = {
        "largest": lambda a: functional.max_pool2d(a, 2),
        "overlapping": lambda a: functional.max_pool2d(a, 3, stride=1, padding=1),
        "to a size": lambda a: functional.adaptive_avg_pool2d(a, 2),
        "largest to a size": lambda a: functional.adaptive_max_pool2d(a, 3),
        "border": lambda a: functional.pad(a, (1, 1, 1, 1), mode="replicate"),
        "normalised": lambda a: functional.batch_norm(a, None, None, training=True),
        "in groups": lambda a: functional.group_norm(a, 2),
        "columns": lambda a: functional.unfold(a, 2),
        "weighed": lambda a: a.softmax(1),
    }
    volumes = {
        "largest of a volume": lambda a: functional.max_pool3d(a, 2),
        "mean of a volume": lambda a: functional.avg_pool3d(a, 2),
    }
    notes: dict[str, list[Any]] = {name: [] for name in (*images, *volumes)}

    def program(image: torch.Tensor, volume: torch.Tensor) -> dict[str, torch.Tensor]:
        noted = {name: noted_strides(image if name in images else volume, list_) for name, list_ in notes.items()}
        return {name: {**images, **volumes}[name](each) for name, each in noted.items()}

    image, volume = tensor(2, 4, 6, 6, strides=(144, 1, 24, 4)), tensor(1, 2, 4, 4, 4, strides=(128, 1, 32, 8, 2))
    result = check(program, image, volume).gradient(0, 1)
    result.mutated_in_backward(*(f"closure notes[{name!r}]" for name in notes))


@clause("A17", modes="train", fullgraph=False)
def test_layout_of_gradients_of_functions_of_images(check: Check) -> None:
    """Dropout and activations of channels_last images hand a gradient in that format on in it."""
    functions = {
        "dropped": lambda a: functional.dropout(a, 0.5),
        "channels": lambda a: functional.dropout2d(a, 0.5),
        "leaky": lambda a: functional.leaky_relu(a, 0.25),
        "smooth": functional.gelu,
        "bounded": functional.hardtanh,
        "sloped": lambda a: functional.elu(a, 0.5),
    }
    notes: dict[str, list[Any]] = {name: [] for name in functions}

    def program(image: torch.Tensor) -> dict[str, torch.Tensor]:
        noted = {name: noted_strides(image, list_) for name, list_ in notes.items()}
        found = {name: functions[name](each) for name, each in noted.items()}
        return {
            name: hand_back(each, lambda tangent: tangent.contiguous(memory_format=torch.channels_last))
            for name, each in found.items()
        }

    result = check(program, tensor(2, 3, 4, 5, strides=LAST)).gradient(0)
    result.mutated_in_backward(*(f"closure notes[{name!r}]" for name in notes))


@clause("A17", modes="train", fullgraph=False, on=TRACED)
def test_layout_of_gradients_of_permuted_tensors(check: Check) -> None:
    """Operators on permuted tensors hand their gradients on in eager's strides."""
    operators = {
        "softmax": lambda a: a.softmax(1),
        "logarithm": lambda a: a.log_softmax(0),
        "normalised": lambda a: functional.layer_norm(a, (4,)),
        "running sum": lambda a: a.cumsum(1),
        "running product": lambda a: a.cumprod(1),
        "in order": lambda a: a.sort(1).values,
        "largest two": lambda a: a.topk(2, 1).values,
        "largest": lambda a: a.amax(1),
        "rows": lambda a: a[:, [0, 2]],
        "selected": lambda a: a.index_select(1, torch.tensor([0, 2], device=a.device)),
        "below": lambda a: a.tril(),
        "turned": lambda a: a.flip(1).roll(1, 2),
        "deviation": lambda a: a.std(1),
        "slice": lambda a: a[1:3],
        "diagonal": lambda a: a.diagonal(0, 1, 2),
        "windows": lambda a: a.unfold(1, 2, 1),
        "replaced": lambda a: a.masked_fill(a > 0, 0.5),
        "other rows": lambda a: a.index_copy(1, torch.tensor([0], device=a.device), torch.ones_like(a[:, :1])),
    }
    notes: dict[str, list[Any]] = {name: [] for name in operators}

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        permuted = a.permute(2, 0, 1)
        noted = {name: noted_strides(permuted, list_) for name, list_ in notes.items()}
        return {name: operators[name](each) for name, each in noted.items()}

    result = check(program, tensor(3, 4, 5)).gradient(0)
    result.mutated_in_backward(*(f"closure notes[{name!r}]" for name in notes))


@clause("A17", modes="train", entry=ANY)
def test_gradient_of_an_empty_input(check: Check) -> None:
    """An input without elements has a gradient without elements, and the other input's gradient is zeros."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b

    result = check(program, tensor(0, 3), leaf(3)).gradient(0, 1)
    gradient = result.call.gradients["leaf[1]"]
    result.happened(
        gradient is not None and gradient.value is not None and not gradient.value.any(), f"zeros {gradient}"
    )


@clause("A17", "T7.10", modes="train", entry=ANY)
def test_backward_of_a_format_conversion(check: Check) -> None:
    """The tangent of a converted tensor is traced in the converted format, and its gradient is handed back as it is."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).contiguous(memory_format=torch.channels_last)

    result = check(program, tensor(2, 3, 4, 5)).strides("out", *LAST).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    clone = torch.ops.aten.clone.default(mul, memory_format=torch.channels_last)
    return (clone,)
""")
    result.backward.expect("""\
def forward(self, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 2)
    return (mul,)
""")
