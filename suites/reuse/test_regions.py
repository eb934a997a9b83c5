"""Regions that are compiled once and entered several times, with what they close over or are given changed."""

import torch

from suites.harness import Check, built, clause, tensor


class Layer(torch.nn.Module):
    """What a region is given: it says which of two functions is meant."""

    def __init__(self, *, even: bool) -> None:
        super().__init__()
        self.even = even


@torch.compiler.nested_compile_region
def activation(layer: Layer, a: torch.Tensor) -> torch.Tensor:
    """One of two functions, as the layer says."""
    return a.cos() if layer.even else a.sin()


@torch.compiler.nested_compile_region
def block(layer: Layer, a: torch.Tensor) -> torch.Tensor:
    """A region with a region in it."""
    return activation(layer, a) + 1.0


@clause("E7", modes=("no_grad",), shapes=("static",))
def test_flag_that_a_region_reads(check: Check) -> None:
    """A region that is entered with layers of two kinds computes with the kind of each."""

    def program(a: torch.Tensor, layers: list[Layer]) -> torch.Tensor:
        for layer in layers:
            a = activation(layer, a)
        return a

    layers = [built(lambda even=even: Layer(even=even)) for even in (True, False, True, False)]
    check(program, tensor(3), layers).shape("out", 3)


@clause("E7", modes=("no_grad",), shapes=("static",))
def test_flag_that_a_region_within_a_region_reads(check: Check) -> None:
    """A region whose inner region reads a flag of a layer is another one for a layer with another flag."""

    def program(a: torch.Tensor, layers: list[Layer]) -> torch.Tensor:
        for layer in layers:
            a = block(layer, a)
        return a

    layers = [built(lambda even=even: Layer(even=even)) for even in (True, False, True, False)]
    check(program, tensor(3), layers).shape("out", 3)
