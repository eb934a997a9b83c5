"""When two values are equal: bitwise, close, and by distance to double precision."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from suites.harness.oracle.numerics import bitwise, close

FLOATS = st.floats(width=32)
LISTS = st.lists(FLOATS, min_size=1, max_size=20)


def _tensor(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype)


@settings(deadline=None)
@given(LISTS)
def test_every_value_equals_itself(values: list[float]) -> None:
    tensor = _tensor(*values)
    for closeness in (bitwise(tensor, tensor.clone()), close(tensor, tensor.clone(), None)):
        assert (closeness.equal, closeness.used) == (True, 0.0)


@settings(deadline=None)
@given(LISTS, LISTS)
def test_bitwise_is_symmetric(left: list[float], right: list[float]) -> None:
    size = min(len(left), len(right))
    one, other = _tensor(*left[:size]), _tensor(*right[:size])
    assert bitwise(one, other).equal == bitwise(other, one).equal


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=20), st.integers(0, 19))
def test_next_number_is_close_but_not_bitwise_equal(values: list[float], place: int) -> None:
    tensor = _tensor(*values)
    moved = tensor.clone()
    index = place % len(values)
    moved[index] = torch.nextafter(tensor[index], torch.tensor(math.inf))
    assert not bitwise(tensor, moved).equal
    assert close(tensor, moved, None).equal


def test_bitwise_tells_zeros_apart() -> None:
    assert not bitwise(_tensor(0.0), _tensor(-0.0)).equal


def test_close_takes_zeros_for_one() -> None:
    assert close(_tensor(0.0), _tensor(-0.0), None).equal


@pytest.mark.parametrize("compare", [bitwise, lambda left, right: close(left, right, None)])
def test_nan_equals_nan_only(compare: object) -> None:
    assert compare(_tensor(math.nan), _tensor(-math.nan)).equal  # type: ignore[operator]
    assert not compare(_tensor(math.nan), _tensor(1.0)).equal  # type: ignore[operator]
    assert not compare(_tensor(1.0), _tensor(math.nan)).equal  # type: ignore[operator]


def test_infinity_is_close_to_nothing_else() -> None:
    assert close(_tensor(math.inf), _tensor(math.inf), None).equal
    for other in (-math.inf, 3e38, math.nan):
        assert not close(_tensor(math.inf), _tensor(other), None).equal


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
def test_integers_are_exact(dtype: torch.dtype) -> None:
    left, right = torch.tensor([1, 0, 1], dtype=dtype), torch.tensor([1, 0, 0], dtype=dtype)
    assert close(left, left.clone(), None).equal
    assert not close(left, right, left.double()).equal


def test_large_integers_are_exact() -> None:
    large = torch.tensor([2**62])
    assert not close(large, large + 1, None).equal


def test_complex_parts_count_both() -> None:
    value = torch.tensor([1 + 2j])
    assert close(value, value + 1e-7j, None).equal
    assert not close(value, value + 1e-2j, None).equal
    assert not bitwise(torch.tensor([complex(1, 0.0)]), torch.tensor([complex(1, -0.0)])).equal


def test_result_more_accurate_than_eager_is_right() -> None:
    exact = torch.full((8,), 1 / 3, dtype=torch.float64)
    eager, seen = exact.float() * (1 + 1e-4), exact.float()
    assert not close(eager, seen, None).equal
    assert close(eager, seen, exact).equal


def test_result_far_less_accurate_than_eager_is_wrong() -> None:
    exact = torch.full((8,), 1 / 3, dtype=torch.float64)
    eager, seen = exact.float() * (1 + 1e-4), exact.float() * (1 - 1e-2)
    assert not close(eager, seen, exact).equal


@pytest.mark.parametrize("size", [100, 10_000])
def test_one_wrong_element_of_thousands_is_seen(size: int) -> None:
    exact = torch.linspace(1, 2, size, dtype=torch.float64)
    noise = torch.rand(size, generator=torch.Generator().manual_seed(0)) * 1e-4
    eager, seen = exact.float() + noise, exact.float() - noise
    assert close(eager, seen, exact).equal
    seen[size // 2] += 0.01
    result = close(eager, seen, exact)
    assert not result.equal
    assert f"[{size // 2}]" in result.expected


def test_eager_that_overflows_is_the_reference() -> None:
    exact = _tensor(1e300, dtype=torch.float64)
    assert close(_tensor(math.inf), _tensor(math.inf), exact).equal
    assert not close(_tensor(math.inf), _tensor(3e38), exact).equal


def test_reference_of_another_shape_is_no_reference() -> None:
    assert not close(_tensor(1.0, 2.0), _tensor(1.0, 2.1), torch.ones(3, dtype=torch.float64)).equal


def test_half_precision_has_its_own_tolerance() -> None:
    half = torch.tensor([1.0], dtype=torch.float16)
    assert close(half, torch.nextafter(half, half + 1), None).equal
    assert not close(half.float(), torch.nextafter(half, half + 1).float(), None).equal


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("factor", [1, 1j])
def test_doubles_that_were_single_precision_are_not_close(size: int, factor: complex) -> None:
    exact = torch.linspace(0.1, 0.9, size, dtype=torch.float64) * factor
    narrow = torch.complex64 if exact.is_complex() else torch.float32
    for reference in (None, exact):
        assert not close(exact, exact.to(narrow).to(exact.dtype), reference).equal
        assert close(exact, exact * (1 + 1e-13), reference).equal


def test_what_differs_is_shown_with_its_place() -> None:
    seen = torch.zeros(2, 3)
    seen[1, 2] = 7
    result = bitwise(torch.zeros(2, 3), seen)
    assert result.expected == "0.0 at [1, 2] (1 of 6 elements differ)"
    assert result.seen == "7.0 at [1, 2]"


def test_empty_tensors_are_equal() -> None:
    assert bitwise(torch.empty(0), torch.empty(0)).equal
    assert close(torch.empty(0), torch.empty(0), torch.empty(0)).equal
