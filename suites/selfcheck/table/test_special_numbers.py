"""Numbers that formulas stumble over: where they stand, and that all else of a sample stays as it is."""

from __future__ import annotations

import math
import types
from typing import Any

import torch

from suites.operators.table.samples import Sample
from suites.operators.table.special_numbers import BOUNDS, NO_NUMBERS, has_special_numbers, outputs_of_special_numbers

INFO = types.SimpleNamespace(get_op=lambda: torch.add)


def _arguments(*samples: Sample) -> list[tuple[Any, ...]]:
    return [args for args, _ in outputs_of_special_numbers(INFO, samples).args]


def test_each_sample_is_called_at_bounds_and_with_what_is_no_number() -> None:
    drawn = torch.full((2, 3), 7.0)
    (at_bounds,), (no_numbers,) = _arguments(Sample("[2, 3]", (drawn,), {}))
    assert at_bounds.flatten().tolist() == list(BOUNDS[:6])
    assert torch.equal(no_numbers.flatten()[::2], torch.full((3,), 7.0))
    assert math.isnan(no_numbers[0, 1])
    assert no_numbers.flatten()[[3, 5]].tolist() == [math.inf, -math.inf]
    assert torch.equal(drawn, torch.full((2, 3), 7.0))


def test_tensors_begin_elsewhere_so_that_each_number_meets_others() -> None:
    (first, second), _ = _arguments(Sample("[4], [4]", (torch.ones(4), torch.ones(4)), {}))
    assert not set(first.tolist()) & set(second.tolist())
    assert len(BOUNDS) == len({math.copysign(1, number) * (abs(number) or 1e-9) for number in BOUNDS})
    assert len(NO_NUMBERS) > 5


def test_what_is_no_float_and_what_a_tensor_is_stay() -> None:
    columns = torch.empty_strided((2, 3), (1, 2)).fill_(7.0).requires_grad_()
    index = torch.tensor([0, 1])
    program = outputs_of_special_numbers(INFO, [Sample("one", (columns, index), {"alpha": 2})])
    for args, kwargs in program.args:
        assert args[0].stride() == (1, 2)
        assert args[0].requires_grad
        assert args[0].is_leaf
        assert torch.equal(args[1], index)
        assert kwargs == {"alpha": 2}


def test_results_are_told_by_their_numbers_and_samples() -> None:
    samples = [Sample(f"[{size}]", (torch.ones(size), 1), {}) for size in (2, 3, 4, 5)]
    samples.insert(0, Sample("int64[2]", (torch.ones(2, dtype=torch.int64), 1), {}))
    made = outputs_of_special_numbers(INFO, samples)
    assert list(made.program(*made.args)) == [
        f"{kind}: [{size}]" for size in (2, 3, 4) for kind in ("at bounds", "no numbers")
    ]


def test_dtypes_that_have_such_numbers() -> None:
    kinds = ("float32", "bfloat16", "int64", "bool", "complex64")
    assert [has_special_numbers(dtype) for dtype in kinds] == [True, True, False, False, False]
