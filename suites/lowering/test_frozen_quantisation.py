"""Frozen layers of few bits: one operator stands for a layer between quantised numbers where it means the same."""

from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor
from suites.harness.programs.specs import BuiltSpec
from suites.lowering.frozen import FREEZING
from suites.lowering.quantised import numbers_of, quantised, steps


class Layer(torch.nn.Module):
    """A weight of bytes with a sign, a scale and a zero point for each of its rows or columns, and a bias."""

    def __init__(
        self, *shape: int, result: Callable[..., dict[str, torch.Tensor]], axis: int = 0, zero: int = 0
    ) -> None:
        super().__init__()
        count, sides = int(torch.Size(shape).numel()), shape[axis]
        self.register_buffer("small", (torch.arange(count) * 3 % 17 - 8).view(shape).to(torch.int8))
        self.register_buffer("scale", 2.0 ** (torch.arange(sides) % 3 - 2))
        self.register_buffer("zero", torch.full((sides,), zero))
        self.register_buffer("bias", torch.arange(float(shape[0])) - 2)
        self.result, self.axis = result, axis
        self.eval()

    def weight(self) -> torch.Tensor:
        """What the bytes stand for."""
        ops = torch.ops.quantized_decomposed
        return torch.as_tensor(
            ops.dequantize_per_channel(self.small, self.scale, self.zero, self.axis, -128, 127, torch.int8)
        )

    def forward(self, *given: torch.Tensor) -> dict[str, torch.Tensor]:
        """``given``: what the results are computed of, beside the layer."""
        return self.result(self, *given)


def linear(layer: Layer, rows: torch.Tensor) -> torch.Tensor:
    """A linear map of what bytes stand for."""
    return functional.linear(numbers_of(rows), layer.weight(), torch.as_tensor(layer.bias))


def convolution(layer: Layer, image: torch.Tensor) -> torch.Tensor:
    """A convolution of what bytes stand for."""
    return functional.conv2d(numbers_of(image), layer.weight(), torch.as_tensor(layer.bias))


def layer_of(*shape: int, axis: int = 0, zero: int = 0, **results: Callable[..., torch.Tensor]) -> BuiltSpec:
    """A layer with results, by name."""

    def result(layer: Layer, *given: torch.Tensor) -> dict[str, torch.Tensor]:
        return {name: function(layer, *given) for name, function in results.items()}

    return built(lambda: Layer(*shape, result=result, axis=axis, zero=zero))


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_quantised_layers_are_kept_in_narrower_bounds(check: Check) -> None:
    """What comes of a frozen layer is quantised within the bounds that it is told."""
    maps = layer_of(8, 16, map=lambda layer, rows: quantised(linear(layer, rows), 2.0, 64, 20, 100))
    check(maps, steps(4, 16), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_quantised_convolution_is_kept_in_narrower_bounds(check: Check) -> None:
    """What comes of a frozen convolution is quantised within the bounds that it is told."""
    images = layer_of(4, 4, 3, 3, image=lambda layer, image: quantised(convolution(layer, image), 4.0, 64, 20, 100))
    check(images, steps(1, 4, 5, 5), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_zero_points_of_frozen_quantised_weights(check: Check) -> None:
    """The bytes of a frozen weight count from their zero point."""
    check(layer_of(8, 16, map=linear, zero=5), steps(4, 16), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_scales_of_the_columns_of_a_frozen_quantised_weight(check: Check) -> None:
    """A frozen weight with a scale for each column is scaled along its columns."""
    check(layer_of(8, 8, map=linear, axis=1), steps(4, 8), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_quantised_map_in_other_rows(check: Check) -> None:
    """A frozen map of a flat batch that is seen in other rows is in those."""

    def other_rows(layer: Layer, batch: torch.Tensor) -> torch.Tensor:
        numbers = numbers_of(batch).flatten(0, 1)
        return functional.linear(numbers, layer.weight(), torch.as_tensor(layer.bias)).view(3, 2, 8) * 2

    check(layer_of(8, 16, map=other_rows), steps(2, 3, 16), config=FREEZING).shape("out['map']", 3, 2, 8).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_quantised_transposed_convolution(check: Check) -> None:
    """A frozen transposed convolution of quantised numbers makes the image larger."""

    def larger(layer: Layer, image: torch.Tensor) -> torch.Tensor:
        return functional.conv_transpose2d(numbers_of(image), layer.weight(), torch.as_tensor(layer.bias))

    layer = layer_of(4, 4, 3, 3, axis=1, image=larger)
    check(layer, steps(1, 4, 5, 5), config=FREEZING).shape("out['image']", 1, 4, 7, 7).computed()


@clause("inductor.freezing", "T3.5", on=("inductor",), devices="cpu")
def test_addend_of_a_frozen_quantised_map(check: Check) -> None:
    """An argument that is added to a frozen map of quantised numbers stays as it was, and is not what is returned."""
    layer = layer_of(8, 16, total=lambda layer, rows, other: linear(layer, rows) + other)
    found = check(layer, steps(4, 16), tensor(4, 8), config=FREEZING)
    found.unchanged(1).distinct("out['total']", 1).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_factor_of_what_is_added_to_a_frozen_quantised_convolution(check: Check) -> None:
    """What is added with a factor to a frozen convolution, and quantised with it, is added with that factor."""

    def total(layer: Layer, image: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return quantised(torch.add(convolution(layer, image), numbers_of(other), alpha=2), 4.0, 64)

    check(layer_of(4, 4, 3, 3, total=total), steps(1, 4, 5, 5), steps(1, 4, 3, 3), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_quantised_layers(check: Check) -> None:
    """Frozen maps of quantised rows, with functions, sums and further quantisation after them, are as written."""

    def of_a_batch(layer: Layer, rows: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return linear(layer, rows.view(2, 2, 16)) * other[0]

    layer = layer_of(
        8,
        16,
        map=lambda layer, rows, other: linear(layer, rows) * 2,
        bytes_=lambda layer, rows, other: quantised(linear(layer, rows), 2.0, 64),
        positive=lambda layer, rows, other: quantised(linear(layer, rows).relu(), 2.0, 3),
        of_a_batch=of_a_batch,
        made=lambda layer, rows, other: linear(layer, rows) + other * 2,
        factor=lambda layer, rows, other: torch.add(linear(layer, rows), other, alpha=2),
        alone=lambda layer, rows, other: functional.linear(numbers_of(rows), layer.weight()) - 1,
        of_few_bits=lambda layer, rows, other: quantised(
            linear(layer, rows) + numbers_of(quantised(other * 3), 0.5), 2.0, 64
        ),
    )
    check(layer, steps(4, 16), tensor(4, 8), config=FREEZING).unchanged(1).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_quantised_convolutions(check: Check) -> None:
    """Frozen convolutions of quantised images, with functions and further quantisation after them, are as written."""
    layer = layer_of(
        4,
        4,
        3,
        3,
        image=lambda layer, image: convolution(layer, image) * 2,
        bytes_=lambda layer, image: quantised(convolution(layer, image), 4.0, 64),
        positive=lambda layer, image: quantised(convolution(layer, image).relu(), 4.0, 3),
        bounded=lambda layer, image: quantised(functional.relu6(convolution(layer, image)), 0.25, 1),
    )
    check(layer, steps(1, 4, 5, 5), config=FREEZING).computed()
