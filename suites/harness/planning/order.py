"""In which order cells run: as it is quickest told, or another one, which no verdict may depend on."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


@dataclasses.dataclass(frozen=True)
class Order:
    """An order that was asked for: the usual one the other way round, or one drawn by ``seed``, if that is given."""

    seed: int | None = None

    @classmethod
    def parse(cls, text: str) -> Order:
        """Read ``reversed`` or ``random:SEED``. Raises `ValueError`, with a line, for anything else."""
        found = re.fullmatch(r"reversed|random:(\d+)", text)
        if not found:
            raise ValueError(f"order {text!r} is neither reversed nor random:SEED with a whole number, like random:1")
        return cls(int(found[1]) if found[1] else None)

    def __str__(self) -> str:
        return "reversed" if self.seed is None else f"random:{self.seed}"

    def arranged(self, items: Iterable[Item], name: Callable[[Item], str]) -> list[Item]:
        """Items, given in their usual order, in this one.

        A drawn place depends on the seed and the item's ``name`` alone, so that any part of a run keeps the order of
        the whole.
        """
        if self.seed is None:
            return list(items)[::-1]
        return sorted(items, key=lambda item: hashlib.sha256(f"{self.seed} {name(item)}".encode()).digest())
