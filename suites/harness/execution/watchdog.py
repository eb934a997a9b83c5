"""A time limit for cells: a worker whose cell hangs writes down why and goes; it is replaced and the run goes on."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from suites.harness.execution.isolation import end_children

#: A cell that is alive this long after its limit did not notice; isolated cells end themselves before.
GRACE_SECONDS = 15.0
EXIT_STATUS = 70


class Watchdog:
    """Ends this process when a watched item is over ``limit`` seconds, after ``report(item, limit)`` has run.

    A thread of its own watches, so that a loop in a kernel that never returns to Python is noticed too.
    """

    def __init__(self, limit: float, report: Callable[[Any, float], None]) -> None:
        self.limit, self.report = limit, report

    @contextlib.contextmanager
    def watching(self, item: Any) -> Iterator[None]:
        """Watch one item."""
        timer = threading.Timer(self.limit + GRACE_SECONDS, self._end, (item,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _end(self, item: Any) -> None:
        try:
            end_children()
            self.report(item, self.limit)
            faulthandler.dump_traceback(file=sys.__stderr__ or sys.stderr)
        finally:
            os._exit(EXIT_STATUS)
