"""Mutants of caches: every call compiles again and is served what was compiled for another program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import CompileCounter, CompileOptions

from .making import Run, compiler

Key = Callable[[torch.fx.GraphModule, list[Any]], Any]


def _served(function: Run, options: CompileOptions, counter: CompileCounter, key_of: Key) -> Run:
    """Compile again in each call; graphs with the same key share the first one's code."""
    kept: dict[Any, Run] = {}

    def compile_graph(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
        key = key_of(module, example_inputs)
        if key not in kept:
            kept[key] = torch_internals.lookup_backend("aot_eager")(module, example_inputs)
        return kept[key]

    torch_internals.reset()
    backend = counter.counted(compile_graph)
    run = torch.compile(function, backend=backend, dynamic=options.dynamic, fullgraph=options.fullgraph)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        torch_internals.reset()
        return run(*args, **kwargs)

    return wrong


@compiler("reuse")
def keys_without_constants(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """A cache whose keys hold the operators of a graph and its inputs, and none of the constants in it."""
    return _served(function, options, counter, lambda module, inputs: (_operators(module), _kinds(inputs)))


@compiler("reuse")
def keys_without_inputs(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """A cache whose keys hold the text of a graph, and of its inputs nothing, not even which require grad."""
    return _served(function, options, counter, lambda module, inputs: module.code)


def _operators(module: torch.fx.GraphModule) -> tuple[str, ...]:
    return tuple(str(node.target) for node in module.graph.nodes if node.op != "placeholder")


def _kinds(inputs: list[Any]) -> tuple[Any, ...]:
    tensors = [item for item in inputs if isinstance(item, torch.Tensor)]
    return tuple((item.dtype, tuple(map(str, item.shape)), item.requires_grad) for item in tensors)
