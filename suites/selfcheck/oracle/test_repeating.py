"""``--repeat``: what failed is run again; what fails by chance is a flake, and never a pass."""

from __future__ import annotations

import dataclasses

import pytest

from suites.harness.results.outcomes import Outcome
from suites.harness.session import repeating
from suites.selfcheck.mutants import PACKAGE
from suites.selfcheck.oracle.test_plugin import Ran, run_tiny
from suites.selfcheck.tools.synthetic import cell

WRONG = f"{PACKAGE}.values:one_element_off"

TINY = """
import os, pathlib, torch
from suites.harness import clause, tensor

def number_of_this_run(name):
    with open(name, "a") as file:
        file.write(f"{os.getpid()} ")
    return len(pathlib.Path(name).read_text().split())

@clause("T1.1")
def test_that_holds(check):
    '''It holds.'''
    number_of_this_run("holds")
    check(lambda a: a + 1, tensor(3)).unchanged(0)

@clause("T1.1", on=("aot_eager",))
def test_by_chance(check):
    '''It fails in the first run and in the third.'''
    result = check(lambda a: a + 1, tensor(3))
    if number_of_this_run("chance") % 2:
        result.mutated(0)
    result.unchanged(0)

@clause("T1.1", on=("aot_eager",))
def test_that_dies_once(check):
    '''Its process dies in the first two runs: the second is the one that looks for the layer.'''
    if number_of_this_run("dies") <= 2:
        os.abort()
    check(lambda a: a + 1, tensor(3)).unchanged(0)
"""


@dataclasses.dataclass(frozen=True)
class Repeated:
    """A run of the tiny suite, and the processes that each of its clauses ran in, in order."""

    ran: Ran
    processes: dict[str, list[str]]


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Repeated:
    folder = tmp_path_factory.mktemp("repeat")
    ran = run_tiny(folder, TINY, ("aot_eager", WRONG), "-n", "1", "--repeat", "3")
    return Repeated(ran, {name: (folder / name).read_text().split() for name in ("holds", "chance", "dies")})


def test_flake_is_told_with_its_rate_and_fails(repeated: Repeated) -> None:
    found = repeated.ran.cells("aot_eager")["by_chance[no_grad-static-plain]"]
    assert (found.outcome, found.repeats) == ("flake", ["pass", "vacuous", "pass"]), repeated.ran.text
    assert found.detail.startswith("failed in 2 of 4 runs, the first of them: vacuous: ")
    assert repeated.ran.status == 1
    assert "FLAKE: failed in 2 of 4 runs" in repeated.ran.text


def test_each_further_run_has_a_process_of_its_own(repeated: Repeated) -> None:
    assert len(set(repeated.processes["chance"])) == len(repeated.processes["chance"]) == 4


def test_crash_that_does_not_come_again_is_a_flake(repeated: Repeated) -> None:
    found = repeated.ran.cells("aot_eager")["that_dies_once[no_grad-static-plain]"]
    assert (found.outcome, found.repeats) == ("flake", ["pass", "pass", "pass"]), repeated.ran.text
    assert [item.kind for item in found.divergences] == ["SIGABRT"]


def test_what_always_fails_stays_what_it_is(repeated: Repeated) -> None:
    found = repeated.ran.cells(WRONG)["that_holds[no_grad-static-plain]"]
    assert (found.outcome, found.repeats) == ("fail", ["fail", "fail", "fail"])


def test_what_passes_runs_once(repeated: Repeated) -> None:
    found = repeated.ran.cells("aot_eager")["that_holds[no_grad-static-plain]"]
    assert (found.outcome, found.repeats) == ("pass", [])
    assert len(repeated.processes["holds"]) == 1 + 4


def test_flake_counts_against() -> None:
    flake = repeating.told(cell("fail", detail="value differs"), [Outcome.PASS, Outcome.SILENT])
    assert flake.outcome is Outcome.FLAKE
    assert flake.outcome.against
    assert flake.detail == "failed in 2 of 3 runs, the first of them: diverges: value differs"
    assert repeating.told(cell("fail"), []).outcome is Outcome.FAIL
