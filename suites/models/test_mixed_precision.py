"""Mixed precision: scaled losses, steps that are left out, and where autocast is entered."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin, compiled_at_most, left_behind

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}


class _Narrow(nn.Module):
    """Layers that autocast casts, and others that it does not."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(8, 33), nn.LayerNorm(33), nn.Linear(33, 8)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.second(functional.silu(self.norm(self.first(a))))


@clause("models.mixed-precision", modes="train", on=QUICK)
@pytest.mark.parametrize("place", ["around", "within", "off_within"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_where_autocast_is_entered(check: Check, place: str, dtype: str) -> None:
    """Autocast around a compiled module, in what is compiled, or turned off there: dtypes and gradients are eager's."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        device = batches.device.type
        network = begin(_Narrow, batches)
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
        found, losses = [], []

        def within(batch: torch.Tensor) -> torch.Tensor:
            with torch.autocast(device, dtype=DTYPES[dtype], enabled=place == "within"):
                return network(batch)

        compiled = compile_part(network if place == "around" else within)
        for batch in batches:
            with torch.autocast(device, dtype=DTYPES[dtype], enabled=place != "within"):
                said = compiled(batch)
            loss = functional.mse_loss(said.float(), batch.roll(1, -1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(said.detach())
            losses.append(loss.detach())
        return [found, left_behind(network, losses)]

    result = check(program, calls=[(tensor(2, 3, 8, grad=False),)], in_parts=True, backward=False).computed()
    compiled_at_most(result, 1)
    wanted = "float32" if place == "off_within" else dtype
    result.happened(result.facts("out[0][0]").dtype == wanted, f"a result in {wanted}")


@clause("models.mixed-precision", modes="train", on=QUICK)
@pytest.mark.parametrize("narrow", [False, True], ids=["float32", "float16"])
def test_scaled_losses(check: Check, narrow: bool) -> None:
    """A scaled loss, gradients that are unscaled and clipped, a step left out for an infinity, a scale that grows."""

    if narrow and check.device != "cpu":
        pytest.skip("five steps of a GPU's products in float16 round by more than one step does")

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network: Any = begin(lambda: nn.Sequential(nn.Linear(4, 33), nn.Tanh(), nn.Linear(33, 4)), batches)
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
        device = batches.device.type
        scaler = torch.amp.GradScaler(device, init_scale=8.0, growth_factor=4.0, backoff_factor=0.5, growth_interval=2)
        losses, scales, steps = [], [], []

        def lost(batch: torch.Tensor) -> torch.Tensor:
            with torch.autocast(device, dtype=torch.float16, enabled=narrow):
                return functional.mse_loss(network(batch).float(), batch.roll(1, -1))

        compiled = compile_part(lost)
        for number, batch in enumerate(batches):
            before = network[0].weight.detach().clone()
            optimizer.zero_grad()
            loss = compiled(batch)
            scaler.scale(loss).backward()
            if number == 1:
                network[2].weight.grad[0, 1] = torch.inf
            scaler.unscale_(optimizer)
            norm = nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.detach())
            scales.append(scaler.get_scale())
            steps.append([network[0].weight.detach() - before, norm if number != 1 else None])
        return [left_behind(network, losses), scales, steps, scaler.state_dict()]

    result = check(program, calls=[(tensor(5, 3, 4, grad=False),)], in_parts=True, backward=False).computed()
    compiled_at_most(result, 1)
    result.holds("out[1]", [8.0, 4.0, 4.0, 16.0, 16.0])
    moved = [bool(result.value(f"out[2][{number}][0]").abs().max() > 0) for number in range(5)]
    result.happened(moved == [True, False, True, True, True], "one step left out of five")


@clause("models.mixed-precision", modes="train", fullgraph=False)
@pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])
def test_scaled_step_that_is_compiled(check: Check, fused: bool) -> None:
    """A scaler around a compiled step: the step is made or left out as in eager, one that scales itself, too."""

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        parameter = nn.Parameter(weights.clone())
        optimizer = torch.optim.Adam([parameter], lr=0.1, eps=0.1, fused=fused)
        scaler = torch.amp.GradScaler(weights.device.type, init_scale=4.0, growth_interval=2)
        scaler.scale(weights.new_ones(()))
        plain = optimizer.step

        def step() -> torch.Tensor:
            plain()
            return parameter.detach() * 2

        optimizer.step = compile_part(step)  # type: ignore[method-assign]
        found: list[Any] = []
        for number, gradient in enumerate(gradients):
            before, parameter.grad = parameter.detach().clone(), gradient * 4
            if number == 1:
                parameter.grad[0, 2] = torch.inf
            doubled = scaler.step(optimizer)
            scaler.update()
            found.append([parameter.detach() - before, scaler.get_scale(), doubled])
        return [found, optimizer.state_dict()["state"]]

    given = (tensor(2, 33, grad=False), tensor(4, 2, 33, grad=False))
    result = check(program, calls=[given], in_parts=True, backward=False, exact=False).computed()
    moved = [bool(result.value(f"out[0][{number}][0]").abs().max() > 0) for number in range(4)]
    result.happened(moved == [True, False, True, True], "one step left out of four")
