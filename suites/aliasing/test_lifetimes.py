"""Lifetimes: memory that outputs were views of is free once the caller lets go of them, without a cycle collection."""

from collections.abc import Callable

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from suites.harness import Check, clause, tensor

#: Gives the list of what each call of a run has watched: weak references, of which the oracle compares that they are.
Journal = Callable[[], list[list[StorageWeakRef]]]


def _journal() -> Journal:
    entries: list[list[StorageWeakRef]] = []
    return lambda: entries


@torch.compiler.disable
def _survivors(journal: Journal) -> int:
    """How many of the storages that the call before the last one watched are still in memory.

    The oracle holds on to the last call's outputs, and the compiler to what it traced the first call with, until a
    cycle collection: what the second call watched is looked at in the fourth.
    """
    watched = journal()
    return sum(not reference.expired() for reference in watched[-2]) if len(watched) > 2 else 0


@torch.compiler.disable
def _watch(journal: Journal, *tensors: torch.Tensor) -> None:
    """Look at the memory of these tensors two calls later."""
    journal().append([StorageWeakRef(item.untyped_storage()) for item in tensors])


@clause("T7.12", modes=("train", "no_grad"), fullgraph=False)
def test_views_saved_for_backward_do_not_keep_their_memory(check: Check) -> None:
    """Views of a tensor saved for backward are free once let go: a reference cycle with their node would keep them."""

    journal = _journal()

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        survivors = _survivors(journal)
        b = a.exp()
        left, right = b.view(-1), b.t()
        _watch(journal, b)
        return left, right, survivors

    inputs = (tensor(2, 2),)
    result = check(program, calls=[inputs] * 4)
    result.aliases("out[0]", "out[1]")
    result.in_call(3).holds("out[2]", 0)


@clause("T7.12", modes=("train", "no_grad"), fullgraph=False)
def test_outputs_whose_backward_never_runs_do_not_keep_their_memory(check: Check) -> None:
    """Outputs that are let go without a backward pass take the tensors that were saved for it with them."""

    journal = _journal()

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        survivors = _survivors(journal)
        b = a.exp()
        c = b.sin()[1:]
        _watch(journal, b, c)
        return c, survivors

    inputs = (tensor(4),)
    result = check(program, calls=[inputs] * 4, backward=False)
    result.in_call(3).holds("out[1]", 0)
    result.values().expect("""\
out[0] = float32[3] [0.07201, 0.7085, 0.2484]
out[1] = int 0
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [0.6898, 0.8041, 0.6117]
out[1] = int 0
""")


@clause("T7.12", modes=("train", "no_grad"), fullgraph=False)
def test_mutated_input_is_not_kept(check: Check) -> None:
    """The caller's tensor that a call mutated and returned a view of is free once the caller lets go of both."""

    journal = _journal()

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        survivors = _survivors(journal)
        a.mul_(2)
        view = a.view(-1)
        _watch(journal, a)
        return view, survivors

    inputs = (tensor(2, 2),)
    result = check(program, calls=[inputs] * 4)
    result.mutated(0)
    result.in_call(3).holds("out[1]", 0)
