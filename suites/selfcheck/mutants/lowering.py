"""Mutants of what Inductor lowers to: they stand on Inductor itself, with its settings."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import CompileOptions

from .making import Run, lowering, lowering_asked, tensors_in


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


@lowering_asked("error", "state")
def takes_any_mode_and_option(options: CompileOptions) -> CompileOptions:
    """torch.compile's mode and options are taken whatever they say, and none is heeded."""
    return dataclasses.replace(options, mode=None, options=())
