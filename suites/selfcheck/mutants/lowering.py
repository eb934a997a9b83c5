"""Mutants of what Inductor lowers to: they stand on Inductor itself, with its settings."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness import torch_internals

from .making import Run, lowering, tensors_in


@lowering("error")
def leaves_out_asserts(run: Run) -> Run:
    """Asserts for NaN that were asked for are left out of the code."""

    def wrong(*args: Any) -> Any:
        with torch_internals.configured({"inductor.nan_asserts": False}):
            return run(*args)

    return wrong


@lowering("state")
def leaks_a_result_a_call(run: Run) -> Run:
    """Every call leaves a copy of its first argument behind."""
    kept: list[torch.Tensor] = []

    def wrong(*args: Any) -> Any:
        kept.extend(tensor.detach().clone() for tensor in tensors_in(args)[:1])
        return run(*args)

    return wrong
