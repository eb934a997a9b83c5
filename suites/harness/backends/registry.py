"""Backends: how a program is compiled, by name, and how much of it was."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import DRAWS_AS_EAGER, INDUCTOR_MODES, REFERENCE_BACKENDS, Backend
from suites.harness.backends.compiling import through_aot_autograd, through_dynamo
from suites.harness.execution.isolation import Crashed, Finished, Raised, one_line, run_forked

#: The backends that run when none is asked for.
DEFAULT = ("aot_eager", "aot_eager_decomp_partition", "inductor")


#: Seconds that importing a backend may take.
_IMPORT_SECONDS = 120.0


class NoSuchBackend(Exception):
    """A backend's name means nothing here, or its module does not import. The message is one line."""


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
    if name in INDUCTOR_MODES:
        mode = INDUCTOR_MODES[name]
        compiler = through_dynamo(lambda options: torch_internals.inductor_compiler(mode, options.dynamic))
        return Backend(name, compiler, needs_compiler=True, version=torch.__version__, config=DRAWS_AS_EAGER)
    if name in ENTRY_POINTS:
        return dataclasses.replace(_imported(f"suites.harness.backends.entry_points.{name}:BACKEND"), name=name)
    return None


#: Ways to compile that do not start at ``torch.compile``: modules of `entry_points`. Clauses name them.
ENTRY_POINTS: tuple[str, ...] = (
    "aot_inductor",
    "export",
    "export_joint",
    "functionalize",
    "functionalize_keeping_views",
    "inductor_cached",
    "make_fx",
    "make_fx_decomposed",
    "nnc",
    "without_dead_code",
    "without_functionalization",
    "standalone_compile",
    "standalone_compile_saved",
)

BUILT_IN = (*REFERENCE_BACKENDS, "aot_function", "aot_function_keep_mutations", *INDUCTOR_MODES, *ENTRY_POINTS)


def is_torchs_own(name: str) -> bool:
    """Whether a backend comes with torch and is known here: what it leaves in a process is torch's own, too."""
    return name in BUILT_IN


@dataclasses.dataclass(frozen=True)
class BackendFacts:
    """What planning needs to know of a backend, without importing it."""

    name: str
    dynamo: bool
    version: str
    config: tuple[tuple[str, Any], ...] = ()


@functools.cache
def facts(name: str) -> BackendFacts:
    """What planning needs to know of a backend. One that is not torch's own is imported in a fork, and only there.

    Raises `NoSuchBackend` as `resolve` does, and for a module that ends the process that imports it, or hangs.
    """

    def look() -> BackendFacts:
        backend = resolve(name)
        return BackendFacts(name, backend.dynamo, backend.version, backend.config)

    if is_torchs_own(name):
        return look()
    outcome = run_forked(look, _IMPORT_SECONDS)
    if isinstance(outcome, Finished):
        found: BackendFacts = outcome.value
        return found
    if isinstance(outcome, Raised):
        raise NoSuchBackend(outcome.message.removeprefix("NoSuchBackend: "))
    how = outcome.how if isinstance(outcome, Crashed) else f"no end after {_IMPORT_SECONDS:g} s"
    raise NoSuchBackend(f"backend {name!r} does not load: {how}")


@functools.cache
def resolve(name: str) -> Backend:
    """The backend of that name: built in, listed by torch (entry points included) or ``module:attribute``.

    What ``module:attribute`` names is a callable with torch.compile's own signature for backends, or a `Backend`.

    Raises `NoSuchBackend` with one line that says what was looked for and what to type instead.
    """
    found = _built_in(name)
    if found is not None:
        return found
    if ":" in name:
        return _imported(name)
    names = torch_internals.backend_names()
    if name not in names:
        known = [*BUILT_IN, *names]
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(set(known)))}"
        raise NoSuchBackend(f"no backend {name!r}: {hint} A backend of your own is named module:attribute.")
    try:
        torch_internals.lookup_backend(name)
    except Exception as error:
        raise NoSuchBackend(f"backend {name!r} does not load: {one_line(error)}") from None
    return Backend(name, through_dynamo(lambda options: torch_internals.lookup_backend(name)))


def _imported(name: str) -> Backend:
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(error.name + ".")):
            raise NoSuchBackend(
                f"backend {name!r}: no module {error.name!r} on sys.path (the current directory is on it)"
            ) from None
        raise NoSuchBackend(f"backend {name!r}: importing {module_name} failed: {one_line(error)}") from None
    except Exception as error:
        raise NoSuchBackend(f"backend {name!r}: importing {module_name} failed: {one_line(error)}") from None
    compiler: Any = module
    for part in attribute.split("."):
        compiler = getattr(compiler, part, None)
    if isinstance(compiler, Backend):
        return dataclasses.replace(compiler, name=name)
    if not callable(compiler):
        what = "is not callable" if compiler is not None else "does not exist"
        raise NoSuchBackend(f"backend {name!r}: {module_name}.{attribute} {what}")
    version = str(getattr(module, "__version__", ""))
    bitwise = bool(getattr(compiler, "parity_bitwise", False))
    config = tuple(dict(getattr(compiler, "parity_config", {})).items())
    return Backend(name, through_dynamo(lambda options: compiler), bitwise=bitwise, version=version, config=config)
