"""The quick profile: how its cells are chosen, that the file is about clauses that there are, and what a run does."""

from __future__ import annotations

import gzip
import json
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from suites.harness import clause
from suites.harness.backends.names import DEFAULT
from suites.harness.planning import choice, durations
from suites.harness.planning.choice import Choice
from suites.harness.session.arranging import Arranged, Arranger
from suites.harness.session.scheduling import FirstOneAtATime
from suites.selfcheck import kill_matrix, quick
from suites.selfcheck.clauses import every_clause
from suites.selfcheck.mutants import HONEST, MUTANTS
from suites.selfcheck.oracle.test_plugin import Ran, run_tiny
from suites.selfcheck.quick import Candidate

CHOICE = choice.read()
CLAUSES = {clause.id: clause for clause in every_clause()}
ANEW = "type: python -m suites.selfcheck.quick --budget {budget_seconds:g}".format(**CHOICE.provenance)


# The file -------------------------------------------------------------------------------------------------------------


def test_every_chosen_cell_is_one_of_the_default_profile() -> None:
    there = {(clause, f"{backend}-{variant}") for clause, backend, variant in quick.planned(CLAUSES.values())}
    gone = sorted({(clause, name) for clause, names in CHOICE.cells.items() for name in names} - there)
    assert not gone, ANEW


def test_file_is_what_the_tool_makes_of_its_inputs() -> None:
    """While the clauses, the matrix and the costs are those that it was made of; after that, as good as it says."""
    told = CHOICE.provenance
    known = quick.failed_by(kill_matrix.read(), told["tried"])
    data, _ = quick.made_of(durations.read(), told["budget_seconds"], CLAUSES, known)
    if data["provenance"]["inputs"] == told["inputs"]:
        assert {clause: frozenset(names) for clause, names in data["cells"].items()} == CHOICE.cells
        assert data["provenance"] == {key: value for key, value in told.items() if key != "tried"}
    offered = quick.candidates(quick.planned(CLAUSES.values()), CLAUSES, known, durations.read())
    chosen = [each for each in offered if each.name in CHOICE.cells.get(each.clause, ())]
    now = quick.shares(chosen, offered, lambda mutant: True)
    assert now["caught"] >= 0.95 * now["of"], ANEW
    assert sum(each.seconds for each in chosen) <= 1.1 * told["budget_seconds"], ANEW


def test_most_faults_that_the_choice_did_not_know_are_found() -> None:
    """Six in seven of those of mechanisms; a backend that forgets one option of one operator is found by chance."""
    held_back = CHOICE.provenance["held_back"]
    assert held_back["of"] >= 50
    narrow = [mutant for mutant in filter(quick.is_held_back, MUTANTS) if mutant.startswith("options:")]
    missed = set(held_back["missed"]) - set(narrow)
    assert len(missed) <= (held_back["of"] - len(narrow)) / 7
    assert held_back["caught"] >= 0.8 * held_back["of"]


def test_every_family_and_default_backend_has_quick_cells() -> None:
    assert CHOICE.families == {clause.family for clause in CLAUSES.values() if clause.scope.is_on("cpu")}, ANEW
    names = {name.split("-", 1)[0] for names in CHOICE.cells.values() for name in names}
    assert names >= set(DEFAULT)


# The tool -------------------------------------------------------------------------------------------------------------


def candidate(clause: str, seconds: float, *mutants: str, also: Sequence[str] = ()) -> Candidate:
    """A cell on aot_eager."""
    catches = frozenset(("aot_eager", mutant) for mutant in mutants)
    lines = frozenset(("line", "aot_eager", line) for line in also)
    return Candidate(clause, "aot_eager-no_grad-static-plain", seconds, catches, lines)


def names(chosen: Sequence[Candidate]) -> list[str]:
    return [cell.clause for cell in chosen]


def test_what_adds_most_for_its_cost_is_taken_first_and_the_budget_is_kept() -> None:
    dear = candidate("dear", 10.0, "a", "b", "c")
    cheap = candidate("cheap", 1.0, "a", "b")
    other = candidate("other", 2.0, "c")
    again = candidate("again", 2.0, "a")
    everything = [dear, cheap, other, again]
    assert names(quick.choose(everything, 100.0, lambda mutant: True)) == ["cheap", "other", "again", "dear"]
    assert names(quick.choose(everything, 3.5, lambda mutant: True)) == ["cheap", "other"]
    assert names(quick.choose(everything[::-1], 3.5, lambda mutant: True)) == ["cheap", "other"]


def test_cell_that_adds_nothing_is_left_out_and_a_new_line_of_the_map_is_something() -> None:
    nothing, line = candidate("nothing", 1.0), candidate("line", 1.0, also=("T1.1",))
    same_line = candidate("same line", 2.0, also=("T1.1",))
    assert names(quick.choose([nothing, line, same_line], 100.0, lambda mutant: True)) == ["line"]


def test_mutants_that_are_held_back_do_not_choose_until_the_rest_of_the_budget_is_spent() -> None:
    mutants = [f"values:mutant_{number}" for number in range(40)]
    held, shown = ([each for each in mutants if quick.is_held_back(each) is side] for side in (True, False))
    assert min(len(held), len(shown)) >= 10
    cells = [candidate(mutant, 1.0, mutant) for mutant in mutants]
    blind, chosen = quick.two_steps(cells, len(mutants))
    assert set(names(blind)) == set(shown)
    assert set(names(chosen)) == set(mutants)
    share = quick.shares(blind, cells, quick.is_held_back)
    assert (share["of"], share["caught"], share["missed"]) == (len(held), 0, sorted(held))


def test_mutant_of_a_graph_is_caught_on_the_backend_of_the_cell_and_in_the_variant_of_the_pair() -> None:
    clause = next(each for each in CLAUSES.values() if len(each.scope.modes) > 1 and each.scope.entry == "any")
    tried = str(clause.variant(""))
    other = str(clause.scope.variants("default")[1])
    pair = ["values:one_element_off", "alone:one_element_off"]
    assert quick.catches(clause, pair, "inductor", tried) == {("inductor", "values:one_element_off")}
    assert quick.catches(clause, pair, "aot_function", tried) == {("aot_function", "alone:one_element_off")}
    assert not quick.catches(clause, pair, "inductor", other)


def test_costs_of_another_run_bring_the_first_ones_to_its_measure() -> None:
    from suites.selfcheck.tools.synthetic import cell, ledger

    whole = ledger(*(cell(clause=f"a/g/{name}", seconds=4.0) for name in "xyz"))
    better = ledger(cell(clause="a/g/x", seconds=9.0, cpu_seconds=1.0))
    costs = quick.costs_of(whole, better)
    assert costs.of_clause == {"a/g/x": {"inductor": 1.0}, "a/g/y": {"inductor": 1.0}, "a/g/z": {"inductor": 1.0}}


def test_ledger_of_another_profile_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from suites.selfcheck.tools.synthetic import cell, ledger, write

    book = write(tmp_path / "smoke.jsonl", ledger(cell(), configuration={"profile": "smoke"}))
    assert quick.main([str(book), "--budget", "1"]) == 2
    assert capsys.readouterr().err == f"quick: {book} holds 1 cells of profile 'smoke'; expected the default one\n"


# A run ----------------------------------------------------------------------------------------------------------------

TINY = """
from suites.harness import clause, tensor

@clause("T1.1", modes=("no_grad", "train"))
def test_first(check):
    '''Of two variants one is quick.'''
    check(lambda a: a + 1, tensor(3)).unchanged(0)

@clause("T1.1")
def test_second(check):
    '''Not a quick one.'''
    check(lambda a: a + 1, tensor(3)).unchanged(0)

@clause("T1.1")
def test_third(check):
    '''A quick one.'''
    check(lambda a: a + 1, tensor(3)).unchanged(0)

def test_that_is_no_clause():
    pass
"""

STAND_IN = """
from suites.harness.planning import choice
choice.read = lambda: choice.Choice(
    {"tiny/group/first": {"aot_eager-train-static-plain", "inductor-no_grad-static-plain"},
     "tiny/group/third": {"aot_eager-no_grad-static-plain"},
     "tiny/group/renamed": {"aot_eager-no_grad-static-plain"}},
    frozenset({"aot_eager", "inductor"}),
    {"held_back": {"of": 10, "caught": 9}},
)
"""


def test_clause_that_has_cells_on_other_backends_alone_is_not_missing() -> None:
    names = {"a/g/one": {"aot_eager-x"}, "a/g/two": {"inductor-x"}, "b/g/three": {"inductor-x"}}
    chosen = Choice({name: frozenset(each) for name, each in names.items()}, frozenset({"aot_eager", "inductor"}))
    assert chosen.missing((), {"a"}, {"aot_eager"}) == ["a/g/one"]
    assert chosen.missing((), {"a", "b"}, {"inductor"}) == ["a/g/two", "b/g/three"]
    assert chosen.missing((), {"a"}, {"mine:backend"}) == [], "it has no cell of what is Inductor's alone"
    assert chosen.missing({"a/g/one"}, {"a"}, {"aot_eager"}) == []


@pytest.fixture
def ran(request: pytest.FixtureRequest, tmp_path: Path) -> Ran:
    """A run of the tiny suite with another choice."""
    (tmp_path / "stand_in.py").write_text(STAND_IN)
    return run_tiny(tmp_path, TINY, ("aot_eager", HONEST), "-p", "stand_in", "-n", "2", *request.param)


@pytest.mark.parametrize("ran", [["--profile", "quick"]], indirect=True)
def test_quick_runs_the_chosen_cells_and_says_what_it_leaves_out(ran: Ran) -> None:
    book = ran.ledger
    assert book is not None, ran.text
    assert set(book.cells) == {
        "tiny/group/first[aot_eager-train-static-plain]",
        "tiny/group/third[aot_eager-no_grad-static-plain]",
        f"tiny/group/first[{HONEST}-no_grad-static-plain]",
    }
    assert "3 passed" in ran.text
    first, second = choice.told(book.header)
    assert first == "quick: 3 of the default profile's 8 cells, 5 left out"
    assert second.startswith("quick: no clause tiny/group/renamed, which the profile names: renamed or gone; ")
    assert "--profile default" in book.cells["tiny/group/third[aot_eager-no_grad-static-plain]"].reproduce
    assert first in ran.text
    assert second in ran.text


def test_quick_says_what_it_finds_where_all_ran_that_the_choice_is_of() -> None:
    arranger = Arranger("quick", None, durations.read(), CHOICE)
    held_back = arranger.held_back(DEFAULT, narrowed=False)
    (line,) = choice.told({"configuration": {"quick": {"cells": 3, "of": 8, "held_back": held_back}}})
    assert line == (
        "quick: 3 of the default profile's 8 cells, 5 left out; "
        "of {of} planted faults that its choice did not know it finds {caught}".format(**held_back)
    )
    assert not arranger.held_back(DEFAULT, narrowed=True)
    assert not arranger.held_back(["inductor"], narrowed=False)
    assert not arranger.held_back([*DEFAULT, "openvino"], narrowed=False)


def test_clause_that_was_chosen_for_no_backend_of_a_run_is_not_missing_from_it() -> None:
    chosen = Choice({"a/b/c": frozenset({"aot_function-train-static-plain"})}, frozenset({"aot_function", "inductor"}))
    assert chosen.missing((), {"a"}, {"aot_function"}) == ["a/b/c"]
    assert chosen.missing((), {"a"}, {"inductor", "openvino"}) == []
    assert Choice({"a/b/c": frozenset({"inductor-x"})}, frozenset({"inductor"})).missing((), {"a"}, {"openvino"}) == []


@pytest.mark.parametrize("ran", [["--profile", "default"]], indirect=True)
def test_other_profiles_run_the_quick_cells_first(ran: Ran) -> None:
    book = ran.ledger
    assert book is not None, ran.text
    assert len(book.cells) == 8
    assert set(book.planned[:3]) == {
        "tiny/group/first[aot_eager-train-static-plain]",
        "tiny/group/third[aot_eager-no_grad-static-plain]",
        f"tiny/group/first[{HONEST}-no_grad-static-plain]",
    }
    assert "9 passed" in ran.text
    assert not list(choice.told(book.header))


class Node:
    """What a scheduler sees of a worker."""

    shutting_down = False
    gateway = types.SimpleNamespace(id="gw")

    def __init__(self) -> None:
        self.sent: list[int] = []

    def send_runtest_some(self, indices: Sequence[int]) -> None:
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


class Config:
    """What a scheduler asks the configuration for."""

    def getvalue(self, name: str) -> Any:
        return ["popen", "popen"]

    def getoption(self, name: str) -> Any:
        return None


@pytest.mark.parametrize("first", [0, 20])
def test_the_first_are_handed_out_one_at_a_time(first: int) -> None:
    scheduler = FirstOneAtATime(Config(), None, lambda: first)  # type: ignore[arg-type]
    nodes = [Node(), Node()]
    for node in nodes:
        scheduler.add_node(node)
        scheduler.add_node_collection(node, [f"item {number}" for number in range(200)])
    scheduler.schedule()
    at_once = [list(node.sent) for node in nodes]
    done: set[int] = set()
    while not scheduler.tests_finished:
        node = min(nodes, key=lambda each: len(done.intersection(each.sent)))
        item = next(each for each in node.sent if each not in done)
        done.add(item)
        scheduler.mark_test_complete(node, item, 0.01)
    assert sorted(nodes[0].sent + nodes[1].sent) == list(range(200))
    if first:
        assert at_once == [[0, 1], [2, 3]]
        counts = [sum(item < first for item in node.sent) for node in nodes]
        assert abs(counts[0] - counts[1]) <= 2
    else:
        assert at_once == [list(range(25)), list(range(25, 50))]


def test_backend_that_was_not_there_runs_what_was_chosen_for_the_stand_in() -> None:
    made = Choice({"a/g/c": frozenset({"inductor-train-static-plain"})}, frozenset({"inductor", "aot_eager"}))
    assert made.has("a/g/c", "mine:backend", "train-static-plain")
    assert made.has("a/g/c", "inductor", "train-static-plain")
    assert not made.has("a/g/c", "aot_eager", "train-static-plain")
    assert not made.has("a/g/c", "mine:backend", "no_grad-static-plain")


def test_file_that_is_written_is_read(tmp_path: Path) -> None:
    data = {
        "provenance": dict(CHOICE.provenance),
        "backends": sorted(CHOICE.backends),
        "cells": {clause: sorted(names) for clause, names in CHOICE.cells.items()},
    }
    quick.write(data, tmp_path / "quick.json")
    assert Choice.from_json(json.loads((tmp_path / "quick.json").read_text())) == CHOICE
    costs = durations.read()
    costs.write(tmp_path / "durations.json")
    assert durations.read(tmp_path / "durations.json") == costs
    packed = tmp_path / "durations.jsonl.gz"
    packed.write_bytes(gzip.compress((tmp_path / "durations.json").read_bytes()))
    assert durations.read(packed) == costs


def test_what_stops_the_device_is_last_there() -> None:
    """The order of a run on a GPU: an assertion that fails on it comes after all that could be lost with it."""

    class Item:
        def __init__(self, name: str, **scope: Any) -> None:
            self.name, self.mark = name, clause("errors.indices", **scope).mark

        def get_closest_marker(self, name: str) -> pytest.Mark:
            assert name == "clause"
            return self.mark

    items: list[Any] = [Item("test_first", asserts_on_device=True), Item("test_other"), Item("test_third")]
    cells: dict[Any, Any] = {
        item: types.SimpleNamespace(clause=item.name, backend="aot_eager", variant="plain") for item in items
    }
    for device, names in {"cuda": ["other", "third", "first"], "cpu": ["first", "other", "third"]}.items():
        arranged = Arranged([*items], [])
        Arranger("default", None, durations.read(), CHOICE, device=device)._order(arranged, cells)
        assert [item.name for item in arranged.items] == [f"test_{name}" for name in names], device
