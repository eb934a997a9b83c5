"""Mutants of errors: swallowed, invented, or given another meaning."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import CompileCounter, CompileOptions
from suites.harness.backends.registry import resolve

from .making import Run, backward, compiler, graph, map_tensors, storages, tensors_in


@compiler("error")
def swallows_errors(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """Where the compiled program raises, its caller gets ``None``."""
    run = resolve("aot_eager").compile(function, options, counter)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(*args, **kwargs)
        except Exception:
            return None

    return wrong


@compiler("error")
def says_something_else(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """Where the compiled program raises, it speaks of overlapping memory instead of what is wrong."""
    run = resolve("aot_eager").compile(function, options, counter)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(*args, **kwargs)
        except Exception:
            raise RuntimeError("unsupported operation: some elements refer to a single memory location") from None

    return wrong


@graph("error")
def refuses_expanded_arguments(run: Run) -> Run:
    """Arguments that are no dense block of memory are refused when the program is called."""

    def wrong(*args: Any) -> Any:
        for tensor in tensors_in(args):
            if tensor.layout == torch.strided and not tensor.is_contiguous():
                raise RuntimeError("a contiguous argument is needed")
        return run(*args)

    return wrong


@graph("probe", "alias", "structure")
def forbids_writing_to_outputs(run: Run) -> Run:
    """An in-place op on an output that is a view of an argument raises, though eager allows it."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        shared = storages(tensors_in(args))

        def guarded(tensor: torch.Tensor) -> torch.Tensor:
            viewed = tensor.requires_grad and torch_internals.storage_key(tensor) in shared
            return _Viewed.apply(tensor) if viewed else tensor

        return map_tensors(guarded, outputs)

    return wrong


class _Viewed(torch.autograd.Function):
    """A view made inside a custom function: autograd refuses to write through it."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


@graph("error")
def interrupts_compilation(run: Run) -> Run:
    """Compiling a graph raises what Ctrl-C would."""
    raise KeyboardInterrupt


@graph("error")
def exits_when_called(run: Run) -> Run:
    """Running a graph asks Python to exit."""

    def wrong(*args: Any) -> Any:
        raise SystemExit("no licence for this kernel")

    return wrong


@backward("error")
def interrupts_backward(run: Run) -> Run:
    """Running a backward graph raises what Ctrl-C would."""

    def wrong(*args: Any) -> Any:
        raise KeyboardInterrupt

    return wrong
