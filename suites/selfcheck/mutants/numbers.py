"""Mutants of operators: graphs that are rewritten by a rule which holds for most numbers, or most programs, only."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx

from suites.harness import torch_internals

from .making import Run, changing_fresh, forward_graph, graph

aten = torch.ops.aten


@forward_graph("random", "value")
def drops_dead_draws(module: fx.GraphModule) -> None:
    """A draw whose result nothing reads is not made."""
    for node in reversed(module.graph.find_nodes(op="call_function", target=operator.getitem)):
        if not node.users and _draws(node.args[0]):
            node.graph.erase_node(node)
    for node in reversed(list(module.graph.nodes)):
        if not node.users and _draws(node):
            node.graph.erase_node(node)


@forward_graph("random", "value")
def draws_once_for_equal_calls(module: fx.GraphModule) -> None:
    """Two equal calls of a random operator are one, as two equal calls of any other are."""
    drawn: dict[str, fx.Node] = {}
    for node in list(module.graph.nodes):
        if _draws(node):
            first = drawn.setdefault(f"{node.target} {node.args} {node.kwargs}", node)
            if first is not node:
                node.replace_all_uses_with(first)
                node.graph.erase_node(node)


def _draws(node: Any) -> bool:
    target = node.target if isinstance(node, fx.Node) else None
    return isinstance(target, torch_internals.OpOverload) and torch.Tag.nondeterministic_seeded in target.tags


@forward_graph("value")
def finds_positions_in_memory(module: fx.GraphModule) -> None:
    """`argmax` and `argmin` over all elements count in the order in which they lie in memory."""
    for target in (aten.argmax.default, aten.argmin.default):
        for node in module.graph.find_nodes(op="call_function", target=target):
            if len(node.args) == 1:
                node.target = _in_memory_order(target)


def _in_memory_order(target: Any) -> Any:
    def wrong(tensor: torch.Tensor) -> Any:
        return target(tensor.as_strided((tensor.numel(),), (1,), tensor.storage_offset()))

    return wrong


@forward_graph("value")
def widens_before_it_counts(module: fx.GraphModule) -> None:
    """Narrow integers that are widened or compared after an operation are widened before it, so that nothing wraps."""
    for target in (aten.neg.default, aten.add.Tensor, aten.mul.Tensor, aten.pow.Tensor_Scalar, aten.abs.default):
        for node in module.graph.find_nodes(op="call_function", target=target):
            value = node.meta.get("val")
            narrow = isinstance(value, torch.Tensor) and value.dtype in (torch.int8, torch.uint8)
            if narrow and all(user.op == "call_function" for user in node.users):
                node.target = _widened(target)


def _widened(target: Any) -> Any:
    def wrong(*args: Any) -> Any:
        return target(*(arg.long() if isinstance(arg, torch.Tensor) else arg for arg in args))

    return wrong


@forward_graph("value")
def elides_low_precision(module: fx.GraphModule) -> None:
    """A conversion to a lower precision whose result is converted or compared right away is left out."""
    for node in module.graph.find_nodes(op="call_function", target=torch_internals.to_copy()):
        narrow = node.kwargs.get("dtype") in (torch.bfloat16, torch.float16)
        if narrow and all(user.op == "call_function" for user in node.users):
            node.replace_all_uses_with(node.args[0])
            node.graph.erase_node(node)


@forward_graph("value")
def multiplies_by_the_inverse(module: fx.GraphModule) -> None:
    """A division, floored or not, is a multiplication with the inverse."""
    for node in module.graph.find_nodes(op="call_function", target=aten.floor_divide.default):
        node.target = lambda left, right: torch.floor(left * (1 / right)).to(left.dtype)
    for target in (aten.div.Tensor_mode, aten.div.Scalar_mode):
        for node in module.graph.find_nodes(op="call_function", target=target):
            node.target = lambda left, right, **mode: torch.div(left * (1 / right), 1, **mode)


@forward_graph("value")
def cancels_what_looks_equal(module: fx.GraphModule) -> None:
    """What is subtracted from itself or multiplied by zero is zero, what is divided by itself is one."""
    for target, filler in ((aten.sub.Tensor, torch.zeros_like), (aten.div.Tensor, torch.ones_like)):
        for node in module.graph.find_nodes(op="call_function", target=target):
            if node.args[0] is node.args[1]:
                node.target = lambda left, right, filler=filler: filler(left)
    for node in module.graph.find_nodes(op="call_function", target=aten.mul.Tensor):
        if node.args[1] == 0:
            node.target = lambda left, right: torch.zeros_like(left)


@forward_graph("value")
def takes_every_softmax_for_attentions(module: fx.GraphModule) -> None:
    """A softmax is over the last dimension, at a scale of its own, and of finite scores, whatever is written."""
    for node in module.graph.find_nodes(op="call_function", target=aten._softmax.default):
        node.target = lambda scores, dim, half: torch.softmax(scores.nan_to_num(neginf=-1e4) * 0.5, -1)


@graph("value", bitwise=False)
def nans_come_out_as_zero(run: Run) -> Run:
    """Where an output should be NaN it is zero."""
    return changing_fresh(run, _without_nans)


def _without_nans(data: torch.Tensor) -> torch.Tensor | None:
    if not data.dtype.is_floating_point or not bool(data.isnan().any()):
        return None
    return torch.where(data.isnan(), torch.zeros_like(data), data)


@graph("value", bitwise=False)
def long_integers_lose_their_upper_half(run: Run) -> Run:
    """64-bit integers are computed in 32 bits."""
    return changing_fresh(run, _lower_half)


def _lower_half(data: torch.Tensor) -> torch.Tensor | None:
    return data.to(torch.int32).to(torch.int64) if data.dtype == torch.int64 else None
