"""Finds that are known: counted in a campaign, and not reported again."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from .finds import Find, operators

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PLACE = Path(__file__).parents[1] / "frozen" / "finds.toml"


@dataclasses.dataclass(frozen=True)
class Known:
    """A divergence that has been looked at. A find is this one if its fingerprint fits and each pattern an operator.

    ``|`` in a pattern stands between others, one of which must fit. Two entries may have one program: two faces of it.

    ``program`` is the file beside the list that shows it; ``link`` the report upstream, or ``none known``.
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


def load(path: Path = PLACE) -> tuple[Known, ...]:
    """The known finds, in the order of the file. Raises `ValueError` with the file's name for one that is not whole."""
    if not path.exists():
        return ()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(Known(**{**entry, "operators": tuple(entry["operators"])}) for entry in data.get("find", ()))
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


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


def operators_of(entry: Known, folder: Path = PLACE.parent) -> tuple[str, ...]:
    """The operators of the program that shows a known find; none if it is not there."""
    path = folder / entry.program
    return operators(path.read_text(encoding="utf-8")) if path.is_file() else ()
