"""Runs of a part: grad modes that are asked for or claimed, clauses by their ids; and what is said of the rest."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest

from suites.harness.clauses.scope import Scope
from suites.harness.planning.outline import near_pattern
from suites.harness.programs.specs import modes
from suites.harness.results.known_bugs import Registry
from suites.harness.results.verdict import Expectations, verdict
from suites.harness.session.narrowing import Narrowing
from suites.selfcheck.oracle.test_plugin import Ran, run_tiny
from suites.selfcheck.tools.synthetic import cell, ledger
from tools import arguments

SUITE = """
from suites.harness import clause, tensor

@clause(modes=("train", "no_grad", "inference"))
def test_first(check):
    '''In every mode.'''
    check(lambda a: a + 1, tensor(3)).unchanged(0)

@clause(modes=("train",))
def test_trains(check):
    '''In training alone.'''
    check(lambda a: a + 1, tensor(3)).unchanged(0)

@clause()
def test_other(check):
    '''Without gradients.'''
    check(lambda a: a + 1, tensor(3)).unchanged(0)
"""

BACKENDS = """
def inference_only(module, example_inputs):
    return module.forward
inference_only.parity_bitwise = True
inference_only.parity_modes = ("no_grad", "inference")
def hands_back(module, example_inputs):
    return module.forward
"""


def run(folder: Path, backends: tuple[str, ...], *options: str) -> Ran:
    (folder / "narrow.py").write_text(BACKENDS)
    return run_tiny(folder, SUITE, backends, "-n", "0", *options)


@pytest.fixture(scope="module")
def claimed(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return run(tmp_path_factory.mktemp("claimed"), ("eager", "narrow:inference_only", "narrow:hands_back"))


def left_out(ran: Ran) -> list[str]:
    assert ran.ledger is not None, ran.text
    lines: list[str] = ran.ledger.header["configuration"]["left_out"]
    return lines


def test_backend_is_judged_in_the_modes_that_it_claims(claimed: Ran) -> None:
    assert set(claimed.cells("narrow:inference_only")) == {
        "first[no_grad-static-plain]",
        "first[inference-static-plain]",
        "other[no_grad-static-plain]",
    }
    assert len(claimed.cells("eager")) == 5
    (line,) = left_out(claimed)
    assert line == (
        "cells of narrow:inference_only in modes other than no_grad, inference: 2, "
        "as narrow:inference_only claims no other"
    )
    assert f" left out: {line}\n" in claimed.text


def test_torchs_structured_log_is_in_no_failure(claimed: Ran) -> None:
    assert "FAILURES" in claimed.text
    assert "torch/_dynamo/utils.py" not in claimed.text


def test_command_that_shows_a_cell_again_is_printed_whole(claimed: Ran) -> None:
    ours = claimed.text.partition("= parity =")[2].partition("= short test summary info =")[0]
    (told,) = re.findall(r"^  again: (.*)$", ours, re.MULTILINE)
    assert told in {cell.reproduce for cell in claimed.cells("narrow:hands_back").values()}


def test_fallback_is_an_outcome_of_its_own_and_fails_the_run(claimed: Ran) -> None:
    assert claimed.status == 1
    cells = claimed.cells("narrow:hands_back").values()
    assert {(cell.outcome, cell.executed) for cell in cells} == {("fallback", False)}
    assert {(cell.outcome, cell.executed) for cell in claimed.cells("eager").values()} == {("pass", None)}
    assert "executed by the backend: 0 of 5 cells in which narrow:hands_back is equal to eager" in claimed.text


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("mutation/copyback/*", "mutation/copy_back/*"),
        ("mutatoin/copy_back/*sparse*", "mutation/copy_back/*sparse*"),
        ("mutatoin/*", "mutation/*"),
        ("mutation/copy_back/strides_of_teh_caller", "mutation/copy_back/strides_of_the_caller"),
        ("*/nothing/*", ""),
        ("aliasing/*itself*", ""),
        ("mutation/copy_back/*itself*", ""),
    ],
)
def test_pattern_is_answered_with_what_it_may_have_meant(pattern: str, meant: str) -> None:
    ids = [
        "aliasing/copies/of_views",
        "mutation/copy_back/strides_of_the_caller",
        "mutation/input_data/many_in_place_ops_are_one_copy_back",
    ]
    assert near_pattern(pattern, ids) == meant


def test_pattern_that_names_no_clause_ends_the_run_with_a_line(tmp_path: Path) -> None:
    ran = run(tmp_path, ("eager",), "--clause", "tiny/group/frist")
    assert ran.status == pytest.ExitCode.USAGE_ERROR
    assert "--clause 'tiny/group/frist': no clause has such an id; did you mean 'tiny/group/first'?" in ran.text


def test_pattern_that_names_no_clause_is_named_and_the_others_are_not() -> None:
    ids = ["aliasing/copies/of_views", "mutation/copy_back/strides_of_the_caller"]
    several = Narrowing(None, ["aliasing/*itself*", "mutation/*", "aliasing/copeis/*"])
    assert several._of_none(ids) == (
        "--clause 'aliasing/*itself*', 'aliasing/copeis/*': no clause has such an id; "
        "did you mean 'aliasing/copies/*'? (the other patterns name 1 clause)"
    )
    assert Narrowing(None, ["mutation/*"])._of_none(ids) == ""


@pytest.mark.parametrize(("number", "told"), [(4, "and 1 pattern more"), (5, "and 2 patterns more")])
def test_patterns_that_are_not_named_are_counted(number: int, told: str) -> None:
    narrowing = Narrowing(None, [f"a/{each}" for each in range(number)])
    assert not narrowing.left_out([])
    narrowing._other_clauses = 1
    assert told in narrowing.left_out([])[0]


def test_clauses_are_chosen_by_their_ids_and_the_rest_is_told(tmp_path: Path) -> None:
    options = ("--modes", "inference,no_grad", "--profile", "smoke", "--clause", "*/first", "--clause", "tiny/*/tr?ins")
    ran = run(tmp_path, ("eager",), *options)
    assert set(ran.cells("eager")) == {"first[no_grad-static-plain]"}
    assert left_out(ran) == [
        "cells of eager in modes other than no_grad, inference: 1, by --modes",
        "cells of clauses other than '*/first', 'tiny/*/tr?ins': 1, by --clause",
    ]
    assert ran.ledger is not None
    assert not ran.ledger.header["configuration"]["whole"]
    (cell,) = ran.cells("eager").values()
    assert "--modes no_grad,inference" in cell.reproduce


def test_mode_that_is_none_is_one_line() -> None:
    with pytest.raises(ValueError, match="'eval' is none of train, no_grad, inference"):
        modes("no_grad,eval")
    with pytest.raises(ValueError, match="no mode is named"):
        modes(" ,")
    assert modes("inference, train") == ("train", "inference")


@pytest.mark.parametrize("profile", ["smoke", "default", "full"])
def test_variants_of_other_modes_are_none(profile: str) -> None:
    scope = Scope(modes=("train", "no_grad"), shapes=("static", "dynamic"))
    kept = scope.variants(profile, ("no_grad",))
    assert kept
    assert {variant.mode for variant in kept} == {"no_grad"}
    assert not scope.variants(profile, ("inference",))


def test_families_are_those_that_patterns_begin_with() -> None:
    assert arguments.families((), ("mutation/*", "aliasing/a/b", "mutation/c*")) == ("mutation", "aliasing")
    assert arguments.families((), ("mutation/*", "*/b")) == ()
    assert arguments.families(("layout",), ("*/b",)) == ("layout",)


OF_A_FAMILY = {"every_family": False, "families": ["mutation"], "profile": "smoke"}


@pytest.mark.parametrize(
    ("configuration", "line"),
    [
        ({}, ": 1 cell on inductor"),
        ({"whole": True, "profile": "default"}, ": 1 cell on inductor"),
        (
            {"profile": "quick", "quick": {"cells": 1, "of": 2657}},
            " in 1 of the default profile's 2657 cells on inductor",
        ),
        ({"left_out": ["a: 3"], "left_out_cells": 3}, " in 1 of the default profile's 4 cells on inductor"),
        ({"left_out": ["a: 3"]}, " in 1 cell, a part of the default profile, on inductor"),
        ({"whole": True, "profile": "smoke"}, " in the smoke profile's 1 cell on inductor"),
        (OF_A_FAMILY, " in the smoke profile's 1 cell of mutation on inductor"),
        ({**OF_A_FAMILY, "left_out_cells": 5}, " in 1 of the smoke profile's 6 cells of mutation on inductor"),
        (
            {**OF_A_FAMILY, "families": ["a", "b", "c", "d", "mutation"]},
            " in the smoke profile's 1 cell of a, b, c and 2 more families on inductor",
        ),
        (
            {"shard": {"number": 3, "of": 8, "cells": 9}},
            " in 1 of the default profile's 9 cells (shard 3/8) on inductor",
        ),
        ({"named": True}, " in 1 cell of tests that were named, on inductor"),
    ],
)
def test_verdict_on_a_part_says_of_what(configuration: dict[str, object], line: str) -> None:
    book = ledger(cell(), configuration={"profile": "default", **configuration}, backends={"inductor": ""})
    asked = Expectations()
    assert verdict(book, Registry(), asked, datetime.date(2026, 1, 1)).line == f"CONFORMANT{line}"


def test_header_says_of_what_a_run_is_a_part(claimed: Ran, tmp_path: Path) -> None:
    def part(ran: Ran) -> dict[str, object]:
        assert ran.ledger is not None, ran.text
        asked = ran.ledger.header["configuration"]
        return {key: asked[key] for key in ("left_out_cells", "named", "every_family")}

    assert part(claimed) == {"left_out_cells": 2, "named": False, "every_family": False}
    some = run(tmp_path, ("eager",), "--clause", "*/first", "--modes", "train", "-k", "first or other")
    assert part(some) == {"left_out_cells": 3, "named": True, "every_family": False}
