"""Blocks that clauses checkpoint, and what is kept of one whose products are costly."""

from typing import Any

import torch
from torch.utils.checkpoint import CheckpointPolicy


def layer(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """A product and two functions of it, which are cheap."""
    return torch.tanh(a @ weight).exp()


def dropped(a: torch.Tensor) -> torch.Tensor:
    """A function of which half is dropped, and one of what is left."""
    return torch.nn.functional.dropout(a.exp(), 0.5).sin()


def save_products(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
    """The policy that keeps matrix products, and has all else computed again."""
    saved = op == torch.ops.aten.mm.default
    return CheckpointPolicy.MUST_SAVE if saved else CheckpointPolicy.PREFER_RECOMPUTE
