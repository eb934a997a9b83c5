"""Where Parity's own files are, and how pytest is started on them from any directory."""

from __future__ import annotations

import contextlib
import difflib
import gc
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import suites
from suites.harness.results.ledger import TYPED
from tools import exits

#: The folder that holds `suites`: the checkout, or that of the installed package.
ROOT = Path(suites.__file__).resolve().parent.parent

#: The module that a run of the suites loads.
PLUGIN = f"{suites.__name__}.harness.plugin"

#: Characters of a command that are told on: Linux hands a process no string of 128 KiB or more.
_TOLD = 30_000

_START = (
    "import gc, sys; gc.disable() if {paused} else None; sys.path[:] = {path!r}; "
    f"from {suites.__name__}.harness.execution.isolation import die_with_parent; die_with_parent({{parent}}); "
    f"import pytest; from {__name__} import look_for_no_cycles; "
    "code = pytest.main(); look_for_no_cycles(); sys.exit(code)"
)

#: How pytest leaves where it has run nothing.
NOTHING_RAN = 5
#: Folders of `suites` that hold no clause.
_NOT_FAMILIES = ("harness", "selfcheck")


def put_current_directory_on_path() -> None:
    """Let ``module:attribute`` name a module in the current directory, last, so that nothing of ours is shadowed."""
    # An editable install finds our packages after everything on sys.path: put them ahead of the current directory.
    if str(suites.HOME) not in sys.path:
        sys.path.append(str(suites.HOME))
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Python's collector is off while what is imported, and stays, is imported: a quarter of the time of torch's."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def look_for_no_cycles() -> None:
    """Spare Python the look for cycles at the end of this process, which takes a second where torch's compiler is.

    Triton's library says then, at length, what of it is still there.
    """
    if "triton" not in sys.modules:
        gc.freeze()


def families() -> list[str]:
    """The names of the clause families that are here, in alphabetical order."""
    folders = (path.parent for path in (ROOT / "suites").glob("*/__init__.py"))
    return sorted(
        folder.name for folder in folders if folder.name not in _NOT_FAMILIES and any(folder.rglob("test_*.py"))
    )


def check_families(names: Iterable[str]) -> None:
    """Raise `Fault` for a family that does not exist."""
    known = families()
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"families are {', '.join(known)}"
            raise exits.Fault(f"no family {name!r}; {hint}")


def pytest_command(names: Iterable[str], options: Sequence[str]) -> list[str]:
    """The command that runs pytest on those families with the plugin, whatever the current directory holds.

    It is for this process to start, and ends with it.
    """
    # `python -m pytest` would put the current directory first on sys.path, where a folder of the user's that is
    # called `tools` or `suites` would hide ours.
    path = [entry for entry in sys.path if entry]
    start = _START.format(path=path, parent=os.getpid(), paused="--plain" not in options)
    configuration = ROOT / "pyproject.toml"
    return [
        sys.executable,
        "-c",
        start,
        f"--rootdir={ROOT}",
        f"--config-file={configuration if configuration.exists() else os.devnull}",
        "-p",
        PLUGIN,
        "-p",
        "no:cacheprovider",
        *options,
        *(str(ROOT / "suites" / name) for name in names),
    ]


def _typed() -> str:
    """What was typed, of a command with very many clauses its beginning and how much more there was."""
    text = shlex.join(["parity", *sys.argv[1:]])
    return text if len(text) <= _TOLD else f"{text[:_TOLD]} ... ({len(text) - _TOLD} characters more)"


def pytest_environment() -> dict[str, str]:
    """The environment of that process: one thread for tensor operators and one for Inductor's pool, unless set.

    It holds what was typed, where that was a verb: see `suites.harness.results.ledger`.
    """
    # Accepting expectations from the environment would rewrite tests while they run; `parity regen` is for that.
    inherited = {name: value for name, value in os.environ.items() if name != "EXPECTTEST_ACCEPT"}
    typed = {TYPED: _typed()} if Path(sys.argv[0]).stem in ("parity", "cli") else {}
    return {"OMP_NUM_THREADS": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1", **inherited, **typed}
