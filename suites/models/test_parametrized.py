"""Weights that are computed from others: when that is put on and taken off, and when what was computed is kept."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin, train


class _Times(nn.Module):
    """A weight times a number that is trained."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(factor))

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * self.factor

    def right_inverse(self, weight: torch.Tensor) -> torch.Tensor:
        return weight / self.factor


class _Product(nn.Module):
    """A weight that is the product of two narrow ones."""

    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return left @ right

    def right_inverse(self, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return weight[:, :2].clone(), weight[:2].clone()


def _layer() -> Any:
    layer = nn.Linear(4, 4)
    parametrize.register_parametrization(layer, "weight", _Times(2.0))
    return layer


def _plain() -> Any:
    return nn.Linear(4, 4)


def _one_more(layer: Any) -> None:
    parametrize.register_parametrization(layer, "weight", _Times(3.0).to(layer.bias))


def _of_two(layer: Any) -> None:
    parametrize.register_parametrization(layer, "weight", _Product(), unsafe=True)


def _on_the_bias(layer: Any) -> None:
    parametrize.register_parametrization(layer, "bias", _Times(3.0).to(layer.bias))


def _taken_off(layer: Any) -> None:
    parametrize.remove_parametrizations(layer, "weight")


def _taken_off_unused(layer: Any) -> None:
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)


def _assigned(layer: Any) -> None:
    layer.weight = torch.ones_like(layer.weight)


def _exchanged(layer: Any) -> None:
    layer.parametrizations.weight[0] = _Times(5.0).to(layer.bias)


def _original_frozen(layer: Any) -> None:
    layer.parametrizations.weight.original.requires_grad_(False)


def _factor_frozen(layer: Any) -> None:
    layer.parametrizations.weight[0].factor.requires_grad_(False)


def _hook_put_on_and_off(layer: Any) -> None:
    nn.utils.spectral_norm(layer)
    nn.utils.remove_spectral_norm(layer)


#: A layer, and what happens to it between two rounds of training.
BETWEEN: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "put_on": (_plain, parametrizations.weight_norm),
    "spectral_put_on": (_plain, parametrizations.spectral_norm),
    "of_two_put_on": (_plain, _of_two),
    "hook_put_on": (_plain, nn.utils.weight_norm),
    "hook_put_on_and_off": (_plain, _hook_put_on_and_off),
    "one_more": (_layer, _one_more),
    "on_the_bias": (_layer, _on_the_bias),
    "taken_off": (_layer, _taken_off),
    "taken_off_unused": (_layer, _taken_off_unused),
    "assigned": (_layer, _assigned),
    "exchanged": (_layer, _exchanged),
    "original_frozen": (_layer, _original_frozen),
    "factor_frozen": (_layer, _factor_frozen),
}


@clause("models.recipes", "python.modules", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("between", BETWEEN)
def test_parametrization_that_changes_between_steps(check: Check, between: str) -> None:
    """What a weight is computed from is put on, taken off, set or frozen: the next steps train what is there then."""

    make, change = BETWEEN[between]

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        layer = begin(make, batches)
        compiled = compile_part(layer)

        def rounds(chosen: torch.Tensor) -> dict[str, Any]:
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
            found = train(layer, lambda batch: compiled(batch).square().mean(), zip(chosen), optimizer)
            return copy.deepcopy(found)

        first = rounds(batches[:1])
        change(layer)
        return [first, rounds(batches[1:]), [*layer.state_dict()]]

    check(program, calls=[(tensor(3, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()


@clause("models.recipes", "python.modules", modes="train")
def test_compiled_layer_around_which_its_weight_is_kept(check: Check) -> None:
    """Called twice within `parametrize.cached` a compiled layer uses one weight; outside, what training made of it."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        layer = begin(_layer, batches)
        compiled, alone = compile_part(layer), []

        def lost(batch: torch.Tensor) -> torch.Tensor:
            alone.append(compiled(batch).detach())
            with parametrize.cached():
                return compiled(compiled(batch)).square().mean()

        return [train(layer, lost, zip(batches)), alone]

    check(program, calls=[(tensor(2, 3, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()


@clause("models.recipes", "python.modules", on=QUICK)
def test_weight_kept_while_what_it_comes_from_changes(check: Check) -> None:
    """Within `parametrize.cached` compiled calls use the weight of the first, whatever its original is by then."""

    def program(compile_part: Compile, batch: torch.Tensor) -> list[Any]:
        layer = begin(_layer, batch)
        compiled, found = compile_part(layer), []
        found.append(compiled(batch).clone())
        with parametrize.cached():
            for _ in range(2):
                found.append(compiled(batch).clone())
                layer.parametrizations.weight.original.detach().mul_(3)
            found.append(layer.weight.clone())
        return [*found, compiled(batch).clone()]

    check(program, calls=[(tensor(3, 4),)], in_parts=True, backward=False).computed()


@clause("models.recipes", "python.modules", on=QUICK)
def test_copy_of_a_parametrized_layer(check: Check) -> None:
    """A copy of a parametrized layer computes its weight from its own original; both are compiled, and stay apart."""

    def program(compile_part: Compile, batch: torch.Tensor) -> list[Any]:
        layer = begin(_layer, batch)
        compiled = compile_part(layer)
        found = [compiled(batch).clone()]
        other = copy.deepcopy(layer)
        other.parametrizations.weight[0].factor.detach().mul_(-3)
        return [found, compile_part(other)(batch).clone(), compiled(batch).clone(), isinstance(other, nn.Linear)]

    check(program, calls=[(tensor(3, 4),)], in_parts=True, backward=False).computed()


@clause("models.recipes", "python.modules", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("by_a_hook", [False, True])
def test_vectors_of_a_spectral_norm_by_its_mode(check: Check, by_a_hook: bool) -> None:
    """In training each call takes one more step towards the largest singular value, in evaluation none."""

    def program(compile_part: Compile, batch: torch.Tensor) -> list[Any]:
        norm = nn.utils.spectral_norm if by_a_hook else parametrizations.spectral_norm
        layer = begin(lambda: norm(nn.Linear(4, 5)), batch)
        compiled, found = compile_part(layer), []
        for mode in (True, False, True, False):
            found.append(compiled.train(mode)(batch).detach().clone())
            found.append({name: buffer.clone() for name, buffer in layer.named_buffers()})
        return found

    check(program, calls=[(tensor(3, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()
