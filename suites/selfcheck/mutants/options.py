"""Mutants of a backend that rewrites graphs: each forgets one option of an operator, or a case of a rule of algebra."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import fx

from .making import forward_graph

aten = torch.ops.aten


def _calls(module: fx.GraphModule, *targets: Any) -> Iterator[fx.Node]:
    for target in targets:
        yield from module.graph.find_nodes(op="call_function", target=target)


def _with(node: fx.Node, place: int, value: Any) -> None:
    """Have the call take ``value`` for its argument at this place, if it is told there."""
    if len(node.args) > place:
        node.update_arg(place, value)


def _without(node: fx.Node, *names: str) -> None:
    """Have the call take the default of each keyword."""
    node.kwargs = {name: value for name, value in node.kwargs.items() if name not in names}


def _shape(node: Any) -> tuple[int, ...]:
    value = node.meta.get("val") if isinstance(node, fx.Node) else None
    return tuple(value.shape) if isinstance(value, torch.Tensor) else ()


@forward_graph("value")
def forgets_factors_of_sums(module: fx.GraphModule) -> None:
    """What is added or taken off counts once, whatever `alpha` says."""
    for node in _calls(module, aten.add.Tensor, aten.sub.Tensor):
        _without(node, "alpha")


@forward_graph("value")
def forgets_factors_of_products(module: fx.GraphModule) -> None:
    """A product, and what it is added to, counts once, whatever `alpha` and `beta` say."""
    for node in _calls(module, aten.addmm.default, aten.baddbmm.default, aten.addmv.default):
        _without(node, "alpha", "beta")


@forward_graph("value")
def rounds_every_quotient_down(module: fx.GraphModule) -> None:
    """A quotient that is cut towards nought is rounded down."""
    for node in _calls(module, aten.div.Tensor_mode, aten.div.Scalar_mode):
        if node.kwargs.get("rounding_mode") == "trunc":
            node.kwargs = {**node.kwargs, "rounding_mode": "floor"}


@forward_graph("value")
def forgets_the_correction(module: fx.GraphModule) -> None:
    """A variance is over as many numbers less one, whatever correction is asked for."""
    for node in _calls(module, aten.var.correction, aten.var_mean.correction, aten.std.correction):
        _without(node, "correction")


@forward_graph("value")
def exchanges_branches_that_are_spread(module: fx.GraphModule) -> None:
    """`where` takes the one branch for the other where one of them is smaller than the result."""
    for node in _calls(module, aten.where.self):
        condition, here, there = node.args
        if _shape(here) != _shape(there):
            node.args = (condition, there, here)


@forward_graph("dtype")
def folds_products_with_one(module: fx.GraphModule) -> None:
    """A product or a quotient with one, and a sum with nought, is what it is made of: in its dtype, too."""
    neutral = {aten.mul.Tensor: 1, aten.div.Tensor: 1, aten.add.Tensor: 0, aten.sub.Tensor: 0}
    for target, number in neutral.items():
        for node in _calls(module, target):
            if not isinstance(node.args[1], fx.Node) and node.args[1] == number:
                node.target, node.args, node.kwargs = aten.clone.default, (node.args[0],), {}


@forward_graph("value")
def pads_with_nought(module: fx.GraphModule) -> None:
    """Padding is nought, whatever number is asked for."""
    for node in _calls(module, aten.constant_pad_nd.default):
        _with(node, 2, 0.0)


@forward_graph("value")
def forgets_lower_bounds(module: fx.GraphModule) -> None:
    """Of two bounds the upper one alone holds."""
    for node in _calls(module, aten.clamp.default, aten.hardtanh.default):
        _with(node, 1, -1e30)


@forward_graph("value")
def writes_once_by_equal_indices(module: fx.GraphModule) -> None:
    """What is added up by index is written: of several numbers for one place the last one stays."""
    for node in _calls(module, aten.index_put.default):
        _with(node, 3, False)
    for node in _calls(module, aten.scatter_add.default):
        node.target = aten.scatter.src
