"""Processes of one run that wait for kernels, and have them compiled by one run of the C++ compiler.

A process that needs a kernel puts its order into the run's folder and waits. While others keep the cores busy, more
orders gather; when a core is about to idle, the process that has waited longest takes the orders that there are and
builds them together (`kernels`), in one run that costs little more than one kernel alone; and one that has waited for
too long does so at any rate. Where several cores idle, each is left its share of the orders. Everyone then goes on as
if the kernel had been in Inductor's cache. What cannot be built together, or is alone, is left to Inductor.

Each program is still lowered, loaded and judged alone and in its own process: nothing is shared but the compiler's run.
The folder holds an empty file for each cell that is at work, or may yet begin while others wait, and the orders; there
is no lock and no server. An order is taken by renaming it, which only one can do; what a process that died has taken is
given up by those who wait for it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from suites.harness.execution.kernels import announce_builds, build_together
from suites.harness.torch_internals import CppBuild

#: Seconds between two looks at the folder, of the process that decides and of the others.
_PAUSE, _LONG_PAUSE = 0.03, 0.5
#: Seconds that an order gathers company if others seem to be busy: a process that sleeps, or waits for processes of its
#: own, looks busy too.
_PATIENCE = 10.0
#: Seconds that all orders of one cell may gather company, one after another: a cell of many kernels is not to be late.
_PATIENCE_OF_A_CELL = 15.0
#: How many processes more than cores may still be running when a first compiler starts.
_AHEAD = 1
#: The most kernels of one run. Past some twenty a kernel becomes no cheaper.
_MOST = 20
_ORDER, _TAKEN, _BILL, _AT_WORK = ".order", ".taken", ".bill", ".at-work"


class KernelQueue:
    """One process's view of the orders of all. ``folder`` is the run's; ``cores`` are to be kept busy."""

    def __init__(self, folder: Path, cores: int) -> None:
        self.folder, self.cores = folder, cores
        self._listens = False
        #: Of which process, and how many cells of it, the folder says that they are at work.
        self._occupied = (os.getpid(), 0)
        #: Seconds of the processor that others took for this process's kernels, less what it took for theirs.
        self.owed = 0.0
        #: Seconds for which the orders of the cell that is at work here have gathered company so far.
        self.waited = 0.0

    def occupy(self, count: int) -> None:
        """Say that ``count`` cells of this process are at work, or will begin while those wait: 0 at its end."""
        process, marked = self._occupied
        # A fork has none of its parent's cells.
        marked = marked if process == os.getpid() else 0
        for number in range(marked, count):
            self._mark(number).touch()
        for number in range(count, marked):
            self._mark(number).unlink(missing_ok=True)
        self._occupied = (os.getpid(), count)

    def _mark(self, number: int) -> Path:
        return self.folder / f"{os.getpid()}-{number}{_AT_WORK}"

    def waiting(self) -> int:
        """How many processes wait for a kernel."""
        return len({_orderer(path) for path in (*self._orders(), *self.folder.glob(f"*{_TAKEN}"))})

    def _orders(self) -> list[Path]:
        """The orders that nobody has taken, the oldest first; a process that has died wants nothing any more."""
        return [path for path in sorted(self.folder.glob(f"*{_ORDER}")) if _is_alive(_orderer(path))]

    def listen(self) -> None:
        """From now on, the kernels of this process and of its forks are ordered here."""
        if self._listens:
            return
        self._listens = True
        numbers = itertools.count()
        announce_builds(lambda build: self.order(build, f"{time.time_ns()}-{os.getpid()}-{next(numbers)}"))

    def order(self, build: CppBuild, name: str) -> None:
        """Wait until the library is there, or until it is clear that Inductor has to build it itself.

        ``name`` is the order's own; names sort by age, and tell the process: ``age-process-number``.
        """
        order, since = self.folder / f"{name}{_ORDER}", time.monotonic()
        part = order.with_suffix(".part")
        part.write_text(json.dumps(dataclasses.asdict(build)), encoding="utf-8")
        part.rename(order)
        patience = min(_PATIENCE, _PATIENCE_OF_A_CELL - self.waited)
        while not Path(build.target).exists():
            orders = self._orders()
            if order not in orders:
                if not self._is_being_built(name):
                    return
                self._pause(Path(build.target), _LONG_PAUSE)
                continue
            others = [each for each in orders if each != order]
            first, late = orders[0] == order, time.monotonic() - since > patience
            share = _MOST if late else self._share(len(orders)) if first else 0
            if share:
                self.waited += time.monotonic() - since
                self._build([order, *others][:share])
                return
            self._pause(Path(build.target), _PAUSE if first else _LONG_PAUSE)
        self.waited += time.monotonic() - since
        bill = self.folder / f"{name}{_BILL}"
        with contextlib.suppress(OSError):
            self.owed += float(bill.read_text(encoding="utf-8"))
            bill.unlink()
        order.unlink(missing_ok=True)

    def _pause(self, target: Path, seconds: float) -> None:
        """Wait until it is time to look at the folder again, or the library is there: to look for that costs little."""
        until = time.monotonic() + seconds
        while not target.exists() and time.monotonic() < until:
            time.sleep(_PAUSE)

    def _share(self, orders: int) -> int:
        """How many of the orders there are should be built now, by one run of the compiler; 0: wait for more.

        A run of the compiler for one kernel costs nearly what it costs for ten. So it starts before a core idles, while
        enough workers are left to keep the other cores busy until it ends; and an order that comes alone meanwhile
        waits for the orders of those that it will set free, unless there are cores to spare.
        """
        at_work = sum(_is_alive(int(path.name.split("-")[0])) for path in self.folder.glob(f"*{_AT_WORK}"))
        taken = [_taker(path) for path in self.folder.glob(f"*{_TAKEN}")]
        compilers = len(set(taken))
        running = max(0, at_work - len(taken) - orders)
        idle = self.cores - running - compilers
        waits = idle <= 0 or (idle == 1 and orders == 1 and len(taken) > compilers) if compilers else idle <= -_AHEAD
        return 0 if waits else min(math.ceil(orders / max(1, idle)), _MOST)

    def _is_being_built(self, name: str) -> bool:
        return any(_is_alive(_taker(path)) for path in self.folder.glob(f"{name}.*{_TAKEN}"))

    def _build(self, orders: list[Path]) -> None:
        taken = {path: CppBuild(**json.loads(path.read_text(encoding="utf-8"))) for path in self._take(orders)}
        try:
            build_together(list(taken.values()), built=lambda builds, seconds: self._bill(taken, builds, seconds))
        finally:
            for path in taken:
                path.unlink(missing_ok=True)

    def _bill(self, taken: Mapping[Path, CppBuild], builds: Sequence[CppBuild], seconds: float) -> None:
        """Tell each other process that is about to find its kernel what that took of the processor: an equal share."""
        share = seconds / len(builds)
        for path, build in taken.items():
            if build in builds and _orderer(path) != os.getpid():
                (self.folder / f"{path.name.split('.')[0]}{_BILL}").write_text(str(share), encoding="utf-8")
                self.owed -= share

    def _take(self, orders: list[Path]) -> Iterator[Path]:
        for order in orders:
            mine = order.with_suffix(f".{os.getpid()}{_TAKEN}")
            try:
                order.rename(mine)
            except FileNotFoundError:
                continue
            yield mine


def _orderer(order: Path) -> int:
    """The process that waits for an order, ``age-process-number``."""
    return int(order.name.split("-")[1])


def _taker(taken: Path) -> int:
    """The process that builds what an order, ``name.process.taken``, asks for."""
    return int(taken.name.split(".")[-2])


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # It is another user's.
    return True
