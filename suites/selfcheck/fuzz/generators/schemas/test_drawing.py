"""Programs of drawn operators: the same from one seed, run by eager, with every feature; and made small."""

from __future__ import annotations

import ast
from collections import Counter

import hypothesis
import pytest
import torch
from hypothesis import strategies as st

from suites.fuzz.campaigns.describing import words
from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.programs.drawing import Drawn
from suites.fuzz.generators.programs.scope import Rejected
from suites.fuzz.generators.schemas.drawing import FAMILIES, FEATURES, draw_program
from suites.fuzz.generators.schemas.schema_check import follows_its_schemas
from suites.fuzz.judging import judge
from suites.fuzz.reduction.schema_edits import PASSES, operators_in
from suites.fuzz.reduction.search import one_by_one, reduce, statements
from suites.fuzz.test_schemas import PROGRAMS
from suites.selfcheck.fuzz.generators.hypothesis_choices import FromHypothesis

MANY = 600


@pytest.fixture(scope="module")
def many() -> list[Drawn]:
    return [draw_program(Seeded(f"drawing/{number}"), f"{number}21") for number in range(MANY)]


def test_one_seed_is_one_program() -> None:
    assert draw_program(Seeded("again/7"), "1") == draw_program(Seeded("again/7"), "1")
    assert draw_program(Seeded("again/7"), "1") != draw_program(Seeded("again/8"), "1")


def test_every_feature_is_in_one_program_of_a_hundred(many: list[Drawn]) -> None:
    wanted = [name for name in FEATURES if not name.startswith("tag ") or hasattr(torch.Tag, name[4:])]
    counted = Counter(name for program in many for name in program.features)
    assert not {name: counted[name] for name in wanted if counted[name] < MANY // 100}
    families = {family for program in many for family in program.families}
    assert families >= set(FAMILIES) | {"call", "call under vmap", "refused call"}


def test_programs_of_the_suite_have_nearly_every_feature() -> None:
    drawn = [draw_program(Seeded(f"suite/{number}"), f"{number}33") for number in PROGRAMS]
    missing = set(FEATURES) - {name for program in drawn for name in program.features}
    assert len(missing) <= len(FEATURES) // 10, missing


def test_fewer_than_one_in_twenty_is_rejected(many: list[Drawn]) -> None:
    outcomes = Counter(judge(program.text, "eager").outcome for program in many[:40])
    assert outcomes["skip"] + outcomes["error"] < 2, outcomes


def test_programs_are_plain_python(many: list[Drawn]) -> None:
    assert len({program.text for program in many}) > 0.95 * MANY
    for program in many:
        assert ast.parse(program.text)
        assert "suites" not in program.text


@hypothesis.settings(max_examples=15, deadline=None, derandomize=True, database=None)
@hypothesis.given(st.data())
def test_hypothesis_draws_them_too(data: st.DataObject) -> None:
    try:
        drawn = draw_program(FromHypothesis(data.draw))
    except Rejected:
        hypothesis.reject()
    assert "def program" in drawn.text


@pytest.mark.parametrize("word", ["writes Tensor", "writes Tensor[]", "writes Tensor?"])
def test_operators_become_small(many: list[Drawn], word: str) -> None:
    """One operator, one call, the one argument that is asked for, and a kernel of a line."""

    def still(text: str) -> bool:
        tree = ast.parse(text)
        return word in words(tree) and follows_its_schemas(text)

    for program in many:
        if len(operators_in(ast.parse(program.text))) > 1 and still(program.text):
            break
    small = reduce(program.text, one_by_one(still), 60, PASSES)
    tree = ast.parse(small.text)
    assert len(operators_in(tree)) == 1
    assert statements(small.text) <= 2
    assert len(small.text) < len(program.text) / 2
