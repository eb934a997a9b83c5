"""A pytest plugin that sees where the processor time of each process of a run goes, by looking at its stack.

``python -m tools.benchmarks.where_time_goes`` loads it; it tells nothing to a clause and decides nothing. Each process,
forks and workers too, is interrupted every `EVERY` seconds of its own processor time. What it has used since the last
time is added to the phase of its stack (`phases`), for the backend whose cell it runs, in a file of its own that is
mapped into memory: what a process has counted stays when it is killed. Programs that a process starts and waits for,
the C++ compiler above all, are counted by what the system says that they have used.
"""

from __future__ import annotations

import atexit
import mmap
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tools.benchmarks import phases
from tools.benchmarks.phases import PHASES, Found, Place

#: Processor seconds between two looks.
EVERY = 0.01
#: The variable of the environment that names the folder where processes count.
FOLDER = "PARITY_SAMPLES"
#: What the header of the ledger says of a run that is sampled, in the variable that it reads.
TOLD = ("PARITY_SAMPLED", f"stacks, every {1000 * EVERY:g} ms of processor time, by tools.benchmarks.where_time_goes")
#: Of one process, at most so many backends are told apart.
_ROWS = 64
#: What begins the name of a program that compiles or links.
_COMPILERS = ("g++", "gcc", "c++", "clang", "cc", "icpx", "x86_64-linux-gnu-g", "aarch64-linux-gnu-g")

_NUMBERS = {phase: number for number, phase in enumerate(PHASES)}
#: The functions that `_look` calls.
_LOOKING: tuple[Any, ...] = (phases.place_of, Found.__init__, Found.goes_on, Found.phase)


class _Process:
    """What this process counts into; a fork of it has one of its own."""

    seconds: Any = None
    row = 0
    seen = 0.0
    backends: dict[str, int] = {}  # noqa: RUF012
    names = Path()


#: File and name of a function -> its place; the table is asked once for each.
_places: dict[tuple[str, str], Place | None] = {}


def begin(folder: Path) -> None:
    """Have this process, and all that it forks or starts with the plugin, count into files of ``folder``."""
    if _Process.backends:
        return
    os.environ[FOLDER] = str(folder)
    os.environ[TOLD[0]] = TOLD[1]
    _open()
    # What was used so far went into the start of Python, and into what came before this module.
    _Process.seen = time.process_time()
    _Process.seconds[_NUMBERS[phases.IMPORTS]] += _Process.seen
    signal.signal(signal.SIGPROF, _look)
    signal.siginterrupt(signal.SIGPROF, False)
    _count_programs()
    os.register_at_fork(after_in_child=_forked)
    # At its end Python hands signals back to the system, which ends a process for this one.
    atexit.register(end)
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)


def end() -> None:
    """Look no more, in this process; the last look is now."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    _look(signal.SIGPROF, sys._getframe())


def _open() -> None:
    """Map a new file of this process: a number for each phase, a row of them for each backend, and one for none."""
    path = Path(os.environ[FOLDER]) / f"{os.getpid()}-{time.monotonic_ns()}"
    size = 8 * len(PHASES) * _ROWS
    with path.open("w+b") as file:
        file.truncate(size)
        _Process.seconds = memoryview(mmap.mmap(file.fileno(), size)).cast("d")
    _Process.backends = {"": 0}
    _Process.row = 0
    _Process.names = path.with_suffix(".backends")


def _forked() -> None:
    """In a fork: its own file, its own timer (a fork has none), and the cell that it was forked in."""
    backend = next((name for name, row in _Process.backends.items() if row == _Process.row), "")
    _open()
    _Process.seen = 0.0
    _of_backend(backend)
    _leave_untraced()
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)


def _of_backend(name: str) -> None:
    """What follows is for a cell on that backend; for none where it is empty."""
    if name not in _Process.backends and len(_Process.backends) < _ROWS:
        _Process.backends[name] = len(_Process.backends)
        with _Process.names.open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")
    _Process.row = _Process.backends.get(name, 0)


def _look(number: int, frame: FrameType | None) -> None:
    """Add what was used since the last look to the phase of the stack. Of Python it calls `_LOOKING` alone."""
    now = time.process_time()
    found = Found()
    while frame is not None:
        key = (frame.f_code.co_filename, frame.f_code.co_name)
        if key in _places:
            place = _places[key]
        else:
            place = _places[key] = phases.place_of(*key)
        if place is not None and not found.goes_on(place):
            break
        frame = frame.f_back
    slot = _NUMBERS[found.phase()] + _Process.row * len(PHASES)
    _Process.seconds[slot] += now - _Process.seen
    _Process.seen = now


def _leave_untraced() -> None:
    """Have Dynamo not trace what runs between any two instructions. Programs are compiled in forks alone."""
    internals = sys.modules.get("suites.harness.torch_internals")
    if internals is not None:
        internals.leave_untraced(_look, *_LOOKING)


def _count_programs() -> None:
    """Count what each program has used that this process waits for, unless it is one that counts itself."""
    waited = subprocess.Popen.wait

    def wait(self: Any, timeout: float | None = None) -> int:
        program = self.args if isinstance(self.args, (str, bytes)) else next(iter(self.args), "")
        name = os.path.basename(os.fsdecode(program).partition(" ")[0])
        if self.returncode is not None:
            return waited(self, timeout)
        before = _used_by_children()
        try:
            return waited(self, timeout)
        finally:
            used = _used_by_children() - before
            if used and not _counts_itself(self.pid):
                phase = phases.COMPILER if name.startswith(_COMPILERS) else phases.PROGRAMS
                _Process.seconds[_NUMBERS[phase] + _Process.row * len(PHASES)] += used

    subprocess.Popen.wait = wait  # type: ignore[method-assign]


def _counts_itself(process: int) -> bool:
    return any(Path(os.environ[FOLDER]).glob(f"{process}-*"))


def _used_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(folder: Path) -> Iterator[tuple[str, str, float]]:
    """What the processes of a run have counted so far: phase, backend (empty outside of cells), processor seconds."""
    total: Counter[tuple[str, str]] = Counter()
    for path in folder.iterdir():
        if path.suffix:
            continue
        names = path.with_suffix(".backends")
        backends = ["", *(names.read_text(encoding="utf-8").splitlines() if names.exists() else ())]
        seconds = memoryview(path.read_bytes()).cast("d")
        for row, backend in enumerate(backends):
            for number, phase in enumerate(PHASES):
                total[phase, backend] += seconds[row * len(PHASES) + number]  # type: ignore[assignment]
    for (phase, backend), used in total.items():
        if used:
            yield phase, backend, float(used)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What follows is for the cell's backend."""
    cell = getattr(item, "callspec", None)
    chosen = cell.params.get("check") if cell is not None else None
    if isinstance(chosen, tuple):
        _of_backend(str(chosen[0]))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """The cell is over."""
    _of_backend("")


if FOLDER in os.environ:
    begin(Path(os.environ[FOLDER]))
