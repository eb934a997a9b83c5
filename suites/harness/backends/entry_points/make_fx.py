"""``make_fx``: the program is traced into one graph of ATen operators, and the graph runs in its place.

Tracing meets copies of the arguments, so that it changes nothing of the caller's. Each new kind of arguments is traced
anew. Dynamic variants are traced with symbolic sizes, once for all sizes, and with leave to use real weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from suites.harness import torch_internals
from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions
from suites.harness.backends.compiling import once_a_kind
from suites.harness.torch_internals import pytree

Program = Callable[..., Any]


def entry_point(
    transform: Callable[[Program], Program] = lambda program: program,
    decompositions: Callable[[], Mapping[Any, Callable[..., Any]]] = dict,
    finish: Callable[[torch.fx.GraphModule], object] = lambda graph: None,
) -> Backend:
    """A backend that traces ``transform`` of a program, with a table of decompositions, and runs the graph.

    ``finish`` is a pass over the graph before it runs.
    """

    def compile_program(program: Program, options: CompileOptions, counter: CompileCounter) -> Program:
        def trace(*args: Any) -> Program:
            graph = _traced(transform(program), args, bool(options.dynamic), decompositions())
            finish(graph)
            counter.took(graph, "forward")
            return graph

        return once_a_kind(trace, sizes=not options.dynamic)

    bitwise = not decompositions()
    return Backend("make_fx", compile_program, bitwise, dynamo=False, version=torch.__version__)


BACKEND = entry_point()


def _traced(
    program: Program, args: tuple[Any, ...], dynamic: bool, decompositions: Mapping[Any, Callable[..., Any]]
) -> torch.fx.GraphModule:
    mode: Literal["symbolic", "real"] = "symbolic" if dynamic else "real"
    tracer = make_fx(program, dict(decompositions), mode, _allow_non_fake_inputs=True)
    # What tracing draws, the graph draws again.
    with torch.random.fork_rng(devices=[]):
        traced: torch.fx.GraphModule = tracer(*_copies(args))
    return traced


def _copies(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments over storages of their own: as much shared among them as before, and as far from being leaves."""
    storages: dict[int | None, torch.Tensor] = {}
    done: dict[int, torch.Tensor] = {}

    def copy(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in done:
            done[id(tensor)] = _copy(tensor, storages)
        return done[id(tensor)]

    copied: tuple[Any, ...] = pytree.tree_map_only(torch.Tensor, copy, args)
    return copied


def _copy(tensor: torch.Tensor, storages: dict[int | None, torch.Tensor]) -> torch.Tensor:
    key = torch_internals.storage_key(tensor)
    history = tensor.requires_grad and not tensor.is_leaf
    if key not in storages:
        flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(tensor.untyped_storage())
        with torch.enable_grad():
            storages[key] = flat.clone().requires_grad_(history).clone()
    with torch.set_grad_enabled(history):
        copied = storages[key].view(tensor.dtype).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
    return copied if history else copied.detach().requires_grad_(tensor.requires_grad)
