"""How long a run will take still: said once it can be, from what its cells cost, backend by backend."""

from __future__ import annotations

import dataclasses
from collections import Counter, deque

#: Cells of each backend that are still to come, and of all of them, that must have run before their cost is known.
_OF_EACH = 10
_OF_ALL = 50
#: Nothing is said before this many seconds, in which caches are cold and workers start.
_WARM = 60.0
#: The end that was foreseen may have moved by this fraction of what is left over so many seconds.
_STEADY = 0.1
_WINDOW = 30.0


@dataclasses.dataclass
class Remaining:
    """What is known of the cells of a run: planned, and done with their seconds."""

    planned: Counter[str] = dataclasses.field(default_factory=Counter)
    done: Counter[str] = dataclasses.field(default_factory=Counter)
    cost: Counter[str] = dataclasses.field(default_factory=Counter)
    _ends: deque[tuple[float, float]] = dataclasses.field(default_factory=deque)

    def plan(self, backend: str) -> None:
        """One more cell of that backend is to run."""
        self.planned[backend] += 1

    def take(self, backend: str, seconds: float) -> None:
        """One more cell of that backend has run, and took so long."""
        self.done[backend] += 1
        self.cost[backend] += seconds  # type: ignore[assignment]

    def seconds(self, elapsed: float) -> float | None:
        """Seconds until the end, ``elapsed`` after the start; None while nobody can know.

        The cells to come cost what those of their backend have cost, and as much runs at once as has until now. Worth
        saying is only what has held for a while: ask often.
        """
        left = {name: number - self.done[name] for name, number in self.planned.items() if number > self.done[name]}
        known = all(self.done[name] >= _OF_EACH for name in left) and self.done.total() >= _OF_ALL
        spent = self.cost.total()
        if not left or not known or not spent:
            return None
        to_come = sum(number * self.cost[name] / self.done[name] for name, number in left.items())
        seconds = to_come * elapsed / spent
        self._ends.append((elapsed, elapsed + seconds))
        while self._ends[0][0] < elapsed - _WINDOW:
            self._ends.popleft()
        ends = [end for _, end in self._ends]
        held = elapsed - self._ends[0][0] > _WINDOW / 2
        steady = held and max(ends) - min(ends) <= _STEADY * seconds + 10
        return seconds if elapsed >= _WARM and steady else None
