"""The report as pages: HTML and Markdown of a judged ledger, and the files of a report folder."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from suites.fuzz.findings import Finding, findings
from suites.harness.backends.names import reference_backends
from suites.harness.oracle.divergence import Divergence
from suites.harness.planning import choice
from suites.harness.results import summary
from suites.harness.results.causes import causes, deciding
from suites.harness.results.known_bugs import Bug, Registry
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import Outcome
from suites.harness.results.verdict import Verdict
from tools import launch
from tools.exits import Fault
from tools.views import embedded, junit, pictures, processor

#: Slowest cells that the report lists.
SLOWEST = 15
#: Causes that are shown with an example, of which the first few are open.
EXAMPLES = 40
#: Other cells of a cause that stand in its list; the page's table has all.
LISTED = 25
#: Cards of further failing cells that a reader without JavaScript is shown.
CARDS = 150
#: Reasons that are about no cell and that stand open: the matrix is to be seen below them.
REASONS = 8

_TEMPLATES = Path(__file__).with_name("templates")
_DEFAULT_MATRIX = launch.ROOT / "suites" / "selfcheck" / "kill_matrix.json"


@dataclasses.dataclass(frozen=True)
class Step:
    """One layer of a bisection: ``state`` is `same`, `first` (the first that differs) or `after`."""

    layer: str
    state: str


@dataclasses.dataclass(frozen=True)
class Explained:
    """A known bug with the cells that it explains by backend, and what random search found of it."""

    bug: Bug
    backends: Counter[str]
    findings: tuple[Finding, ...] = ()

    @property
    def cells(self) -> int:
        """How many cells it explains."""
        return sum(self.backends.values())


@dataclasses.dataclass(frozen=True)
class KillMatrix:
    """Mutant x family: how many of the family's clauses fail on the mutant, and how many were tried on it."""

    families: tuple[str, ...]
    mutants: tuple[str, ...]
    caught: dict[str, dict[str, int]]
    tried: dict[str, dict[str, int]]
    about: dict[str, str]

    def depth(self, mutant: str, family: str) -> int:
        """How deep the colour of a field is, 0 to 5, by the share of the clauses tried that failed."""
        caught, tried = (each.get(mutant, {}).get(family, 0) for each in (self.caught, self.tried))
        return min(5, 1 + int(5 * caught / max(tried, caught))) if caught else 0

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
        text = place.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Fault(f"cannot read the kill matrix {place}: {error.strerror or error}") from None
    try:
        data = json.loads(text)
        mutants = data["mutants"]
        caught, tried = (
            {name: _numbers(each.get(key)) for name, each in mutants.items()} for key in ("caught", "cells")
        )
        families = data.get("families") or sorted({family for row in caught.values() for family in row})
        about = {name: str(each.get("about", "")) for name, each in mutants.items()}
    except (ValueError, KeyError, AttributeError, TypeError) as error:
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


def context(
    outcome: Verdict, known: Registry, matrix: KillMatrix | None, others: Sequence[Ledger] = ()
) -> dict[str, Any]:
    """Everything that the templates show. ``others`` are judged ledgers of other runs, for the history of cells."""
    book = outcome.ledger
    found = causes(outcome.against)
    scripts = findings(book)
    cells = sorted(book.cells.values(), key=lambda cell: -cell.seconds)
    layers = pictures.first_layers(book)
    examples = {cause.example.id for cause in found[:EXAMPLES]}
    return {
        "verdict": outcome,
        "headline": _headline(outcome),
        "facts": _facts(outcome),
        "heat": pictures.heat(book),
        "mark": pictures.mark,
        "label_class": embedded.label_class,
        "standings": summary.columns(Counter(map(summary.standing, book.cells.values()))),
        "standing": summary.standing,
        "first_line": summary.first_line,
        "explanation": summary.explanation,
        "deciding": deciding,
        "count": summary.count,
        "told": [
            *(f"left out: {line}" for line in summary.left_out(book)),
            *filter(None, [summary.elsewhere(book)]),
            *choice.told(book.header),
        ],
        "reasons_shown": REASONS,
        "run_reasons": [reason for reason in outcome.reasons if not reason.cell],
        "causes": found,
        "examples": EXAMPLES,
        "listed": LISTED,
        "more_cards": [cell for cell in outcome.against if cell.id not in examples][:CARDS],
        "bisection": bisection,
        "bugs": known.bugs,
        "known": explained(book, known, scripts),
        "explained": summary.explained(book),
        "kill": matrix,
        "findings": scripts,
        "bars": layers,
        "layers": pictures.layers(layers),
        "tolerances": pictures.tolerances(book),
        "slowest": cells[:SLOWEST],
        "paces": summary.paces(book),
        "processor": processor.spent(book),
        "processor_command": processor.COMMAND,
        "not_run": book.not_run,
        "torn": summary.torn(book),
        "others": [place_name(each) for each in others],
    }


def explained(book: Ledger, known: Registry, found: Sequence[Finding]) -> list[Explained]:
    """The known bugs that explain cells of a judged ledger or whose finds it has run, those of most cells first."""
    backends: dict[str, Counter[str]] = {}
    for cell in book.cells.values():
        for bug in cell.bugs if cell.outcome is Outcome.KNOWN else ():
            backends.setdefault(bug, Counter())[cell.backend] += 1
    names = [*backends, *(each.bug for each in found if each.bug in known.bugs)]
    rows = [
        Explained(known.bugs[name], backends.get(name, Counter()), tuple(each for each in found if each.bug == name))
        for name in dict.fromkeys(names)
    ]
    return sorted(rows, key=lambda row: (-row.cells, row.bug.id))


def place_name(book: Ledger) -> str:
    """What tells a run from others: release, device, vector instructions, and the day."""
    header = book.header
    where = str(header.get("gpu") or header.get("device") or "")
    vector = str(header.get("vector") or "") if header.get("device") == "cpu" else ""
    words = (f"torch {header.get('torch') or '?'}", where, vector, book.started[:10])
    return ", ".join(word for word in words if word)


def _headline(outcome: Verdict) -> list[tuple[str, str]]:
    """What the head of the page says of the run: when, how long, of what, and what was typed."""
    book, header = outcome.ledger, outcome.ledger.header
    asked = header.get("configuration") or {}
    pairs = [
        ("", f"torch {header['torch']}" if header.get("torch") else ""),
        ("", " ".join(str(header[key]) for key in ("device", "gpu") if header.get(key))),
        ("profile", asked.get("profile")),
        ("goldens", asked.get("golden")),
        ("started", book.started.replace("T", " ").replace("+00:00", " UTC")),
        ("took", duration(book.duration) if book.duration is not None else ""),
    ]
    return [(name, str(value)) for name, value in pairs if value]


def duration(seconds: float) -> str:
    """A time in words: ``42 s``, ``3 min 20 s``, ``1 h 05 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _facts(outcome: Verdict) -> list[tuple[str, str]]:
    header = outcome.ledger.header
    asked = header.get("configuration") or {}
    named = header.get("backends") or {}
    versions = (
        [f"{name} {version}".strip() for name, version in named.items()] if isinstance(named, dict) else list(named)
    ) or summary.asked(outcome.ledger)
    asked_for = summary.asked(outcome.ledger)
    more = [name for name in summary.backends(outcome.ledger) if name not in asked_for]
    memory = f"{header['memory_gib']} GiB" if header.get("memory_gib") else ""
    pairs = [
        ("torch", header.get("torch")),
        ("backends", ", ".join(versions)),
        ("named by clauses", ", ".join(more)),
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


def environment(*, markdown: bool = False) -> jinja2.Environment:
    """What templates are rendered with; for ``markdown``, ``| md`` makes a text one that cannot break a table."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=jinja2.select_autoescape(("html", "html.j2")),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    if markdown:
        # Within a table a bar ends the cell, and within code a backtick ends the code.
        made.filters["md"] = lambda text: str(text).replace("|", "\\|").replace("\n", " ").replace("`", "'")
    return made


def html(outcome: Verdict, known: Registry, matrix: KillMatrix | None = None, others: Sequence[Ledger] = ()) -> str:
    """The report as one page that needs nothing else. ``others``: judged ledgers of other runs, to compare with."""
    book, places = outcome.ledger, [embedded.Place(place_name(each), each) for each in others]
    shown = context(outcome, known, matrix, others)
    steps = {}
    for cell in book.cells.values():
        item = deciding(cell)
        if item is not None and (walked := bisection(cell, item)):
            steps[cell.id] = [(step.layer, step.state) for step in walked]
    shown["index"] = embedded.packed(embedded.index(book, shown["causes"], places))
    shown["details"] = embedded.packed(embedded.details(book, places, steps, shown["findings"]))
    return environment().get_template("report.html.j2").render(shown)


def markdown(outcome: Verdict, known: Registry, matrix: KillMatrix | None = None) -> str:
    """The summary for a pull request."""
    template = environment(markdown=True).get_template("summary.md.j2")
    return template.render(context(outcome, known, matrix)).strip() + "\n"


def write_all(
    folder: Path,
    outcome: Verdict,
    known: Registry,
    matrix: KillMatrix | None = None,
    others: Sequence[Ledger] = (),
) -> None:
    """Write ``index.html``, ``junit.xml`` and ``summary.md`` into ``folder``; ``others`` as `html` takes them."""
    (folder / "index.html").write_text(html(outcome, known, matrix, others), encoding="utf-8", errors="replace")
    (folder / "summary.md").write_text(markdown(outcome, known, matrix), encoding="utf-8", errors="replace")
    junit.write(folder / "junit.xml", outcome)
