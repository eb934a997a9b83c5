"""The verdict: a ledger, the known bugs and what was asked for, to conformant or not, with every reason.

Pure: nothing here reads a file, runs anything or looks at the clock.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from suites.harness.planning import shards
from suites.harness.results import summary
from suites.harness.results.answering import asked_for
from suites.harness.results.known_bugs import Registry
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.linting import Facts, Problem, lint
from suites.harness.results.outcomes import STANDINGS, Outcome
from suites.harness.results.places import matches

#: Reasons that are about no cell and that the verdict's line spells out.
_TOLD = 3
#: What a cell comes to that its backend is equal in: to eager, or to the layer of torch below it.
_EQUAL = (Outcome.PASS, Outcome.CHANGED, Outcome.FALLBACK, Outcome.UNEXPECTED_PASS, Outcome.INHERITED)


@dataclasses.dataclass(frozen=True)
class Expectations:
    """What was asked for. Empty ``backends`` or ``families``: whatever the run had, but not nothing."""

    backends: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    strict_goldens: bool = False
    #: Every clause there is was collected, so a known bug that matches none is wrong.
    whole: bool = False
    #: One shard, which need not have cells of every family and backend: the run that it is of is judged for that.
    shard: bool = False
    #: Clauses were named: a backend that nobody named may have only such cells as compile nothing.
    named: bool = False

    @classmethod
    def of(cls, ledger: Ledger) -> Expectations:
        """What the run that wrote ``ledger`` was asked for, as its header's ``configuration`` tells it."""
        asked: dict[str, Any] = ledger.header.get("configuration") or {}
        return cls(
            # Of clauses that were named, the backends that nobody named may have none.
            backends=asked_for(ledger.header, by_name=bool(asked.get("clauses"))),
            families=tuple(asked.get("families") or ()),
            strict_goldens=asked.get("golden") == "strict",
            whole=bool(asked.get("whole")),
            shard=bool(asked.get("shard")),
            named=bool(asked.get("clauses")),
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


def verdict(ledger: Ledger, known: Registry, expected: Expectations, today: datetime.date) -> Verdict:
    """Judge a ledger.

    Not conformant: a cell that failed, crashed, hung, is vacuous, has an error, passes though a bug is known, or
    (goldens strict) has a changed graph; a planned cell that never ran; no cells at all, of a backend, or of a family
    that was asked for; a backend that compiled no graph, of which no cell was compared, or of which some were not and
    none came out equal; a run that did not come to its end, or does not say where it ran; a ledger with a torn line
    before its last; a known bug that lint faults.
    """
    book = known.judged(ledger)
    problems = tuple(lint(known, Facts.of(ledger, whole=expected.whole), today))
    reasons = (
        *_cell_reasons(book, expected),
        *_run_reasons(book, expected),
        *(Reason("known bug", str(problem)) for problem in problems),
    )
    return Verdict(not reasons, reasons, problems, book, _line(book, reasons))


def _cell_reasons(book: Ledger, expected: Expectations) -> list[Reason]:
    cells = summary.against(book, strict_goldens=expected.strict_goldens)
    return [Reason(summary.standing(cell).label, _why(cell), cell.id) for cell in cells]


def _why(cell: Cell) -> str:
    if cell.divergences and cell.outcome not in (Outcome.UNEXPECTED_PASS, Outcome.FLAKE):
        first = cell.counting[0]
        more = f" (and {len(cell.divergences) - 1} more)" if len(cell.divergences) > 1 else ""
        return f"{first.facet} at {first.where}: {first.kind}{more}"
    if cell.outcome is Outcome.UNEXPECTED_PASS:
        return f"passes though known to fail by {', '.join(cell.bugs)}: delete that, or narrow it"
    return summary.first_line(cell.detail) or summary.standing(cell).meaning


def _run_reasons(book: Ledger, expected: Expectations) -> list[Reason]:
    reasons = []
    if not book.cells and not (expected.shard and book.complete and not book.planned):
        return [Reason("nothing ran", "no cell ran")]
    if not book.headers:
        reasons.append(
            Reason("incomplete", "the ledger has no header: on which torch and device its cells ran is not known")
        )
    if book.damaged:
        # What the lost record said, and of which cell, nobody knows.
        reasons.append(Reason("torn", summary.torn(book)))
    if book.not_run:
        reasons.append(
            Reason("not run", f"{summary.count(len(book.not_run), 'planned cell')} never ran, {book.not_run[0]} first")
        )
    elif not book.complete:
        reasons.append(Reason("incomplete", "the run did not come to its own end"))
    reasons += [Reason("not run", line) for line in shards.complaints(book)]
    return reasons if expected.shard else reasons + _missing(book, expected, already=bool(reasons))


def _missing(book: Ledger, expected: Expectations, *, already: bool) -> list[Reason]:
    """What a run has nothing of that it should have something of: backends, families, comparisons, graphs."""
    reasons = []
    ran, wanted = summary.backends(book), expected.backends
    for backend in dict.fromkeys((*wanted, *ran)):
        cells = [cell for cell in book.cells.values() if cell.backend == backend]
        if not cells:
            reasons.append(Reason("nothing ran", f"backend {backend} ran no cell"))
            continue
        # What a process that died had compiled went with it: the crash is told, and known or not.
        # Nor does one that this machine cannot run, and that nobody but a clause asked for, compile any.
        told = [cell for cell in cells if not _ended_its_process(cell)]
        if backend not in wanted and backend not in (book.header.get("backends") or ()):
            told = [cell for cell in told if cell.outcome is not Outcome.UNSUPPORTED]
        if told and all(cell.outcome in summary.NOT_COMPARED for cell in told):
            reasons.append(Reason("nothing ran", f"backend {backend}: {_uncompared(cells)}"))
        elif any(cell.outcome in summary.NOT_COMPARED for cell in told) and not any(map(_came_out_equal, told)):
            reasons.append(Reason("nothing equal", f"backend {backend}: {_unequal(cells)}"))
        elif told and not any(cell.graphs for cell in told) and (backend in wanted or not expected.named):
            reasons.append(
                Reason("no graphs", f"backend {backend} compiled no graph in {summary.count(len(told), 'cell')}")
            )
    everything = list(book.cells.values())
    if not already and not reasons and all(cell.outcome in summary.NOT_COMPARED for cell in everything):
        reasons.append(Reason("nothing ran", f"nothing was compared: {_uncompared(everything)}"))
    present = {cell.family for cell in everything}
    gone = [family for family in expected.families if family not in present]
    return reasons + [Reason("nothing ran", f"family {family} has no cell") for family in gone]


def _uncompared(cells: Sequence[Cell]) -> str:
    """That none of these cells says anything of its backend, with why the first does not: the place, or the backend."""
    counts = Counter(cell.outcome for cell in cells)
    told = ", ".join(f"{counts[each]} {each.label}" for each in summary.NOT_COMPARED if counts[each])
    number = summary.count(len(cells), "cell")
    what = f"all {number} are {cells[0].outcome.label}" if len(counts) == 1 else f"none of {number} ran: {told}"
    what = f"the only cell is {cells[0].outcome.label}" if len(cells) == 1 else what
    why = next((line for cell in cells if (line := summary.first_line(cell.detail))), "")
    return f"{what} ({why})" if why else what


def _came_out_equal(cell: Cell) -> bool:
    """Whether a cell says that its backend does something right. A fallback that is known is equal too."""
    return cell.outcome in _EQUAL or (
        cell.outcome is Outcome.KNOWN and all(divergence.facet == "fallback" for divergence in cell.divergences)
    )


def _unequal(cells: Sequence[Cell]) -> str:
    """That none of these cells came out equal, with what they came to."""
    counts = Counter(summary.standing(cell) for cell in cells)
    told = ", ".join(f"{counts[each]} {each.label}" for each in STANDINGS if counts[each])
    return f"none of {summary.count(len(cells), 'cell')} is equal to eager: {told}"


def _ended_its_process(cell: Cell) -> bool:
    return any(divergence.facet in ("crash", "timeout") for divergence in cell.divergences)


def shortfall(book: Ledger, record: Ledger, families: Sequence[str] = ()) -> list[Reason]:
    """The cells that the run of ``record`` had and this one has not, by family, of what this one was asked for.

    ``families``: of these alone; of all where none are named. A backend that was named for ``record`` alone is not
    missed. Raises `ValueError`, with a line, for a run that takes another choice of cells than that of ``record``.
    """
    asked, earlier = (each.header.get("configuration") or {} for each in (book, record))
    if asked.get("shard") or asked.get("missing_shards"):
        raise ValueError("a shard has not all cells: hold the joined run (`gate --from` all shards) against it")
    if asked.get("profile") in ("quick", "smoke") and earlier.get("profile") not in (asked["profile"], None):
        raise ValueError(f"it is of the {earlier['profile']} profile, and a {asked['profile']} run has fewer cells")
    # Those that clauses alone have are nowhere named.
    elsewhere = set(earlier.get("backends") or ()) - set(summary.backends(book))
    wanted = {*summary.backends(book), *asked["backends"]} if asked.get("backends") else None
    gone: dict[str, list[str]] = {}
    had: Counter[str] = Counter()
    for cell in record.cells.values():
        if (
            (not families or cell.family in families)
            and (cell.backend in wanted if wanted else cell.backend not in elsewhere)
            and _is_asked(cell, asked)
        ):
            had[cell.family] += 1
            if cell.id not in book.cells:
                gone.setdefault(cell.family, []).append(cell.id)
    return [
        Reason(
            "fell", f"family {family} has {summary.count(len(names), 'cell')} less of {had[family]}, {names[0]} first"
        )
        for family, names in sorted(gone.items())
    ]


def _is_asked(cell: Cell, asked: Mapping[str, Any]) -> bool:
    """Whether a cell is one of the clauses and grad modes that a run was asked for."""
    patterns, modes = asked.get("clauses") or ("*",), asked.get("modes")
    return any(matches(pattern, cell.clause) for pattern in patterns) and (
        not modes or cell.variant.partition("-")[0] in modes
    )


def with_more(outcome: Verdict, more: Sequence[Reason]) -> Verdict:
    """The verdict with further reasons."""
    reasons = (*outcome.reasons, *more)
    return dataclasses.replace(outcome, conformant=not reasons, reasons=reasons, line=_line(outcome.ledger, reasons))


def _line(book: Ledger, reasons: Sequence[Reason]) -> str:
    """One line: the verdict, how many cells on which backends, and the counts against, silent and loud apart.

    A run of a part is conformant in so many cells of so many; one of a backend all of whose passes are known fallbacks
    with nothing executed. Conformant are cells that were compared: the others are named apart.
    """
    ran = f"{summary.count(len(book.cells), 'cell')} on {summary.places(book)}"
    counts = Counter(summary.standing(cell) for cell in book.cells.values())
    if not reasons:
        also, apart = (
            ", ".join(f"{counts[outcome]} {outcome.label}" for outcome in named if counts[outcome])
            for named in ((Outcome.KNOWN, Outcome.INHERITED, Outcome.CHANGED), summary.NOT_COMPARED)
        )
        part = summary.sample(book)
        what = f" {part}" if part else f": {summary.count(summary.compared(book), 'cell')}"
        idle = _idle(book)
        head = f"CONFORMANT, with nothing executed by {idle}{',' if part else ''}" if idle else "CONFORMANT"
        line = f"{head}{what} on {summary.places(book)}" + (f" ({also})" if also else "")
        return f"{line}; not compared: {apart}" if apart else line
    kinds = Counter(reason.kind for reason in reasons if reason.cell)
    parts = [f"{kinds[outcome.label]} {outcome.label}" for outcome in reversed(STANDINGS) if kinds[outcome.label]]
    of_the_run = [reason.text for reason in reasons if not reason.cell and reason.kind != "known bug"]
    parts += of_the_run[:_TOLD]
    parts += [f"{len(of_the_run) - _TOLD} more reasons"] if len(of_the_run) > _TOLD else []
    faulty = sum(reason.kind == "known bug" for reason in reasons)
    if faulty:
        parts.append(f"{summary.count(faulty, 'known bug')} to mend")
    return f"NOT CONFORMANT: {'; '.join(parts)}; {ran}"


def _idle(book: Ledger) -> str:
    """The backends of which nothing but fallbacks is known, in words; empty if there are none."""
    idle = [backend for backend, (by_it, _) in summary.executed(book).items() if not by_it]
    return "the backend" if idle and idle == summary.backends(book) else ", ".join(idle)
