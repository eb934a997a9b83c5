"""Saboteurs of how an output lies in memory."""

from __future__ import annotations

from typing import Any

import torch

from .making import Run, graph, replace_fresh


@graph("layout")
def contiguous_strides(run: Run) -> Run:
    """Every output comes back contiguous."""

    def wrong(*args: Any) -> Any:
        return replace_fresh(args, run(*args), _contiguous)

    return wrong


def _contiguous(data: torch.Tensor) -> torch.Tensor | None:
    return data.contiguous() if data.layout == torch.strided and not data.is_contiguous() else None


@graph("layout")
def transposed_strides(run: Run) -> Run:
    """Contiguous outputs of two and more dimensions come back with the last two dimensions swapped in memory."""

    def wrong(*args: Any) -> Any:
        return replace_fresh(args, run(*args), _transposed)

    return wrong


def _transposed(data: torch.Tensor) -> torch.Tensor | None:
    if data.layout != torch.strided or data.dim() < 2 or not data.is_contiguous():
        return None
    return data.transpose(-1, -2).contiguous().transpose(-1, -2)


@graph("alias", "layout")
def in_a_larger_buffer(run: Run) -> Run:
    """A fresh output begins in the middle of a larger buffer."""

    def wrong(*args: Any) -> Any:
        return replace_fresh(args, run(*args), _with_room_before)

    return wrong


def _with_room_before(data: torch.Tensor) -> torch.Tensor | None:
    if data.layout != torch.strided or not data.numel():
        return None
    span = 1 + sum((size - 1) * stride for size, stride in zip(data.shape, data.stride(), strict=True))
    buffer = torch.zeros(span + 4, dtype=data.dtype, device=data.device)
    moved = buffer.as_strided(data.shape, data.stride(), 4)
    moved.copy_(data)
    return moved
