"""Calls that torch's table does not draw: what a turn makes of a sample, and which turns there are."""

from __future__ import annotations

import itertools

import pytest
import torch

from suites.harness import torch_internals
from suites.operators.table.samples import Sample
from suites.operators.table.turning import EVERY, TENSORS, Turn, options_of, turned, turns_of


def _sample() -> Sample:
    matrix = torch.arange(6.0).view(2, 3).requires_grad_()
    return Sample("[2, 3], [3], 1, keepdim=True", (matrix, torch.ones(3), 1), {"keepdim": True})


def test_an_argument_is_turned_by_its_number_or_name() -> None:
    made = turned(_sample(), (Turn("2", -1), Turn("keepdim", False), Turn("dtype", "torch.float64")))
    assert made is not None
    assert made.args[2] == -1
    assert made.kwargs == {"keepdim": False, "dtype": torch.float64}
    assert made.key == "with 2=-1, keepdim=False, dtype=torch.float64: [2, 3], [3], 1, keepdim=True"


def test_one_tensor_is_turned_and_the_other_stays() -> None:
    made = turned(_sample(), (Turn("0", "transposed"),))
    assert made is not None
    assert made.args[0].stride() == (1, 2)
    assert made.args[0].requires_grad
    assert made.args[1].equal(torch.ones(3))


def test_a_tensor_that_cannot_be_turned_so_is_not_taken_away() -> None:
    assert turned(_sample(), (Turn("1", "channels last"),)) is None
    made = turned(_sample(), (Turn("1", None),))
    assert made is not None
    assert made.args[1] is None


def test_all_tensors_are_turned_those_that_can_be() -> None:
    made = turned(_sample(), (Turn(EVERY, "of one at the front"),))
    assert made is not None
    assert [tuple(each.shape) for each in made.args[:2]] == [(1, 3), (1,)]
    assert turned(_sample(), (Turn(EVERY, "float32"),)) is None


@pytest.mark.parametrize("name", TENSORS)
def test_what_becomes_of_a_tensor_is_another_or_none(name: str) -> None:
    for drawn in (torch.arange(6.0).view(2, 3).requires_grad_(), torch.tensor(1.0), torch.arange(3), torch.zeros(0)):
        made = TENSORS[name](drawn)
        assert made is None or (made is not drawn and made.is_leaf), (name, drawn)


def test_numbers_that_may_be_places_keep_their_order() -> None:
    assert TENSORS["flipped"](torch.arange(3)).equal(torch.arange(3))
    assert TENSORS["negative"](torch.arange(3)).equal(torch.arange(3))


def test_options_that_no_sample_sets_are_known_by_schema_or_signature() -> None:
    table = torch_internals.operator_table()
    assert options_of(table["nn_functional_avg_pool2d"]).keys() >= {"ceil_mode", "divisor_override"}
    assert options_of(table["nn_functional_cross_entropy"])["label_smoothing"]


def test_turns_are_of_one_argument_or_of_two_others() -> None:
    info = torch_internals.operator_table()["argmax"]
    found = list(itertools.islice(turns_of(info, [_sample()]), 60))
    assert {len(turns) for _, turns in found} == {1, 2}
    assert all(len({turn.place for turn in turns}) == len(turns) for _, turns in found)
    again = itertools.islice(turns_of(info, [_sample()]), 60)
    assert [turns for _, turns in found] == [turns for _, turns in again]
