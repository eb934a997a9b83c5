"""Regions that are compiled once and entered several times, with what they close over or are given changed."""

import functools

import torch

from suites.harness import Check, built, clause, tensor


class Layer(torch.nn.Module):
    """What a region is given: it says which of two functions is meant."""

    def __init__(self, *, even: bool) -> None:
        super().__init__()
        self.even = even


#: Layers of two kinds in turn.
LAYERS = [built(functools.partial(Layer, even=even)) for even in (True, False, True, False)]


@torch.compiler.nested_compile_region
def activation(layer: Layer, a: torch.Tensor) -> torch.Tensor:
    """One of two functions, as the layer says."""
    return a.cos() if layer.even else a.sin()


@torch.compiler.nested_compile_region
def block(layer: Layer, a: torch.Tensor) -> torch.Tensor:
    """A region with a region in it."""
    return activation(layer, a) + 1.0


@clause("reuse.regions")
def test_flag_that_a_region_reads(check: Check) -> None:
    """A region that is entered with layers of two kinds computes with the kind of each."""

    def program(a: torch.Tensor, layers: list[Layer]) -> torch.Tensor:
        for layer in layers:
            a = activation(layer, a)
        return a

    check(program, tensor(3), LAYERS).values().expect("""\
out = float32[3] [0.6931, 0.6601, 0.6272]
""")


@clause("reuse.regions")
def test_flag_that_a_region_within_a_region_reads(check: Check) -> None:
    """A region whose inner region reads a flag of a layer is another one for a layer with another flag."""

    def program(a: torch.Tensor, layers: list[Layer]) -> torch.Tensor:
        for layer in layers:
            a = block(layer, a)
        return a

    check(program, tensor(3), LAYERS).values().expect("""\
out = float32[3] [1.567, 1.99, 1.611]
""")


@torch.compiler.nested_compile_region
def wave(a: torch.Tensor) -> torch.Tensor:
    """A region that saves its argument for backward."""
    return a.sin() * 3


@torch.compiler.nested_compile_region
def mixture(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A region of two arguments that are not exchangeable."""
    return a * b + a.sin()


@torch.compiler.nested_compile_region
def thinned(a: torch.Tensor) -> torch.Tensor:
    """A region that draws."""
    return torch.nn.functional.dropout(a.sin(), 0.5)


@torch.compiler.nested_compile_region
def raised(a: torch.Tensor, by: float) -> torch.Tensor:
    """A region that writes to its argument."""
    a.add_(by)
    return a * 2


@clause("reuse.regions", modes="train")
def test_region_entered_twice_with_one_argument(check: Check) -> None:
    """A region that is entered twice with an argument sends the gradients of both back to it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return wave(a) + wave(a)

    check(program, tensor(3)).gradient(0)


@clause("reuse.regions", modes="train")
def test_region_entered_twice_with_one_intermediate(check: Check) -> None:
    """A region that is entered twice with an intermediate sends the gradients of both back through it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.cos()
        return wave(b) + wave(b)

    check(program, tensor(3)).gradient(0)


@clause("reuse.regions", modes="train")
def test_region_entered_with_its_arguments_exchanged(check: Check) -> None:
    """A region that is entered a second time with its two arguments exchanged gives each the gradient of its place."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return mixture(a, b) * 2 + mixture(b, a)

    check(program, tensor(3), tensor(3)).gradient(0, 1)


@clause("reuse.regions", modes="train")
def test_region_within_its_own_result(check: Check) -> None:
    """A region of a region's result draws anew, and each of the two passes the gradient where it let pass."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return thinned(thinned(a) + 1)

    check(program, tensor(16)).gradient(0).drew_random()


@clause("reuse.regions", modes="train")
def test_region_that_draws_twice_for_one_argument(check: Check) -> None:
    """A region that draws, entered twice with one argument, draws twice; the gradient follows both draws."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return thinned(a) + thinned(a)

    check(program, tensor(16)).gradient(0).drew_random()


@clause("reuse.regions")
def test_region_that_writes_to_its_argument(check: Check) -> None:
    """A region that writes to its argument, entered twice with other numbers, leaves both writes there."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return raised(a, 1.0), raised(a, 2.5)

    result = check(program, tensor(2, values=[1.0, -3.0])).mutated(0)
    result.happened(result.value("arg[0]").tolist() == [4.5, 0.5], "two writes")
