"""``torch.export.export``: the program is exported before dispatch, and the exported program runs in its place.

An exported program has no guards: each new kind of arguments is exported anew, as its caller would have to see to.
Dynamic variants are exported once for all sizes (``Dim.AUTO`` for each dimension of each tensor).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .. import torch_internals
from ..backends import Backend, Engagement, How
from .make_fx import kind_of

Program = Callable[..., Any]


class _Wrapped(torch.nn.Module):
    """A function as a module, which is what export takes."""

    def __init__(self, function: Program) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def _compile(program: Program, how: How, engagement: Engagement) -> Program:
    torch_internals.reset()
    module = program if isinstance(program, torch.nn.Module) else _Wrapped(program)
    exported: dict[Any, Program] = {}

    def run(*args: Any) -> Any:
        key = kind_of(args, sizes=not how.dynamic)
        if key not in exported:
            made = torch.export.export(module, args, dynamic_shapes=_every_size(module, args) if how.dynamic else None)
            engagement.graphs += 1
            engagement.nodes += sum(node.op == "call_function" for node in made.graph.nodes)
            if engagement.recorder is not None:
                engagement.recorder.record("forward", made.graph_module)
            exported[key] = made.module()
        return exported[key](*args)

    return run


def _every_size(module: torch.nn.Module, args: tuple[Any, ...]) -> Any:
    def sizes(value: Any) -> Any:
        return [torch.export.Dim.AUTO] * value.dim() if isinstance(value, torch.Tensor) else None

    of_args = tuple(pytree.tree_map(sizes, argument) for argument in args)
    return (of_args,) if isinstance(module, _Wrapped) else of_args


BACKEND = Backend("export", _compile, bitwise=True, dynamo=False, version=torch.__version__)
