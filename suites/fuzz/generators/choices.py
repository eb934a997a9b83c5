"""Where a random program's decisions come from: a seed, or whoever else keeps the protocol."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Choices(Protocol):
    """Decisions. The simplest comes first: of a sequence the first, of a range the lowest, of a chance no."""

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        ...

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items. Raises `IndexError` if there is none."""
        ...

    def chance(self, percent: int) -> bool:
        """Yes, in so many cases of a hundred."""
        ...


class Seeded:
    """Decisions from a seed: equal seeds, equal decisions, on any machine."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        """See `Choices`."""
        return self._random.randint(low, high)

    def one_of(self, items: Sequence[T]) -> T:
        """See `Choices`."""
        return items[self._random.randrange(len(items))]

    def chance(self, percent: int) -> bool:
        """See `Choices`."""
        return self._random.randrange(100) < percent
