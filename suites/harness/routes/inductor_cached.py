"""Inductor with its caches on, and Dynamo forgetful: every call compiles again, and is served by the caches or not.

The caches of AOTAutograd and of FX graphs begin empty with each run of a program. An argument of the program that is
`Under` is the surroundings of its call: settings of torch's compiler that this call is compiled under.
"""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import torch

from .. import torch_internals
from ..backends import Backend, Engagement, How

Program = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Under:
    """Settings of torch's compiler by name, as ``check(config=...)`` takes them. Programs leave it alone."""

    settings: tuple[tuple[str, Any], ...] = ()


@dataclasses.dataclass(frozen=True)
class _Cached(Backend):
    """Holds the caches open while a program is compiled and run: a backward is cached when it first runs."""

    @contextlib.contextmanager
    def settings(self, how: How) -> Iterator[None]:
        with (
            super().settings(dataclasses.replace(how, config=())),
            tempfile.TemporaryDirectory(prefix="parity-caches-") as folder,
            torch_internals.compilation_caches(folder),
            torch_internals.configured(dict(how.config)),
        ):
            yield


def _compile(program: Program, how: How, engagement: Engagement) -> Program:
    torch_internals.reset()
    torch_internals.forget_cache_counts()
    # Listening in puts other compilers in the place of Inductor's, which AOTAutograd would not cache.
    engagement.recorder = None
    compiler = engagement.counted(torch_internals.inductor_compiler(None, how.dynamic))
    compiled = torch.compile(program, backend=compiler, dynamic=how.dynamic, fullgraph=how.fullgraph)

    def run(*args: Any, **kwargs: Any) -> Any:
        torch_internals.reset()
        settings = [setting for argument in args if isinstance(argument, Under) for setting in argument.settings]
        with torch_internals.configured(dict(settings)):
            return compiled(*args, **kwargs)

    return run


BACKEND = _Cached("inductor_cached", _compile, needs_compiler=True, version=torch.__version__)
