"""Layers whose sizes come with their first input: when they are filled, by what, and what they are afterwards."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin, compiled_at_most, train


def _late() -> nn.Module:
    return nn.Sequential(nn.LazyLinear(5), nn.LazyBatchNorm1d(momentum=0.5), nn.Tanh(), nn.LazyLinear(2))


def _later(device: torch.Tensor, factor: float = 1.0) -> nn.Module:
    """Layers that have seen an input of as many columns as there are in this one."""
    filled = begin(_late, device)
    filled(device * factor)
    return filled


def _kinds(network: nn.Module) -> list[str]:
    return [type(part).__name__ for part in network.modules()]


def _state_first(network: nn.Module, compiled: nn.Module, batches: torch.Tensor) -> list[Any]:
    network.load_state_dict(_later(batches[0], 2).state_dict())
    return [parameter.detach().clone() for parameter in network.parameters()]


def _state_after_a_call(network: nn.Module, compiled: nn.Module, batches: torch.Tensor) -> list[Any]:
    first = compiled(batches[0]).detach()
    network.load_state_dict(_later(batches[0], 2).state_dict())
    return [first]


def _state_assigned(network: nn.Module, compiled: nn.Module, batches: torch.Tensor) -> list[Any]:
    first = compiled(batches[0]).detach()
    network.load_state_dict(_later(batches[0], 2).state_dict(), assign=True)
    return [first]


def _asked_for_nothing_yet(network: nn.Module, compiled: nn.Module, batches: torch.Tensor) -> list[Any]:
    network.eval()
    with torch.no_grad():
        first = compiled(batches[0])
    network.train()
    return [first]


def _double_at_first(network: nn.Module, compiled: nn.Module, batches: torch.Tensor) -> list[Any]:
    network.double()
    first = compiled(batches[0].double()).detach()
    network.float()
    return [first]


def _copied(network: nn.Module, compiled: nn.Module, batches: torch.Tensor) -> list[Any]:
    first = compiled(batches[0]).detach()
    other: Any = copy.deepcopy(network)
    with torch.no_grad():
        other[0].weight.zero_()
    return [first, other(batches[0]).detach(), _kinds(other)]


#: What happens to layers without sizes, and to what was compiled of them, before they are trained.
BEFORE: dict[str, Callable[[nn.Module, nn.Module, torch.Tensor], list[Any]]] = {
    "state_first": _state_first,
    "state_after_a_call": _state_after_a_call,
    "state_assigned": _state_assigned,
    "asked_for_nothing_yet": _asked_for_nothing_yet,
    "double_at_first": _double_at_first,
    "copied": _copied,
}


@clause("models.layers", "python.modules", modes="train", on=QUICK)
@pytest.mark.parametrize("before", BEFORE)
def test_layers_without_sizes_before_they_are_trained(check: Check, before: str) -> None:
    """A first input, or a state that is loaded before or after it, says which numbers compiled layers train from."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_late, batches)
        compiled = compile_part(network)
        first = BEFORE[before](network, compiled, batches)
        torch.manual_seed(1)  # What tracing leaves of the generator is another clause's.
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
        found = train(network, lambda batch: compiled(batch).square().mean(), zip(batches), optimizer)
        return [first, found, _kinds(network)]

    result = check(program, calls=[(tensor(3, 6, 4, grad=False),)], in_parts=True, backward=False).computed()
    kinds = [result.call.entries[f"out[2][{number}]"].detail for number in range(5)]
    result.happened(not any("Lazy" in kind for kind in kinds), "layers of the usual kinds")


@clause("models.layers", "python.modules", modes="train")
def test_layers_without_sizes_in_a_compiled_function(check: Check) -> None:
    """A function that calls layers without sizes fills them at its first call, trains them, and they are usual ones."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_late, batches)
        lost = compile_part(lambda batch: network(batch).square().mean())
        first = lost(batches[0]).detach()
        torch.manual_seed(1)
        return [first, train(network, lost, zip(batches)), _kinds(network)]

    result = check(program, calls=[(tensor(2, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False)
    result.computed()


@clause("models.layers", "python.modules", modes="train")
def test_images_through_layers_without_sizes(check: Check) -> None:
    """Convolutions there and back, and what follows them, take their sizes from the first image and train on."""

    def image() -> nn.Module:
        return nn.Sequential(nn.LazyConv2d(3, 2), nn.LazyConvTranspose2d(2, 2), nn.Flatten(), nn.LazyLinear(2))

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(image, batches)
        compiled = compile_part(network)
        first = compiled(batches[0]).detach()
        torch.manual_seed(1)
        return [first, train(network, lambda batch: compiled(batch).square().mean(), zip(batches))]

    given = tensor(2, 2, 2, 4, 3, grad=False)
    check(program, calls=[(given,)], in_parts=True, backward=False, exact=False).computed()


@clause("models.layers", "python.modules", modes="train", on=QUICK)
def test_layer_without_sizes_that_is_called_twice(check: Check) -> None:
    """The first of two calls in one program says the sizes, and both use the weights that are drawn for it."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        layer = begin(lambda: nn.LazyLinear(4), batches)
        twice = compile_part(lambda batch: layer(layer(batch) + 1))
        found = twice(batches[0]).detach()
        torch.manual_seed(1)
        return [found, train(layer, lambda batch: twice(batch).square().mean(), zip(batches)), _kinds(layer)]

    result = check(program, calls=[(tensor(2, 3, 4, grad=False),)], in_parts=True, backward=False).computed()
    compiled_at_most(result, 2)


@clause("models.layers", "python.modules", modes="train", on=QUICK)
def test_hook_on_a_layer_without_sizes(check: Check) -> None:
    """A hook that was there before the first input sees the weights that are drawn for it, and scales each output."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network: Any = begin(_late, batches)
        seen: list[Any] = []

        def doubled(layer: Any, args: Any, output: torch.Tensor) -> torch.Tensor:
            seen.append(tuple(layer.weight.shape))
            return output * 2

        network[0].register_forward_hook(doubled)
        compiled = compile_part(network)
        found = [compiled(batch).detach() for batch in batches]
        torch.manual_seed(1)
        return [found, seen, [parameter.detach() for parameter in network.parameters()]]

    check(program, calls=[(tensor(2, 3, 4, grad=False),)], in_parts=True, backward=False).computed()
