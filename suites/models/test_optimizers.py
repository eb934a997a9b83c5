"""Optimizers: steps that are compiled, alone or with forward and backward, and steps beside a compiled network.

Dynamo traces an adaptive optimizer with its count of steps as a tensor, and writes ``addcdiv`` with a factor as three
operators: steps are rounded elsewhere than in eager, below every backend, and need not be eager's to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch import nn, optim

from suites.harness import Check, clause, tensor
from suites.models.training import Compile, begin, train

Parameters = Iterable[nn.Parameter]

#: Those of `OPTIMIZERS` that Dynamo traces as they are written.
AS_WRITTEN = ("sgd", "sgd_dampened")
#: Each with options that are not its defaults. A large `eps` keeps steps of adaptive ones from following roundings.
OPTIMIZERS: dict[str, Callable[[Parameters], optim.Optimizer]] = {
    "sgd": lambda given: optim.SGD(given, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "sgd_dampened": lambda given: optim.SGD(given, lr=0.1, momentum=0.8, dampening=0.5, maximize=True, foreach=True),
    "adam": lambda given: optim.Adam(given, lr=0.1, eps=1e-2, amsgrad=True, weight_decay=0.1, foreach=False),
    "adamw": lambda given: optim.AdamW(given, lr=0.1, betas=(0.8, 0.95), eps=1e-2, foreach=True),
    "adagrad": lambda given: optim.Adagrad(given, lr=0.1, lr_decay=0.5, initial_accumulator_value=0.1),
    "rmsprop": lambda given: optim.RMSprop(given, lr=0.1, momentum=0.5, centered=True, eps=0.1),
}


def _state(optimizer: optim.Optimizer) -> dict[str, Any]:
    """What the optimizer keeps for each parameter, by their numbers."""
    found: dict[str, Any] = optimizer.state_dict()["state"]
    return found


@pytest.mark.parametrize("name", OPTIMIZERS)
@clause("models.optimizers", fullgraph=False)
def test_compiled_step(check: Check, name: str) -> None:
    """Three compiled steps on given gradients leave parameters, state and results as eager's do."""

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        parameters = [nn.Parameter(part.clone()) for part in (weights, weights[0] * 2)]
        optimizer = OPTIMIZERS[name](parameters)

        def step() -> list[torch.Tensor]:
            optimizer.step()
            return [parameter.detach() * 2 for parameter in parameters]

        compiled, doubled = compile_part(step), list[Any]()
        for gradient in gradients:
            parameters[0].grad, parameters[1].grad = gradient.clone(), gradient[1] - 1
            doubled.append(compiled())
        return [[parameter.detach() for parameter in parameters], _state(optimizer), doubled]

    given, exact = (tensor(2, 3), tensor(3, 2, 3)), name in AS_WRITTEN
    result = check(program, calls=[given], in_parts=True, backward=False, exact=exact).computed()
    steps = result.value("out[0][0]") - result.value("arg[1]")
    result.happened(bool(steps.abs().min() > 0), "a step of each parameter")


class _Perceptron(nn.Module):
    """Two layers and a squared error."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.SiLU(), nn.Linear(4, 3))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return (self.layers(a) - a.roll(1, -1)).square().mean()


@clause("models.optimizers", modes="train", fullgraph=False)
def test_whole_step_is_compiled(check: Check) -> None:
    """Forward, backward, clipping and the step of an optimizer in one compiled function train as in eager."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Perceptron, batches)
        optimizer = optim.AdamW(network.parameters(), lr=0.05, eps=1e-2)

        def step(batch: torch.Tensor) -> torch.Tensor:
            optimizer.zero_grad()
            loss = network(batch)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
            return loss.detach()

        compiled = compile_part(step)
        losses = [compiled(batch) for batch in batches]
        return [losses, [parameter.detach() for parameter in network.parameters()], _state(optimizer)]

    result = check(program, calls=[(tensor(3, 4, 3, grad=False),)], in_parts=True, backward=False, exact=False)
    result.values("out[0]", "out[1]").expect("""\
out[0][0] = float32[] 0.9919
out[0][1] = float32[] 0.6738
out[0][2] = float32[] 0.4097
out[1][0] = float32[4, 3] [[0.06716, 0.239, -0.4395], [-0.3916, -0.332, 0.2781], [-0.1142, 0.5938, -0.1665],
    [0.2704, -0.2967, -0.1141]]
out[1][1] = float32[4] [-0.626, -0.3019, -0.1321, -0.09307]
out[1][2] = float32[3, 4] [[0.0622, 0.3401, -0.4675, -0.2322], [0.2047, 0.3491, -0.149, 0.4651], [0.0275, -0.037,
    0.5815, -0.5733]]
out[1][3] = float32[3] [-0.1852, -0.2512, -0.07302]
""")


@clause("models.optimizers", modes="train")
def test_groups_of_parameters_beside_a_compiled_network(check: Check) -> None:
    """Groups with rates and decays of their own, one of them frozen, and a schedule: the network is compiled alone."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_Perceptron, batches)
        first, _, second = network.layers
        second.weight.requires_grad_(False)
        groups = [{"params": first.parameters(), "lr": 0.3}, {"params": [second.bias], "weight_decay": 0.5}]
        optimizer = optim.SGD(groups, lr=0.1, momentum=0.9)
        schedule = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        compiled = compile_part(network)
        found: dict[str, Any] = {}
        for number, batch in enumerate(batches):
            found[f"step {number}"] = train(network, compiled, [(batch,)], optimizer)
            schedule.step()
        return found

    result = check(program, calls=[(tensor(2, 4, 3, grad=False),)], in_parts=True, backward=False)
    result.values("out['step 1']['parameters']").expect("""\
out['step 1']['parameters']['layers.0.weight'] = float32[4, 3] [[0.01209, 0.3011, -0.4701], [-0.4159, -0.2543,
    0.2142], [-0.04891, 0.5794, -0.09407], [0.2043, -0.2214, -0.1355]]
out['step 1']['parameters']['layers.0.bias'] = float32[4] [-0.5691, -0.3706, -0.2029, -0.03517]
out['step 1']['parameters']['layers.2.weight'] = float32[3, 4] [[0.1977, 0.3, -0.339, -0.2177], [0.1816, 0.4152,
    -0.1029, 0.3742], [-0.08059, 0.05291, 0.4527, -0.4638]]
out['step 1']['parameters']['layers.2.bias'] = float32[3] [-0.161, -0.1944, -0.1759]
""")
