"""Records: small ledgers of runs that the repository keeps, and what the known bugs of today say of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from suites.harness.results import known_bugs, ledger, records
from suites.harness.results.outcomes import Outcome
from suites.harness.results.places import Environment
from suites.selfcheck import kill_matrix
from suites.selfcheck.tools.synthetic import cell, divergence
from suites.selfcheck.tools.synthetic import ledger as book
from tools import cli

CLAUSES = frozenset(clause.id for clause in kill_matrix.clauses())
KNOWN = known_bugs.load(known_bugs.default_files())


@pytest.mark.parametrize("path", records.paths(), ids=lambda path: path.name)
def test_known_bugs_explain_what_was_seen_wherever_a_record_was_made(path: Path) -> None:
    """What a change to the known bugs forgets about another release or device is told here, without going there."""
    kept = KNOWN.judged(ledger.read([path]))
    assert path.name == records.name_of(kept)
    wrong = {
        name: str(each.outcome)
        for name, each in kept.cells.items()
        if each.clause in CLAUSES and each.outcome.against and each.outcome is not Outcome.ERROR
    }
    assert not wrong


@pytest.mark.parametrize("path", records.paths(), ids=lambda path: path.name)
def test_record_is_of_many_of_the_clauses(path: Path) -> None:
    kept = ledger.read([path])
    there = {each.clause for each in kept.cells.values()} & CLAUSES
    assert len(there) > 500, "make it anew: parity report LEDGER --record golden/records"


def test_record_is_read_as_the_ledger_that_it_is_of(tmp_path: Path) -> None:
    failed = cell("fail", divergences=[dataclasses.replace(divergence(), expected="1.0", seen="2.0")])
    failed.program, failed.goldens = "def test(): ...", {"forward": "def forward(self): ..."}
    passed = [cell("pass", f"mutation/inputs/{name}", executed=done) for name, done in (("mul_", False), ("a", True))]
    whole = book(failed, cell("pass", "mutation/inputs/b"), *passed)
    path = tmp_path / records.name_of(whole)
    records.write(whole, path)
    kept = ledger.read([path])
    assert kept.planned == whole.planned
    assert kept.complete == whole.complete
    assert Environment.of(kept.header) == Environment.of(whole.header)
    assert {name: each.outcome for name, each in kept.cells.items()} == {
        name: each.outcome for name, each in whole.cells.items()
    }
    assert [kept.cells[name].executed for name in kept.planned] == [whole.cells[name].executed for name in kept.planned]
    (item,) = kept.cells[failed.id].divergences
    assert item.fingerprint == failed.divergences[0].fingerprint
    assert (item.expected, item.seen, kept.cells[failed.id].program) == ("", "", "")
    before = path.read_bytes()
    records.write(whole, path)
    assert path.read_bytes() == before


def test_report_writes_a_record_named_after_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = book(cell("fail"), cell("pass", "mutation/inputs/mul_"))
    source = tmp_path / "ledger.jsonl.gz"
    records.write(whole, source)
    assert cli.run(["report", str(source), "--record", str(tmp_path / "kept")]) == 0
    (made,) = (tmp_path / "kept").iterdir()
    assert made.name == records.name_of(whole)
    assert str(made) in capsys.readouterr().out
