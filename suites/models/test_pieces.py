"""What larger networks are made of: a piece of a U-Net, a step of diffusion, integer weights, ensembles, adapters."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrize

from suites.harness import Check, clause, tensor
from suites.models.training import Compile, begin, compiled_at_most, train


class _Hourglass(nn.Module):
    """Down to half the size and up again, beside what was there, told at which time of ten."""

    noise_left: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.into, self.norm = nn.Conv2d(2, 8, 3, padding=1), nn.GroupNorm(4, 8)
        self.down, self.up = nn.Conv2d(8, 8, 3, stride=2, padding=1), nn.Conv2d(16, 8, 3, padding=1)
        self.time, self.out = nn.Linear(8, 8), nn.Conv2d(8, 2, 1)
        self.register_buffer("noise_left", torch.linspace(0.01, 0.3, 10).neg().add(1).cumprod(0))

    def forward(self, images: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
        rates = torch.exp(-torch.arange(4, device=images.device) * 1.5)
        angles = times[:, None] * rates
        time = functional.silu(self.time(torch.cat([angles.sin(), angles.cos()], -1)))
        wide = functional.silu(self.norm(self.into(images)) + time[..., None, None])
        narrow = functional.silu(self.down(wide))
        back = functional.interpolate(narrow, scale_factor=2, mode="nearest")
        found: torch.Tensor = self.out(functional.silu(self.up(torch.cat([wide, back], 1))))
        return found

    def lost(self, images: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
        """How far the noise that is found is from that which was drawn."""
        left, noise = self.noise_left[times][:, None, None, None], torch.randn_like(images)
        return functional.mse_loss(self(left.sqrt() * images + (1 - left).sqrt() * noise, times), noise)


@clause("models.pieces", modes="train")
def test_steps_of_diffusion(check: Check) -> None:
    """Noise is drawn by the seeded generator and mixed in by a schedule; a U-Net learns to find it at each time."""

    def program(compile_part: Compile, images: torch.Tensor, times: torch.Tensor) -> dict[str, Any]:
        network = begin(_Hourglass, images)
        return train(network, compile_part(network.lost), zip(images, times, strict=True))

    times = tensor(2, 3, dtype=torch.int64, values=[[0, 4, 9], [3, 3, 7]])
    calls = [(tensor(2, 3, 2, 8, 8, grad=False), times)]
    result = check(program, calls=calls, in_parts=True, backward=False, exact=check.device == "cpu").computed()
    compiled_at_most(result.drew_random(), 1)


@clause("models.pieces", modes=("no_grad", "inference"))
@pytest.mark.parametrize("per_channel", [False, True], ids=["one_scale", "scale_per_channel"])
def test_integer_weights(check: Check, per_channel: bool) -> None:
    """Weights of eight bits, with one scale or one for each channel, are widened where they are multiplied."""

    def program(compile_part: Compile, weight: torch.Tensor, batch: torch.Tensor) -> list[torch.Tensor]:
        largest = weight.abs().amax(1, keepdim=True) if per_channel else weight.abs().amax()
        scale = largest / 127

        def quantised(a: torch.Tensor) -> torch.Tensor:
            whole = (weight / scale).round().clamp(-128, 127).to(torch.int8)
            return (a @ whole.to(a.dtype).t()) * scale.reshape(-1)

        def apart(a: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
            return functional.linear(a, whole.to(a.dtype) * scale)

        whole = (weight / scale).round().to(torch.int8)
        first, second = compile_part(quantised), compile_part(apart)
        return [first(batch), second(batch, whole), second(batch, whole // 2)]

    check(program, calls=[(tensor(33, 16), tensor(3, 16))], in_parts=True, backward=False).computed()


@clause("models.pieces", modes="train")
@pytest.mark.parametrize("gradients", [False, True], ids=["outputs", "gradients"])
def test_ensemble_that_is_stacked(check: Check, gradients: bool) -> None:
    """Members of an ensemble, stacked, are called at once by vmap; so are their gradients, each on its own batch."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        members = begin(
            lambda: nn.ModuleList(nn.Sequential(nn.Linear(4, 33), nn.Tanh(), nn.Linear(33, 1)) for _ in range(3)),
            batches,
        )
        parameters, buffers = torch.func.stack_module_state(list(members))
        base = copy.deepcopy(members[0])

        def one(parameters: dict[str, Any], buffers: dict[str, Any], batch: torch.Tensor) -> torch.Tensor:
            return torch.func.functional_call(base, (parameters, buffers), (batch,)).square().mean()

        each = torch.func.vmap(torch.func.grad(one) if gradients else one)
        compiled, found = compile_part(each), []
        for _ in range(2):
            found.append(compiled(parameters, buffers, batches))
        loss = sum(value.square().sum() for value in found[-1].values()) if gradients else found[-1].sum()
        loss.backward()
        return [found, [parameter.grad for parameter in parameters.values()]]

    calls = [(tensor(3, 5, 4, grad=False),)]
    compiled_at_most(check(program, calls=calls, in_parts=True, backward=False, exact=False).computed(), 1)


class _LowRank(nn.Module):
    """A weight that stays, and two narrow ones that are added to it."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.down = nn.Parameter(torch.randn(2, columns))
        self.up = nn.Parameter(torch.full((rows, 2), 0.1))

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight + self.up @ self.down / 2


def _adapted() -> nn.Module:
    layers = nn.Sequential(nn.Linear(4, 33), nn.GELU(), nn.Linear(33, 4))
    for layer, sizes in ((layers[0], (33, 4)), (layers[2], (4, 33))):
        layer.requires_grad_(False)
        parametrize.register_parametrization(layer, "weight", _LowRank(*sizes))
    return layers


@clause("models.pieces", modes="train", fullgraph=False)
def test_adapters_of_low_rank(check: Check) -> None:
    """Only the narrow weights train; merged into the weight that stayed they say what they said beside it."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network: Any = begin(_adapted, batches)
        compiled = compile_part(network)
        narrow = [parameter for parameter in network.parameters() if parameter.requires_grad]
        optimizer = torch.optim.SGD(narrow, lr=0.1)
        found = train(network, lambda batch: (compiled(batch) - batch).square().mean(), zip(batches), optimizer)
        beside = compiled(batches[0]).detach()
        for layer in (network[0], network[2]):
            parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
        return [found, beside, compiled(batches[0]).detach()]

    result = check(program, calls=[(tensor(3, 3, 4, grad=False),)], in_parts=True, backward=False).computed()
    result.happened(torch.allclose(result.value("out[1]"), result.value("out[2]")), "one result, merged and beside")
    compiled_at_most(result, 3)
