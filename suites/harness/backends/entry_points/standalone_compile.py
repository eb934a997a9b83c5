"""``torch._inductor.standalone_compile``: each graph that Dynamo finds becomes an artifact, which runs in its place.

`through` takes what is done with an artifact before it runs; `standalone_compile_saved` brings it to disk and back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import DRAWS_AS_EAGER, Backend, CompileCounter, CompileOptions

Program = Callable[..., Any]


def through(bring: Callable[[Any], Any], global_state: Callable[[], contextlib.AbstractContextManager[Any]]) -> Backend:
    """A backend that runs what ``bring`` makes of each artifact; compilations happen within ``global_state``."""

    def compile_graph(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Program:
        with global_state():
            artifact = torch_internals.standalone_compile(module, example_inputs)
            brought: Program = bring(artifact)
        return brought

    def compile_program(program: Program, options: CompileOptions, counter: CompileCounter) -> Program:
        compiler = counter.counted(compile_graph)
        return torch.compile(program, backend=compiler, dynamic=options.dynamic, fullgraph=options.fullgraph)

    return Backend(
        "standalone_compile", compile_program, needs_compiler=True, version=torch.__version__, config=DRAWS_AS_EAGER
    )


BACKEND = through(lambda artifact: artifact, contextlib.nullcontext)
