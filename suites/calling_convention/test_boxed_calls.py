"""Boxed calls: what a graph is handed is freed after its last use, and no wrapper keeps it alive until the end.

Operators of Parity's own watch a tensor's memory and say, from within the graph, how much of what was watched is left.
"""

from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from suites.harness import Check, clause, tensor

_WATCHED: list[StorageWeakRef] = []


@torch.library.custom_op("parity_boxed::watch", mutates_args=())
def _watch(x: torch.Tensor) -> torch.Tensor:
    """A copy of ``x``, whose memory is watched from now on, instead of whatever was."""
    _WATCHED[:] = [StorageWeakRef(x.untyped_storage())]
    return x.clone()


@torch.library.custom_op("parity_boxed::alive", mutates_args=())
def _alive(x: torch.Tensor) -> torch.Tensor:
    """``x`` plus the number of watched memories that are still there."""
    return x + sum(not memory.expired() for memory in _WATCHED)


_watch.register_fake(torch.empty_like)
_alive.register_fake(torch.empty_like)


class _Watch(torch.autograd.Function):
    """Hands on its input, whose memory is watched from the forward pass on."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return _watch(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


class _Count(torch.autograd.Function):
    """Hands on its input; its gradient is raised by the number of watched memories that are left by then."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return _alive(gradient)


@clause("T2.7")
def test_intermediate_is_freed_after_its_last_use(check: Check) -> None:
    """An intermediate that nobody reads any more is out of memory while the rest of the graph still runs."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a @ a.t()
        b = _watch(b).sum(0, keepdim=True)
        return _alive(b @ b.t())

    result = check(program, tensor(5, 3))
    _WATCHED.clear()
    result.values().expect("""\
out = float32[1, 1] [[726.4]]
""")


@clause("T2.7", modes="train")
def test_saved_activation_is_freed_during_backward(check: Check) -> None:
    """A tensor saved for backward is out of memory once backward has read it for the last time, and not at its end."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        hidden = _Count.apply(a) @ b
        return (hidden.tanh() + _Watch.apply(hidden)) @ b.t()

    result = check(program, tensor(2, 3), tensor(3, 4))
    result.gradient(0, 1)
    _WATCHED.clear()


@clause("T2.7", modes="train")
def test_saved_activations_are_freed_after_backward(check: Check) -> None:
    """After backward nothing that was saved for it is in memory, though the output is: the next call counts none."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        before = _alive(torch.zeros(()))
        hidden = (a @ b).tanh()
        return _Watch.apply(hidden).sin() * before.cos() + hidden.sum()

    result = check(program, calls=[(tensor(2, 3), tensor(3, 4))] * 3)
    result.gradient(0, 1)
    _WATCHED.clear()
