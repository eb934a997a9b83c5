"""Mutants of how an output lies in memory."""

from __future__ import annotations

import functools
from typing import Any

import torch

from .making import Run, backward, changing_fresh, fresh, graph


@graph("layout")
def contiguous_strides(run: Run) -> Run:
    """Every output comes back contiguous."""
    return changing_fresh(run, _contiguous)


def _contiguous(data: torch.Tensor) -> torch.Tensor | None:
    return data.contiguous() if data.layout == torch.strided and not data.is_contiguous() else None


@graph("layout")
def transposed_strides(run: Run) -> Run:
    """Contiguous outputs of two and more dimensions come back with the last two dimensions swapped in memory."""
    return changing_fresh(run, _transposed)


def _transposed(data: torch.Tensor) -> torch.Tensor | None:
    if data.layout != torch.strided or data.dim() < 2 or not data.is_contiguous():
        return None
    return data.transpose(-1, -2).contiguous().transpose(-1, -2)


@graph("alias", "layout")
def in_a_larger_buffer(run: Run) -> Run:
    """A fresh output begins in the middle of a larger buffer."""
    return changing_fresh(run, _with_room_before)


def _with_room_before(data: torch.Tensor) -> torch.Tensor | None:
    if data.layout != torch.strided or not data.numel():
        return None
    span = 1 + sum((size - 1) * stride for size, stride in zip(data.shape, data.stride(), strict=True))
    buffer = torch.zeros(span + 4, dtype=data.dtype, device=data.device)
    moved = buffer.as_strided(data.shape, data.stride(), 4)
    moved.copy_(data)
    return moved


@graph("autograd")
def reads_tangents_with_the_outputs_strides(run: Run) -> Run:
    """A tangent that does not lie in memory as the output does is read as if it did."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        for tensor in fresh(args, outputs):
            if tensor.requires_grad and tensor.layout == torch.strided:
                tensor.register_hook(functools.partial(_read_as, tensor.stride()))
        return outputs

    return wrong


def _read_as(strides: tuple[int, ...], tangent: torch.Tensor) -> torch.Tensor:
    if type(tangent) is not torch.Tensor or tangent.layout != torch.strided or tangent.stride() == strides:
        return tangent
    end = 1 + sum((size - 1) * stride for size, stride in zip(tangent.shape, strides, strict=True))
    room = tangent.untyped_storage().nbytes() // tangent.element_size() - tangent.storage_offset()
    return tangent.as_strided(tangent.shape, strides) if tangent.numel() and end <= room else tangent


@backward("mutation", "autograd")
def lays_gradients_out_in_reverse(run: Run) -> Run:
    """A contiguous gradient comes with its first dimension innermost in memory, any other one is made contiguous."""

    def wrong(*args: Any) -> Any:
        return tuple(_reversed(value) if isinstance(value, torch.Tensor) else value for value in run(*args))

    return wrong


def _reversed(gradient: torch.Tensor) -> torch.Tensor:
    if gradient.dim() < 2 or gradient.layout != torch.strided:
        return gradient
    if not gradient.is_contiguous():
        return gradient.contiguous()
    order = tuple(reversed(range(gradient.dim())))
    return gradient.permute(order).contiguous().permute(order)
