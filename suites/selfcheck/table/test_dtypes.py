"""In which dtypes an operator is called by default: those in which it reaches something that it does not otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from suites.operators.table import choices, dtypes
from suites.operators.table.choices import Choice
from suites.operators.table.test_together import OTHER_PARTS, OTHERS, _part


def test_dtypes_that_reach_nothing_of_their_own_are_left_out() -> None:
    own = frozenset("ab")
    assert dtypes.adding(own, {"bfloat16": frozenset("abc"), "int64": frozenset("ac"), "bool": frozenset("d")}) == [
        "bfloat16",
        "bool",
    ]
    assert dtypes.adding(own, {"bfloat16": frozenset("a")}) == []
    assert dtypes.adding(own, {}) == []


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found = {"neg": ("int64",), "abs": ()}
    dtypes.write(found, "2.13.0", tmp_path / "dtypes.json")
    assert dtypes.reaching(tmp_path / "dtypes.json") == found


def test_operators_of_which_nothing_was_measured_reach_something_in_each() -> None:
    assert all(dtypes.reaches(Choice("new", "float32", ("[]",)), dtype) for dtype in dtypes.DTYPES)


def test_measured_are_the_operators_that_only_the_full_profile_runs_by_themselves() -> None:
    assert set(dtypes.reaching()) == {choice.name for choice in choices.of_profile("full")}


@pytest.mark.parametrize("dtype", dtypes.DTYPES)
def test_dtypes_are_those_that_an_operator_takes(dtype: str) -> None:
    held = {each.name for part in range(OTHER_PARTS) for each in _part(OTHERS, part, OTHER_PARTS, dtype)}
    assert {name for name, found in dtypes.reaching().items() if dtype in found} <= held
