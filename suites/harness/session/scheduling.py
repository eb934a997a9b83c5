"""How items are handed to workers: those that are told first one at a time, the others as xdist does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdist.scheduler import LoadScheduling


class FirstOneAtATime(LoadScheduling):
    """xdist's own scheduling, which gives each worker a run of items, once the ``first`` items are out.

    Those are handed out singly, so that their order is that of the run and no worker sits on a heap of them.
    ``first`` is asked when everything is collected.
    """

    def __init__(self, config: pytest.Config, log: Any, first: Callable[[], int]) -> None:
        super().__init__(config, log)
        self._ask = first
        self._first = 0
        self._own_chunk = self.maxschedchunk

    def schedule(self) -> None:
        """Begin, or go on."""
        if self.collection is None:
            self._first = self._ask()
            if self._first:
                self.maxschedchunk = 1
        super().schedule()

    def check_schedule(self, node: Any, duration: float = 0) -> None:
        """Give a worker more to do, if it has little left."""
        if self._first and self.collection and self.pending and self.pending[0] >= self._first:
            self._first = 0
            self.maxschedchunk = self._own_chunk or len(self.collection)
        super().check_schedule(node, duration)
