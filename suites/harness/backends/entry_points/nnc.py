"""``nnc_jit``, the shim that torch still ships: AOTAutograd in front of TorchScript's own compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions
from suites.harness.backends.compiling import once_a_kind

Program = Callable[..., Any]


def _compile_program(program: Program, options: CompileOptions, counter: CompileCounter) -> Program:
    return once_a_kind(lambda *args: _through_torchscript(program, counter))


def _through_torchscript(program: Program, counter: CompileCounter) -> Program:
    """``nnc_jit(program)``, with the graphs that its compiler is handed counted."""
    compilers = torch_internals.torchscript_compilers()
    with mock.patch.object(compilers, "simple_ts_compile", counter.counted(compilers.simple_ts_compile)):
        jitted: Program = compilers.nnc_jit(program)
    return jitted


BACKEND = Backend("nnc", _compile_program, dynamo=False, version=torch.__version__)
