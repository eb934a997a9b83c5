"""Derivatives along a direction, taken inside of a program: through layers with weights, by each way to ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd import forward_ad
from torch.func import functional_call, grad, jacfwd, jvp

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK

#: Norms of four columns and six rows, with weights of their own.
NORMS: dict[str, Callable[[], nn.Module]] = {
    "layer_norm": lambda: nn.LayerNorm(4),
    "group_norm": lambda: nn.GroupNorm(2, 4),
}
#: Other layers of as many.
LAYERS: dict[str, Callable[[], nn.Module]] = {
    "linear": lambda: nn.Linear(4, 4),
    "root_mean_square": lambda: nn.RMSNorm(4),
    "convolution": lambda: nn.Sequential(nn.Unflatten(1, (2, 2)), nn.Conv1d(2, 3, 2)),
    "activations": lambda: nn.Sequential(nn.GELU(), nn.SiLU(), nn.Softplus(beta=2.0), nn.Softmax(-1)),
}


def _along(layer: nn.Module, a: torch.Tensor, direction: torch.Tensor) -> Any:
    return jvp(layer, (a,), (direction,))


def _by_columns(layer: nn.Module, a: torch.Tensor, direction: torch.Tensor) -> Any:
    return jacfwd(lambda rows: (layer(rows) * 2).sum(0))(a[:2])


def _of_a_gradient(layer: nn.Module, a: torch.Tensor, direction: torch.Tensor) -> Any:
    def of_all(rows: torch.Tensor) -> torch.Tensor:
        return layer(rows).sin().sum()

    return jvp(grad(of_all), (a,), (direction,))


def _of_the_weights(layer: nn.Module, a: torch.Tensor, direction: torch.Tensor) -> Any:
    weights = {name: weight.detach() for name, weight in layer.named_parameters()}
    along = {name: weight.cos() + 1 for name, weight in weights.items()}
    return jvp(lambda chosen: functional_call(layer, chosen, (a,)), (weights,), (along,))


def _at_a_level(layer: nn.Module, a: torch.Tensor, direction: torch.Tensor) -> Any:
    with forward_ad.dual_level():
        value, along = forward_ad.unpack_dual(layer(forward_ad.make_dual(a, direction)))
        return value * 2, along * 2


#: Ways to ask for the derivative of a layer along a direction.
WAYS: dict[str, Callable[[nn.Module, torch.Tensor, torch.Tensor], Any]] = {
    "along": _along,
    "by_columns": _by_columns,
    "of_a_gradient": _of_a_gradient,
    "of_the_weights": _of_the_weights,
    "at_a_level": _at_a_level,
}


def _asked(check: Check, way: str, make: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    layer = make().to(check.device)
    with torch.no_grad():
        for number, weight in enumerate(layer.parameters()):
            weight.add_(0.25 * (number + 1))

    def program(a: torch.Tensor, direction: torch.Tensor) -> Any:
        return WAYS[way](layer, a, direction)

    check(program, tensor(6, 4), tensor(6, 4), exact=False).computed()


@clause("T1.2", on=QUICK)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layer", ["linear", "root_mean_square", "convolution"])
def test_layer_along_a_direction(check: Check, way: str, layer: str) -> None:
    """How a layer's result changes along a direction, of its input or of its weights, is computed as in eager."""
    _asked(check, way, LAYERS[layer])


@clause("T1.2", on=QUICK)
@pytest.mark.parametrize("way", [way for way in WAYS if way != "of_the_weights"])
def test_activations_along_a_direction(check: Check, way: str) -> None:
    """How activations, one after the other, change along a direction of their input is computed as in eager."""
    _asked(check, way, LAYERS["activations"])


@clause("T1.2", on=QUICK, isolated=True)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("norm", NORMS)
def test_norm_with_weights_along_a_direction(check: Check, way: str, norm: str) -> None:
    """How the result of a norm with weights changes along a direction is computed as in eager."""
    _asked(check, way, NORMS[norm])


@clause("T1.2", modes="train", isolated=True)
@pytest.mark.parametrize("layer", ["layer_norm", "convolution"])
def test_training_on_a_direction(check: Check, layer: str) -> None:
    """A loss of how a layer changes along a direction has the gradients of eager, in what it was asked at."""

    torch.manual_seed(0)
    made = {**LAYERS, **NORMS}[layer]().to(check.device).requires_grad_(False)

    def program(a: torch.Tensor, direction: torch.Tensor) -> torch.Tensor:
        found: Any = jvp(lambda rows: made(rows).tanh(), (a,), (direction,))
        return (found[0] * found[1]).sum(-1)

    check(program, tensor(6, 4), tensor(6, 4), exact=False).gradient(0, 1)


@clause("T1.2", modes=("no_grad", "train"))
def test_level_within_a_program_that_writes(check: Check) -> None:
    """At a level of forward mode what is written in place, in parts and as a whole, is written to the tangent, too."""

    def program(a: torch.Tensor, direction: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with forward_ad.dual_level():
            both = forward_ad.make_dual(a * 1, direction * 1)
            both.mul_(3)
            both[0] = direction[1].sin() * a[2]
            both[:, 1].exp_()
            value, along = forward_ad.unpack_dual(both)
            return value + 1, along + 1

    check(program, tensor(3, 4), tensor(3, 4), exact=False).computed()
