"""The processes that cells run in: none of them runs in pytest's own.

A child stays for many cells. One that dies, hangs or has lost its GPU is replaced. What it died in is made again by
itself, each of its runs in a process of its own: the record then says which layer does it, and by which signal. Each
backend that is not torch's own has children of its own, so what it leaves behind meets no other backend's cells. Where
the last cells of a backend have died, its next one is isolated from the start, and this process makes ready for many.

Where there is room, cells that come later begin while an earlier one is waited for. pytest hears of each in its turn.
Of cells that crowd the device, with a process on each of several GPUs or a context for each of their runs, fewer run
beside each other.

A device that no process gets to any more is not what any cell is about: the run ends there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import connection
from typing import Any

import pytest

from suites.harness.backends.names import is_torchs_own
from suites.harness.execution.children import Child
from suites.harness.execution.deaths import LOST_ITS_DEVICE
from suites.harness.execution.isolation import Crashed, Finished, Outcome, Raised, TimedOut
from suites.harness.execution.kernel_queue import KernelQueue
from suites.harness.session import cells

#: Seconds that a cell may be over its limit: isolated runs end themselves before, and say so.
GRACE_SECONDS = 15.0
#: Children that are kept idle, beside as many as may be at work; the one that was idle for longest goes first.
_SPARE = 3
#: Cells of a backend that died one after the other, after which the next is not tried in a child that others share.
_DEATHS = 3
#: Seconds between looks at a device that a process could not use, and those that a look may take.
PAUSES: Sequence[float] = (2.0, 10.0)
_LOOK_SECONDS = 60.0
#: Seconds between two looks at who waits for a kernel.
_PAUSE = 0.05

#: What a child answers: pytest's reports of the cell, as JSON holds them, and whether the device still works.
Answer = tuple[list[dict[str, Any]], bool]
#: pytest's reports of a cell, and how a child ended in it, if one did.
Came = tuple[list[dict[str, Any]], Outcome | None]


@dataclasses.dataclass(frozen=True)
class Room:
    """How many cells may be at work at once.

    ``running`` cells, and up to ``waiting`` more while as many wait for a kernel that is ordered in ``kernels``. Of
    those that crowd the device no more than ``crowding`` begin before their turn: on two H100s seven cells of two ranks
    each ran as many a second as 14, and 28 less than half as many; and an H100 on which fourteen processes ran into a
    device-side assertion at the same time was lost to all of them.
    """

    running: int = 1
    waiting: int = 0
    kernels: KernelQueue | None = None
    crowding: int = 6

    @property
    def most(self) -> int:
        """The most cells at once."""
        return self.running + (self.waiting if self.kernels is not None else 0)

    def has_more(self, at_work: int) -> bool:
        """Whether another cell may begin beside so many."""
        if at_work < self.running or at_work >= self.most or self.kernels is None:
            return at_work < self.running
        return at_work - self.kernels.waiting() < self.running


@dataclasses.dataclass(frozen=True)
class _Flight:
    """A cell that is at work in a child; ``owner`` keeps that child afterwards, if anyone does.

    ``before``: how the first child ended, where the cell is made again, isolated; one that is ``alone`` is made so at
    once.
    """

    item: pytest.Item
    child: Child
    owner: str | None
    deadline: float
    before: Outcome | None = None
    alone: bool = False


class DeviceGone(Exception):
    """No process gets to the device of the run any more; in a line, why."""


class CellProcesses:
    """Runs cells in children: ``run(item, isolated)`` is called there and returns an `Answer`.

    ``apart`` says of which cells the process is to be one that no other cell runs in, ``crowds`` which crowd the
    device. ``many_deaths`` is called in this process, once, where cells die one after the other: what it sets up the
    processes to come have. ``gone`` is called in a child, and says why that cannot use the device, or nothing.
    """

    def __init__(
        self,
        run: Callable[[pytest.Item, bool], Answer],
        limit: float,
        apart: Callable[[pytest.Item], bool] = lambda item: False,
        room: Room | None = None,
        many_deaths: Callable[[], None] = lambda: None,
        crowds: Callable[[pytest.Item], bool] = lambda item: False,
        gone: Callable[[], str] = lambda: "",
    ) -> None:
        self._run, self._limit, self._apart, self._crowds, self._gone = run, limit + GRACE_SECONDS, apart, crowds, gone
        self.room = room or Room()
        self._many_deaths: Callable[[], None] | None = many_deaths
        self._items: Mapping[str, pytest.Item] = {}
        self._coming: deque[pytest.Item] = deque()
        self._begun: set[str] = set()
        self._flights: dict[str, _Flight] = {}
        self._came: dict[str, Came] = {}
        #: Children that are idle, and whose they are; the first has been so for longest.
        self._idle: list[tuple[str, Child]] = []
        #: How many cells of a backend have died since one of it did not.
        self._deaths: Counter[str] = Counter()

    def collected(self, items: list[pytest.Item], *, in_turn: bool = False) -> None:
        """These are the items; children that are forked from now on know them. ``in_turn``: all run, in this order."""
        self._items = {item.nodeid: item for item in items}
        self._coming = deque(filter(cells.is_cell, items)) if in_turn else deque()

    def reports(self, item: pytest.Item) -> Came:
        """pytest's reports of the cell; and how a child ended in it, if one did.

        A child that died in the cell, or lost its device, is not the last word: the reports are then those of the cell
        made again, isolated. There are none if that ended as badly.

        Raises `DeviceGone` if no other process can use the device either: then the cell has not run.
        """
        while item.nodeid not in self._came:
            if item.nodeid not in self._begun:
                with contextlib.suppress(ValueError):
                    self._coming.remove(item)
                self._begin(item)
            self._fill()
            self._wait()
        self._begun.discard(item.nodeid)
        return self._came.pop(item.nodeid)

    def again(self, item: pytest.Item) -> Came:
        """pytest's reports of the cell made once more, in a process of its own; or how that process ended."""
        child = Child(self._answer)
        outcome = child.ask((item.nodeid, False), self._limit)
        if isinstance(outcome, (Finished, Raised)):
            child.end()
        return (outcome.value[0], None) if isinstance(outcome, Finished) else ([], outcome)

    def end(self) -> None:
        """End every child."""
        for child in [flight.child for flight in self._flights.values()] + [child for _, child in self._idle]:
            child.end()
        self._flights.clear()
        self._idle.clear()
        self._occupy(0)

    def _fill(self) -> None:
        while self.room.has_more(len(self._flights)) and (item := self._next()) is not None:
            self._begin(item)
        self._occupy(min(self.room.most, len(self._flights) + len(self._coming)))

    def _next(self) -> pytest.Item | None:
        """Take the next cell that may begin from those that come."""
        crowded = sum(self._crowds(flight.item) for flight in self._flights.values()) >= self.room.crowding
        for item in self._coming:
            if not crowded or not self._crowds(item):
                self._coming.remove(item)
                return item
        return None

    def _occupy(self, count: int) -> None:
        if self.room.kernels is not None:
            self.room.kernels.occupy(count)

    def _begin(self, item: pytest.Item) -> None:
        self._begun.add(item.nodeid)
        if self._apart(item):
            self._send(item, Child(self._answer), None)
            return
        backend = cells.describe(item).backend
        if self._deaths[backend] >= _DEATHS:
            self._send(item, Child(self._answer), None, alone=True)
            return
        owner = "" if is_torchs_own(backend) else backend
        kept = next((each for each in reversed(self._idle) if each[0] == owner), None)
        if kept is not None:
            self._idle.remove(kept)
        self._send(item, kept[1] if kept is not None else Child(self._answer), owner)

    def _send(
        self,
        item: pytest.Item,
        child: Child,
        owner: str | None,
        before: Outcome | None = None,
        *,
        alone: bool = False,
    ) -> None:
        child.send((item.nodeid, alone or before is not None))
        self._flights[item.nodeid] = _Flight(item, child, owner, time.monotonic() + self._limit, before, alone)

    def _wait(self) -> None:
        """Take the answers that there are; wait for the first of them, a time limit, or room for another cell."""
        flights = {flight.child.connection: flight for flight in self._flights.values()}
        patience = max(0.0, min(flight.deadline for flight in flights.values()) - time.monotonic())
        if self._coming and self.room.waiting:
            patience = min(patience, _PAUSE)
        for ready in connection.wait(flights, patience):
            flight = flights.pop(ready)  # type: ignore[call-overload]
            self._ended(flight, flight.child.answer())
        for flight in flights.values():
            if time.monotonic() >= flight.deadline and not flight.child.connection.poll():
                self._ended(flight, flight.child.timed_out(self._limit))

    def _ended(self, flight: _Flight, outcome: Outcome) -> None:
        del self._flights[flight.item.nodeid]
        reports, works = outcome.value if isinstance(outcome, Finished) else ([], False)
        kept = flight.owner is not None and (works or isinstance(outcome, Raised))
        if kept and flight.owner is not None:
            self._keep(flight.owner, flight.child)
        elif isinstance(outcome, (Finished, Raised)):
            flight.child.end()
        if not works and (flight.before is not None or isinstance(outcome, TimedOut)):
            self._look_at_the_device()
        if flight.before is not None:  # It has been made again by itself.
            self._came[flight.item.nodeid] = (reports, flight.before if isinstance(outcome, Finished) else outcome)
            return
        self._count(cells.describe(flight.item).backend, outcome, reports, alone=flight.alone)
        if works:
            self._came[flight.item.nodeid] = (reports, None)
        elif isinstance(outcome, (Finished, Crashed)):
            before = Crashed(LOST_ITS_DEVICE, "") if isinstance(outcome, Finished) else outcome
            self._send(flight.item, Child(self._answer), None, before)
        else:
            self._came[flight.item.nodeid] = ([], outcome)

    def _look_at_the_device(self) -> None:
        """Raise `DeviceGone` if one process after another cannot use the device: a driver may need its time."""
        for pause in (*PAUSES, None):
            child = Child(lambda _: self._gone())
            outcome = child.ask(None, _LOOK_SECONDS)
            why = outcome.value if isinstance(outcome, Finished) else "a process that asked it did not come back"
            if isinstance(outcome, (Finished, Raised)):
                child.end()
            if not why:
                return
            if pause is None:
                raise DeviceGone(f"the device is gone: {why}")
            time.sleep(pause)

    def _count(self, backend: str, outcome: Outcome, reports: list[dict[str, Any]], *, alone: bool) -> None:
        """Keep count of deaths: one that is isolated is told by its reports."""
        if isinstance(outcome, Crashed):
            self._deaths[backend] += 1
            if self._deaths[backend] >= _DEATHS and self._many_deaths is not None:
                self._many_deaths()
                self._many_deaths = None
        elif not alone or not any(report.get("tells_of_a_death") for report in reports):
            self._deaths[backend] = 0

    def _keep(self, owner: str, child: Child) -> None:
        self._idle.append((owner, child))
        while len(self._idle) + len(self._flights) > self.room.most + _SPARE:
            self._idle.pop(0)[1].end()

    def _answer(self, request: tuple[str, bool]) -> Answer:
        nodeid, isolated = request
        return self._run(self._items[nodeid], isolated)
