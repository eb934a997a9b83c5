"""What counts against a backend, for code hosts: SARIF 2.1.0, and the lines that GitHub shows at a clause."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from suites.harness.results import summary
from suites.harness.results.causes import causes, deciding
from suites.harness.results.known_bugs import Registry
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import STANDINGS, Outcome
from suites.harness.results.verdict import Verdict

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(outcome: Verdict, known: Registry) -> str:
    """A SARIF log: a rule a standing, a result for each cell that counts against or is known, at its clause.

    Known ones are notes, suppressed with the reason of the bug. A reason that is about no cell is a notification.
    """
    book = outcome.ledger
    against = {cell.id for cell in outcome.against}
    shown = [*outcome.against, *(cell for cell in book.cells.values() if cell.outcome is Outcome.KNOWN)]
    used = [each for each in reversed(STANDINGS) if any(summary.standing(cell) is each for cell in shown)]
    run = {
        "tool": {
            "driver": {
                "name": "Parity",
                "version": str(book.header.get("parity") or "0"),
                "rules": [{"id": _rule(each), "shortDescription": {"text": each.meaning}} for each in used],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The checkout that holds the clauses."}}},
        "invocations": [_invocation(outcome)],
        "results": [_result(cell, book, known, against=cell.id in against) for cell in shown],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1) + "\n"


def _invocation(outcome: Verdict) -> dict[str, Any]:
    book = outcome.ledger
    found: dict[str, Any] = {
        "executionSuccessful": book.complete,
        "toolExecutionNotifications": [
            {"level": "error", "descriptor": {"id": reason.kind.replace(" ", "-")}, "message": {"text": reason.text}}
            for reason in outcome.reasons
            if not reason.cell
        ],
    }
    times = {"startTimeUtc": book.started, "endTimeUtc": book.ended}
    found |= {name: time.replace("+00:00", "Z") for name, time in times.items() if time}
    return found | ({"commandLine": str(book.header["command"])} if book.header.get("command") else {})


def _rule(standing: Outcome) -> str:
    return standing.label.replace(" ", "-")


def _result(cell: Cell, book: Ledger, known: Registry, *, against: bool) -> dict[str, Any]:
    standing = summary.standing(cell)
    result: dict[str, Any] = {
        "ruleId": _rule(standing),
        "level": "error" if against else "note",
        "message": {"text": _message(cell)},
        "partialFingerprints": {"parity/v1": f"{cell.id}:{cell.fingerprint}"},
        "properties": {"backend": cell.backend, "variant": cell.variant, "clause": cell.clause},
    }
    file, line = _place(cell, book.clauses)
    if file:
        artifact = {"uri": file, "uriBaseId": "SRCROOT"}
        result["locations"] = [
            {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": line}}},
        ]
    if not against:
        reasons = [known.bugs[bug].reason for bug in cell.bugs if bug in known.bugs]
        result["suppressions"] = [{"kind": "external", "justification": reason} for reason in reasons]
    return result


def _place(cell: Cell, clauses: Mapping[str, Mapping[str, Any]]) -> tuple[str, int]:
    """The file of a cell's clause, relative to the checkout, and its line; an empty text where it is not told."""
    record = clauses.get(cell.clause, {})
    return str(record.get("file") or ""), max(1, int(record.get("line") or 1))


def _message(cell: Cell) -> str:
    parts = [f"{cell.id}: {cell.sentence}" if cell.sentence else cell.id]
    item = deciding(cell)
    if item is not None:
        parts.append(
            f"{item.facet} at {item.where}: {item.kind}; expected {summary.first_line(item.expected)}, "
            f"seen {summary.first_line(item.seen)}" + (f"; first at {item.layer}" if item.layer else "")
        )
    elif explanation := summary.explanation(cell):
        parts.append(summary.first_line(explanation))
    return "\n".join([*parts, *([f"again: {cell.reproduce}"] if cell.reproduce else [])])


def github(outcome: Verdict) -> str:
    """Workflow commands: an error a cause at the clause of its example, the worst first, and an error for each reason
    that is about no cell. GitHub shows ten of a step.
    """
    lines = []
    for cause in causes(outcome.against):
        file, line = _place(cause.example, outcome.ledger.clauses)
        title = f"{cause.standing.label}, {summary.count(len(cause.cells), 'cell')}: {cause.told}"
        at = {"file": file, "line": str(line)} if file else {}
        lines.append(_command({**at, "title": title}, _message(cause.example)))
    lines += [_command({"title": reason.kind}, reason.text) for reason in outcome.reasons if not reason.cell]
    return "".join(f"{line}\n" for line in lines)


def _command(properties: Mapping[str, str], message: str) -> str:
    """One workflow command, escaped as GitHub's toolkit does (``@actions/core``, ``command.ts``)."""
    told = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    return f"::error {told}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    for sign in "%\r\n" + more:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
