"""Known bugs as text: written by cause, changed in place, and read from the form that came before."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from suites.harness.oracle.divergence import FACETS
from suites.harness.results import places
from suites.harness.results.answering import Answering
from suites.harness.results.evidence import Evidence
from suites.harness.results.known_bugs import (
    HEADER,
    NO_LINK,
    Bug,
    Cells,
    Expectation,
    KnownBugsError,
    Registry,
    parse,
    where_cells_ran,
)
from suites.harness.results.ledger import Ledger
from suites.harness.results.outcomes import Outcome
from suites.harness.results.places import Environment, is_pattern

#: The columns of a table of cells, in the order in which tables are put together.
_COLUMNS = ("fingerprints", "variants", "clauses", "backends", "facets")
#: A fingerprint's layer, which may have colons of its own, and the rest.
_LAYER = re.compile(rf"(.*?):((?:{'|'.join(FACETS)}):.*)", re.DOTALL)
_OLD = frozenset({"id", "clause", "facet", "fingerprint", "torch", "reason", "expires"})


def text_of(bug: Bug) -> str:
    """A bug as TOML, without an empty line at its end."""
    finds = (
        {
            "title": (find.title,),
            "fingerprint": find.fingerprints,
            "operators": find.operators,
            "program": (find.program,),
        }
        for find in bug.finds
    )
    blocks = [_head(bug), *map(_cells_text, bug.cells)]
    return "\n".join([*blocks, *(f"[[bug.finds]]\n{_lines(find)}" for find in finds)]).rstrip("\n")


def _head(bug: Bug) -> str:
    head = _lines({"id": (bug.id,), "reason": (bug.reason,), "link": bug.links, "seen": bug.seen})
    chance = _lines({"by_chance": (bug.by_chance,)}) if bug.by_chance else ""
    return f"[[bug]]\n{head}expires = {bug.expires}\n{chance}"


def _cells_text(cells: Cells) -> str:
    keys = ("clause", "backend", "variant", "facet", "fingerprint", "seen")
    values = (cells.clauses, cells.backends, cells.variants, cells.facets, cells.fingerprints, cells.seen)
    # What a table has to say it says of every one, too: of backends, what a file says of all its cells would hold.
    shown = {
        key: value
        for key, value in zip(keys, values, strict=True)
        if key in ("clause", "backend", "fingerprint") or value not in ((), ("*",))
    }
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


# Updating from ledgers ------------------------------------------------------------------------------------------------


def seen_again(bug: Bug, runs: Sequence[Evidence]) -> Bug:
    """The bug with the places in which those runs show what it expects, and without what is seen nowhere.

    The same object if they agree with what it says. What none of them ran keeps its places; where in one run a variant
    shows it and another passes, the variants that ran have places of their own.
    """
    rows: list[Cells] = []
    expected = list(_apart(bug, runs))
    for each, shown in zip(expected, _evidence(expected, runs), strict=True):
        before = each.cells.seen or bug.seen
        now = places.least(shown, before)
        if now:
            alone = dict(zip(_COLUMNS, ((text,) for text in _row(each)), strict=True))
            rows.append(dataclasses.replace(_with(each.cells, alone), seen=now))
    if [row.seen for row in rows] == [each.cells.seen or bug.seen for each in bug.expectations()]:
        return bug
    return joined(dataclasses.replace(bug, cells=tuple(rows))) if rows else dataclasses.replace(bug, cells=())


def dropped(before: Bug, now: Bug) -> list[Expectation]:
    """What ``before`` expects and ``now`` does not any more, anywhere."""
    left = set(map(_row, now.expectations()))
    return [each for each in before.expectations() if _row(each) not in left]


def _apart(bug: Bug, runs: Sequence[Evidence]) -> Iterator[Expectation]:
    """What a bug expects; by variants where one run has a variant that shows it and another that passes.

    In one place both cannot be true of one entry: the one that passes would be an unexpected pass.
    """
    expected = list(bug.expectations())
    mixed: set[Expectation] = set()
    for run in runs if not bug.by_chance else ():
        for each in expected:
            told = run.told(each)
            if any(told) and not all(told) and not is_pattern(each.clause) and run.passes(each):
                mixed.add(each)
    for each in expected:
        if each in mixed:
            variants = sorted({cell.variant for run in runs for cell in run.about(each)})
            yield from (dataclasses.replace(each, variant=variant) for variant in variants)
        else:
            yield each


def _evidence(expected: Sequence[Expectation], runs: Sequence[Evidence]) -> list[dict[Environment, bool]]:
    """For each expectation, whether it shows in each environment in which its cells ran."""
    shown: list[dict[Environment, bool]] = [{} for _ in expected]
    for run in runs:
        for found, each in zip(shown, expected, strict=True):
            if (shown_there := run.shows(each)) is not None:
                found[run.environment] = shown_there or found.get(run.environment, False)
    return shown


def missing(registry: Registry, books: Sequence[Ledger], about: Bug) -> list[Bug]:
    """A bug for each fingerprint that nothing known expects, over all the cells that show it, and where they do.

    ``about`` is what they have in common: reason, links, date.
    """
    showing: dict[str, dict[tuple[str, str], set[str]]] = {}
    ran: dict[tuple[str, str], set[str]] = {}
    for book in books:
        ran_in, answering = where_cells_ran(book), Answering.of(book)
        for name, cell in registry.judged(book).cells.items():
            if cell.outcome in (Outcome.FAIL, Outcome.CRASH, Outcome.TIMEOUT, Outcome.FALLBACK):
                for item in registry.unexplained(cell, ran_in[name], answering):
                    cells = showing.setdefault(item.fingerprint, {})
                    cells.setdefault((cell.clause, cell.backend), set()).add(cell.variant)
            if cell.outcome.compared or cell.outcome is Outcome.VACUOUS:
                ran.setdefault((cell.clause, cell.backend), set()).add(cell.variant)
    bugs, taken, runs = [], set(registry.bugs), [run for book in books for run in Evidence.of(book)]
    for fingerprint, where in showing.items():
        tables = [
            Cells((clause,), (fingerprint,), backends=(backend,), variants=_variants(seen, ran[clause, backend]))
            for (clause, backend), seen in where.items()
        ]
        bug = dataclasses.replace(about, id=_name(fingerprint, taken), cells=tuple(tables))
        taken.add(bug.id)
        bugs.append(seen_again(bug, runs))
    return bugs


def _variants(showing: set[str], ran: set[str]) -> tuple[str, ...]:
    return ("*",) if showing >= ran else tuple(sorted(showing))


def _name(fingerprint: str, taken: set[str]) -> str:
    """An id that says where and what; with a few digits of its own where that is taken.

    Of a backend's name it has the package and the attribute, for files of several backends may be given together.
    """
    found = _LAYER.fullmatch(fingerprint)
    layer, rest = found.groups() if found else ("", fingerprint)
    module, _, attribute = layer.partition("?")[0].rpartition(":")
    backend = f"{module.partition('.')[0]}-{attribute}".strip("-")
    short = re.sub(r"[^A-Za-z0-9_]+", "-", f"{backend}:{rest}").strip("-")[:60]
    return (
        short
        if short not in taken
        else f"{short}-{hashlib.sha256(repr((fingerprint, sorted(taken))).encode()).hexdigest()[:8]}"
    )


def rewritten(text: str, changes: Mapping[str, tuple[Bug, Bug]], new: Sequence[Bug]) -> str:
    """A file's text with the bugs of ``changes`` as they are now, and ``new`` at its end; the rest as it was.

    ``changes`` are of bugs of the text: as it has them, and as they are now. A table whose cells changed is written
    anew, the finds stay, and a bug that explains nothing any more goes. Raises `KnownBugsError` where a bug's lines
    cannot be found.
    """
    lines = text.splitlines()
    for before, now in changes.values():
        gone = not now.cells and not now.finds
        kept = [each for each in now.cells if each in map(_unplaced, before.cells)] if before.seen == now.seen else []
        written = [each for each in now.cells if each not in kept]
        _replace(lines, before.line, [] if gone else [_head(now)], before)
        for cells in before.cells:
            if _unplaced(cells) not in kept:
                _replace(lines, cells.line, [_cells_text(each) for each in written], before)
                written = []
        if written:  # Every table stays: the new ones stand behind the last.
            last = before.cells[-1]
            _replace(lines, last.line, [_cells_text(_unplaced(last)), *map(_cells_text, written)], before)
    kept_text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return "\n\n".join(part for part in (kept_text, *map(text_of, new)) if part) + "\n"


def _unplaced(cells: Cells) -> Cells:
    return dataclasses.replace(cells, line=0)


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
        bugs[name] = joined(Bug(name, reason, (link,), (), expires, cells=tuple(cells for _, cells in named)))
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
