"""A sample of torch's table is known by what it is called with."""

from __future__ import annotations

import types
from typing import Any

import pytest
import torch

from suites.operators.table.samples import Sample, chosen, key_of, samples_of


@pytest.mark.parametrize(
    ("args", "kwargs", "key"),
    [
        ((torch.zeros(5, 5),), {"dim": 1}, "[5, 5], dim=1"),
        ((torch.zeros(2, 3).t(),), {}, "[3, 2] by [1, 3]"),
        ((torch.zeros(5), torch.zeros(3, dtype=torch.int64)), {}, "[5], int64[3]"),
        ((torch.zeros(5), [1, 2], (slice(0, 3), None)), {}, "[5], list(1, 2), tuple(0:3, None)"),
        ((torch.zeros(2),), {"dtype": torch.float64, "out": torch.float32}, "[2], dtype=float64, out=dtype"),
        ((torch.zeros(2).to_sparse(),), {}, "[2] sparse_coo"),
        (({"a": torch.zeros(1)}, "words", 0.5), {}, "{'a': [1]}, 'words', 0.5"),
    ],
)
def test_key_is_the_text_of_a_call(args: tuple[Any, ...], kwargs: dict[str, Any], key: str) -> None:
    assert key_of(args, kwargs, torch.float32) == key


def test_key_is_the_same_in_every_dtype_that_is_asked_for() -> None:
    texts = {key_of((torch.zeros(2, dtype=kind), kind), {}, kind) for kind in (torch.float32, torch.int64, torch.bool)}
    assert texts == {"[2], dtype"}


def test_long_keys_are_cut_and_stay_apart() -> None:
    keys = {key_of((list(range(number)),), {}, torch.float32) for number in (100, 101)}
    assert len(keys) == 2
    assert all(len(key) < 150 for key in keys)


def _info(*args: Any) -> Any:
    def sample_inputs(device: str, dtype: torch.dtype, requires_grad: bool) -> Any:
        for value in args:
            tensor = torch.rand(value, dtype=dtype, device=device, requires_grad=requires_grad)
            yield types.SimpleNamespace(input=tensor, args=(), kwargs={}, output_process_fn_grad=abs)

    return types.SimpleNamespace(sample_inputs=sample_inputs)


def test_samples_are_drawn_alike_each_time_and_calls_alike_are_numbered() -> None:
    first, again = (list(samples_of(_info(2, 3, 2), "cpu", torch.float32, requires_grad=True)) for _ in range(2))
    assert [sample.key for sample in first] == ["[2]", "[3]", "[2] #2"]
    assert all(torch.equal(left.args[0], right.args[0]) for left, right in zip(first, again, strict=True))
    assert not torch.equal(first[0].args[0], first[2].args[0])
    assert first[0].process is abs


def test_chosen_samples_come_in_the_order_of_the_keys_and_missing_ones_are_named() -> None:
    samples = (Sample(key, (), {}) for key in ("a", "b", "c"))
    found, missing = chosen(samples, ["c", "gone", "a"])
    assert [sample.key for sample in found] == ["c", "a"]
    assert missing == ["gone"]


def test_no_sample_is_drawn_after_the_last_that_is_chosen() -> None:
    samples = iter([Sample("a", (), {}), Sample("b", (), {})])
    chosen(samples, ["a"])
    assert [sample.key for sample in samples] == ["b"]
