"""Marks that a process and its forks make together: what happened in a rank, or in a child, is known to its parent."""

from __future__ import annotations

import mmap
from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import TypeVar

Mark = TypeVar("Mark", bound=Hashable)


class Marks(Collection[Mark]):
    """A set of what is known beforehand, which this process and its forks fill together."""

    def __init__(self, known: Iterable[Mark]) -> None:
        self._places = {mark: place for place, mark in enumerate(known)}
        self._made = mmap.mmap(-1, len(self._places))

    def add(self, mark: Mark) -> None:
        """Make a mark; one that is not known beforehand is not made."""
        if mark in self._places:
            self._made[self._places[mark]] = 1

    def made(self) -> set[Mark]:
        """The marks that were made, here and in forks."""
        return {mark for mark, place in self._places.items() if self._made[place]}

    def clear(self) -> None:
        """Take all marks back."""
        self._made[:] = bytes(len(self._made))

    def __iter__(self) -> Iterator[Mark]:
        return iter(self.made())

    def __len__(self) -> int:
        return len(self.made())

    def __contains__(self, mark: object) -> bool:
        return mark in self.made()
