"""Mutants of custom operators: what a wrapped operator is handed, and what becomes of effects."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from .making import Run, forward_graph, program

higher_order = torch.ops.higher_order


@forward_graph("value", "mutation")
def reinplaces_what_is_read_later(module: fx.GraphModule) -> None:
    """A wrapped operator writes into what its argument is a clone of, whoever reads the old value afterwards."""
    for node in module.graph.find_nodes(op="call_function", target=higher_order.auto_functionalized_v2):
        bases: Any = node.kwargs["_all_bases"]
        clones = [base for base in bases if base.target is torch.ops.aten.clone.default]
        if clones:
            node.target = _into_the_bases
        for clone in clones:
            clone.replace_all_uses_with(clone.all_input_nodes[0])


def _into_the_bases(*args: Any, **kwargs: Any) -> Any:
    """What the wrapped call returns, with each new value written into its base, which is returned in its place."""
    bases = kwargs["_all_bases"]
    results = higher_order.auto_functionalized_v2(*args, **kwargs)
    if not bases:
        return results
    for base, new in zip(bases, results[-len(bases) :], strict=True):
        base.copy_(new)
    return (*results[: -len(bases)], *bases)


@forward_graph("mutation")
def exchanges_effects(module: fx.GraphModule) -> None:
    """The tags of the first two effects are exchanged, as if they had happened in the other order."""
    calls = module.graph.find_nodes(op="call_function", target=higher_order.with_effects)
    tagged = [node for node in calls if isinstance(node.args[-1], str)]
    if len(tagged) > 1:
        first, second = tagged[:2]
        mine, theirs = first.args[-1], second.args[-1]
        first.args, second.args = (*first.args[:-1], theirs), (*second.args[:-1], mine)


@program("mutation")
def drops_effects(run: Run) -> Run:
    """What operators with effects write is gone when the call ends."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        from suites.custom_ops.operators import JOURNAL

        written = len(JOURNAL)
        outputs = run(*args, **kwargs)
        del JOURNAL[written:]
        return outputs

    return wrong


@program("mutation")
def repeats_effects(run: Run) -> Run:
    """What operators with effects write is written twice, as when a program is run once to warm up."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        from suites.custom_ops.operators import JOURNAL

        written = len(JOURNAL)
        outputs = run(*args, **kwargs)
        JOURNAL.extend(JOURNAL[written:])
        return outputs

    return wrong
