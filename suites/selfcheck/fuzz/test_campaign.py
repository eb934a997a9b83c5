"""Campaigns: shards part the programs, logs resume and merge, finds are made small and confirmed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from suites.fuzz import known
from suites.fuzz.campaign import Find, Log, Plan, Summary, exits_one, operators, read, run, until
from suites.fuzz.judging import judge, judge_apart
from suites.fuzz.known import Known, which
from suites.fuzz.script import issue, script
from suites.harness.ledger import Divergence

SABOTEUR = "suites.selfcheck.saboteurs.mutation:drops_the_copy_back"

DIVERGES = """
import torch


def program(a):
    a.mul_(2)
    return a.sin()


def inputs():
    a = torch.randn(3)
    return (a,)
"""


def test_shards_part_the_programs() -> None:
    whole = Plan("parts", "eager")
    numbers = whole.numbers()
    first = {next(numbers) for _ in range(12)}
    parts = [Plan("parts", "eager", shard, 3).numbers() for shard in range(3)]
    assert {next(part) for part in parts for _ in range(4)} == first
    assert whole.draw(5) == Plan("parts", "eager", 2, 3).draw(5)


def test_campaign_resumes_where_it_was_killed(tmp_path: Path) -> None:
    plan, path = Plan("resumed", "eager"), tmp_path / "log.jsonl"
    run(plan, Log(path), until(None, 20))
    with path.open("a") as file:
        file.write('{"kind": "program", "numb')  # Killed in the middle of a line.
    run(plan, Log(path), until(None, 12))
    programs = [record for record in read(path) if record["kind"] == "program"]
    assert sorted(record["number"] for record in programs) == list(range(32))


def test_logs_merge_as_a_set(tmp_path: Path) -> None:
    plan, path = Plan("merged", "eager"), tmp_path / "log.jsonl"
    run(plan, Log(path), until(None, 10))
    once, twice = Summary.of(read(path)), Summary.of([*read(path), *read(path)])
    assert once == twice
    assert once.programs == 10


def test_find_is_made_small_and_confirmed(tmp_path: Path) -> None:
    weights = {"in place": 1, "pointwise": 2, "view": 1}
    plan = Plan("finds", SABOTEUR, reduce_seconds=4, weights=weights)
    log = Log(tmp_path / "log.jsonl")
    run(plan, log, until(None, 2))
    summary = Summary.of(log.records)
    finds = [find for found in summary.finds.values() for find in found if find.divergence.layer == SABOTEUR]
    assert finds, summary.outcomes
    smallest = min(finds, key=lambda find: find.statements)
    assert smallest.statements <= 2
    assert smallest.divergence.facet == "mutation"
    assert judge(smallest.text, SABOTEUR).fingerprint == smallest.fingerprint


def test_script_stands_alone(tmp_path: Path) -> None:
    judgement = judge(DIVERGES, SABOTEUR)
    assert judgement.first is not None
    text = script(DIVERGES, judgement.first)
    assert "import suites" not in text
    # The saboteur has no name that torch knows.
    wrong = "__import__('suites.selfcheck.saboteurs.mutation', fromlist=['']).drops_the_copy_back"
    assert exits_one(text.replace(repr(SABOTEUR), wrong))
    assert not exits_one(text.replace(repr(SABOTEUR), "'aot_eager'"))
    told = issue(DIVERGES, judgement.first, "2.13.0")
    assert "### Versions" in told
    assert text in told


def test_crash_is_the_programs_own() -> None:
    crashes = DIVERGES.replace("a.mul_(2)", "import os; os._exit(3)")
    fine, lost = judge_apart([DIVERGES, crashes], "eager", 30.0)
    assert fine.outcome == "pass"
    assert lost.outcome in ("crash", "error")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("a.mul_(2)", ("mul_",)),
        ("a[1:] += a", ("[...]=", "add=")),
        ("return a.view(-1) @ a", ("matmult", "usub", "view")),
    ],
)
def test_operators_of_a_program(body: str, found: tuple[str, ...]) -> None:
    names = operators(f"def program(a):\n    {body}\n")
    assert set(names) >= set(found) - {"usub"}


def test_known_find_is_recognised() -> None:
    find = Find(
        number=3,
        backend="inductor",
        divergence=Divergence("mutation", "mutation lost", "call 1", "3.0", "6.0", True, "aot_eager"),
        operators=("mul_",),
        statements=1,
        confirmed=True,
        text="",
        original="",
    )
    entry = Known("small", "t", "aot_eager:mutation:*", ("*_",), "p.py", "none known")
    assert which(find, (entry,)) is entry
    assert which(find, (Known("other", "t", "inductor:*", (), "p.py", ""),)) is None
    assert which(find, (Known("other", "t", "*", ("add_",), "p.py", ""),)) is None


def test_log_is_one_object_a_line(tmp_path: Path) -> None:
    log = Log(tmp_path / "deep" / "log.jsonl")
    log.write({"kind": "program", "text": "one\ntwo"})
    assert [json.loads(line) for line in log.path.read_text().splitlines()] == log.records


def test_known_finds_name_their_programs() -> None:
    entries = known.load()
    assert entries
    assert len({entry.id for entry in entries}) == len(entries)
    for entry in entries:
        assert (known.PLACE.parent / entry.program).is_file(), entry.program
    assert {entry.program for entry in entries} == {path.name for path in known.PLACE.parent.glob("*.py")}


def test_list_that_is_not_whole_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "finds.toml"
    path.write_text('[[find]]\nid = "x"\n')
    with pytest.raises(ValueError, match=r"finds\.toml: 'operators'"):
        known.load(path)
