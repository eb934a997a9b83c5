"""Where a random program's decisions come from: a seed, for campaigns, or Hypothesis, which shrinks."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

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


class FromHypothesis:
    """Decisions that Hypothesis makes, and unmakes when it shrinks."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        """See `Choices`."""
        return int(self._draw(st.integers(low, high)))

    def one_of(self, items: Sequence[T]) -> T:
        """See `Choices`."""
        return items[self.integer(0, len(items) - 1)]

    def chance(self, percent: int) -> bool:
        """See `Choices`."""
        return self.integer(0, 99) >= 100 - percent
