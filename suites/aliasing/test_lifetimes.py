"""Lifetimes: memory that outputs were views of is free once the caller lets go of them, without a cycle collection."""

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from suites.harness import Check, clause, tensor

_WATCHED: list[list[StorageWeakRef]] = []


@torch.compiler.disable
def _survivors() -> int:
    """How many of the storages that the call before the last one watched are still in memory.

    The oracle holds on to the last call's outputs, so only the ones before can be free.
    """
    _WATCHED[:-2] = []
    return sum(not reference.expired() for reference in _WATCHED[0]) if len(_WATCHED) == 2 else 0


@torch.compiler.disable
def _watch(*tensors: torch.Tensor) -> None:
    """Look at the memory of these tensors two calls later."""
    _WATCHED.append([StorageWeakRef(item.untyped_storage()) for item in tensors])


@clause("T7.12", shapes=("static",), fullgraph=False)
def test_views_saved_for_backward_do_not_keep_their_memory(check: Check) -> None:
    """Views of a tensor saved for backward are free once let go: a reference cycle with their node would keep them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        survivors = _survivors()
        b = a.exp()
        left, right = b.view(-1), b.t()
        _watch(b)
        return left, right, survivors

    inputs = (tensor(2, 2),)
    result = check(program, calls=[inputs, inputs, inputs])
    result.aliases("out[0]", "out[1]")
    result.happened(result.expected.calls[2].entries["out[2]"].detail == 0, "free memory by the third call")


@clause("T7.12", shapes=("static",), fullgraph=False)
def test_outputs_whose_backward_never_runs_do_not_keep_their_memory(check: Check) -> None:
    """Outputs that are let go without a backward pass take the tensors that were saved for it with them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        survivors = _survivors()
        b = a.exp()
        c = b.sin()[1:]
        _watch(b, c)
        return c, survivors

    inputs = (tensor(4),)
    result = check(program, calls=[inputs, inputs, inputs], backward=False)
    result.happened(result.expected.calls[2].entries["out[1]"].detail == 0, "free memory by the third call")


@clause("T7.12", shapes=("static",), fullgraph=False)
def test_mutated_input_is_not_kept(check: Check) -> None:
    """The caller's tensor that a call mutated and returned a view of is free once the caller lets go of both."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        survivors = _survivors()
        a.mul_(2)
        view = a.view(-1)
        _watch(a)
        return view, survivors

    inputs = (tensor(2, 2),)
    result = check(program, calls=[inputs, inputs, inputs])
    result.mutated(0).happened(result.expected.calls[2].entries["out[1]"].detail == 0, "free memory by the third call")
