"""The FX wrapper: Inductor hands back a graph module in place of wrapper code; on CPU it can hold extern kernels."""

import torch

from suites.harness import Check, clause, tensor

ON = ("inductor_fx_wrapper",)
#: Asserts for alignment are lines of Python, which this wrapper does not take.
NO_ASSERTS = {"inductor.alignment_asserts": False}


@clause("T16.8", modes="train", on=ON)
def test_products(check: Check) -> None:
    """A chain of products is run by calls of extern kernels alone; results and gradients are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return (a @ b) @ c

    check(program, tensor(2, 3), tensor(3, 4), tensor(4, 5)).gradient(0, 1, 2).shape("out", 2, 5)


@clause("inductor.fx-wrapper", "T16.8", shapes="dynamic", on=ON)
def test_products_of_dynamic_sizes(check: Check) -> None:
    """Sizes are those of each call's arguments: another size gives its own result, without another compilation."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b) @ a

    result = check(program, calls=[(tensor(2, 3), tensor(3, 2)), (tensor(5, 4), tensor(4, 5))])
    result.shape("out", 2, 3).recompiled(0)
    result.values().expect("""\
out = float32[2, 3] [[-7.71, -7.824, 6.154], [2.494, -7.399, -1.069]]
""")
    result.in_call(1).values().expect("""\
out = float32[5, 4] [[3.212, -1.735, -5.961, -2.874], [0.1343, 0.979, 5.237, 2.917], [-9.051, 0.1729, -4.17,
    -6.147], [4.781, 0.3497, 10.86, 11.32], [6.144, -2.632, 0.4477, 3.84]]
""")


@clause("inductor.fx-wrapper", "T16.8", on=ON)
def test_fallback_with_several_outputs(check: Check) -> None:
    """A fallback kernel that has two outputs hands both on, each in its place."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = torch.topk(a @ b, 2)
        return values @ b[:2], places

    check(program, tensor(3, 4), tensor(4, 4), config=NO_ASSERTS).values().expect("""\
out[0] = float32[3, 4] [[-1.47, -2.8, -8.419, 5.492], [-0.186, -1.952, -5.801, 4.6], [-2.319, -1.464, -4.529,
    1.445]]
out[1] = int64[3, 2] [[3, 0], [2, 1], [0, 2]]
""")


@clause("inductor.fx-wrapper", "T16.8", on=ON)
def test_views_between_kernels(check: Check) -> None:
    """Views between and after extern kernels have eager's strides and offsets, and show their buffers' data."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        product = (a @ b).t()[1:]
        return product @ a[:, :2], product

    result = check(program, tensor(3, 4), tensor(4, 5)).strides("out[1]", 1, 5)
    result.values().expect("""\
out[0] = float32[4, 2] [[-0.3368, -3.332], [-3.036, -0.07663], [1.659, 24.96], [2.979, 2.723]]
out[1] = float32[4, 3] [[0.566, -0.2195, 0.7292], [0.2352, 3.57, 1.387], [-5.264, 0.3992, -4.819], [0.5387, -0.5143,
    -2.098]]
""")


@clause("inductor.fx-wrapper", "T16.8", on=ON)
def test_cond(check: Check) -> None:
    """The branch that runs is the one that the predicate of this very call chooses."""

    def program(flag: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cond(flag, lambda a, b: a @ b, lambda a, b: b @ a, (a, b))

    calls = [(torch.tensor(flag), tensor(3, 3), tensor(3, 3)) for flag in (True, False)]
    result = check(program, calls=calls, config=NO_ASSERTS)
    result.values().expect("""\
out = float32[3, 3] [[4.658, 2.192, 1.324], [3.705, -2.239, -0.242], [1.912, 1.745, 0.5237]]
""")
    result.in_call(1).values().expect("""\
out = float32[3, 3] [[2.608, -0.2599, -0.4718], [-1.3, 0.8871, 0.8895], [2.221, 0.7576, 0.2583]]
""")


@clause("inductor.fx-wrapper", "T16.8", on=ON)
def test_item(check: Check) -> None:
    """A number read from a tensor inside of the program is that of this very call."""

    def program(a: torch.Tensor, b: torch.Tensor, count: torch.Tensor) -> tuple[torch.Tensor, int]:
        return a @ b, int(count.item()) + 1

    calls = [(tensor(3, 3), tensor(3, 3), torch.tensor(number)) for number in (4, 7)]
    result = check(program, calls=calls, config={"dynamo.capture_scalar_outputs": True})
    result.values().expect("""\
out[0] = float32[3, 3] [[4.658, 2.192, 1.324], [3.705, -2.239, -0.242], [1.912, 1.745, 0.5237]]
out[1] = int 5
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3, 3] [[-0.03928, 0.0888, -0.5787], [1.266, 1.697, 0.4429], [0.888, 1.256, 2.096]]
out[1] = int 8
""")


@clause("T16.8", on=ON)
def test_generated_kernels(check: Check) -> None:
    """A pointwise kernel between two products is run as well; torch refuses C++ kernels here, in so many words."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).sin() @ b

    result = check(program, tensor(3, 3), tensor(3, 3)).unchanged(0, 1)
    result.values().expect("""\
out = float32[3, 3] [[-0.0642, -2.817, -0.8776], [3.101, 0.9083, 0.6085], [-4.58, -1.541, -0.9312]]
""")
