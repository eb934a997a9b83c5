"""Finds that are known: counted in a campaign, and not reported again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from suites.harness.results import known_bugs

from .finds import Find, operators

#: Where the programs are that show known finds.
PROGRAMS = Path(__file__).parents[1] / "frozen"


@dataclasses.dataclass(frozen=True)
class Known:
    """A divergence that has been looked at. A find is this one if its fingerprint fits and each pattern an operator.

    ``|`` in a pattern stands between others, one of which must fit. ``id`` is that of the bug in the registry of known
    bugs, which may have several finds, and a find several fingerprints: each of them is a `Known` of its own.

    ``program`` is the file in `PROGRAMS` that shows it; ``link`` the report upstream, or ``none known``.
    """

    id: str
    title: str
    fingerprint: str
    operators: tuple[str, ...]
    program: str
    link: str

    def fits(self, find: Find) -> bool:
        """Whether a find is this one."""
        return self.is_of(find.fingerprint, find.operators)

    def is_of(self, fingerprint: str, names: tuple[str, ...]) -> bool:
        """Whether a program that diverges so, with these operators, shows this one."""
        return says(self, fingerprint) and all(
            any(fnmatchcase(name, one) for one in pattern.split("|") for name in names) for pattern in self.operators
        )


def says(entry: Known, fingerprint: str) -> bool:
    """Whether a known find's fingerprint fits one, whatever the operators."""
    return fnmatchcase(fingerprint, entry.fingerprint)


def load(registry: known_bugs.Registry | None = None) -> tuple[Known, ...]:
    """The finds of the registry, torch's own if none is given, in its order.

    Raises `suites.harness.results.known_bugs.KnownBugsError` for a file that cannot be used.
    """
    registry = registry or known_bugs.load(known_bugs.default_files())
    return tuple(
        Known(bug.id, find.title, fingerprint, find.operators, find.program, bug.link)
        for bug in registry.bugs.values()
        for find in bug.finds
        for fingerprint in find.fingerprints
    )


def without(patterns: Iterable[str]) -> tuple[Known, ...]:
    """The known finds but those whose id fits a pattern. Raises `ValueError` with one that none fits."""
    entries = load()
    gone = set[str]()
    for pattern in patterns:
        fitting = {entry.id for entry in entries if fnmatchcase(entry.id, pattern)}
        if not fitting:
            raise ValueError(f"no known find {pattern!r}")
        gone |= fitting
    return tuple(entry for entry in entries if entry.id not in gone)


def which(find: Find, known: tuple[Known, ...]) -> Known | None:
    """The known find that this one is; None if it is new."""
    return next((entry for entry in known if entry.fits(find)), None)


def operators_of(entry: Known, folder: Path = PROGRAMS) -> tuple[str, ...]:
    """The operators of the program that shows a known find; none if it is not there."""
    path = folder / entry.program
    return operators(path.read_text(encoding="utf-8")) if path.is_file() else ()
