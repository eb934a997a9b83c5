"""The processes that a worker's cells run in: none of them runs in the worker itself.

A child stays for many cells. One that dies, hangs or has lost its GPU is replaced. What it died in is made again by
itself, each of its runs in a process of its own: the record then says which layer does it, and by which signal. Each
backend that is not torch's own has a child of its own, so what it leaves behind meets no other backend's cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from suites.harness.backends.registry import is_torchs_own
from suites.harness.execution.children import Child
from suites.harness.execution.deaths import LOST_ITS_DEVICE
from suites.harness.execution.isolation import Crashed, Finished, Outcome, Raised, TimedOut
from suites.harness.session import cells

#: Seconds that a cell may be over its limit: isolated runs end themselves before, and say so.
GRACE_SECONDS = 15.0
#: Children that a worker keeps; the one that has not been asked for longest goes first.
_MOST = 4

#: What a child answers: pytest's reports of the cell, as JSON holds them, and whether the device still works.
Answer = tuple[list[dict[str, Any]], bool]


class CellProcesses:
    """Runs cells in children: ``run(item, isolated)`` is called there and returns an `Answer`."""

    def __init__(self, run: Callable[[pytest.Item, bool], Answer], limit: float) -> None:
        self._run, self._limit = run, limit
        self._items: Mapping[str, pytest.Item] = {}
        self._children: dict[str, Child] = {}

    def collected(self, items: list[pytest.Item]) -> None:
        """These are the items; children that are forked from now on know them."""
        self._items = {item.nodeid: item for item in items}

    def reports(self, item: pytest.Item, *, apart: bool) -> tuple[list[dict[str, Any]], Outcome | None]:
        """pytest's reports of the cell; and how a child ended in it, if one did.

        ``apart``: in a process that no other cell runs in. A child that died in the cell, or lost its device, is not
        the last word: the reports are then those of the cell made again, isolated. There are none if that ended as
        badly.
        """
        backend = cells.describe(item).backend
        owner = "" if is_torchs_own(backend) else backend
        child = Child(self._answer) if apart else self._child(owner)
        outcome = child.ask((item.nodeid, False), self._limit + GRACE_SECONDS)
        reports, works = outcome.value if isinstance(outcome, Finished) else ([], False)
        if apart or not (works or isinstance(outcome, Raised)):
            if not apart:
                self._children.pop(owner)
            if isinstance(outcome, (Finished, Raised)):
                child.end()
        if works:
            return reports, None
        if isinstance(outcome, (Raised, TimedOut)):
            return [], outcome
        reports, ended = self._alone(item)
        return reports, ended or (Crashed(LOST_ITS_DEVICE, "") if isinstance(outcome, Finished) else outcome)

    def again(self, item: pytest.Item) -> tuple[list[dict[str, Any]], Outcome | None]:
        """pytest's reports of the cell made once more, in a process of its own; or how that process ended."""
        return self._alone(item, isolated=False)

    def end(self) -> None:
        """End every child."""
        for child in self._children.values():
            child.end()
        self._children.clear()

    def _child(self, owner: str) -> Child:
        child = self._children.pop(owner, None) or Child(self._answer)
        self._children[owner] = child
        while len(self._children) > _MOST:
            self._children.pop(next(iter(self._children))).end()
        return child

    def _alone(self, item: pytest.Item, *, isolated: bool = True) -> tuple[list[dict[str, Any]], Outcome | None]:
        child = Child(self._answer)
        outcome = child.ask((item.nodeid, isolated), self._limit + GRACE_SECONDS)
        if isinstance(outcome, (Finished, Raised)):
            child.end()
        return (outcome.value[0], None) if isinstance(outcome, Finished) else ([], outcome)

    def _answer(self, request: tuple[str, bool]) -> Answer:
        nodeid, isolated = request
        return self._run(self._items[nodeid], isolated)
