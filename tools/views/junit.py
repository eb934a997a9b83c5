"""JUnit XML of a judged ledger: a suite a backend, a case a cell."""

from __future__ import annotations

import re
from pathlib import Path

from junitparser import Error, Failure, JUnitXml, Properties, Property, Skipped, TestCase, TestSuite

from suites.harness.results import summary
from suites.harness.results.ledger import Cell
from suites.harness.results.outcomes import Outcome
from suites.harness.results.verdict import Verdict

#: What XML 1.0 cannot hold.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(path: Path, outcome: Verdict) -> None:
    """Write ``path``: see `text`."""
    path.write_text(text(outcome), encoding="utf-8")


def text(outcome: Verdict) -> str:
    """The document. What counts against is a failure (or an error), what does not but is no pass is skipped.

    The ``type`` of a failure, an error or a skip is the word of the report for it (``silent``, ``crash``, ``timeout``,
    ``unexpected pass``, ``known``, ...). Cells that are no pass say it in their properties, too, with what
    tells causes apart: ``parity.standing``, ``parity.fingerprint``, ``parity.layer``, ``parity.bugs``.
    """
    document = JUnitXml("parity")
    against = {reason.cell for reason in outcome.reasons if reason.cell}
    for backend in summary.backends(outcome.ledger):
        suite = TestSuite(backend)
        for name in ("torch", "device", "started", "revision"):
            if outcome.ledger.header.get(name):
                suite.add_property(f"parity.{name}", _clean(str(outcome.ledger.header[name])))
        # `add_testcase` counts all of a suite's cases anew for each.
        suite.extend(
            _case(cell, cell.id in against) for cell in outcome.ledger.cells.values() if cell.backend == backend
        )
        suite.update_statistics()
        document.add_testsuite(suite)
    run = TestSuite("run")
    for reason in outcome.reasons:
        if not reason.cell:
            case = TestCase(_clean(reason.kind), classname="run")
            case.result = [Error(_clean(reason.text), type_=reason.kind)]
            run.add_testcase(case)
    if len(run):
        document.add_testsuite(run)
    written: bytes = document.tostring()
    return written.decode("utf-8")


def _case(cell: Cell, against: bool) -> TestCase:
    case = TestCase(_clean(cell.id), classname=_clean(cell.clause), time=round(cell.seconds, 4))
    standing = summary.standing(cell)
    if against:
        result = Error if standing.junit == "error" else Failure
        case.result = [result(_clean(_message(cell)), type_=standing.label)]
        case.system_out = _clean("\n".join(part for part in (cell.detail, cell.program, cell.reproduce) if part))
        if raised_in := "\n".join(f"raised in {item.raised_in}" for item in cell.divergences if item.raised_in):
            case.system_out += _clean(f"\n{raised_in}")
        if cell.stderr:
            case.system_err = _clean(cell.stderr)
    elif standing.junit:
        because = f" ({', '.join(cell.bugs)})" if cell.bugs else ""
        case.result = [Skipped(_clean(f"{standing.label}{because}: {_message(cell)}"), type_=standing.label)]
    if standing is not Outcome.PASS:
        told = Properties()
        pairs = {"standing": standing.label, "fingerprint": cell.fingerprint, "layer": cell.layer}
        for name, value in {**pairs, "bugs": " ".join(cell.bugs)}.items():
            if value:
                told.add_property(Property(f"parity.{name}", _clean(value)))
        case.append(told)
    return case


def _message(cell: Cell) -> str:
    lines = [
        f"{item.facet} at {item.where}: {item.kind}; expected {summary.first_line(item.expected)}, "
        f"seen {summary.first_line(item.seen)}"
        for item in cell.divergences
    ]
    return "\n".join(lines) or summary.first_line(cell.detail) or summary.standing(cell).meaning


def _clean(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)
