"""Mutants inside of compilation: graphs that AOTAutograd made right and that are edited, or run, wrongly."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from .making import Run, forward_graph

aten = torch.ops.aten


@forward_graph("mutation", "value")
def loses_writes_through_views(module: fx.GraphModule) -> None:
    """What was written through a view is not in its base: a scatter is taken for the tensor that it scatters into."""
    for scatter in (aten.select_scatter, aten.slice_scatter, aten.diagonal_scatter, aten.as_strided_scatter):
        for node in module.graph.find_nodes(op="call_function", target=scatter.default):
            _replace(node, node.args[0])


def _replace(node: fx.Node, other: Any) -> None:
    node.replace_all_uses_with(other)
    node.graph.erase_node(node)


@forward_graph("error")
def drops_assertions(module: fx.GraphModule) -> None:
    """Assertions on the data are dropped, as nobody reads what they return."""
    for node in module.graph.find_nodes(op="call_function", target=aten._assert_async.msg):
        node.graph.erase_node(node)


@forward_graph("mutation")
def drops_operators_that_write(module: fx.GraphModule) -> None:
    """Custom operators that write are dropped: what was read of them is what they were given."""
    for node in list(module.graph.nodes):
        if node.op == "call_function" and str(node.target) == "fsdp.copy_.default":
            node.graph.erase_node(node)
        elif node.op == "call_function" and str(node.target) == "auto_functionalized_v2":
            bases = node.kwargs.get("_all_bases", ())
            for getitem in list(node.users):
                if getitem.args[1] > 0 and len(bases) >= getitem.args[1]:
                    _replace(getitem, bases[getitem.args[1] - 1])
            if not node.users:
                node.graph.erase_node(node)


@forward_graph("value", "autograd")
def keeps_every_intermediate(module: fx.GraphModule) -> Run:
    """Whatever a graph is handed or computes stays in memory until the whole graph has run."""
    return fx.Interpreter(module, garbage_collect_values=False).run
