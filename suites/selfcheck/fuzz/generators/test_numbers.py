"""Programs about numbers: what eager leaves to its kernels is not drawn, and what kernels treat apart is."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.numbers.drawing import Numbers, is_defined
from suites.fuzz.generators.numbers.templates import FEATURES
from suites.fuzz.generators.programs.drawing import Drawn
from suites.fuzz.generators.programs.scope import Rejected
from suites.fuzz.kinds import KINDS

INFINITIES = Numbers("torch.tensor([float('inf'), 1.0, -2.5])", "float32", "infinities")
EXTREMES = Numbers("torch.tensor([-128, 127, 3], dtype=torch.int8)", "int8", "extremes of integers")
LARGEST = Numbers("torch.tensor([3.4e38, -3.4e38, 1.0])", "float32", "large and small")
MINUS_ONES = Numbers("torch.tensor([-1, 2, -1], dtype=torch.int8)", "int8", "plain numbers")


def _drawn(count: int) -> list[Drawn]:
    drawn = []
    for number in range(count):
        try:
            drawn.append(KINDS["numbers"].draw(Seeded(f"numbers/{number}"), number, None))
        except Rejected:
            continue
    return drawn


def test_nearly_all_can_be_drawn_and_run() -> None:
    programs = _drawn(60)
    assert len(programs) >= 57
    for drawn in programs:
        namespace: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(0)
            exec(drawn.text, namespace)
            namespace["program"](*namespace["inputs"]())


def test_every_family_and_feature_is_drawn() -> None:
    programs = _drawn(150)
    assert {name for drawn in programs for name in drawn.families} == set(KINDS["numbers"].families)
    assert {name for drawn in programs for name in drawn.features} == set(FEATURES)


@pytest.mark.parametrize("expression", ["a.to(torch.int8)", "(a * 4).to(torch.int64)", "a.int()"])
def test_infinity_is_not_made_an_integer(expression: str) -> None:
    assert not is_defined(expression, (INFINITIES,))
    assert is_defined(expression, (Numbers("torch.tensor([0.0, 1.0, 2.5])", "float32", "plain numbers"),))


def test_what_does_not_fit_is_not_made_an_integer_on_the_way() -> None:
    assert not is_defined("(a * 0.5 + 100).to(torch.int8)", (EXTREMES,))
    assert is_defined("(a * 0.5).to(torch.int8)", (EXTREMES,))


def test_range_is_of_places_and_may_be_as_large_as_it_likes() -> None:
    assert is_defined("torch.arange(3) * 2147483648 + a", (MINUS_ONES,))
    assert is_defined("a[torch.fmod(torch.arange(3) - 2, 2)]", (MINUS_ONES,))
    assert not is_defined("a[torch.arange(3) * 2]", (MINUS_ONES,))


def test_smallest_integer_is_not_divided_by_minus_one() -> None:
    assert not is_defined("torch.div(a, b, rounding_mode='trunc')", (EXTREMES, MINUS_ONES))
    assert is_defined("a - b", (EXTREMES, MINUS_ONES))
    assert is_defined("torch.div(b, a, rounding_mode='trunc')", (MINUS_ONES, MINUS_ONES))


@pytest.mark.parametrize("expression", ["a.sum()", "a.flip(0).cumsum(0)", "a.var()", "a.norm()", "a.prod()"])
def test_largest_numbers_are_not_summed(expression: str) -> None:
    assert not is_defined(expression, (LARGEST,))
    assert is_defined(expression, (Numbers("torch.tensor([0.5, -0.5, 1.0])", "float32", "plain numbers"),))


@pytest.mark.parametrize("expression", ["a.amax()", "a.logsumexp(0)", "a.norm(float('inf'))", "a.count_nonzero()"])
def test_largest_numbers_are_compared_and_counted(expression: str) -> None:
    assert is_defined(expression, (LARGEST,))


def test_what_depends_on_the_layout_is_nobodys() -> None:
    assert not is_defined("torch.tensor(a.stride(0)) + a.sum() * 0", (MINUS_ONES,))
    assert not is_defined("a * len(a)", (MINUS_ONES,))
    assert is_defined("a * 2", (MINUS_ONES,))


def test_refused_by_eager_is_not_taken() -> None:
    assert not is_defined("a.softmax(3)", (INFINITIES,))
    assert not is_defined("a // 0", (EXTREMES,))
