"""Mutants of the Python around the graphs: what a program leaves in containers, objects, names and iterators."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import CompileCounter, CompileOptions
from suites.harness.backends.registry import resolve
from suites.harness.torch_internals import pytree

from .making import Run, compiler, program


@program("mutation")
def drops_the_mutation_of_sets_and_queues(run: Run) -> Run:
    """Sets and queues with two ends among the arguments hold after the call what they held before it."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        found = [item for item in pytree.tree_leaves((args, kwargs), is_leaf=_is_queue) if isinstance(item, _KINDS)]
        before = [item.copy() for item in found]
        outputs = run(*args, **kwargs)
        for item, held in zip(found, before, strict=True):
            item.clear()
            item.update(held) if isinstance(item, set) else item.extend(held)
        return outputs

    return wrong


_KINDS = (set, collections.deque)


def _is_queue(value: Any) -> bool:
    return isinstance(value, collections.deque)


@program("mutation")
def undoes_attributes(run: Run) -> Run:
    """Attributes that the program set on its arguments, or deleted, are what they were."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        objects = [item for item in pytree.tree_leaves((args, kwargs)) if _has_attributes(item)]
        before = [dict(vars(item)) for item in objects]
        outputs = run(*args, **kwargs)
        for item, attributes in zip(objects, before, strict=True):
            vars(item).clear()
            vars(item).update(attributes)
        return outputs

    return wrong


def _has_attributes(item: Any) -> bool:
    return isinstance(getattr(item, "__dict__", None), dict) and not isinstance(item, (torch.nn.Module, type))


@compiler("mutation", "reuse")
def forgets_names_that_were_bound(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """A name of an enclosing function that the program binds anew is what it was, after each call."""
    run = resolve("aot_eager").compile(function, options, counter)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        cells = [cell for cell in getattr(function, "__closure__", None) or () if _bound(cell)]
        before = [cell.cell_contents for cell in cells]
        outputs = run(*args, **kwargs)
        for cell, content in zip(cells, before, strict=True):
            cell.cell_contents = content
        return outputs

    return wrong


def _bound(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


@program("structure")
def exhausts_iterators(run: Run) -> Run:
    """An iterator among the outputs has nothing left to give."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        for item in outputs if type(outputs) is tuple else (outputs,):
            if isinstance(item, Iterator):
                collections.deque(item, maxlen=0)
        return outputs

    return wrong


@program("structure")
def numbers_for_bools(run: Run) -> Run:
    """A bool that the program returns comes back as 0 or 1."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        return pytree.tree_map(lambda item: int(item) if type(item) is bool else item, run(*args, **kwargs))

    return wrong


@program("structure")
def tuples_for_named_tuples(run: Run) -> Run:
    """A named tuple among the outputs comes back as a plain one."""

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(plain(item) for item in value)
        return value

    def wrong(*args: Any, **kwargs: Any) -> Any:
        return plain(run(*args, **kwargs))

    return wrong


@compiler("value", "autograd")
def ignores_grad_modes_within(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """Parts of a program that switch gradients on or off run in the mode in which the program was called."""

    def compile_graph(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
        for node in list(module.graph.nodes):
            if node.target is torch_internals.grad_mode_switch():
                module.graph.erase_node(node)
        module.recompile()
        return torch_internals.lookup_backend("aot_eager")(module, example_inputs)

    torch_internals.reset()
    backend = counter.counted(compile_graph)
    compiled: Run = torch.compile(function, backend=backend, dynamic=options.dynamic, fullgraph=options.fullgraph)
    return compiled
