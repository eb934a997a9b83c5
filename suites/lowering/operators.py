"""Custom operators that clauses of this family have Inductor fall back to."""

from __future__ import annotations

import torch


@torch.library.custom_op("parity_lowering::swirl", mutates_args=())
def swirl(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Rows of ``a`` in reverse, plus ``b``: opaque to the compiler."""
    return a.flip(0) + b


@swirl.register_fake
def _(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(a)


@torch.library.custom_op("parity_lowering::accumulate", mutates_args=("into",))
def accumulate(into: torch.Tensor, a: torch.Tensor) -> None:
    """Add the running sum of ``a`` to ``into``."""
    into.add_(a.cumsum(0))


@torch.library.custom_op("parity_lowering::spelled", mutates_args=())
def spelled(a: torch.Tensor, text: str) -> torch.Tensor:
    """``a``, plus a number for the letters of ``text`` and their places."""
    return a + sum(ord(letter) * place for place, letter in enumerate(text, 1))


@spelled.register_fake
def _(a: torch.Tensor, text: str) -> torch.Tensor:
    return torch.empty_like(a)
