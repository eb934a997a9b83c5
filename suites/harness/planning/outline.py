"""Which clauses there are, as far as the text of the suites' files tells: none of them is imported, and torch neither.

A clause of parameters is known by its name alone: ``family/group/name`` may be followed by ``(anything)``.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from suites.harness.planning import durations
from suites.harness.results.places import is_pattern, matches

#: The folder of the families.
_SUITES = Path(__file__).resolve().parents[2]
#: Folders in it that hold no clause.
NOT_FAMILIES = ("harness", "selfcheck")
_TEST = re.compile(r"^(?:async )?def test_(\w+)\(", re.MULTILINE)


@functools.cache
def names() -> tuple[str, ...]:
    """The ids of all clauses, without parameters, in alphabetical order; those of plain tests beside them, too."""
    found = set[str]()
    for file in _SUITES.rglob("test_*.py"):
        *folders, last = file.relative_to(_SUITES).with_suffix("").parts
        if folders and folders[0] not in NOT_FAMILIES:
            group = "/".join([*folders, last.removeprefix("test_")])
            text = file.read_text(encoding="utf-8", errors="replace")
            found.update(f"{group}/{name}" for name in _TEST.findall(text))
    return tuple(sorted(found))


def may_name(pattern: str, names: Iterable[str]) -> bool:
    """Whether a pattern of ids may fit one of these clauses, in whatever parameters they have."""
    return any(matches(pattern, name) or begins(pattern, f"{name}(") for name in names)


def begins(pattern: str, start: str) -> bool:
    """Whether a pattern fits some text that begins so."""
    literal = re.split(r"[*?]", pattern, maxsplit=1)[0]
    if not start.startswith(literal[: len(start)]):
        return False
    places = _with_nothing_for_stars(pattern, {0})
    for letter in start:
        there = [place for place in places if place < len(pattern)]
        places = {place for place in there if pattern[place] == "*"}
        places |= {place + 1 for place in there if pattern[place] in ("?", letter)}
        places = _with_nothing_for_stars(pattern, places)
    return bool(places)


def _with_nothing_for_stars(pattern: str, places: Iterable[int]) -> set[int]:
    """Those places in a pattern, and those after the stars that stand there."""
    found = set(places)
    for place in places:
        while pattern[place : place + 1] == "*":
            place += 1
            found.add(place)
    return found


def _known_ids(names: Iterable[str]) -> list[str]:
    """The ids that somebody may have meant of these clauses: with the parameters that are on record, if any are."""
    there = frozenset(names)
    recorded = [each for each in durations.read().of_clause if each.partition("(")[0] in there]
    return sorted({*recorded, *there.difference(each.partition("(")[0] for each in recorded)})


def of_no_clause(patterns: Sequence[str], families: Collection[str] = ()) -> str:
    """A line about the patterns that can fit no clause of those families (none: all), whatever its parameters.

    Empty if each may. It takes no second: who has misspelt one need not wait until all clauses are collected.
    """
    there = [name for name in names() if not families or name.partition("/")[0] in families]
    bad = [pattern for pattern in dict.fromkeys(patterns) if not may_name(pattern, there)]
    return complaint(bad, _known_ids(there)) if bad else ""


def complaint(bad: Sequence[str], ids: Sequence[str]) -> str:
    """What is said of patterns that fit none of the ids, with what may have been meant."""
    near = [near_pattern(pattern, ids) for pattern in bad]
    line = f"--clause {', '.join(map(repr, bad))}: no clause has such an id"
    if any(near):
        line += f"; did you mean {' and '.join(repr(each) for each in near if each)}?"
    return line


def near_pattern(pattern: str, ids: Sequence[str]) -> str:
    """What a pattern of ids that fits none may have been meant to be; empty if nothing is like it.

    One whose wildcards stand for what is in a folder or a file (``mutation/copyback/*``): with a folder that there is.
    """
    place, _, last = pattern.rpartition("/")
    if is_pattern(last) and place and not is_pattern(place):
        places = sorted({"/".join(each.split("/")[: place.count("/") + 1]) for each in ids})
        # A mistake in the name of a file is more alike in one of the same family.
        family = place.partition("/")[0] + "/"
        for among in ([each for each in places if each.startswith(family)], places):
            if (near := difflib.get_close_matches(place, among, 1)) and near[0] != place:
                return f"{near[0]}/{last}"
    if is_pattern(pattern):
        return ""  # An id of its own would be an answer to another question.
    return next(iter(difflib.get_close_matches(pattern, ids, 1, 0.4)), "")
