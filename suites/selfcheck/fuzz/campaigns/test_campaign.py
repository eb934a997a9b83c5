"""Campaigns: shards part the programs, logs resume and merge, finds are made small and confirmed."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import random
import re
import signal
import time
from pathlib import Path

import pytest

from suites.fuzz.campaigns import known
from suites.fuzz.campaigns.campaign import LEAST_REDUCTION, Budget, Plan, run
from suites.fuzz.campaigns.confirming import diverges_in_a_new_process, exits_one
from suites.fuzz.campaigns.finds import BY_CHECK, ONCE, RECOGNISED, UNCONFIRMED, Find, operators
from suites.fuzz.campaigns.known import Known, which
from suites.fuzz.campaigns.log import Log, NotALog, Summary, read
from suites.fuzz.campaigns.recognition import SAMPLE, WORN, Recognition
from suites.fuzz.judging import Alike, Judgement, judge, judge_apart
from suites.fuzz.kinds import KINDS
from suites.fuzz.reduction.script import issue, script
from suites.harness.oracle.divergence import Divergence
from tools.views import fuzz_view

from ..examples import a_find

MUTANT = "suites.selfcheck.mutants.mutation:drops_the_copy_back"

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


def test_campaign_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    plan, path = Plan("resumed", "eager"), tmp_path / "log.jsonl"
    run(plan, Log(path), Budget(programs=6))
    with path.open("a") as file:
        file.write('{"kind": "program", "numb')  # Killed in the middle of a line.
    run(plan, Log(path), Budget(programs=6))
    assert _numbers(path) == list(range(12))


def _numbers(path: Path) -> list[int]:
    return sorted(record["number"] for record in read(path) if record["kind"] == "program")


def test_campaign_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    """Killed at any moment, however often: what is in the log stays, and what was under way is run again."""
    plan, path, chance = Plan("killed", "eager"), tmp_path / "log.jsonl", random.Random(0)
    before: list[int] = []
    for _ in range(4):
        process = multiprocessing.get_context("fork").Process(
            target=lambda: run(plan, Log(path), Budget()), daemon=True
        )
        process.start()
        time.sleep(chance.uniform(0.5, 2.5))
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        now = _numbers(path) if path.exists() else []
        assert set(before) <= set(now)
        assert len(now) == len(set(now))
        before = now
    wanted = 8 + (max(before) if before else 0)
    run(plan, Log(path), Budget(programs=wanted - len(before)))
    assert _numbers(path) == list(range(wanted))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is no log of a campaign"),
        ("a program\n", "is no log of a campaign"),
        ('{"kind": "header", "schema": 1}\n', "is no log of a campaign"),
        ('{"kind": "campaign", "schema": 2, "torch": "2.13.0"}\n', "is a log of format 2, and this Parity reads"),
        ('{"kind": "campaign", "schema": 3, "torch": "2.13.0"}\n{"kind": "find"}\n', "a record of kind 'find' has no"),
    ],
)
def test_what_is_no_log_is_one_line(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(content)
    with pytest.raises(NotALog, match=re.escape(told)) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_log_of_another_torch_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"kind": "campaign", "schema": 3, "torch": "1.0"}\n')
    with pytest.raises(NotALog, match=r"was begun with torch 1\.0, and this is"):
        Log(path)
    assert path.read_text().count("\n") == 1


def test_logs_merge_as_a_set(tmp_path: Path) -> None:
    plan, path = Plan("merged", "eager"), tmp_path / "log.jsonl"
    run(plan, Log(path), Budget(programs=10))
    once, twice = Summary.of(read(path)), Summary.of([*read(path), *read(path)])
    assert once == twice
    assert once.programs == 10


def test_budget_bounds_the_making_small_of_a_find_too() -> None:
    assert Budget.of(None, None).for_reduction(60.0) == 60.0
    assert 29.0 < Budget.of(30.0, None).for_reduction(60.0) <= 30.0
    assert Budget.of(0.0, None).for_reduction(60.0) == LEAST_REDUCTION
    assert Budget.of(0.0, None).for_reduction(5.0) == 5.0
    assert not Budget.of(0.0, None).allows(0)
    assert [Budget.of(None, 2).allows(count) for count in range(3)] == [True, True, False]


def test_find_is_made_small_and_confirmed(tmp_path: Path) -> None:
    weights = {"in place": 1, "pointwise": 2, "view": 1}
    plan = Plan("finds", MUTANT, reduce_seconds=300, weights=weights)
    log = Log(tmp_path / "log.jsonl")
    for _ in range(4):
        if not list(log.finds()):
            run(plan, log, Budget(programs=5))
    summary = Summary.of(log.records)
    finds = [find for found in summary.finds.values() for find in found if find.divergence.layer == MUTANT]
    assert finds, summary.outcomes
    smallest = min(finds, key=lambda find: find.statements)
    assert smallest.statements <= 2
    assert smallest.divergence.facet == "mutation"
    assert judge(smallest.text, MUTANT).fingerprint == smallest.fingerprint


def test_finds_may_come_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run first; a few finds of each fingerprint follow, and the log says of all which they are."""

    def judged(text: str, backend: str) -> Judgement:
        return Judgement("fail", "", (a_find().divergence,))

    def followed(plan: Plan, seconds: float, recognition: Recognition, number: int, *rest: object) -> Find:
        return dataclasses.replace(a_find(), number=number)

    monkeypatch.setattr("suites.fuzz.campaigns.campaign.judge", judged)
    monkeypatch.setattr("suites.fuzz.campaigns.campaign._find", followed)
    monkeypatch.setattr("suites.fuzz.campaigns.campaign.MOST_OF_A_FINGERPRINT", 2)
    plan, log = Plan("last", "eager", finds_last=5.0, known=()), Log(tmp_path / "log.jsonl")
    run(plan, log, Budget(programs=4))
    kinds = [record["kind"] for record in log.records[1:]]
    assert kinds == ["program"] * 4 + ["reducing", "find"] * 2
    assert {record["fingerprint"] for record in log.records if record.get("waits")} == {a_find().fingerprint}


def test_campaign_that_goes_on_follows_first_what_time_was_too_short_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finds that waited when the time was over, or whose reduction was cut short, are made small by the next run."""

    def judged(text: str, backend: str) -> Judgement:
        return Judgement("fail", "", (a_find().divergence,))

    def followed(plan: Plan, seconds: float, recognition: Recognition, number: int, *rest: object) -> Find:
        return dataclasses.replace(a_find(), number=number, backend=plan.backend)

    monkeypatch.setattr("suites.fuzz.campaigns.campaign.judge", judged)
    monkeypatch.setattr("suites.fuzz.campaigns.campaign._find", followed)
    plan, log = Plan("cut", "eager", finds_last=5.0, known=()), Log(tmp_path / "log.jsonl")
    monkeypatch.setattr("suites.fuzz.campaigns.campaign._in_turn", lambda waiting, known: [])
    run(plan, log, Budget(programs=3))
    log.write({"kind": "reducing", "number": 1, "backend": "eager", "hash": "x", "fingerprint": "y"})
    assert [record["kind"] for record in log.records[1:]] == ["program"] * 3 + ["reducing"]
    monkeypatch.undo()
    monkeypatch.setattr("suites.fuzz.campaigns.campaign.judge", judged)
    monkeypatch.setattr("suites.fuzz.campaigns.campaign._find", followed)
    log = Log(log.path)
    run(plan, log, Budget(programs=0))
    assert sorted(find.number for find in log.finds()) == [0, 1, 2]
    summary = Summary.of(log.records)
    assert (summary.programs, summary.reducing) == (3, {})


def test_script_stands_alone(tmp_path: Path) -> None:
    judgement = judge(DIVERGES, MUTANT)
    assert judgement.first is not None
    text = script(DIVERGES, judgement.first)
    assert "import suites" not in text
    assert exits_one(text)
    backend = "importlib.import_module('suites.selfcheck.mutants.mutation').drops_the_copy_back"
    assert not exits_one(text.replace(backend, "'aot_eager'"))
    assert exits_one(script(f"{DIVERGES}CONFIG = {{'inductor.debug': False}}\n", judgement.first))
    told = issue(DIVERGES, judgement.first, "2.13.0")
    assert "### Versions" in told
    assert text in told


@pytest.mark.parametrize(
    ("layer", "backend", "options"),
    [
        ("openvino", "'openvino'", ""),
        ('openvino?{"a":1}', "'openvino'", ", options={'a': 1}"),
        ('mine:compile?{"a":1}', "importlib.import_module('mine').compile", ", options={'a': 1}"),
        ('mine:made()?{"a":1}', "importlib.import_module('mine').made(**{'a': 1})", ""),
        ("inductor_cpp_wrapper", "'inductor'", ", options={'cpp_wrapper': True}"),
        ('inductor?{"cpp_wrapper":true}', "'inductor'", ", options={'cpp_wrapper': True}"),
    ],
)
def test_script_compiles_as_the_name_of_the_backend_says(layer: str, backend: str, options: str) -> None:
    text = script(DIVERGES, Divergence("value", "value differs", "call 1: out", "1", "2", layer=layer))
    compile(text, "script.py", "exec")
    assert f"torch.compile(function, backend=backend, dynamic=None{options})\n" in text
    assert f"run(None), run({backend})\n" in text


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
    find = a_find()
    entry = Known("small", "t", "aot_eager:mutation:*", ("*_",), "p.py", "none known")
    assert which(find, (entry,)) is entry
    assert which(find, (Known("other", "t", "inductor:*", (), "p.py", ""),)) is None
    assert which(find, (Known("other", "t", "*", ("add_",), "p.py", ""),)) is None


def test_what_was_found_before_is_recognised() -> None:
    seen = Recognition([a_find(operators=("mul_", "view"))], ())
    fingerprint = a_find().fingerprint
    assert seen.of(fingerprint, ("mul_", "view")) == a_find(operators=("mul_", "view")).bucket
    assert not seen.of(fingerprint, ("mul_",))
    assert not seen.of("inductor:value:value differs", ("mul_", "view"))


def test_known_find_is_recognised_in_a_program_as_small_as_its_own() -> None:
    entry = next(entry for entry in known.load() if entry.id == "unfolded-windows")
    seen = Recognition((), (entry,))
    names = known.operators_of(entry)
    assert seen.of(entry.fingerprint, names) == entry.id
    assert not seen.of(entry.fingerprint, (*names, "sin"))
    assert seen.in_the_end(entry.fingerprint, (*names, "sin")) == entry.id


def test_worn_fingerprint_is_sampled_until_it_brings_something_new() -> None:
    recognised = a_find(standing=RECOGNISED)
    seen = Recognition([a_find(), *[recognised] * (WORN - 1)], ())
    raw = ("mul_", "sin", "view")
    assert not seen.taken_for(recognised.fingerprint, raw)
    seen.learn(recognised)
    taken = [seen.taken_for(recognised.fingerprint, raw) for _ in range(4 * SAMPLE)]
    assert taken.count("") == 4
    assert set(taken) == {"", recognised.bucket}
    assert not seen.taken_for(recognised.fingerprint, ("add_",)), "it has not the operators of what was met"
    seen.learn(a_find(operators=("add_",)))
    assert not seen.taken_for(recognised.fingerprint, raw), "there was something new"


def test_finds_that_are_not_confirmed_are_kept_and_named() -> None:
    finds = [a_find(1, ("a",)), a_find(2, ("b",), BY_CHECK), a_find(3, ("c",), UNCONFIRMED), a_find(4, ("d",), ONCE)]
    assert [find.counts for find in finds] == [True, True, False, False]
    summary = Summary.of(json.loads(json.dumps(find.to_json())) for find in finds)
    assert [find for found in summary.finds.values() for find in found] == finds


def test_what_diverges_among_others_alone_is_a_find_seen_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A divergence that is gone in a fork of its own does not count; it is kept, with what was drawn."""
    wrong = Judgement("fail", "", (a_find().divergence,))
    monkeypatch.setattr("suites.fuzz.campaigns.campaign.judge", lambda text, backend: wrong)
    log = Log(tmp_path / "log.jsonl")
    run(Plan("once", "eager"), log, Budget(programs=1))
    (find,) = log.finds()
    assert find.standing == ONCE
    assert find.text == find.original


def test_audit_tells_what_only_shows_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One program in so many is judged again alone; that counts, and the summary names those that came to another."""
    monkeypatch.setattr("suites.fuzz.campaigns.campaign.AUDIT_ONE_IN", 2)
    monkeypatch.setattr("suites.fuzz.campaigns.campaign.judge", lambda text, backend: Judgement("pass"))
    monkeypatch.setattr(
        "suites.fuzz.campaigns.campaign.judge_apart", lambda texts, backend, seconds: [Judgement("vacuous")]
    )
    log = Log(tmp_path / "log.jsonl")
    run(Plan("audited", "eager"), log, Budget(programs=4))
    summary = Summary.of(log.records)
    assert summary.audited >= 1
    assert len(summary.disagreed) == summary.audited
    assert all(number % 2 == 0 for number in summary.disagreed)


def test_program_is_judged_alike_here_and_apart() -> None:
    first = judge(DIVERGES, MUTANT).first
    assert first is not None
    alike = Alike(first, 60.0)
    assert alike(DIVERGES)
    assert alike.here(DIVERGES)
    fine = DIVERGES.replace("a.mul_(2)", "a.mul(2)")
    assert not alike(fine)
    assert not alike.here(fine)
    assert diverges_in_a_new_process(DIVERGES, first)
    assert not diverges_in_a_new_process(fine, first)


def test_program_that_is_made_small_is_told_until_it_is() -> None:
    about = {"number": 3, "hash": "x", "backend": "aot_eager", "fingerprint": "eager:value:value differs"}
    kind = KINDS["programs"]
    summary, pace = Summary.of([{"kind": "reducing", **about}]), fuzz_view.Pace(0)
    assert fuzz_view.line(summary, kind, pace, ()).plain.endswith("  making small: eager:value:value differs")
    summary.add([{"kind": "program", **about, "outcome": "fail", "families": [], "features": [], "seconds": 1.0}])
    assert "making small" not in fuzz_view.line(summary, kind, pace, ()).plain


def test_methods_of_a_local_class_are_known_however_they_are_called() -> None:
    called = [
        a_find(operators=names, layer="eager", kind="contents differ")
        for names in (("Noting", "touch"), ("Noting", "mult", "with"))
    ]
    assert [getattr(which(find, known.load()), "id", None) for find in called] == ["container-of-a-local-class"] * 2


def test_log_is_one_object_a_line(tmp_path: Path) -> None:
    log = Log(tmp_path / "deep" / "log.jsonl")
    log.write({"kind": "program", "text": "one\ntwo"})
    lines = [json.loads(line) for line in log.path.read_text().splitlines()]
    assert lines == log.records
    assert [line["kind"] for line in lines] == ["campaign", "program"]


def test_known_finds_name_their_programs() -> None:
    entries = known.load()
    assert entries
    assert {entry.program for entry in entries} == {path.name for path in known.PROGRAMS.glob("*.py")}


def test_first_divergence_is_of_the_first_call_that_differs() -> None:
    loud = Divergence("error", "raised", "call 1: the call", "no error", "RuntimeError", False, "aot_eager")
    silent = Divergence("mutation", "mutation lost", "call 1: arg[0]", "3.0", "6.0", True, "aot_eager")
    later = dataclasses.replace(silent, where="call 2: arg[0]")
    assert Judgement("fail", divergences=(loud, later)).first == loud
    assert Judgement("fail", divergences=(loud, silent, later)).first == silent
    assert Judgement("fail", divergences=(later,)).first == later
    assert Judgement("pass").first is None
