"""Telling a find that is known, or that a campaign has had before, before a minute is spent on making it small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from . import known
from .finds import RECOGNISED, Find, bucket

#: After so many finds in a row with one fingerprint that were all recognised, its programs are taken for more of them;
#: but for one in so many, which is reduced as ever. A new find among those begins the count anew.
WORN, SAMPLE = 8, 8


class Recognition:
    """What a campaign has met so far: ``finds`` are those of earlier runs of it, ``entries`` the list of known ones."""

    def __init__(self, finds: Iterable[Find] = (), entries: tuple[known.Known, ...] | None = None) -> None:
        self._entries = known.load() if entries is None else entries
        self._sizes = {entry.program: len(known.operators_of(entry)) for entry in self._entries}
        #: By fingerprint: what was met, by name, with the operators that it takes.
        self._met: dict[str, dict[str, frozenset[str]]] = {}
        self._in_a_row: Counter[str] = Counter()
        self._turn: Counter[str] = Counter()
        for find in finds:
            self.learn(find)

    def of(self, fingerprint: str, names: tuple[str, ...]) -> str:
        """What a program is that diverges so with these operators: a known find, a bucket met before; or nothing.

        A known find is recognised in a program of no more operators than its own, so that no larger program is.
        """
        for entry in self._entries:
            if len(names) <= self._sizes[entry.program] and entry.is_of(fingerprint, names):
                return entry.id
        name = bucket(fingerprint, names)
        return name if name in self._met.get(fingerprint, ()) else ""

    def in_the_end(self, fingerprint: str, names: tuple[str, ...]) -> str:
        """What a program is that is as small as it gets: as `of`, and any known find that fits."""
        fitting = (entry.id for entry in self._entries if entry.is_of(fingerprint, names))
        return self.of(fingerprint, names) or next(fitting, "")

    def learn(self, find: Find) -> None:
        """Remember a find."""
        fingerprint = find.fingerprint
        name = self.of(fingerprint, find.operators) or find.bucket
        new = find.standing != RECOGNISED
        self._in_a_row[fingerprint] = 0 if new else self._in_a_row[fingerprint] + 1
        self._met.setdefault(fingerprint, {})[name] = frozenset(find.operators)

    def taken_for(self, fingerprint: str, names: tuple[str, ...]) -> str:
        """What a program that is not reduced yet is taken for, where its fingerprint is worn; or nothing."""
        if self._in_a_row[fingerprint] < WORN:
            return ""
        likely = next((name for name, needed in self._met.get(fingerprint, {}).items() if needed <= set(names)), "")
        self._turn[fingerprint] += bool(likely)
        return "" if self._turn[fingerprint] % SAMPLE == 0 else likely
