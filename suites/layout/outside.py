"""Eager code around a compiled program: what is handed to its backward, and what its backward hands on.

Programs that call these break their graph there, so their clauses say ``fullgraph=False``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


class _Handing(torch.autograd.Function):
    """A copy, whose backward hands on what ``change`` makes of the cotangent."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, change: Callable[[Any], torch.Tensor]) -> torch.Tensor:
        ctx.change = change
        return tensor.clone()

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None]:
        return ctx.change(cotangent), None


@torch.compiler.disable
def hand_back(tensor: torch.Tensor, change: Callable[[Any], torch.Tensor]) -> torch.Tensor:
    """A copy of ``tensor``, made outside of any graph; the compiled backward gets ``change(cotangent)``."""
    copied: torch.Tensor = _Handing.apply(tensor, change)
    return copied


def noted(tensor: torch.Tensor, read: Callable[[Any], Any], notes: list[Any]) -> torch.Tensor:
    """A copy of ``tensor``, made outside of any graph; its gradient, when it arrives, is read into ``notes``."""

    def note(gradient: torch.Tensor) -> torch.Tensor:
        notes.append(read(gradient))
        return gradient

    return hand_back(tensor, note)


def noted_strides(tensor: torch.Tensor, notes: list[Any]) -> torch.Tensor:
    """`noted`, of the strides of the gradient, in elements."""
    return noted(tensor, lambda gradient: tuple(gradient.stride()), notes)


def with_gaps(tensor: torch.Tensor) -> torch.Tensor:
    """The same values in every second place of a larger buffer, behind an offset."""
    buffer = torch.full((2 * tensor.numel() + 3,), 99.0, dtype=tensor.dtype, device=tensor.device)
    strides = [2 * stride for stride in torch.empty(tensor.shape, device="meta").stride()]
    return buffer.as_strided(tensor.shape, strides, 3).copy_(tensor)
