"""Pending edits: what workers record, merged into what the controller may do.

Workers only append records; nobody edits a file while tests run. The controller reads all records, merges the looks
that different cells took at one literal, and refuses what cannot be done safely, in one line each.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from golden.editing.locate import EXPECT, Place, Span, normalised, span_of, tree_of
from golden.expectation import Visit
from golden.graphs.compare import compare_texts, unified
from golden.values import are_values

Category = Literal["create", "fix", "update", "trim"]

#: What each category tells a reviewer.
CATEGORIES: Mapping[str, str] = {
    "create": "the golden was empty",
    "fix": "the graph, or the values, are others than the golden says",
    "update": "only the spelling differs; the tests pass as they are",
    "trim": "no test reaches the golden any more",
}


class EditSink:
    """Appends what one worker records to ``<directory>/<worker>.jsonl``, each record by one write.

    Forks of a worker may hold one, too, and write at the same time.

    Records are JSON objects with a ``kind``: `visit` (one look at a golden), `outcome` (what a cell came to) and
    `finish` (the worker came to its own end).
    """

    def __init__(self, directory: str | Path, worker: str = "main") -> None:
        self._path = Path(directory) / f"{worker}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)

    def visit(self, visit: Visit) -> None:
        """Keep one visit."""
        self._write({"kind": "visit", **dataclasses.asdict(visit)})

    def outcome(self, cell: str, outcome: str, reason: str = "") -> None:
        """Keep what a cell came to; edits of a cell that is not `pass` are refused, with ``reason``."""
        self._write({"kind": "outcome", "cell": cell, "outcome": outcome, "reason": reason})

    def finish(self, *, full_run: bool) -> None:
        """Keep that the worker came to its end; ``full_run``: nothing was deselected, so absence means something."""
        self._write({"kind": "finish", "full_run": full_run})

    def _write(self, record: dict[str, Any]) -> None:
        with self._path.open("ab", buffering=0) as stream:
            stream.write(json.dumps(record).encode("utf-8", "surrogatepass") + b"\n")


@dataclasses.dataclass(frozen=True)
class Records:
    """Everything that the workers of one run recorded."""

    visits: tuple[Visit, ...]
    outcomes: Mapping[str, tuple[str, str]]
    full_run: bool


@dataclasses.dataclass(frozen=True)
class Edit:
    """One literal that is to change. ``span`` is the literal's place as `ast` gives it; ``cells`` saw the new text."""

    file: str
    span: Span
    old: str
    new: str
    category: Category
    goldens: tuple[str, ...]
    cells: tuple[str, ...]
    explanation: str
    tests: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """File and line, for people."""
        return f"{os.path.relpath(self.file)}:{self.span[0]}"

    @property
    def diff(self) -> str:
        """A unified diff of the literal's text."""
        return unified(normalised(self.old), normalised(self.new))


@dataclasses.dataclass(frozen=True)
class BandEdit:
    """A golden's text under a torch other than the baseline; ``inline`` is the literal in the test."""

    golden: str
    torch: str
    new: str
    inline: str | None
    category: Category
    explanation: str
    old: str = ""
    cells: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The golden and the torch, for people."""
        return f"{self.golden} on torch {self.torch}"

    @property
    def diff(self) -> str:
        """A unified diff from the text that held before."""
        return unified(normalised(self.old), normalised(self.new))


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why an edit is not made, in one line. ``expected``: the cell is known not to pass, so nobody waits for it."""

    line: str
    expected: bool = False


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is pending: edits of literals, edits of bands, and one refusal for each that cannot be made.

    A full run also tells ``known``, the ids of all goldens that exist, and ``unreferenced``, literals that no test
    reaches. Those are not pending: a test that is skipped here may need them elsewhere.
    """

    edits: tuple[Edit, ...]
    bands: tuple[BandEdit, ...]
    refusals: tuple[Refusal, ...]
    known: frozenset[str] | None = None
    unreferenced: tuple[Edit, ...] = ()

    @property
    def pending(self) -> int:
        """How many edits could be made."""
        return len(self.edits) + len(self.bands)


def read_records(directory: Path) -> Records:
    """Read what the workers wrote; a torn last line (a worker died while writing) is skipped."""
    visits: list[Visit] = []
    outcomes: dict[str, tuple[str, str]] = {}
    finishes: list[bool] = []
    for record in _lines(directory):
        kind = record.pop("kind", None)
        if kind == "visit":
            visits.append(_visit(record))
        elif kind == "outcome":
            outcomes[record["cell"]] = _worse(outcomes.get(record["cell"]), (record["outcome"], record["reason"]))
        elif kind == "finish":
            finishes.append(bool(record["full_run"]))
    return Records(tuple(visits), outcomes, bool(finishes) and all(finishes))


def _lines(directory: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(directory.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="surrogatepass").split("\n"):
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(record, dict):
                yield record


def _visit(record: Mapping[str, Any]) -> Visit:
    place = record["place"]
    found = Place(place["file"], _span(place["span"]), place["value"]) if place is not None else None
    return Visit(**{**record, "place": found})


def _span(numbers: Iterable[int]) -> Span:
    line, column, end_line, end_column = numbers
    return line, column, end_line, end_column


def _worse(first: tuple[str, str] | None, second: tuple[str, str]) -> tuple[str, str]:
    return second if first is None or first[0] == "pass" else first


def plan(records: Records) -> Plan:
    """Merge the visits of all cells into edits and refusals; the result does not depend on their order."""
    refusals: list[Refusal] = []
    usable: list[Visit] = []
    for visit in sorted(records.visits, key=lambda visit: (visit.golden, visit.cell, visit.variant, visit.new)):
        refusal = _refusal(visit, records)
        if refusal is not None:
            refusals.append(refusal)
        else:
            usable.append(visit)
    edits: list[Edit] = []
    for visits in _grouped_by_place(usable):
        edit = _edit(visits)
        if isinstance(edit, Refusal):
            refusals.append(edit)
        elif edit is not None:
            edits.append(edit)
    bands: list[BandEdit] = []
    for visits in _grouped_by_golden(usable):
        band = _band_edit(visits)
        if isinstance(band, Refusal):
            refusals.append(band)
        elif band is not None:
            bands.append(band)
    return Plan(tuple(edits), tuple(bands), tuple(dict.fromkeys(refusals)))


def _refusal(visit: Visit, records: Records) -> Refusal | None:
    """Why a visit may not change anything; None when it may, or when nothing is to change."""
    if visit.verdict == "same":
        return None
    outcome, reason = records.outcomes.get(visit.cell, ("unfinished", "the cell never came to an end"))
    if outcome != "pass":
        told = f" ({' '.join(reason.split())})" if reason else ""
        line = f"{visit.golden}: refused, cell {visit.cell} is {outcome}{told}; make it pass first"
        return Refusal(line, expected=outcome in ("xfail", "skip", "inherited"))
    if visit.place is None and visit.baseline:
        return Refusal(f"{visit.golden}: refused, {visit.problem}")
    return None


def _grouped_by_place(visits: Iterable[Visit]) -> list[list[Visit]]:
    groups: dict[tuple[str, Span], list[Visit]] = {}
    for visit in visits:
        if visit.baseline and visit.place is not None:
            groups.setdefault((visit.place.file, visit.place.span), []).append(visit)
    return [groups[key] for key in sorted(groups)]


def _grouped_by_golden(visits: Iterable[Visit]) -> list[list[Visit]]:
    groups: dict[tuple[str, str], list[Visit]] = {}
    for visit in visits:
        if not visit.baseline:
            groups.setdefault((visit.golden, visit.torch), []).append(visit)
    return [groups[key] for key in sorted(groups)]


def _agreed(visits: list[Visit]) -> Visit | tuple[Visit, Visit]:
    """The visit whose text the golden should have, or two that disagree in meaning.

    Among spellings of one meaning, the one that stands there already wins, else the first cell's.
    """
    chosen = next((visit for visit in visits if visit.verdict == "same"), visits[0])
    for visit in visits:
        if visit.new != chosen.new and not _same_meaning(visit.new, chosen.new):
            return chosen, visit
    return chosen


def _same_meaning(first: str, second: str) -> bool:
    return compare_texts(normalised(first), normalised(second)).verdict in ("same", "cosmetic")


def _conflict(where: str, first: Visit, second: Visit) -> Refusal:
    why = compare_texts(normalised(first.new), normalised(second.new)).explanation
    return Refusal(
        f"{where}: refused, two values for one literal: {_cell(first)} and {_cell(second)} disagree ({why}); "
        f"give each its own literal"
    )


def _cell(visit: Visit) -> str:
    return f"{visit.cell} ({visit.variant})" if visit.variant else visit.cell


def _category(verdict: str) -> Category:
    return {"created": "create", "cosmetic": "update"}.get(verdict, "fix")  # type: ignore[return-value]


def _edit(visits: list[Visit]) -> Edit | Refusal | None:
    place = visits[0].place
    if place is None:
        raise ValueError("an edit needs a place")
    agreed = _agreed(visits)
    where = f"{os.path.relpath(place.file)}:{place.span[0]}"
    if isinstance(agreed, tuple):
        return _conflict(where, *agreed)
    if agreed.verdict == "same":
        return None
    return Edit(
        file=place.file,
        span=place.span,
        old=place.value,
        new=agreed.new,
        category=_category(agreed.verdict),
        goldens=tuple(dict.fromkeys(visit.golden for visit in visits)),
        cells=tuple(dict.fromkeys(visit.cell for visit in visits)),
        explanation=agreed.explanation,
        tests=tuple(dict.fromkeys(visit.test for visit in visits if visit.test)),
    )


def _band_edit(visits: list[Visit]) -> BandEdit | Refusal | None:
    agreed = _agreed(visits)
    if isinstance(agreed, tuple):
        return _conflict(f"{visits[0].golden} on torch {visits[0].torch}", *agreed)
    inline = agreed.place.value if agreed.place is not None else None
    if agreed.verdict == "same" or (agreed.verdict == "cosmetic" and agreed.expected == inline):
        return None
    return BandEdit(
        golden=agreed.golden,
        torch=agreed.torch,
        new=agreed.new,
        inline=inline,
        category=_category(agreed.verdict),
        explanation=agreed.explanation,
        old=agreed.expected,
        cells=tuple(dict.fromkeys(visit.cell for visit in visits)),
        tests=tuple(dict.fromkeys(visit.test for visit in visits if visit.test)),
    )


def unreferenced(files: Iterable[Path], visits: Iterable[Visit]) -> list[Edit]:
    """Goldens in ``files`` that no cell of a full run looked at; trimming one empties its literal."""
    seen = {(visit.place.file, visit.place.span) for visit in visits if visit.place is not None}
    found = []
    for path in sorted(files):
        for node in _expect_literals(path):
            if (str(path), span_of(node)) not in seen:
                why = "no cell of a full run came by"
                found.append(Edit(str(path), span_of(node), str(node.value), "", "trim", (), (), why))
    return found


def _expect_literals(path: Path) -> Iterator[ast.Constant]:
    try:
        tree = tree_of(str(path))
    except (SyntaxError, ValueError):
        return
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != EXPECT:
            continue
        for node in call.args[:1]:
            if isinstance(node, ast.Constant) and _is_golden(normalised(str(node.value))):
                yield node


def _is_golden(text: str) -> bool:
    return text.startswith("def ") or are_values(text)
