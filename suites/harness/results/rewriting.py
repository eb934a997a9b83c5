"""Known bugs as text: written by cause, changed in place, and read from the form that came before."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from suites.harness.results.known_bugs import (
    HEADER,
    NO_LINK,
    Bug,
    Cells,
    Environment,
    Expectation,
    KnownBugsError,
    Registry,
    parse,
)
from suites.harness.results.ledger import Ledger
from suites.harness.results.linting import gone
from suites.harness.results.outcomes import Outcome

#: The columns of a table of cells, in the order in which tables are put together.
_COLUMNS = ("fingerprints", "variants", "clauses", "backends", "facets")
_OLD = frozenset({"id", "clause", "facet", "fingerprint", "torch", "reason", "expires"})


def text_of(bug: Bug) -> str:
    """A bug as TOML, without an empty line at its end."""
    head = _lines({"id": (bug.id,), "reason": (bug.reason,), "link": bug.links, "seen": bug.seen})
    finds = (
        {
            "title": (find.title,),
            "fingerprint": find.fingerprints,
            "operators": find.operators,
            "program": (find.program,),
        }
        for find in bug.finds
    )
    blocks = [f"[[bug]]\n{head}expires = {bug.expires}\n", *map(_cells_text, bug.cells)]
    return "\n".join([*blocks, *(f"[[bug.finds]]\n{_lines(find)}" for find in finds)]).rstrip("\n")


def _cells_text(cells: Cells) -> str:
    keys = ("clause", "backend", "variant", "facet", "fingerprint", "seen")
    values = (cells.clauses, cells.backends, cells.variants, cells.facets, cells.fingerprints, cells.seen)
    shown = {key: value for key, value in zip(keys, values, strict=True) if value not in ((), ("*",))}
    return f"[[bug.cells]]\n{_lines(shown)}"


def _lines(entry: Mapping[str, Sequence[str]]) -> str:
    """A line a key; what is one text is no list, and a list that is too long for a line has a line each."""
    written = []
    for key, texts in entry.items():
        quoted = [tomli_w.dumps({"": text}).partition(" = ")[2].strip() for text in texts]
        line = f"{key} = [{', '.join(quoted)}]"
        if len(quoted) == 1 and key != "operators":
            line = f"{key} = {quoted[0]}"
        elif len(line) > 120:
            line = "\n    ".join([f"{key} = [", *(f"{text}," for text in quoted)]) + "\n]"
        written.append(line + "\n")
    return "".join(written)


def together(expected: Iterable[Cells]) -> tuple[Cells, ...]:
    """The same cells in fewer tables: two that differ in one column are one with both."""
    tables, before = [dataclasses.replace(each, line=0) for each in expected], 0
    while len(tables) != before:
        before = len(tables)
        for column in _COLUMNS:
            groups: dict[Cells, dict[str, None]] = {}
            for each in tables:
                texts = groups.setdefault(_with(each, {column: ()}), {})
                texts.update(dict.fromkeys(getattr(each, column)))
            tables = [_with(key, {column: tuple(texts)}) for key, texts in groups.items()]
    return tuple(tables)


# Updating from a ledger -----------------------------------------------------------------------------------------------


def stale(bugs: Iterable[Bug], book: Ledger) -> list[Expectation]:
    """What those bugs expect and no cell of the ledger that it is about shows any more."""
    environment = Environment.of(book.header)
    here = [each for bug in bugs for each in bug.expectations() if each.holds_in(environment)]
    return [each for each, _ in gone(here, tuple(book.cells.values()))]


def missing(registry: Registry, book: Ledger, about: Bug) -> list[Bug]:
    """A bug for each fingerprint that nothing known expects, over all the cells that show it.

    ``about`` is what they have in common: reason, links, date.
    """
    environment = Environment.of(book.header)
    showing: dict[str, dict[tuple[str, str], set[str]]] = {}
    for cell in registry.judged(book).cells.values():
        if cell.outcome in (Outcome.FAIL, Outcome.CRASH, Outcome.TIMEOUT):
            for item, known in zip(cell.divergences, registry.explain(cell, environment), strict=True):
                if known is None:
                    cells = showing.setdefault(item.fingerprint, {})
                    cells.setdefault((cell.clause, cell.backend), set()).add(cell.variant)
    ran: dict[tuple[str, str], set[str]] = {}
    for cell in book.cells.values():
        if cell.outcome.compared or cell.outcome is Outcome.VACUOUS:
            ran.setdefault((cell.clause, cell.backend), set()).add(cell.variant)
    bugs, taken = [], set(registry.bugs)
    for fingerprint, where in showing.items():
        tables = [
            Cells((clause,), (fingerprint,), backends=(backend,), variants=_variants(seen, ran[clause, backend]))
            for (clause, backend), seen in where.items()
        ]
        name = _name(fingerprint, taken)
        taken.add(name)
        bugs.append(dataclasses.replace(about, id=name, seen=(_release(environment.torch),), cells=together(tables)))
    return bugs


def _variants(showing: set[str], ran: set[str]) -> tuple[str, ...]:
    return ("*",) if showing >= ran else tuple(sorted(showing))


def _name(fingerprint: str, taken: set[str]) -> str:
    """An id that says where and what; with a few digits of its own where that is taken."""
    short = re.sub(r"[^A-Za-z0-9_]+", "-", fingerprint).strip("-")[:60]
    return (
        short
        if short not in taken
        else f"{short}-{hashlib.sha256(repr((fingerprint, sorted(taken))).encode()).hexdigest()[:8]}"
    )


def _release(torch: str) -> str:
    """This minor version of torch and no other: another one may diverge differently."""
    numbers = re.match(r"(\d+)\.(\d+)", torch)
    return f"torch>={numbers[1]}.{numbers[2]},<{numbers[1]}.{int(numbers[2]) + 1}" if numbers else "torch"


def rewritten(text: str, bugs: Sequence[Bug], drop: Sequence[Expectation], new: Sequence[Bug]) -> str:
    """A file's text without what ``drop`` names and with the bugs ``new`` at its end; the rest as it was.

    ``bugs`` are those of the text. A table of which a part goes is written anew; a bug that explains nothing any more
    goes. Raises `KnownBugsError` where a table's lines cannot be found.
    """
    lines = text.splitlines()
    dropped: dict[int, list[Expectation]] = {}
    for each in drop:
        dropped.setdefault(id(each.cells), []).append(each)
    for bug in bugs:
        left = {id(cells): _without(bug, cells, dropped[id(cells)]) for cells in bug.cells if id(cells) in dropped}
        for cells in bug.cells:
            if id(cells) in left:
                _replace(lines, cells.line, [_cells_text(each) for each in left[id(cells)]], bug)
        if left and not bug.finds and not any(left.get(id(cells), (cells,)) for cells in bug.cells):
            _replace(lines, bug.line, [], bug)
    kept = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return "\n\n".join(part for part in (kept, *map(text_of, new)) if part) + "\n"


def _without(bug: Bug, cells: Cells, drop: Iterable[Expectation]) -> tuple[Cells, ...]:
    """What is left of a table of cells."""
    gone_rows = {_row(each) for each in drop}
    rows = map(_row, dataclasses.replace(bug, cells=(cells,)).expectations())
    return together(
        _with(cells, {column: (text,) for column, text in zip(_COLUMNS, row, strict=True)})
        for row in rows
        if row not in gone_rows
    )


def _with(cells: Cells, columns: Mapping[str, tuple[str, ...]]) -> Cells:
    changed: dict[str, Any] = dict(columns)
    return dataclasses.replace(cells, **changed)


def _row(each: Expectation) -> tuple[str, ...]:
    return each.fingerprint, each.variant, each.clause, each.backend, each.facet


def _replace(lines: list[str], line: int, blocks: Sequence[str], bug: Bug) -> None:
    """Put other tables in the place of the one whose header is in that line, counted from 1. No line moves."""
    if not line or not HEADER.match(lines[line - 1]):
        raise KnownBugsError(f"{bug.source}: cannot find the lines of bug {bug.id!r}; change it by hand")
    end = next((place for place in range(line, len(lines)) if HEADER.match(lines[place])), len(lines))
    while lines[end - 1].lstrip().startswith("#") or not lines[end - 1].strip():
        end -= 1  # What stands above the next header is about that one.
    lines[line - 1 : end] = ["\n".join(blocks).rstrip("\n"), *[""] * (end - line)]


# The form that came before --------------------------------------------------------------------------------------------


def converted(paths: Sequence[Path]) -> list[Bug]:
    """The causes of files of the old form, one ``[[waiver]]`` a cell, those of one reason and link put together.

    Raises `KnownBugsError` with one line for a file that is not one of that form.
    """
    causes: dict[tuple[str, str, datetime.date], list[tuple[str, Cells]]] = {}
    for path in paths:
        _, data = parse(path)
        if not isinstance(data.get("waiver"), list):
            raise KnownBugsError(f"{path}: no [[waiver]] in it: not a file of the old form")
        for number, entry in enumerate(data["waiver"], 1):
            lacking = sorted(_OLD - set(entry))
            if lacking:
                raise KnownBugsError(f"{path}: waiver number {number}: keys missing: {', '.join(lacking)}")
            facet, fingerprint = entry["facet"], entry["fingerprint"]
            cells = Cells(
                clauses=(entry["clause"],),
                fingerprints=(fingerprint,),
                # A fingerprint names its facet, but for one whose facet is hidden behind a `*`.
                facets=("*",) if f":{facet}:" in fingerprint else (facet,),
                backends=(entry.get("backend", data.get("backend", "*")),),
                variants=(entry.get("variant", "*"),),
                seen=(f"torch{entry['torch']}",),
            )
            cause = entry["reason"], entry.get("link") or NO_LINK, entry["expires"]
            causes.setdefault(cause, []).append((entry.get("finding") or entry["id"], cells))
    bugs: dict[str, Bug] = {}
    for (reason, link, expires), named in causes.items():
        name = next((name for name, _ in named if name not in bugs), f"{named[0][0]}-{len(bugs)}")
        bugs[name] = joined(Bug(name, reason, (link,), (), expires, tuple(cells for _, cells in named)))
    return list(bugs.values())


def joined(bug: Bug) -> Bug:
    """The bug with its cells put together, and where most of them were seen said once."""
    places = [cells.seen or bug.seen for cells in bug.cells]
    common = max(places, key=places.count)
    own = (
        dataclasses.replace(cells, seen=() if place == common else place)
        for cells, place in zip(bug.cells, places, strict=True)
    )
    return dataclasses.replace(bug, seen=common, cells=together(own))
