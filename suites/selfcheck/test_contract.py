"""The map of behaviours and the clauses agree, and the page that says so is current."""

from __future__ import annotations

from pathlib import Path

import pytest

from suites import contract
from suites.harness.planning import outline
from suites.selfcheck.clauses import every_clause

COVERS = {contract.without_parameters(clause.id): clause.scope.covers for clause in every_clause()}


def test_every_line_has_its_clauses_or_a_reason() -> None:
    assert not list(contract.faults(COVERS))


def test_page_is_current() -> None:
    assert contract.PAGE.read_text(encoding="utf-8") == contract.page(COVERS), (
        "type: parity list --map > suites/CONTRACT.md"
    )


def test_text_of_the_files_tells_which_clauses_there_are() -> None:
    assert sorted(COVERS) == [name for name in outline.names() if name in COVERS]


def test_faults_are_named() -> None:
    lines = [line.id for theme in contract.themes() for line in theme.lines if not line.exception]
    whole = {"family/group/clause": tuple(lines)}
    assert not list(contract.faults(whole))
    (missing,) = contract.faults({"family/group/clause": tuple(lines[1:])})
    assert missing.startswith(f"{lines[0]} (")
    told = list(contract.faults({**whole, "family/group/other": ("T99",), "family/group/third": ()}))
    assert "family/group/other covers T99, which is no line of the map" in told
    assert "family/group/third covers no line of the map" in told


def test_exception_beside_a_clause_is_a_fault() -> None:
    every = [line for theme in contract.themes() for line in theme.lines]
    excepted = next(line for line in every if line.exception)
    covered = tuple(line.id for line in every)
    assert f"{excepted.id} has a clause: its exception in contract.toml is out of date" in list(
        contract.faults({"family/group/clause": covered})
    )


def test_line_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    twice = '[[theme]]\ntitle = "t"\n' + '[[theme.line]]\nid = "T1"\nsays = "a"\n' * 2
    (tmp_path / "contract.toml").write_text(twice)
    with pytest.raises(ValueError, match="T1 is there twice"):
        contract.themes(tmp_path / "contract.toml")
