"""Backends: how a program is compiled, by name, and how much of it was."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import sys
from collections.abc import Callable
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends import adapters, entry_points
from suites.harness.backends.adapters import NoSuchBackend, WrongUse
from suites.harness.backends.backend import DRAWS_AS_EAGER, Backend, CompileCounter, CompileOptions
from suites.harness.backends.compiling import through_aot_autograd, through_dynamo
from suites.harness.backends.names import BUILT_IN, ENTRY_POINTS, INDUCTOR_MODES, RUN_BY_TORCH, is_torchs_own
from suites.harness.execution import environment
from suites.harness.execution.isolation import Crashed, Finished, Raised, one_line, run_forked
from suites.harness.programs.specs import MODES

#: As many names are told of backends that are somewhat like one that there is not.
_NAMED = 5
#: Seconds that importing a backend may take.
_IMPORT_SECONDS = 120.0
#: Seconds that importing a backend and compiling a sum on it may take, before it is left to the cells to tell.
_SUM_SECONDS = 30.0


def _built_in(name: str) -> Backend | None:
    registered = through_dynamo(lambda options: torch_internals.lookup_backend(name))
    if name in ("eager", "aot_eager"):
        return Backend(name, registered, bitwise=True, version=torch.__version__)
    if name == "aot_eager_decomp_partition":
        return Backend(name, registered, version=torch.__version__, config=DRAWS_AS_EAGER)
    if name in ("aot_function", "aot_function_keep_mutations"):
        keep = name == "aot_function_keep_mutations"
        through = through_aot_autograd(keep_input_mutations=keep)
        return Backend(name, through, bitwise=True, dynamo=False, version=torch.__version__)
    base, _, _ = name.partition("?")
    if base in INDUCTOR_MODES:
        mode = {**(INDUCTOR_MODES[base] or {}), **(adapters.split(name)[1] or {})} or None
        _check_inductors(name, mode)

        def make_compiler(options: CompileOptions) -> Callable[..., Any]:
            asked = {**(mode or {}), **options.of_inductor} or None
            return torch_internals.inductor_compiler(asked, options.dynamic, options.mode)

        compiler = through_dynamo(make_compiler)
        return Backend(name, compiler, needs_compiler=True, version=torch.__version__, config=DRAWS_AS_EAGER)
    if name in ENTRY_POINTS:
        return dataclasses.replace(adapters.imported(f"{entry_points.__name__}.{name}:BACKEND"), name=name)
    return None


@dataclasses.dataclass(frozen=True)
class BackendFacts:
    """What planning needs to know of a backend, without importing it."""

    name: str
    dynamo: bool
    version: str
    config: tuple[tuple[str, Any], ...] = ()
    modes: tuple[str, ...] = MODES


@functools.cache
def facts(name: str) -> BackendFacts:
    """What planning needs to know of a backend. One that is not torch's own is imported in a fork, and only there.

    Raises `NoSuchBackend` as `resolve` does, and for a module that ends the process that imports it, or hangs.
    """

    def look() -> BackendFacts:
        backend = resolve(name)
        return BackendFacts(name, backend.dynamo, backend.version, backend.config, backend.modes)

    if is_torchs_own(name):
        return look()
    outcome = run_forked(look, _IMPORT_SECONDS)
    if isinstance(outcome, Finished):
        found: BackendFacts = outcome.value
        return found
    if isinstance(outcome, Raised):
        if environment.asks_for_stacks():
            print(outcome.traceback, file=sys.stderr)
        kind, _, line = outcome.message.partition(": ")
        if kind == WrongUse.__name__:
            raise WrongUse(line)
        raise NoSuchBackend(outcome.message.removeprefix("NoSuchBackend: "))
    if isinstance(outcome, Crashed):
        raise adapters.ended(name, outcome.how)
    raise NoSuchBackend(f"backend {name!r} does not load: no end after {_IMPORT_SECONDS:g} s")


@functools.cache
def lacks(name: str, seconds: float | None = None) -> str:
    """What a backend that is not torch's own says it needs and cannot import, once it is to compile; empty if nothing.

    It compiles a sum, in a fork. Whatever else comes of that shows in cells, and is told there: it gets no more than
    ``seconds``, the limit of a cell, so that a backend that hangs does not hold up the run for long.
    """

    def compiles() -> str:
        try:
            with resolve(name).settings(CompileOptions()):
                resolve(name).compile(lambda a: a + 1, CompileOptions(), CompileCounter())(torch.ones(3))
        except Exception as error:
            cause: BaseException | None = getattr(error, "inner_exception", error)
            while cause is not None:
                if isinstance(cause, ImportError):
                    return f"backend {name!r} cannot compile here: {one_line(cause)}"
                cause = cause.__cause__
        return ""

    if is_torchs_own(name):
        return ""
    outcome = run_forked(compiles, min(_SUM_SECONDS, seconds or _SUM_SECONDS))
    return str(outcome.value) if isinstance(outcome, Finished) else ""


@functools.cache
def resolve(name: str) -> Backend:
    """The backend of that name: built in, listed by torch (entry points included) or ``module:attribute``.

    What ``module:attribute`` names is a callable with torch.compile's own signature for backends, or a `Backend`. After
    a ``?`` stand options that it is handed as torch.compile's: ``openvino?{"device": "CPU"}``.

    Raises `NoSuchBackend` with one line that says what was looked for and what to type instead.
    """
    found = _built_in(name)
    if found is not None:
        return found
    base, options = adapters.split(name)
    if base in BUILT_IN:
        raise WrongUse(f"backend {name!r}: {base} takes no options")
    if ":" in base:
        return adapters.imported(base, options)
    names, meant = torch_internals.backend_names(), ""
    if base not in names:
        # A package may register its backend as it is imported, which asking for a suggestion does.
        meant = adapters.suggestion(base)
        names = torch_internals.backend_names()
    if base not in names:
        of_ones_own = "A backend of your own is named module:attribute."
        known = sorted({*BUILT_IN, *names})
        if meant := meant or _near(base, known):
            raise WrongUse(f"no backend {name!r}: {meant} {of_ones_own}")
        # It may be of a package that is not here.
        near = ", ".join(map(repr, difflib.get_close_matches(base, known, _NAMED, 0.0)))
        raise NoSuchBackend(
            f"no backend {name!r}: there is no module of that name, and of the {len(known)} backends known here these "
            f"are the most like it: {near}. {of_ones_own[:-1]}, as my_backend:compile_graph of ./my_backend.py."
        )
    try:
        compiler = torch_internals.lookup_backend(base)
    except Exception as error:
        raise NoSuchBackend(f"backend {name!r} does not load: {one_line(error)}") from error
    if base in RUN_BY_TORCH:
        return Backend(name, through_dynamo(lambda _: compiler), version=torch.__version__)
    return adapters.adapted(base, compiler, options, version=adapters.registered_version(base))


def _near(name: str, known: list[str]) -> str:
    """A question about the known name that is most like this one; empty if none is like it."""
    near = next(iter(difflib.get_close_matches(name, known, 1)), "")
    return f"did you mean {near!r}?" if near else ""


def _check_inductors(name: str, options: dict[str, Any] | None) -> None:
    try:
        torch_internals.inductor_compiler(options, None)
    except (RuntimeError, AttributeError, KeyError) as error:
        raise NoSuchBackend(f"backend {name!r}: {one_line(error)}") from None
