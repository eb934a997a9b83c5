"""The cells of a report as data that its page unpacks: small enough for fifty thousand of them.

Two parts, each JSON, packed by gzip and written in base64. The index has what tables, filters and history need, a
column a field; texts stand in it once, and are named by number. The details have what the page of one cell shows.
"""

from __future__ import annotations

import base64
import dataclasses
import difflib
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

from suites.fuzz.findings import Finding
from suites.harness.oracle.divergence import Divergence
from suites.harness.results import summary
from suites.harness.results.causes import Cause, deciding
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import STANDINGS, Outcome, recorded
from tools.views.pictures import mark

#: Lines of a graph's text diff.
_DIFF = 60
_FACET_MARKS = {"same": "", "differs": "!"}


@dataclasses.dataclass(frozen=True)
class Place:
    """Another run that the report compares with: its name, and its judged ledger."""

    name: str
    book: Ledger


class Numbers:
    """Texts, each once, and their numbers."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """The number of a text."""
        return self.texts.setdefault(text, len(self.texts))

    def __iter__(self) -> Any:
        return iter(self.texts)


def packed(data: object) -> str:
    """Data as the page unpacks it. The same data gives the same text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 9, mtime=0)).decode()


def label_class(standing: Outcome) -> str:
    """The classes of a standing in the page's style sheet: its colour's, for all of that colour, and its own."""
    return f"c-{standing.style.split()[-1]} s-{standing.label.replace(' ', '-')}"


def index(book: Ledger, causes: Sequence[Cause], places: Sequence[Place]) -> dict[str, Any]:
    """What tables, filters and history need of a judged ledger, a number for each cell in each column."""
    cells = list(book.cells.values())
    clauses, backends, variants, families = Numbers(), Numbers(), Numbers(), Numbers()
    facets, kinds, layers, bugs = Numbers(), Numbers(), Numbers(), Numbers()
    cause_of = {cell.id: number for number, cause in enumerate(causes) for cell in cause.cells}
    first = [deciding(cell) for cell in cells]
    columns = {
        "clause": [clauses(cell.clause) for cell in cells],
        "backend": [backends(cell.backend) for cell in cells],
        "variant": [variants(cell.variant) for cell in cells],
        "family": [families(cell.family) for cell in cells],
        "standing": [STANDINGS.index(summary.standing(cell)) for cell in cells],
        "facet": [facets(item.facet if item else "") for item in first],
        "kind": [kinds(_kind(cell, item)) for cell, item in zip(cells, first, strict=True)],
        "layer": [layers(item.layer if item else "") for item in first],
        "bugs": [[bugs(bug) for bug in cell.bugs] if cell.bugs else 0 for cell in cells],
        "cause": [cause_of.get(cell.id, -1) for cell in cells],
        "ms": [round(cell.seconds * 1000) for cell in cells],
        "used": [round(cell.tolerance, 3) for cell in cells],
    }
    texts = {"clause": clauses, "backend": backends, "variant": variants, "family": families}
    texts |= {"facet": facets, "kind": kinds, "layer": layers, "bug": bugs}
    odd = {
        number: cell.id
        for number, cell in enumerate(cells)
        if cell.id != f"{cell.clause}[{cell.backend}-{cell.variant}]"
    }
    return {
        "columns": columns,
        "texts": {name: list(each) for name, each in texts.items()},
        "ids": odd,
        "standings": [
            {"label": each.label, "class": label_class(each), "mark": mark(each), "meaning": each.meaning}
            for each in STANDINGS
        ],
        "places": [place.name for place in places],
        "history": [[_standing(place.book.cells.get(cell.id)) for cell in cells] for place in places],
    }


def _kind(cell: Cell, item: Divergence | None) -> str:
    if item is not None:
        return item.kind
    return "" if cell.outcome is Outcome.PASS else summary.first_line(cell.detail)


def _standing(cell: Cell | None) -> int:
    return -1 if cell is None else STANDINGS.index(summary.standing(cell))


def details(
    book: Ledger,
    places: Sequence[Place],
    steps: Mapping[str, Sequence[tuple[str, str]]],
    findings: Sequence[Finding] = (),
) -> dict[str, Any]:
    """What the page of one cell shows, by the number of the cell; and the scripts of findings, by their bug.

    ``steps``: the layers of each cell that was bisected, with the state of each.
    """
    text = Numbers()
    text("")
    cells = []
    for cell in book.cells.values():
        entry: dict[str, Any] = {
            "again": text(_template(cell)),
            "facets": text(" ".join(f"{name}{_FACET_MARKS.get(state, '?')}" for name, state in cell.facets.items())),
            "n": [cell.graphs, cell.recompilations, round(cell.compile_seconds, 3), round(cell.memory_mib)],
        }
        if cell.executed is not None:
            entry["executed"] = cell.executed
        if cell.divergences:
            entry["divergences"] = [
                [text(part) for part in (item.facet, item.kind, item.where, item.expected, item.seen, item.layer)]
                + [int(item.silent), *([text(item.raised_in)] if item.raised_in else [])]
                for item in cell.divergences
            ]
        if cell.id in steps:
            entry["steps"] = [[text(layer), text(state)] for layer, state in steps[cell.id]]
        repeats = ", ".join(recorded(word).label for word in cell.repeats)
        told = (
            ("program", cell.program),
            ("detail", summary.explanation(cell)),
            ("repeats", repeats),
            ("stderr", cell.stderr),
        )
        for name, part in told:
            if part:
                entry[name] = text(part)
        drift = [[text(part) for part in each] for each in _drift(cell, places)]
        if drift:
            entry["drift"] = drift
        cells.append(entry)
    sentences = {cell.clause: cell.sentence for cell in book.cells.values()}
    scripts: dict[str, list[list[str]]] = {}
    for finding in findings:
        scripts.setdefault(finding.bug, []).append([finding.title, finding.script])
    return {"cells": cells, "text": list(text), "sentences": sentences, "scripts": scripts}


def _template(cell: Cell) -> str:
    """The command that shows a cell again, with the cell's own parts left open: one text for a whole clause."""
    parts = {"\x01": f"{cell.backend}-{cell.variant}", "\x02": f"--backend {cell.backend} "}
    template = cell.reproduce
    for sign, part in parts.items():
        template = template.replace(part, sign)
    back = template
    for sign, part in parts.items():
        back = back.replace(sign, part)
    return template if back == cell.reproduce else cell.reproduce


def _drift(cell: Cell, places: Sequence[Place]) -> list[tuple[str, str, str]]:
    """The graphs of a cell that another run has otherwise: the golden, the other run, the difference of texts."""
    found = []
    for place in places:
        other = place.book.cells.get(cell.id)
        for name, seen in cell.goldens.items():
            before = other.goldens.get(name, "") if other is not None else ""
            if before and before.strip() != seen.strip():
                lines = list(difflib.unified_diff(before.splitlines(), seen.splitlines(), lineterm="", n=2))[2:]
                more = [f"and {len(lines) - _DIFF} more lines"] if len(lines) > _DIFF else []
                found.append((name, place.name, "\n".join([*lines[:_DIFF], *more])))
    return found
