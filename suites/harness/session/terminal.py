"""What pytest's terminal says of cells: the letter of each, what a person needs to see of a failing one, the matrix."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from suites.harness.backends.names import RUN_BY_TORCH, is_torchs_own
from suites.harness.execution.accelerations import WATCHED
from suites.harness.planning import choice
from suites.harness.results import ledger, summary
from suites.harness.results.known_bugs import Registry
from suites.harness.results.ledger import Ledger
from suites.harness.results.outcomes import Outcome


def status_of(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """The category, the letter and the word of the cell that a report is of; None where it is of no cell."""
    if not hasattr(report, "parity_outcome"):
        return None
    outcome = Outcome(report.parity_outcome)
    if report.when != "call" and not (outcome.against or outcome in (Outcome.UNSUPPORTED, Outcome.SKIP)):
        return None
    pytests = {Outcome.KNOWN: "xfailed", Outcome.PASS: "passed", Outcome.SKIP: "skipped"}
    category = "failed" if outcome.against else pytests.get(outcome, outcome.value)
    colour = "red" if outcome.against else "green" if outcome is Outcome.PASS else "yellow"
    return category, outcome.letter, (outcome.label.upper(), {colour: True})


def print_summary(terminalreporter: Any, path: Path, known: Registry, *, name_ledger: bool) -> None:
    """Print what the ledger at ``path`` comes to: causes, and the matrix, with silent and loud counted apart."""
    read = known.judged(ledger.read([path]))
    if not read.cells:
        return
    from rich.console import Console
    from rich.text import Text

    from suites.harness.results import ending

    terminalreporter.section("parity")
    file = terminalreporter._tw._file
    if hasattr(file, "reconfigure"):
        # What a terminal cannot show must not be the end of a run that is over.
        file.reconfigure(errors="replace")
    console = Console(file=file, force_terminal=terminalreporter._tw.hasmarkup, soft_wrap=False)
    # Commands are for copying, whole.
    console.print(ending.render(read), crop=False)
    for line in choice.told(read.header):
        console.print(line, soft_wrap=True, highlight=False, markup=False)
    if without := unasked(read):
        console.print(Text(without, style="yellow"), soft_wrap=True)
    if name_ledger:
        console.print(f"ledger: {path}", soft_wrap=True, highlight=False, markup=False)


def unasked(book: Ledger) -> str:
    """A line about the backends of whose passes a plain run did not ask who executed them; empty if there are none."""
    how = str(book.header.get("accelerations", {}).get(WATCHED, ""))
    if not how.startswith("off"):
        return ""
    asked = summary.executed(book)
    others = (name for name in summary.backends(book) if not is_torchs_own(name) and name not in RUN_BY_TORCH)
    names = ", ".join(name for name in others if name not in asked)
    why = how.partition(": ")[2] or how
    return f"nobody asked who executed the passes of {names} ({why}): torch may have" if names else ""


def apply(report: Any, cell: ledger.Cell) -> None:
    """Make pytest's report say what a judged cell came to."""
    outcome = cell.outcome
    report.parity_outcome = outcome.value
    if outcome.against or outcome is Outcome.CHANGED:
        strict = outcome is not Outcome.CHANGED or report.outcome == "failed"
        report.outcome = "failed" if strict else "passed"
        if strict:
            report.longrepr = _plain(_long(cell))
    elif outcome is Outcome.PASS:
        report.outcome = "passed"
    else:
        report.outcome = "skipped"
        reason = _plain(f"{outcome.label}: {cell.detail}" + (f" [{', '.join(cell.bugs)}]" if cell.bugs else ""))
        if outcome in (Outcome.KNOWN, Outcome.INHERITED):
            report.wasxfail = reason
        report.longrepr = (str(cell.clause), 0, reason)


def _plain(text: str) -> str:
    """A text as it can travel from worker to controller: a lone surrogate, of a file's name say, by its number."""
    return text.encode(errors="backslashreplace").decode()


def _long(cell: ledger.Cell) -> str:
    """What a person needs to see of a failing cell."""
    told = cell.detail or ", ".join(cell.bugs)
    lines = [f"{cell.id}", f"  {cell.sentence}" if cell.sentence else "", f"  {cell.outcome.label.upper()}: {told}"]
    for item in cell.divergences:
        lines += [
            f"  {'silent' if item.silent else 'loud'} {item.facet}: {item.kind} ({item.where})",
            f"    expected  {item.expected}",
            f"    seen      {item.seen}",
            f"    first at  {item.layer}    fingerprint {item.fingerprint}",
        ]
        lines += [f"    raised in {item.raised_in}"] if item.raised_in else []
        lines += [textwrap.indent(item.stack, "    ")] if item.stack else []
    if cell.stderr:
        lines += ["  standard error:", textwrap.indent(cell.stderr, "    ")]
    if cell.program:
        lines += ["", textwrap.indent(cell.program, "  | ")]
    lines.append(f"  again: {cell.reproduce}")
    return "\n".join(lines)
