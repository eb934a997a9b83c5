"""The verdict: a ledger, the waivers and what was asked for, to conformant or not, with every reason.

Pure: nothing here reads a file, runs anything or looks at the clock.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter
from collections.abc import Sequence
from typing import Any

from golden import waivers as waiving
from golden.waivers import Facts, Problem, Waiver
from suites.harness.results import summary
from suites.harness.results.ledger import Cell, Ledger


@dataclasses.dataclass(frozen=True)
class Expectations:
    """What was asked for. Empty ``backends`` or ``families``: whatever the run had, but not nothing."""

    backends: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    strict_goldens: bool = False
    #: Every clause there is was collected, so a waiver that matches none is wrong.
    whole: bool = False

    @classmethod
    def of(cls, ledger: Ledger) -> Expectations:
        """What the run that wrote ``ledger`` was asked for, as its header's ``configuration`` tells it."""
        asked: dict[str, Any] = ledger.header.get("configuration") or {}
        return cls(
            backends=tuple(asked.get("backends") or ledger.header.get("backends") or ()),
            families=tuple(asked.get("families") or ()),
            strict_goldens=asked.get("golden") == "strict",
            whole=bool(asked.get("whole")),
        )


@dataclasses.dataclass(frozen=True)
class Reason:
    """One thing that counts against: a cell's id where it is about one, and a line."""

    kind: str
    text: str
    cell: str = ""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Conformant or not; ``ledger`` holds the cells as judged, ``line`` says it all in one line."""

    conformant: bool
    reasons: tuple[Reason, ...]
    problems: tuple[Problem, ...]
    ledger: Ledger
    line: str

    @property
    def against(self) -> list[Cell]:
        """The cells that count against, the worst first."""
        named = {reason.cell for reason in self.reasons}
        return [cell for cell in summary.against(self.ledger, strict_goldens=True) if cell.id in named]


def judged(ledger: Ledger, waivers: Sequence[Waiver]) -> Ledger:
    """The ledger with every cell's outcome as those waivers make it. A ledger judged before is judged afresh."""
    torch = str(ledger.header.get("torch") or "0")
    cells = {}
    for name, cell in ledger.cells.items():
        outcome, ids = waiving.judge(
            cell.outcome, waivers, cell.clause, cell.backend, cell.variant, cell.divergences, torch
        )
        cells[name] = dataclasses.replace(cell, outcome=outcome, waivers=ids)
    return dataclasses.replace(ledger, cells=cells)


def verdict(ledger: Ledger, waivers: Sequence[Waiver], expected: Expectations, today: datetime.date) -> Verdict:
    """Judge a ledger.

    Not conformant: a cell that failed, crashed, hung, is vacuous, has an error, passes though waived, or (goldens
    strict) has a changed graph; a planned cell that never ran; no cells at all, of a backend, or of a family that was
    asked for; a backend that compiled no graph; a run that did not come to its end; a waiver that lint faults.
    """
    book = judged(ledger, waivers)
    facts = Facts(
        torch_version=str(book.header.get("torch") or "0"),
        clauses=frozenset(book.clauses),
        whole=expected.whole,
        cells=tuple(book.cells.values()),
    )
    problems = tuple(waiving.lint(waivers, facts, today))
    reasons = (
        *_cell_reasons(book, expected),
        *_run_reasons(book, expected),
        *(Reason("waiver", str(problem)) for problem in problems),
    )
    return Verdict(not reasons, reasons, problems, book, _line(book, reasons))


def _cell_reasons(book: Ledger, expected: Expectations) -> list[Reason]:
    cells = summary.against(book, strict_goldens=expected.strict_goldens)
    return [Reason(summary.standing(cell), _why(cell), cell.id) for cell in cells]


def _why(cell: Cell) -> str:
    if cell.divergences and cell.outcome != "xpass":
        first = cell.divergences[0]
        more = f" (and {len(cell.divergences) - 1} more)" if len(cell.divergences) > 1 else ""
        return f"{first.facet} at {first.where}: {first.kind}{more}"
    if cell.outcome == "xpass":
        return f"passes though waived by {', '.join(cell.waivers)}: delete the waiver, or narrow it"
    return summary.first_line(cell.detail) or summary.MEANING[summary.standing(cell)]


def _run_reasons(book: Ledger, expected: Expectations) -> list[Reason]:
    if not book.cells:
        return [Reason("nothing ran", "no cell ran")]
    reasons = []
    if book.not_run:
        reasons.append(
            Reason("not run", f"{_count(len(book.not_run), 'planned cell')} never ran, {book.not_run[0]} first")
        )
    elif not book.complete:
        reasons.append(Reason("incomplete", "the run did not come to its own end"))
    ran = summary.backends(book)
    for backend in dict.fromkeys((*expected.backends, *ran)):
        cells = [cell for cell in book.cells.values() if cell.backend == backend]
        if not cells:
            reasons.append(Reason("nothing ran", f"backend {backend} ran no cell"))
        elif not any(cell.graphs for cell in cells):
            reasons.append(Reason("no graphs", f"backend {backend} compiled no graph in {_count(len(cells), 'cell')}"))
    present = {cell.family for cell in book.cells.values()}
    reasons += [
        Reason("nothing ran", f"family {family} has no cell") for family in expected.families if family not in present
    ]
    return reasons


def _line(book: Ledger, reasons: Sequence[Reason]) -> str:
    """One line: the verdict, how many cells on which backends, and the counts against, silent and loud apart."""
    names = ", ".join(summary.backends(book)) or "no backend"
    ran = f"{_count(len(book.cells), 'cell')} on {names}"
    counts = Counter(summary.standing(cell) for cell in book.cells.values())
    if not reasons:
        also = [
            f"{counts[name]} {name}"
            for name in ("known", "inherited", "changed", "unsupported", "skipped")
            if counts[name]
        ]
        return f"CONFORMANT: {ran}" + (f" ({', '.join(also)})" if also else "")
    kinds = Counter(reason.kind for reason in reasons if reason.cell)
    parts = [
        f"{number} {kind}" for kind, number in sorted(kinds.items(), key=lambda item: -summary.STANDINGS.index(item[0]))
    ]
    parts += [reason.text for reason in reasons if not reason.cell and reason.kind != "waiver"]
    faulty = sum(reason.kind == "waiver" for reason in reasons)
    if faulty:
        parts.append(_count(faulty, "waiver problem"))
    return f"NOT CONFORMANT: {'; '.join(parts)}; {ran}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
