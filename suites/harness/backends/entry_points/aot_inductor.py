"""AOTInductor: the program is exported, compiled into a package of its own, loaded from it and run without Python.

Each new kind of arguments is exported anew; dynamic variants with every size free, once for all sizes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import DRAWS_AS_EAGER, Backend, CompileCounter, CompileOptions
from suites.harness.backends.compiling import once_a_kind
from suites.harness.backends.entry_points.export import exported

Program = Callable[..., Any]


#: Most of the time goes to the C++ compiler optimizing code that runs a few times.
QUICKLY = {"aot_inductor.compile_wrapper_opt_level": "O0"}


def _compile_program(program: Program, options: CompileOptions, counter: CompileCounter) -> Program:
    dynamic = bool(options.dynamic)
    return once_a_kind(lambda *args: _packaged(program, args, dynamic, counter), sizes=not dynamic)


def _packaged(program: Program, args: tuple[Any, ...], dynamic: bool, counter: CompileCounter) -> Program:
    made = exported(program, args, dynamic)
    counter.took(made.graph_module)
    with tempfile.TemporaryDirectory(prefix="parity-aoti-") as place:
        return torch_internals.aot_inductor_packaged(made, str(Path(place, "program.pt2")), QUICKLY)


BACKEND = Backend(
    "aot_inductor",
    _compile_program,
    dynamo=False,
    needs_compiler=True,
    version=torch.__version__,
    config=DRAWS_AS_EAGER,
)
