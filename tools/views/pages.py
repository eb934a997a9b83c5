"""The report as pages: HTML and Markdown of a judged ledger, and the files of a report folder."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from suites.fuzz.findings import findings
from suites.harness.backends.backend import reference_backends
from suites.harness.oracle.divergence import Divergence
from suites.harness.results import summary
from suites.harness.results.known_bugs import Bug, Registry
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import ALWAYS, STANDINGS, Outcome
from suites.harness.results.verdict import Verdict
from tools import launch
from tools.exits import Fault
from tools.views import junit

#: Slowest cells that the report lists.
SLOWEST = 15

_TEMPLATES = Path(__file__).with_name("templates")
_DEFAULT_MATRIX = launch.ROOT / "suites" / "selfcheck" / "kill_matrix.json"


@dataclasses.dataclass(frozen=True)
class Step:
    """One layer of a bisection: ``state`` is `same`, `first` (the first that differs) or `after`."""

    layer: str
    state: str


@dataclasses.dataclass(frozen=True)
class Section:
    """Cells that are shown together, open or folded."""

    title: str
    note: str
    cells: Sequence[Cell]
    open: bool


@dataclasses.dataclass(frozen=True)
class KillMatrix:
    """Mutant x family: how many of the family's clauses fail on the mutant, and how many were tried on it."""

    families: tuple[str, ...]
    mutants: tuple[str, ...]
    caught: dict[str, dict[str, int]]
    tried: dict[str, dict[str, int]]
    about: dict[str, str]

    @property
    def survivors(self) -> list[str]:
        """The mutants that no family caught."""
        return [name for name in self.mutants if not any(self.caught.get(name, {}).values())]


def load_kill_matrix(path: Path | None) -> KillMatrix | None:
    """Read what the selfcheck suite wrote; the default place if ``path`` is ``None``, and ``None`` if nothing is there.

    The file is ``{"families": [...], "mutants": {name: {"about": text, "caught": {family: number}, "cells": {family:
    number}}}}``; ``about`` and ``cells`` may be left out.
    Raises `Fault` for a file that was named and cannot be read as that.
    """
    place = path or _DEFAULT_MATRIX
    if path is None and not place.is_file():
        return None
    try:
        data = json.loads(place.read_text(encoding="utf-8"))
        mutants = data["mutants"]
        caught, tried = (
            {name: _numbers(each.get(key)) for name, each in mutants.items()} for key in ("caught", "cells")
        )
        families = data.get("families") or sorted({family for row in caught.values() for family in row})
        about = {name: str(each.get("about", "")) for name, each in mutants.items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise Fault(f"{place} is not a kill matrix: {type(error).__name__}: {error}") from None
    return KillMatrix(tuple(families), tuple(mutants), caught, tried, about)


def _numbers(counted: dict[str, Any] | None) -> dict[str, int]:
    return {family: len(found) if isinstance(found, list) else int(found) for family, found in (counted or {}).items()}


def bisection(cell: Cell, divergence: Divergence) -> list[Step]:
    """The layers from eager to the cell's backend, with the first that differs marked; empty if it was not walked."""
    layer = divergence.layer or cell.layer
    layers = [*reference_backends(cell.backend), cell.backend]
    if layer not in layers:
        return [Step(layer, "first")] if layer else []
    first = layers.index(layer)
    return [
        Step(name, "same" if place < first else "first" if place == first else "after")
        for place, name in enumerate(layers)
    ]


def sections(outcome: Verdict) -> list[Section]:
    """The cells that are no plain pass, in the order in which a reader needs them."""
    against = outcome.against
    named = {cell.id for cell in against}
    rest = [cell for cell in outcome.ledger.cells.values() if cell.id not in named]

    def of(*standings: Outcome) -> list[Cell]:
        return sorted(
            (cell for cell in rest if summary.standing(cell) in standings), key=lambda cell: (cell.backend, cell.id)
        )

    everything = [
        Section("Counts against", "each of these makes its backend not conformant", against, True),
        Section("Known", summary.explained(outcome.ledger), of(Outcome.KNOWN), False),
        Section("Inherited", Outcome.INHERITED.meaning, of(Outcome.INHERITED), False),
        Section("Changed graphs", Outcome.CHANGED.meaning, of(Outcome.CHANGED), False),
        Section("Unsupported and skipped", "named, not hidden", of(Outcome.UNSUPPORTED, Outcome.SKIP), False),
    ]
    return [section for section in everything if section.cells]


def context(outcome: Verdict, known: Registry, matrix: KillMatrix | None) -> dict[str, Any]:
    """Everything that the templates show."""
    book = outcome.ledger
    counted = summary.tallies(book)
    cells = sorted(book.cells.values(), key=lambda cell: -cell.seconds)
    return {
        "verdict": outcome,
        "header": book.header,
        "facts": _facts(outcome),
        "rows": [(backend, summary.total(each.values()), list(each.items())) for backend, each in counted.items()],
        "standings": _columns(counted),
        "standing": summary.standing,
        "first_line": summary.first_line,
        "explanation": summary.explanation,
        "run_reasons": [reason for reason in outcome.reasons if not reason.cell],
        "sections": sections(outcome),
        "bisection": bisection,
        "bugs": known.bugs,
        "causes": causes(book, known),
        "explained": summary.explained(book),
        "kill": matrix,
        "findings": findings(book),
        "slowest": cells[:SLOWEST],
        "paces": summary.paces(book),
        "memory": max((cell.memory_mib for cell in cells), default=0.0),
        "not_run": book.not_run,
        "torn": book.torn,
    }


def causes(book: Ledger, known: Registry) -> list[tuple[Bug, int]]:
    """The known bugs that explain cells of a judged ledger, with how many, those of most cells first."""
    return [(known.bugs[name], number) for name, number in summary.causes(book).most_common()]


def _columns(counted: dict[str, dict[str, Counter[Outcome]]]) -> list[Outcome]:
    """The usual columns, then those that some cell has a standing in, the worst first."""
    present = summary.total(counts for families in counted.values() for counts in families.values())
    return [
        *ALWAYS,
        *(each for each in reversed(STANDINGS) if present[each] and each not in ALWAYS),
    ]


def _facts(outcome: Verdict) -> list[tuple[str, str]]:
    header = outcome.ledger.header
    asked = header.get("configuration") or {}
    named = header.get("backends") or {}
    versions = (
        [f"{name} {version}".strip() for name, version in named.items()] if isinstance(named, dict) else list(named)
    )
    memory = f"{header['memory_gib']} GiB" if header.get("memory_gib") else ""
    pairs = [
        ("torch", header.get("torch")),
        ("backends", ", ".join(versions or summary.backends(outcome.ledger))),
        ("device", " ".join(str(header[key]) for key in ("device", "gpu") if header.get(key))),
        ("profile", asked.get("profile")),
        ("goldens", asked.get("golden")),
        ("python", header.get("python")),
        ("compiler", header.get("compiler")),
        ("triton", header.get("triton")),
        ("platform", header.get("platform")),
        ("processor", header.get("processor")),
        ("cores", header.get("cores")),
        ("memory", memory),
        ("Parity", " ".join(str(header[key]) for key in ("parity", "revision") if header.get(key))),
        ("clauses", len(outcome.ledger.clauses) or ""),
        ("cells", f"{len(outcome.ledger.cells)} of {len(outcome.ledger.planned)} planned"),
    ]
    return [(name, str(value)) for name, value in pairs if value not in (None, "")]


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=jinja2.select_autoescape(("html", "html.j2")),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def html(outcome: Verdict, known: Registry, matrix: KillMatrix | None = None) -> str:
    """The report as one page that needs nothing else."""
    return _environment().get_template("report.html.j2").render(context(outcome, known, matrix))


def markdown(outcome: Verdict, known: Registry, matrix: KillMatrix | None = None) -> str:
    """The summary for a pull request."""
    environment = _environment()
    # Within a table a bar ends the cell, and within code a backtick ends the code.
    environment.filters["md"] = lambda text: str(text).replace("|", "\\|").replace("\n", " ").replace("`", "'")
    return environment.get_template("summary.md.j2").render(context(outcome, known, matrix)).strip() + "\n"


def write_all(folder: Path, outcome: Verdict, known: Registry, matrix: KillMatrix | None = None) -> None:
    """Write ``index.html``, ``junit.xml`` and ``summary.md`` into ``folder``."""
    (folder / "index.html").write_text(html(outcome, known, matrix), encoding="utf-8", errors="replace")
    (folder / "summary.md").write_text(markdown(outcome, known, matrix), encoding="utf-8", errors="replace")
    junit.write(folder / "junit.xml", outcome)
