"""What pytest's terminal says of cells: the letter of each, what a person needs to see of a failing one, the matrix."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from suites.harness.results import ledger

#: How the terminal shows each outcome: letter, word, colour.
SHOWN = {
    "pass": (".", "PASS", "green"),
    "fail": ("F", "DIVERGED", "red"),
    "inherited": ("i", "INHERITED", "cyan"),
    "xfail": ("x", "WAIVED", "yellow"),
    "xpass": ("X", "WAIVED BUT PASSES", "red"),
    "changed": ("g", "GOLDEN CHANGED", "yellow"),
    "vacuous": ("v", "VACUOUS", "red"),
    "unsupported": ("u", "UNSUPPORTED", "yellow"),
    "crash": ("C", "CRASHED", "red"),
    "timeout": ("T", "TIMED OUT", "red"),
    "error": ("E", "ERROR", "red"),
    "skip": ("s", "SKIPPED", "yellow"),
}
#: Outcomes that make a pytest run fail.
FAILING = frozenset({"fail", "xpass", "vacuous", "crash", "timeout", "error"})


def status_of(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """The category, the letter and the word of the cell that a report is of; None where it is of no cell."""
    outcome = getattr(report, "parity_outcome", None)
    if outcome is None or (report.when != "call" and outcome not in FAILING | {"unsupported", "skip"}):
        return None
    letter, word, colour = SHOWN[outcome]
    category = {"pass": "passed", "xfail": "xfailed", "xpass": "xpassed", "skip": "skipped"}.get(outcome, outcome)
    if outcome in FAILING:
        category = "failed"
    return category, letter, (word, {colour: True})


def print_summary(terminalreporter: Any, path: Path, *, name_ledger: bool) -> None:
    """Print the matrix of backends and families of the ledger at ``path``, with silent and loud counted apart."""
    read = ledger.read([path])
    if not read.cells:
        return
    from rich.console import Console

    from suites.harness.results import summary

    terminalreporter.section("parity")
    console = Console(file=terminalreporter._tw._file, force_terminal=terminalreporter._tw.hasmarkup, soft_wrap=False)
    console.print(summary.render(read, limit=10))
    if name_ledger:
        console.print(f"ledger: {path}", soft_wrap=True, highlight=False)


def apply(report: Any, outcome: str, detail: str, cell: ledger.Cell) -> None:
    """Make pytest's report say what the cell came to."""
    report.parity_outcome = outcome
    if outcome in FAILING or outcome == "changed":
        strict = outcome != "changed" or report.outcome == "failed"
        report.outcome = "failed" if strict else "passed"
        if strict:
            report.longrepr = _long(outcome, detail, cell)
    elif outcome == "pass":
        report.outcome = "passed"
    else:
        report.outcome = "skipped"
        reason = f"{outcome}: {detail}" + (f" [waiver {', '.join(cell.waivers)}]" if cell.waivers else "")
        if outcome in ("xfail", "inherited"):
            report.wasxfail = reason
        report.longrepr = (str(cell.clause), 0, reason)


def _long(outcome: str, detail: str, cell: ledger.Cell) -> str:
    """What a person needs to see of a failing cell."""
    lines = [f"{cell.id}", f"  {cell.sentence}" if cell.sentence else "", f"  {SHOWN[outcome][1]}: {detail}"]
    for item in cell.divergences:
        lines += [
            f"  {'silent' if item.silent else 'loud'} {item.facet}: {item.kind} ({item.where})",
            f"    expected  {item.expected}",
            f"    seen      {item.seen}",
            f"    first at  {item.layer}    fingerprint {item.fingerprint}",
        ]
    if cell.program:
        lines += ["", textwrap.indent(cell.program, "  | ")]
    lines.append(f"  again: {cell.reproduce}")
    return "\n".join(line for line in lines if line is not None)
