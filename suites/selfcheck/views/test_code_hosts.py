"""SARIF and GitHub's annotations: a result at its clause for what counts against, suppressed for what is known."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from suites.harness.results.known_bugs import Bug, Cells, Registry
from suites.harness.results.ledger import Ledger
from suites.harness.results.verdict import Expectations, verdict
from suites.selfcheck.tools.synthetic import cell, divergence, every_outcome, ledger, write
from tools import cli
from tools.views import code_hosts

KNOWN = Registry(
    [
        Bug(
            id="known",
            reason="A known one.",
            links=("https://example.org/1",),
            seen=("torch",),
            expires=datetime.date(2099, 1, 1),
            cells=(Cells(("aliasing/outputs/known",), ("inductor:value:*",)),),
        )
    ]
)
#: The command that GitHub reads, with a message of two lines.
COMMAND = (
    "::error file=suites/mutation/test_inputs.py,line=10,"
    "title=silent%2C 1 cell%3A value%3A 100%25 differs; first at inductor::"
)


def placed(book: Ledger) -> Ledger:
    """The ledger with a place for each clause."""
    for record in book.clauses.values():
        record.update(file="suites/mutation/test_inputs.py", line=10)
    return book


def log(book: Ledger) -> Any:
    """The one run of the SARIF log of a ledger."""
    judged = verdict(book, KNOWN, Expectations.of(book), datetime.date(2026, 1, 1))
    document = json.loads(code_hosts.sarif(judged, KNOWN))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return run


def test_sarif_has_a_result_for_each_cell_against_at_its_clause() -> None:
    run = log(placed(every_outcome()))
    ids = [result["ruleId"] for result in run["results"]]
    assert ids == ["silent", "loud", "crash", "timeout", "error", "flake", "vacuous", "fallback"]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == set(ids)
    for result in run["results"]:
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "suites/mutation/test_inputs.py"
        assert place["physicalLocation"]["region"] == {"startLine": 10}
        assert result["level"] == "error"
        assert "suppressions" not in result
    assert len({str(result["partialFingerprints"]) for result in run["results"]}) == len(ids)
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "never ran" in told["message"]["text"]


def test_sarif_suppresses_what_is_known_with_its_reason() -> None:
    (result,) = log(ledger(cell(backend="aot_eager"), cell("fail", "aliasing/outputs/known")))["results"]
    assert (result["ruleId"], result["level"]) == ("known", "note")
    assert result["suppressions"] == [{"kind": "external", "justification": "A known one."}]
    assert "locations" not in result


def test_annotations_are_one_command_a_cause_and_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = cell("fail", divergences=[divergence(kind="100% differs")])
    book = write(tmp_path / "ledger.jsonl", placed(ledger(bad, cell(backend="aot_eager"))))
    assert cli.run(["report", str(book), "--annotations"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(COMMAND)
    assert line.endswith("%0Aagain: pytest 'suites/mutation/inputs/add_[inductor]'")


def test_sarif_is_written_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = write(tmp_path / "ledger.jsonl", every_outcome())
    assert cli.run(["report", str(book), f"--sarif={tmp_path / 'out' / 'parity.sarif'}"]) == 0
    assert json.loads((tmp_path / "out" / "parity.sarif").read_text())["runs"]
    assert "parity.sarif" in capsys.readouterr().out
