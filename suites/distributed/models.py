"""What the clauses of this family train: two small models, and the steps of their training."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, OffloadPolicy, fully_shard
from torch.utils.checkpoint import checkpoint

Compile = Callable[[Any], Any]

WIDTH, HEADS = 8, 2


class Feedforward(nn.Module):
    """Two linear layers with a relu between them, and what came in added to what goes out."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x``: [..., width]; so is the result."""
        return x + self.down(self.up(x).relu())


class NormedFeedforward(nn.Module):
    """A layer norm and a feedforward part."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.norm = nn.LayerNorm(WIDTH)
        self.feedforward = Feedforward()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x``: [..., WIDTH]; so is the result."""
        return torch.as_tensor(self.feedforward(self.norm(x)))


class CausalBlock(nn.Module):
    """Causal attention of `HEADS` heads and a feedforward part, with dropout in both."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.attended = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.feedforward = Feedforward()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x``: [batch, positions, WIDTH]; so is the result."""
        batch, positions, _ = x.shape
        heads = self.attended(self.norm(x)).view(batch, positions, 3, HEADS, WIDTH // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        later = torch.ones(positions, positions, dtype=torch.bool, device=x.device).triu(1)
        scores = (query @ key.transpose(-1, -2)).masked_fill(later, float("-inf"))
        weights = F.dropout(scores.softmax(-1), 0.2, self.training)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, positions, WIDTH)
        return self.feedforward(x + F.dropout(self.out(mixed), 0.2, self.training))


class Recomputed(nn.Module):
    """A feedforward part with dropout, whose activations are not kept: backward computes them again."""

    def __init__(self) -> None:
        super().__init__()
        self.feedforward = Feedforward()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x``: [..., WIDTH]; so is the result."""
        return torch.as_tensor(checkpoint(self._dropped_out, x, use_reentrant=False))

    def _dropped_out(self, x: torch.Tensor) -> torch.Tensor:
        return F.dropout(self.feedforward(x).sigmoid(), 0.2, self.training)


class Stack(nn.Module):
    """Blocks one after the other, and a linear layer at the end."""

    def __init__(self, block: Callable[[], nn.Module], depth: int = 2, width: int = WIDTH) -> None:
        super().__init__()
        # Every rank has to begin with the same parameters: drawn on the CPU, whose generator is every rank's.
        torch.manual_seed(0)
        self.blocks = nn.ModuleList(block() for _ in range(depth))
        self.head = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x``: what the blocks take; so is the result."""
        for block in self.blocks:
            x = block(x)
        return torch.as_tensor(self.head(x))


def all_ranks(beside: torch.Tensor) -> DeviceMesh:
    """The mesh of all ranks in one row, on the kind of device of ``beside``."""
    return init_device_mesh(beside.device.type, (dist.get_world_size(),))


def shard(
    model: Stack,
    beside: torch.Tensor,
    *,
    reshard: bool = True,
    precision: MixedPrecisionPolicy | None = None,
    offload: OffloadPolicy | None = None,
) -> Stack:
    """Shard each block by itself and the model around them, over all ranks, on the device and in the dtype of
    ``beside``.

    ``reshard``: parameters are freed after forward. ``precision``: the dtypes of gathered parameters and of reductions,
    those of the parameters if None. ``offload``: where the shards stay between the calls, beside ``beside`` if None.
    """
    model.to(beside)
    how: dict[str, Any] = {
        "mesh": all_ranks(beside),
        "reshard_after_forward": reshard,
        "mp_policy": precision or MixedPrecisionPolicy(),
        "offload_policy": offload or OffloadPolicy(),
    }
    for block in model.blocks:
        fully_shard(block, **how)
    fully_shard(model, **how)
    return model


def compile_blocks(model: Stack, compile_part: Compile) -> Stack:
    """Have the forward of each block compiled, where it stands."""
    for block in model.blocks:
        block.forward = compile_part(block.forward)
    return model


def train(model: Stack, forward: Callable[[torch.Tensor], torch.Tensor], batches: torch.Tensor) -> list[torch.Tensor]:
    """Make a step of SGD with momentum on this rank's part of each batch; the losses, then all parameters, whole.

    ``batches``: [steps, ranks, ...], of which each rank sees its own part.
    """
    losses = learn(momentum(model), forward, [batch[dist.get_rank()] for batch in batches])
    return [*losses, *whole(model.parameters())]


def momentum(model: nn.Module) -> torch.optim.SGD:
    """SGD with momentum over the parameters that are trained."""
    return torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.1, momentum=0.9)


def learn(
    optimizer: torch.optim.Optimizer,
    forward: Callable[[torch.Tensor], torch.Tensor],
    batches: Iterable[torch.Tensor],
    before_step: Callable[[], None] = lambda: None,
) -> list[torch.Tensor]:
    """Make a step on each batch; the losses. ``before_step`` is called when the gradients of a step are there."""
    losses = []
    for batch in batches:
        loss = (forward(batch) - batch.roll(1, -1)).square().mean()
        loss.backward()
        before_step()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.detach())
    return losses


def everyone() -> dist.ProcessGroup:
    """The group of all ranks, which has to be there."""
    group = dist.group.WORLD
    assert group is not None
    return group


def own(a: torch.Tensor) -> torch.Tensor:
    """``a`` as each rank has it: times its number, counted from 1."""
    return a * (dist.get_rank() + 1)


def whole(parameters: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Sharded parameters (or their gradients), each put together again."""
    return [parameter.full_tensor().detach() for parameter in parameters]  # type: ignore[attr-defined]
