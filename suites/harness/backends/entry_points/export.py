"""``torch.export.export``: the program is exported before dispatch, and the exported program runs in its place.

Each new kind of arguments is exported anew. Dynamic variants are exported once for all sizes (``Dim.AUTO`` for each
dimension of each tensor).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions
from suites.harness.backends.compiling import once_a_kind
from suites.harness.torch_internals import pytree

Program = Callable[..., Any]


class _Wrapped(torch.nn.Module):
    """A function as a module, which is what export takes."""

    def __init__(self, function: Program) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def exported(program: Program, args: tuple[Any, ...], dynamic: bool) -> torch.export.ExportedProgram:
    """The program as exported for these arguments; ``dynamic``: with every size free."""
    module = program if isinstance(program, torch.nn.Module) else _Wrapped(program)
    return torch.export.export(module, args, dynamic_shapes=_every_size(module, args) if dynamic else None)


def _compile(program: Program, options: CompileOptions, counter: CompileCounter) -> Program:
    def compile_for(*args: Any) -> Program:
        made = exported(program, args, bool(options.dynamic))
        counter.took(made.graph_module, "forward")
        return made.module()

    return once_a_kind(compile_for, sizes=not options.dynamic)


def _every_size(module: torch.nn.Module, args: tuple[Any, ...]) -> Any:
    def sizes(value: Any) -> Any:
        return [torch.export.Dim.AUTO] * value.dim() if isinstance(value, torch.Tensor) else None

    of_args = tuple(pytree.tree_map(sizes, argument) for argument in args)
    return (of_args,) if isinstance(module, _Wrapped) else of_args


BACKEND = Backend("export", _compile, bitwise=True, dynamo=False, version=torch.__version__)
