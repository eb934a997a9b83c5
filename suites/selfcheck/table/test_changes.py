"""Samples of torch's table with their tensors changed: larger, of one or none, expanded; differentiated, written."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from suites.harness import torch_internals
from suites.operators.table import choices, trying
from suites.operators.table.changes import (
    EXPANDED,
    FEW,
    GRADIENTS,
    KINDS,
    LARGER,
    WRITES,
    Change,
    changed,
    changes,
    outputs_of_changed,
    outputs_of_sizes_that_change,
    tensors_of,
)
from suites.operators.table.derivatives import gradient_of, gradients_of
from suites.operators.table.programs import Kind, Made, OperatorProgram, sampled
from suites.operators.table.samples import Sample
from suites.operators.table.writes import written_elsewhere


def _sample(*tensors: torch.Tensor) -> Sample:
    return Sample("key", tensors, {})


def _made(operator: str, kind: Kind) -> Made:
    return OperatorProgram(choices.named(operator), "cpu", "train", kind).made()


def _shapes(calls: tuple[Any, ...]) -> list[list[tuple[int, ...]]]:
    return [[tuple(leaf.shape) for leaf in tensors_of(Sample("", args, kwargs))] for args, kwargs in calls]


def test_what_was_tried_is_of_samples_that_were_chosen() -> None:
    keys = {choice.name: set(choice.samples) for choice in choices.operators()}
    for kind, operators in changes().items():
        for name, rows in operators.items():
            assert {change.key for change in rows} <= keys[name], (kind, name)
            assert all(change.way in KINDS[kind] for change in rows if change.way), (kind, name)


@pytest.mark.parametrize("operator", ["softmax", "addmm", "map_simple"])
def test_what_is_tried_again_is_what_is_written_down(operator: str) -> None:
    found = trying.found(choices.named(operator))
    assert {kind: tuple(rows) for kind, rows in found.items() if rows} == {
        kind: operators[operator] for kind, operators in changes().items() if operator in operators
    }


def test_tensors_are_changed_together() -> None:
    a, b = torch.randn(2, 3), torch.randn(3, requires_grad=True)
    for way, dimensions, shapes in (
        ("one more", (1, 0), [(2, 4), (4,)]),
        ("twice", (0, None), [(4, 3), (3,)]),
        ("of one", (-1, -1), [(2, 1), (1,)]),
        ("of none", (0, None), [(0, 3), (3,)]),
    ):
        other = changed(_sample(a, b), way, dimensions)
        assert other is not None
        assert [tuple(tensor.shape) for tensor in tensors_of(other)] == shapes
        assert [tensor.requires_grad for tensor in tensors_of(other)] == [False, True]
    expanded = changed(_sample(a, b), "expanded", (0, None))
    assert expanded is not None
    assert tensors_of(expanded)[0].stride() == (0, 1)
    assert torch.equal(tensors_of(expanded)[0], a[:1].expand(2, 3))


def test_what_cannot_be_changed_is_none() -> None:
    assert changed(_sample(torch.ones(())), "of none", (None,)) is None
    assert changed(_sample(torch.ones(1)), "one more", (0,)) is None, "one is told from all other sizes"
    assert changed(_sample(torch.ones(2)), "of one", (0, 0)) is None, "the tensors are others than were tried"


def test_the_second_call_has_more_elements() -> None:
    made = _made("addmm", outputs_of_sizes_that_change)
    for before, after in zip(_shapes(made.of_call(0)), _shapes(made.of_call(1)), strict=True):
        assert before != after
        assert sum(map(sum, before)) < sum(map(sum, after))


def test_each_kind_is_what_it_says() -> None:
    few = _shapes(_made("softmax", outputs_of_changed(FEW)).args)
    assert any(0 in shape for shapes in few for shape in shapes)
    assert any(1 in shape for shapes in few for shape in shapes)
    for args, kwargs in _made("softmax", outputs_of_changed(EXPANDED)).args:
        assert any(0 in tensor.stride() for tensor in tensors_of(Sample("", args, kwargs)))


def test_gradients_are_those_of_the_squares() -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    (gradient,) = gradient_of(torch.sin, _sample(x))((x,), {})
    assert torch.allclose(gradient, 2 * x.sin() * x.cos())
    made = _made("sin", gradients_of)
    assert all(tensor.requires_grad for tensor in torch_internals.pytree.tree_leaves(made.program(*made.args)))


def test_what_is_written_elsewhere_is_strided_and_written() -> None:
    made = _made("mul", written_elsewhere)
    before = [call[2].clone() for call in made.args]
    results = made.program(*made.args)
    assert any(not result.is_contiguous() for result in results)
    assert any(not torch.equal(call[2], old) for call, old in zip(made.args, before, strict=True))
    several = _made("sort", written_elsewhere).args[0][2]
    assert isinstance(several, tuple), "each of its results has memory of its own"


def test_change_that_ends_the_process_is_none() -> None:
    """Statistics of fewer channels than there are end eager's process, which is a fork of this one."""
    choice = choices.named("_batch_norm_with_update")
    found = trying.found(choice)
    assert found[FEW]
    info, samples = sampled(choice, "cpu", choice.dtype, train=True)
    assert info.formatted_name == choice.name
    assert not any(change == Change(samples[0].key, "of none", (0, 0, 0, 0, 0)) for change in found[FEW])


def test_every_kind_has_operators() -> None:
    for kind in (LARGER, FEW, EXPANDED, GRADIENTS, WRITES):
        assert len(changes()[kind]) > 100, kind
