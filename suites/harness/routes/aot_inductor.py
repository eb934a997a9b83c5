"""AOTInductor: the program is exported, compiled into a package of its own, loaded from it and run without Python.

An exported program has no guards: each new kind of arguments is exported anew, as its user would have to see to.
Dynamic variants are exported with every size free, once for all sizes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .. import torch_internals
from ..backends import Backend, Engagement, How
from .make_fx import kind_of

Program = Callable[..., Any]


#: Most of the time goes to the C++ compiler optimizing code that runs a few times.
QUICKLY = {"aot_inductor.compile_wrapper_opt_level": "O0"}


class _Exported(torch.nn.Module):
    """A function as the module that ``torch.export`` asks for; a module is a part of it, with its parameters."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program

    def forward(self, *args: Any) -> Any:
        return self.program(*args)


def _compile_program(program: Program, how: How, engagement: Engagement) -> Program:
    torch_internals.reset()
    loaded: dict[Any, Program] = {}

    def run(*args: Any) -> Any:
        key = kind_of(args, sizes=not how.dynamic)
        if key not in loaded:
            loaded[key] = _packaged(program, args, bool(how.dynamic), engagement)
        return loaded[key](*args)

    return run


def _packaged(program: Program, args: tuple[Any, ...], dynamic: bool, engagement: Engagement) -> Program:
    shapes = {"args": pytree.tree_map(_free, args)} if dynamic else None
    exported = torch.export.export(_Exported(program), args, dynamic_shapes=shapes)
    engagement.graphs += 1
    engagement.nodes += sum(node.op == "call_function" for node in exported.graph.nodes)
    with tempfile.TemporaryDirectory(prefix="parity-aoti-") as place:
        package = torch._inductor.aoti_compile_and_package(
            exported, package_path=str(Path(place, "program.pt2")), inductor_configs=QUICKLY
        )
        load: Callable[[str], Program] = torch._inductor.aoti_load_package
        return load(package)


def _free(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return None
    return dict.fromkeys(range(value.dim()), torch.export.Dim.AUTO)


BACKEND = Backend("aot_inductor", _compile_program, dynamo=False, needs_compiler=True, version=torch.__version__)
