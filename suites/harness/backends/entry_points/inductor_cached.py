"""Inductor with its caches on, and Dynamo forgetful: every call compiles again, and is served by the caches or not.

The caches of AOTAutograd and of FX graphs begin empty with each run of a program. An argument of the program that is
`Under` is the global_state of its call: settings of torch's compiler that this call is compiled under.
"""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import DRAWS_AS_EAGER, Backend, CompileCounter, CompileOptions

Program = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Under:
    """Settings of torch's compiler by name, as ``check(config=...)`` takes them. Programs leave it alone."""

    settings: tuple[tuple[str, Any], ...] = ()


@dataclasses.dataclass(frozen=True)
class _Cached(Backend):
    """Holds the caches open while a program is compiled and run: a backward is cached when it first runs."""

    @contextlib.contextmanager
    def settings(self, options: CompileOptions) -> Iterator[None]:
        with (
            super().settings(dataclasses.replace(options, config=())),
            tempfile.TemporaryDirectory(prefix="parity-caches-") as folder,
            torch_internals.compilation_caches(folder),
            torch_internals.configured(dict(options.config)),
        ):
            yield


def _compile(program: Program, options: CompileOptions, counter: CompileCounter) -> Program:
    torch_internals.forget_cache_counts()
    # Listening in puts other compilers in the place of Inductor's, which AOTAutograd would not cache.
    counter.recorder = None
    compiler = counter.counted(torch_internals.inductor_compiler(None, options.dynamic))
    compiled = torch.compile(program, backend=compiler, dynamic=options.dynamic, fullgraph=options.fullgraph)

    def run(*args: Any, **kwargs: Any) -> Any:
        torch_internals.reset()
        settings = [setting for argument in args if isinstance(argument, Under) for setting in argument.settings]
        with torch_internals.configured(dict(settings)):
            return compiled(*args, **kwargs)

    return run


BACKEND = _Cached("inductor_cached", _compile, needs_compiler=True, version=torch.__version__, config=DRAWS_AS_EAGER)
