"""Random programs: the same from one seed, valid by construction, and made of every family."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from suites.fuzz.judging import judge
from suites.fuzz.programs.choices import Drawn, Seeded
from suites.fuzz.programs.drawing import FAMILIES, draw_program
from suites.fuzz.programs.drawing import Drawn as Program
from suites.fuzz.programs.scope import Unfit

MANY = 300


def _drawn(seed: str) -> Program:
    """The program of a seed; the next one where nothing fits."""
    try:
        return draw_program(Seeded(seed))
    except Unfit:
        return _drawn(f"{seed}+")


@pytest.fixture(scope="module")
def many() -> list[str]:
    return [_drawn(f"tests/{number}").text for number in range(MANY)]


def test_one_seed_is_one_program() -> None:
    assert draw_program(Seeded("again/7")) == draw_program(Seeded("again/7"))
    assert draw_program(Seeded("again/7")) != draw_program(Seeded("again/8"))


def test_programs_are_short_plain_python(many: list[str]) -> None:
    assert len(set(many)) > 0.9 * MANY
    for text in many:
        assert ast.parse(text)
        assert max(map(len, text.splitlines())) < 160


def test_every_family_is_drawn() -> None:
    drawn = Counter[str]()
    for number in range(MANY):
        drawn.update(_drawn(f"families/{number}").families)
    assert set(drawn) == set(FAMILIES)


def test_fewer_than_one_in_twenty_is_rejected(many: list[str]) -> None:
    outcomes = Counter(judge(text, "eager").outcome for text in many[:60])
    assert outcomes["skip"] + outcomes["error"] < 3, outcomes


def test_weights_choose_families() -> None:
    only = dict.fromkeys(FAMILIES, 0) | {"pointwise": 1}
    for number in range(20):
        try:
            assert set(draw_program(Seeded(f"only/{number}"), only).families) == {"pointwise"}
        except Unfit:
            continue  # Integers alone: there is nothing to compute with.


@hypothesis.settings(max_examples=15, deadline=None, derandomize=True, database=None)
@hypothesis.given(st.data())
def test_hypothesis_draws_them_too(data: st.DataObject) -> None:
    try:
        drawn = draw_program(Drawn(data.draw))
    except Unfit:
        hypothesis.reject()
    assert "def program" in drawn.text


def test_program_is_a_file_for_parity_check(many: list[str], tmp_path: Path) -> None:
    judgements = [judge(text, "eager") for text in many[:10]]
    assert all(judgement.outcome in ("pass", "inherited", "fail", "vacuous", "skip") for judgement in judgements)
