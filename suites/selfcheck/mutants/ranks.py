"""Mutants of what ranks do together: programs on one process do not meet them."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import torch
import torch.distributed as dist
from torch import fx

from .making import Run, backward, forward_graph, graph, overwrite, replace_fresh


def is_rank_one() -> bool:
    """Whether this process is rank 1 of a process group."""
    return dist.is_initialized() and dist.get_rank() == 1


@graph("value", place="ranks")
def wrong_on_rank_one(run: Run) -> Run:
    """Rank 1 computes other values; rank 0 is right."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        return replace_fresh(args, outputs, _doubled) if is_rank_one() else outputs

    return wrong


def _doubled(data: torch.Tensor) -> torch.Tensor | None:
    return data * 2 if data.dtype.is_floating_point else None


@graph("value", place="ranks")
def keeps_the_first_parameters(run: Run) -> Run:
    """The parameters of the first call are used for ever, as if they had been folded into the code."""
    first: dict[int, torch.Tensor] = {}

    def wrong(*args: Any) -> Any:
        for place, value in enumerate(args):
            if isinstance(value, torch.nn.Parameter):
                value.data.copy_(first.setdefault(place, value.detach().clone()))
        return run(*args)

    return wrong


@forward_graph("value", place="ranks")
def loses_a_wait(module: fx.GraphModule) -> None:
    """The wait for a graph's last collective is lost: what is read is what lay in its buffer before.

    Over gloo a few numbers have mostly arrived before anybody reads them, so that a graph without its wait would be
    wrong by chance alone, and the memory of what arrives after it has been freed would be somebody else's. Here the
    collective is waited for, and what it wrote is not looked at.
    """
    waits = [node for node in module.graph.nodes if _operator(node) == "wait_tensor"]
    if not waits:
        return
    wait = waits[-1]
    sent = _sent_in_place(wait)
    with module.graph.inserting_after(wait):
        unwaited = module.graph.call_function(_before_it_arrived, (wait, sent))
    wait.replace_all_uses_with(unwaited, lambda user: user is not unwaited)


def _before_it_arrived(arrived: torch.Tensor, sent: torch.Tensor | None) -> torch.Tensor:
    """What a collective's buffer held before: a copy of what was sent, or memory that nobody had written."""
    return torch.zeros_like(arrived) if sent is None else sent.clone()


def _sent_in_place(wait: fx.Node) -> Any:
    """What was sent by the collective that is waited for, where that is received in a copy of it; else None."""
    source = wait.args[0]
    while isinstance(source, fx.Node) and _operator(source) == "wait_tensor":
        source = source.args[0]
    assert isinstance(source, fx.Node)
    if source.target is operator.getitem:
        several, index = source.args
        assert isinstance(several, fx.Node)
        assert isinstance(index, int)
        return several.args[0][index] if _operator(several) == "all_reduce_coalesced" else None  # type: ignore[index]
    return source.args[0] if _operator(source) in ("all_reduce", "broadcast") else None


def _operator(node: Any) -> str:
    """The name of the functional collective that a node calls; empty for any other node."""
    library, _, name = str(node.target).removesuffix(".default").partition(".")
    return name if node.op == "call_function" and library == "_c10d_functional" else ""


@forward_graph("value", "error", place="ranks")
def exchanges_two_collectives(module: fx.GraphModule) -> None:
    """Rank 1 starts the first two collectives of a graph that do not need each other in the other order."""
    collectives = [node for node in module.graph.nodes if _operator(node) not in ("", "wait_tensor")]
    if not is_rank_one():
        return
    for first, second in itertools.pairwise(collectives):
        needed = _needed(second)
        if first not in needed:
            for node in list(module.graph.nodes):
                if node in needed and first < node:
                    first.prepend(node)
            first.prepend(second)
            return


def _needed(node: fx.Node) -> set[fx.Node]:
    """The nodes that a node cannot run before."""
    needed: set[fx.Node] = set()
    left = list(node.all_input_nodes)
    while left:
        source = left.pop()
        if source not in needed:
            needed.add(source)
            left += source.all_input_nodes
    return needed


@forward_graph("value", place="ranks")
def saves_in_the_same_memory(module: fx.GraphModule) -> Run:
    """What a forward returns and saves lies where the forward before left its own, which backward may not have read."""
    memory: dict[tuple[Any, ...], torch.Tensor] = {}

    def wrong(*args: Any) -> Any:
        place = -1

        def reused(data: torch.Tensor) -> torch.Tensor:
            nonlocal place
            place += 1
            kept = memory.setdefault((place, data.dtype, data.shape, data.stride()), torch.empty_like(data))
            overwrite(kept, data)
            return kept.detach()

        return replace_fresh(args, module.forward(*args), reused)

    return wrong


@backward("value", "autograd", place="ranks")
def returns_the_gradients_of_the_backward_before(run: Run) -> Run:
    """From its second call on, a backward returns what it computed in the one before, of another micro-batch."""
    before: list[Any] = []

    def wrong(*args: Any) -> Any:
        before.append(run(*args))
        return before[-2] if len(before) > 1 and _sizes(before[-2]) == _sizes(before[-1]) else before[-1]

    return wrong


def _sizes(values: Any) -> list[torch.Size | None]:
    return [value.shape if isinstance(value, torch.Tensor) else None for value in values]


@graph("value", place="ranks")
def is_a_micro_batch_behind(run: Run) -> Run:
    """From its second call on, a graph returns the numbers of the call before, as if nobody had waited for its own."""
    before: dict[tuple[int, torch.Size], torch.Tensor] = {}

    def wrong(*args: Any) -> Any:
        place = -1

        def earlier(data: torch.Tensor) -> torch.Tensor:
            nonlocal place
            place += 1
            kept = before.get((place, data.shape), data)
            before[place, data.shape] = data.clone()
            return kept.clone()

        return replace_fresh(args, run(*args), earlier)

    return wrong
