"""Growing: a program begins as another one did, what is new is kept, and a log is enough to go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from suites.fuzz.campaigns.campaign import Budget, Plan, Task, run
from suites.fuzz.campaigns.growing import Nursery, Origin, Trace, origin_of, traced
from suites.fuzz.campaigns.log import Log, Summary, read
from suites.fuzz.programs.choices import Seeded
from suites.harness.execution.isolation import Finished, run_forked


def _decisions(choices: Seeded, count: int) -> list[int]:
    return [choices.integer(0, 1 << 30) for _ in range(count)]


def test_grown_program_begins_as_its_parent_and_goes_on_by_itself() -> None:
    parent = Origin("c/1")
    child = parent.grown(5, "c/2")
    grandchild = child.grown(8, "c/3")
    first, second, third = (_decisions(origin.choices(), 12) for origin in (parent, child, grandchild))
    assert second[:5] == first[:5]
    assert second[5:] == _decisions(Seeded("c/2"), 7)
    assert third[:8] == second[:8]
    assert third[8:] == _decisions(Seeded("c/3"), 4)
    assert grandchild.before == (("c/1", 5), ("c/2", 3))
    assert child.grown(3, "c/4").before == (("c/1", 3),)


def test_decisions_are_counted() -> None:
    choices = Seeded("c/1", [("c/0", 2)])
    choices.integer(0, 3)
    choices.chance(50)
    choices.one_of("abc")
    assert choices.made == 3


def test_only_what_reaches_something_new_is_kept() -> None:
    nursery = Nursery("c", 100)
    assert nursery.origin(0) == Origin("c/0")  # There is nothing to grow from yet.
    assert nursery.learn(Origin("c/0"), Trace(9, frozenset({("a.py", 1, 2)})))["reached"] == [["a.py", 1, 2]]
    assert nursery.learn(Origin("c/1"), Trace(9, frozenset({("a.py", 1, 2)})))["reached"] == []
    origins = [nursery.origin(number) for number in range(2, 12)]
    assert {origin.before[0][0] for origin in origins} == {"c/0"}
    assert all(2 <= origin.before[0][1] < 9 for origin in origins)
    assert Nursery("c", 0, ()).origin(5) == Origin("c/5")


def test_log_is_enough_to_go_on(tmp_path: Path) -> None:
    pytest.importorskip("coverage", reason="the extra dev brings it")
    plan = Plan("grown", "eager", grow=100)
    whole, parts = Log(tmp_path / "whole.jsonl"), tmp_path / "parts.jsonl"
    run(plan, whole, Budget(programs=6))
    run(plan, Log(parts), Budget(programs=3))
    run(plan, Log(parts), Budget(programs=3))
    records = [record for record in read(parts) if record["kind"] == "program"]
    told = [(record["number"], record["hash"], record.get("before")) for record in records]
    assert told == [(one["number"], one["hash"], one.get("before")) for one in whole.records if "number" in one]
    grown = next(record for record in records if record.get("before"))
    again = plan.drawn(Task(grown["number"], origin_of(grown)))
    assert again[1] == grown["decisions"]
    assert Log(parts).done() == set(range(6))
    summary = Summary.of(records)
    assert summary.kept == sum(bool(record["reached"]) for record in records) > 1
    assert summary.grown >= 1
    assert len(summary.reached) == sum(len(record["reached"]) for record in records)


def test_branches_of_torch_alone_are_seen() -> None:
    pytest.importorskip("coverage", reason="the extra dev brings it")

    def seen() -> tuple[bool, bool]:
        import torch
        from torch._functorch.utils import unwrap_dead_wrappers

        idle: set[tuple[str, int, int]] = set()
        with traced("programs", idle):
            torch.ones(3).sum()
        busy: set[tuple[str, int, int]] = set()
        with traced("programs", busy):
            unwrap_dead_wrappers((torch.ones(3),))
        return not idle, {path for path, _, _ in busy} == {"_functorch/utils.py"}

    outcome = run_forked(seen, 60.0)
    assert isinstance(outcome, Finished), outcome
    assert outcome.value == (True, True)
