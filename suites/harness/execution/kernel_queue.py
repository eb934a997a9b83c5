"""Workers of one run that wait for kernels, and have them compiled by one run of the C++ compiler.

A worker that needs a kernel puts its order into the run's folder and waits. While other workers keep the cores busy,
more orders gather; when a core is about to idle, the worker that has waited longest takes the orders that there are and
builds them together (`kernels`), in one run that costs little more than one kernel alone. Where several cores idle,
each is left its share of the orders. Everyone then goes on as if the kernel had been in Inductor's cache. What cannot
be built together, or is alone, is left to Inductor.

Each program is still lowered, loaded and judged alone and in its own worker: nothing is shared but the compiler's run.
The folder holds an empty file for each worker that is at work, and the orders; there is no lock and no server. An order
is taken by renaming it, which only one can do; what a worker that died has taken is given up by those who wait for it.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path

from suites.harness.execution.kernels import announce_builds, build_together
from suites.harness.torch_internals import CppBuild

#: Seconds between two looks at the folder, and how long an order gathers company if others seem to be busy: a worker
#: that sleeps, or waits for processes of its own, looks busy too.
_PAUSE, _PATIENCE = 0.01, 10.0
#: How many workers more than cores may still be running when a first compiler starts.
_AHEAD = 1
#: The most kernels of one run. Past some twenty a kernel becomes no cheaper.
_MOST = 20
_ORDER, _TAKEN, _AT_WORK = ".order", ".taken", ".at-work"


class KernelQueue:
    """One worker's view of the orders of all. ``folder`` is the run's; ``cores`` are to be kept busy."""

    def __init__(self, folder: Path, cores: int) -> None:
        self.folder, self.cores = folder, cores
        self._listens = False

    def join(self) -> None:
        """Count this process among those at work."""
        (self.folder / f"{os.getpid()}{_AT_WORK}").touch()

    def leave(self) -> None:
        """This process has no more work."""
        (self.folder / f"{os.getpid()}{_AT_WORK}").unlink(missing_ok=True)

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
        while not Path(build.target).exists():
            orders = [path for path in sorted(self.folder.glob(f"*{_ORDER}")) if _is_alive(_orderer(path))]
            if order not in orders:
                if not self._is_being_built(name):
                    return
            elif orders[0] == order:
                share = _MOST if time.monotonic() - since > _PATIENCE else self._share(len(orders))
                if share:
                    self._build(orders[:share])
                    return
            time.sleep(_PAUSE)
        order.unlink(missing_ok=True)

    def _share(self, orders: int) -> int:
        """How many of the orders there are should be built now, by one run of the compiler; 0: wait for more.

        A run of the compiler for one kernel costs nearly what it costs for ten. So it starts before a core idles, while
        enough workers are left to keep the other cores busy until it ends; and an order that comes alone meanwhile
        waits for the orders of those that it will set free, unless there are cores to spare.
        """
        at_work = sum(_is_alive(int(path.stem)) for path in self.folder.glob(f"*{_AT_WORK}"))
        taken = [_taker(path) for path in self.folder.glob(f"*{_TAKEN}")]
        compilers = len(set(taken))
        running = max(0, at_work - len(taken) - orders)
        idle = self.cores - running - compilers
        waits = idle <= 0 or (idle == 1 and orders == 1 and len(taken) > compilers) if compilers else idle <= -_AHEAD
        return 0 if waits else min(math.ceil(orders / max(1, idle)), _MOST)

    def _is_being_built(self, name: str) -> bool:
        return any(_is_alive(_taker(path)) for path in self.folder.glob(f"{name}.*{_TAKEN}"))

    def _build(self, orders: list[Path]) -> None:
        taken = list(self._take(orders))
        try:
            build_together([CppBuild(**json.loads(path.read_text(encoding="utf-8"))) for path in taken])
        finally:
            for path in taken:
                path.unlink(missing_ok=True)

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
