"""Frozen convolutions: what follows one goes into its weights or its kernel only where it means the same there."""

import math
from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor
from suites.harness.programs.specs import BuiltSpec
from suites.lowering.frozen import FREEZING, Followed

NAN, INF = math.nan, math.inf


class InARow(torch.nn.Module):
    """Rows of layers, of one image each."""

    def __init__(self, **rows: tuple[torch.nn.Module, ...]) -> None:
        super().__init__()
        self.rows = torch.nn.ModuleDict({name: torch.nn.Sequential(*layers) for name, layers in rows.items()})
        self.eval()

    def forward(self, image: torch.Tensor) -> dict[str, torch.Tensor]:
        """``image``: what each row begins with."""
        return {name: row(image) for name, row in self.rows.items()}


def normalized(channels: int, dimensions: int = 2) -> torch.nn.Module:
    """A batch norm in evaluation that scales and shifts each channel otherwise."""
    norm = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d)[dimensions - 1](channels)
    norm.running_mean = torch.linspace(-1.0, 2.0, channels)
    norm.running_var = torch.linspace(0.25, 4.0, channels)
    norm.weight.data = torch.linspace(-2.0, 1.5, channels)
    return norm


def of_each_channel() -> torch.Tensor:
    """A number for each of four channels."""
    return torch.tensor([1.0, -2.0, 3.0, 0.5]).view(4, 1, 1)


@clause("inductor.freezing", on=("inductor",))
def test_batch_norm_of_a_frozen_transposed_convolution(check: Check) -> None:
    """A batch norm that follows a transposed convolution scales and shifts the channels that come out of it."""

    def rows() -> torch.nn.Module:
        turned = torch.nn.ConvTranspose2d
        return InARow(
            plain=(turned(4, 4, 3), normalized(4)),
            grouped=(turned(4, 4, 3, groups=2), normalized(4)),
            strided=(turned(4, 4, 2, stride=2, bias=False), normalized(4)),
        )

    check(built(rows), tensor(1, 4, 3, 3), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_constants_after_a_frozen_transposed_convolution(check: Check) -> None:
    """What multiplies a transposed convolution or is added to it has a number for each channel that comes out."""

    def module() -> torch.nn.Module:
        return Followed(
            lambda: torch.nn.ConvTranspose2d(4, 4, 2),
            of_each_channel(),
            product=lambda result, constant: result * constant,
            quotient=lambda result, constant: result / constant,
        )

    check(built(module), tensor(1, 4, 3, 3), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_number_added_to_a_frozen_transposed_convolution(check: Check) -> None:
    """A number is added to a transposed convolution that has other channels than the image."""

    def module() -> torch.nn.Module:
        return Followed(
            lambda: torch.nn.ConvTranspose2d(4, 3, 2),
            torch.zeros(()),
            total=lambda result, _: result + 1.5,
            difference=lambda result, _: result - 1.5,
        )

    check(built(module), tensor(1, 4, 3, 3), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_what_follows_other_frozen_convolutions(check: Check) -> None:
    """A batch norm of a convolution in groups or of signals, a function between them, and sums are as written.

    A GPU rounds the operands of some transposed convolutions and not of others, by how they lie in memory.
    """

    def rows() -> torch.nn.Module:
        flat, turned = torch.nn.Conv2d, torch.nn.ConvTranspose2d
        return InARow(
            plain=(flat(4, 4, 3), normalized(4)),
            grouped=(flat(4, 4, 3, groups=2), normalized(4)),
            wider=(flat(4, 6, 2, bias=False), normalized(6)),
            between=(turned(4, 4, 3), torch.nn.Tanh(), normalized(4)),
            before=(normalized(4), turned(4, 3, 2)),
            signals=(torch.nn.Flatten(2), torch.nn.Conv1d(4, 4, 3), normalized(4, 1)),
            function=(turned(4, 3, 2), torch.nn.ReLU()),
        )

    check(built(rows), tensor(1, 4, 3, 3), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_convolutions_whose_sides_differ(check: Check) -> None:
    """Strides, paddings, dilations and what is added to the result of a transposed one are those of each side."""

    def rows() -> torch.nn.Module:
        flat, turned = torch.nn.Conv2d, torch.nn.ConvTranspose2d
        layers = {
            "strided": flat(2, 3, 3, stride=(2, 1)),
            "padded": flat(2, 3, 3, padding=(2, 0)),
            "dilated": flat(2, 3, 3, dilation=(1, 2)),
            "wide": flat(2, 4, (2, 3), stride=(1, 2), padding=(0, 1), dilation=(2, 1), groups=2),
            "turned": turned(2, 3, 3, stride=2, output_padding=(0, 1)),
            "turned and dilated": turned(2, 3, (3, 2), stride=(1, 2), padding=(1, 0), dilation=(2, 1)),
            "turned in groups": turned(2, 4, 3, stride=(2, 3), padding=(0, 1), output_padding=(1, 2), groups=2),
        }
        return InARow(
            **{name: (layer,) for name, layer in layers.items()},
            **{f"{name} and cut": (layer, torch.nn.ReLU()) for name, layer in layers.items()},
        )

    check(built(rows), tensor(1, 2, 6, 7), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_functions_after_frozen_convolutions(check: Check) -> None:
    """A function that follows a convolution is the one that is written, with the numbers that it is given."""

    def rows() -> torch.nn.Module:
        functions = {
            "gelu": torch.nn.GELU(),
            "gelu by tanh": torch.nn.GELU(approximate="tanh"),
            "leaky": torch.nn.LeakyReLU(0.3),
            "clipped": torch.nn.Hardtanh(-0.25, 0.5),
            "clipped from nought": torch.nn.Hardtanh(0.0, 0.5),
            "silu": torch.nn.SiLU(),
            "sigmoid": torch.nn.Sigmoid(),
            "by a hard sigmoid": torch.nn.Hardswish(),
            "hard sigmoid": torch.nn.Hardsigmoid(),
            "up to six": torch.nn.ReLU6(),
            "elu": torch.nn.ELU(0.5),
        }
        return InARow(**{name: (torch.nn.Conv2d(2, 3, 3), function) for name, function in functions.items()})

    check(built(rows), tensor(1, 2, 5, 5), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_row_of_numbers_after_a_frozen_convolution(check: Check) -> None:
    """A row of as many numbers as there are channels has a number for each column of the image."""

    def module() -> torch.nn.Module:
        return Followed(
            lambda: torch.nn.Conv2d(2, 4, 3),
            torch.tensor([[1.0, -2.0, 3.0, 0.5]]),
            total=lambda result, row: result + row,
            difference=lambda result, row: result - row,
            product=lambda result, row: result * row,
            quotient=lambda result, row: result / row,
        )

    check(built(module), tensor(1, 2, 6, 6), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_numbers_of_rows_after_a_frozen_convolution_of_volumes(check: Check) -> None:
    """Numbers along one side of a volume, as many as there are channels, are along that side."""

    def module() -> torch.nn.Module:
        return Followed(
            lambda: torch.nn.Conv3d(2, 3, 2),
            torch.tensor([1.0, -2.0, 3.0]).view(1, 3, 1),
            total=lambda result, numbers: result + numbers,
            product=lambda result, numbers: result * numbers,
        )

    check(built(module), tensor(1, 2, 4, 4, 4), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_numbers_of_other_shapes_after_a_frozen_convolution(check: Check) -> None:
    """Numbers of channels, of rows, of columns and of pixels are spread over the image by their shape."""

    def module() -> torch.nn.Module:
        return Followed(
            lambda: torch.nn.Conv2d(2, 4, 3),
            torch.tensor([1.0, -2.0, 3.0, 0.5]),
            channels=lambda result, numbers: result * numbers.view(4, 1, 1),
            channels_of_a_batch=lambda result, numbers: result + numbers.view(1, 4, 1, 1),
            columns=lambda result, numbers: result * numbers,
            rows=lambda result, numbers: result * numbers.view(4, 1),
            rows_of_each=lambda result, numbers: result - numbers.view(1, 4, 1),
            pixels=lambda result, numbers: result / (numbers.view(4, 1) + numbers.exp()),
            first=lambda result, numbers: result * numbers[1],
            of_one=lambda result, numbers: result + numbers[1:2].view(1, 1),
        )

    check(built(module), tensor(1, 2, 6, 6), config=FREEZING).computed()


class AddedTo(torch.nn.Module):
    """Sums of convolutions with what is read, and returned, beside them."""

    def __init__(self, *, after: bool) -> None:
        super().__init__()
        self.one, self.other = (torch.nn.Conv2d(4, 4, 3, padding=1) for _ in range(2))
        self.after = after
        self.eval()

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """``image``: square, of four channels. The sum, and if ``after`` what was read of the other operand."""
        first = self.one(image)
        turned = first.transpose(2, 3)
        total = self.other(turned) + first
        return (total, turned * 2, turned) if self.after else (total, image * 2)


@clause("inductor.freezing", on=("inductor",))
def test_view_of_what_a_frozen_convolution_is_added_to(check: Check) -> None:
    """What a convolution is added to is as it was for those who see it by a view afterwards."""
    check(built(lambda: AddedTo(after=True)), tensor(1, 4, 4, 4), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_last_reads_of_what_a_frozen_convolution_is_added_to(check: Check) -> None:
    """A convolution of a view is added to what it is a view of, where nothing reads either afterwards."""
    check(built(lambda: AddedTo(after=False)), tensor(1, 4, 4, 4), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_functions_of_sums_of_frozen_convolutions(check: Check) -> None:
    """What follows a sum of two frozen convolutions, of which one may be written into the other's memory, is done."""

    class Sums(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.ModuleList(torch.nn.Conv2d(2, 3, 1) for _ in range(4))
            self.second = torch.nn.ModuleList(torch.nn.Conv2d(2, 3, 1) for _ in range(4))
            self.eval()

        def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
            sums = [first(image) + second(image) for first, second in zip(self.first, self.second, strict=True)]
            return sums[0], sums[1].relu(), sums[2].clamp(-0.5, 0.25), sums[3].relu().add(1)

    check(built(Sums), tensor(1, 2, 4, 4), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_operands_that_frozen_convolutions_are_added_to(check: Check) -> None:
    """An argument, an intermediate and a constant that convolutions are added to are not written to."""

    class Sums(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Conv2d(4, 4, 3, padding=1) for _ in range(6)])
            self.register_buffer("constant", torch.linspace(-2.0, 2.0, 64).view(1, 4, 4, 4))
            self.eval()

        def forward(self, image: torch.Tensor, other: torch.Tensor) -> tuple[torch.Tensor, ...]:
            of_argument, of_made, of_itself, of_constant, less, less_cut = self.layers
            made, constant = other * 3, torch.as_tensor(self.constant)
            doubled = of_itself(image)
            return (
                of_argument(image) + other,
                (of_made(image) + made).relu(),
                made,
                of_itself(doubled) + doubled,
                doubled,
                of_constant(image) + constant,
                constant * image,
                less(image) - other,
                (less_cut(image) - image).relu(),
            )

    check(built(Sums), tensor(1, 4, 4, 4), tensor(1, 4, 4, 4), config=FREEZING).unchanged(0, 1).computed()


def functions_of_what_is_not_finite(**functions: Callable[[torch.Tensor], torch.Tensor]) -> BuiltSpec:
    """Functions of convolutions of one pixel each that pass an image on as it is, or turned."""

    def module() -> torch.nn.Module:
        followed = Followed(
            lambda: torch.nn.Conv2d(1, 1, 1, bias=False),
            torch.zeros(()),
            **{name: lambda result, _, function=function: function(result) for name, function in functions.items()},
        )
        for layer in followed.layers:
            layer.weight.data.fill_(1.0)  # type: ignore[operator]
        return followed

    return built(module)


PIXELS = tensor(1, 1, 2, 3, grad=False, values=[[[[NAN, 1.0, -1.0], [INF, -INF, 7.0]]]])


@clause("inductor.freezing", "numbers.special-values", on=("inductor",))
def test_bounds_of_a_frozen_convolution_that_is_no_number(check: Check) -> None:
    """NaN is NaN after a frozen convolution and a function that keeps numbers within bounds."""
    module = functions_of_what_is_not_finite(
        relu=functional.relu,
        relu6=functional.relu6,
        hardtanh=functional.hardtanh,
        hardsigmoid=functional.hardsigmoid,
        clamp=lambda result: result.clamp(-0.1, 0.2),
    )
    check(module, PIXELS, config=FREEZING).computed()


@clause("inductor.freezing", "numbers.special-values", on=("inductor",))
def test_functions_of_a_frozen_convolution_that_is_not_finite(check: Check) -> None:
    """NaN and infinities after a frozen convolution and a function without bounds, or smooth, are eager's."""
    module = functions_of_what_is_not_finite(
        leaky_relu=functional.leaky_relu,
        hardswish=functional.hardswish,
        sigmoid=torch.sigmoid,
        tanh=torch.tanh,
        silu=functional.silu,
        gelu=functional.gelu,
        as_it_is=lambda result: result * 1,
        least=lambda result: result.clamp(min=-0.5),
    )
    check(module, PIXELS, config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_convolutions_in_double_precision(check: Check) -> None:
    """A convolution in double precision, and a transposed one, are what they are with weights that are not frozen."""

    def rows() -> torch.nn.Module:
        return InARow(plain=(torch.nn.Conv2d(2, 3, 2),), turned=(torch.nn.ConvTranspose2d(2, 3, 2),)).double()

    check(built(rows), tensor(1, 2, 4, 4, dtype=torch.float64), config=FREEZING).computed()
