"""Samples that run for a fault that they notice: what is written of them, and how faults are planted and asked."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch

from suites.harness import torch_internals
from suites.operators.table import choices, noticing
from suites.operators.table.noticing import Asked
from suites.operators.table.samples import Sample
from suites.operators.table.special_numbers import NUMBERS
from suites.operators.table.turning import Turn
from suites.selfcheck.noticing import (
    PROGRAMS,
    Call,
    Found,
    Grounds,
    Inquiry,
    beside,
    by_default,
    same,
    turned_otherwise,
)

#: One that the module of the faults, which is a small one, takes apart.
OPERATOR = "special_xlog1py"


def test_what_is_written_is_read(tmp_path: Path) -> None:
    turns = Turn("dim", -1), Turn("1", (2, 3))
    every = [Asked("[5], 0"), Asked("[5], 0", "transposed"), Asked("[5, 5], dim=0", "", turns)]
    noticing.write({"softmax": {"float32": every}}, {"addr": 2}, "2.13.0", tmp_path / "noticing.json")
    assert noticing.noticing(tmp_path / "noticing.json") == {"softmax": {"float32": tuple(every)}}
    assert noticing.laid_out_noticing(tmp_path / "noticing.json") == {"addr": 2}


def test_a_sample_is_turned_then_laid_out() -> None:
    drawn = Sample("[2, 3], 1", (torch.arange(6.0).view(2, 3), 1), {})
    asked = Asked(drawn.key, "transposed", (Turn("1", -2),)).of(drawn)
    assert asked is not None
    assert asked.key == "transposed: with 1=-2: [2, 3], 1"
    assert asked.args[0].stride() == (1, 2)
    assert asked.args[1] == -2
    assert Asked(drawn.key, "channels last").of(drawn) is None


def test_samples_that_notice_may_run_in_programs_of_many() -> None:
    table = choices.table()
    for name, dtypes in noticing.noticing().items():
        for dtype, every in dtypes.items():
            for asked in every:
                said = ", ".join(map(str, asked.turns))
                for key in (asked.key, f"with {said}: {asked.key}" if said else asked.key):
                    assert table.may_notice(name, key, dtype), (name, dtype, asked)
                assert not asked.how or asked.how in NUMBERS or not table.is_apart(name), (name, asked)


def test_operators_that_notice_in_another_layout_are_others_that_programs_of_many_hold() -> None:
    table = choices.table()
    for name in noticing.laid_out_noticing():
        assert name not in table.default
        assert not table.is_apart(name)
        assert choices.named(name)


def test_a_program_calls_the_samples_of_its_dtype() -> None:
    name = next(name for name, dtypes in noticing.noticing().items() if len(dtypes) > 1)
    programs = list(noticing.programs(choices.named(name), "cpu", "train"))
    assert [each.dtype for each in programs] == list(noticing.noticing()[name])
    for each in programs:
        assert len(each.made().program(*each.made().args)) == len(noticing.noticing()[name][each.dtype])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([torch.ones(2)], [torch.ones(2) + 1e-6], True),
        ([torch.ones(2)], [torch.ones(2) + 1e-2], False),
        ([torch.tensor(0.0)], [torch.tensor(-0.0)], False),
        ([torch.tensor(float("nan"))], [torch.tensor(float("nan"))], True),
        ([torch.ones(2)], [torch.ones(2, dtype=torch.float64)], False),
        ([torch.tensor([1, 2])], [torch.tensor([1, 3])], False),
        (("RuntimeError", [1]), ("RuntimeError", [2]), False),
        ([float("nan")], [float("nan")], True),
        ([float("nan")], [1.0], False),
    ],
)
def test_outcomes_are_the_same_but_for_rounding(one: object, other: object, expected: bool) -> None:
    assert same(one, other) == expected


@pytest.fixture
def grounds() -> Grounds:
    """The module of the functions that ``torch.special`` has."""
    torch_internals.decompositions()
    place = Path(torch.__file__).parent / "_refs" / "special" / "__init__.py"
    return Grounds([str(place)])


def test_a_fault_lasts_as_long_as_its_context(grounds: Grounds) -> None:
    choice = choices.named(OPERATOR)
    call = next(by_default(choice))
    honest = call.outcome()
    assert same(honest, call.outcome())
    with grounds.watched() as run:
        outcome, reached = run(call)
    assert same(honest, outcome)
    assert reached
    changed = []
    for number in sorted(reached):
        with grounds.fault(number):
            changed.append(not same(honest, call.outcome()))
        assert same(honest, call.outcome())
    assert any(changed)


def test_a_fault_is_noticed_by_a_call_that_runs_it(grounds: Grounds) -> None:
    choice = choices.named(OPERATOR)
    (found,) = Inquiry(grounds, beside, range(len(grounds.faults))).every([choice], 1)
    assert found.operator == OPERATOR
    noticed = {by for by in found.by.values() if by}
    assert noticed <= {call.key for call in beside(choice)}
    assert noticed


def test_a_fault_that_was_noticed_is_asked_no_more(grounds: Grounds) -> None:
    (found,) = Inquiry(grounds, beside, ()).every([choices.named(OPERATOR)], 1)
    assert found.by == {}


def test_a_sample_that_eager_has_otherwise_is_none_to_go_by() -> None:
    call = next(beside(choices.named(OPERATOR)))
    assert call.is_eagers(call.outcome())
    numbers = itertools.count()
    other = Call(call.key, lambda: torch.ones(2) * next(numbers), ())
    assert not other.is_eagers(other.outcome())


def test_calls_are_turned_in_an_order_that_stays() -> None:
    keys = [[call.key for call in itertools.islice(turned_otherwise(choices.named(OPERATOR)), 40)] for _ in range(2)]
    assert keys[0] == keys[1]
    assert len(set(keys[0])) == 40
    assert {len(asked.turns) for _, asked in keys[0]} == {1, 2}


def test_what_was_noticed_first_stays(grounds: Grounds) -> None:
    found = Found(grounds)
    for calls in PROGRAMS.values():
        (noticed,) = Inquiry(grounds, calls, found.left()).every([choices.named(OPERATOR)], 1)
        before = {number for number, by in found.by.items() if by is not None}
        assert not before & noticed.by.keys()
        found.add(noticed)
    assert found.samples().keys() <= {OPERATOR}
    assert sum(found.functions().values()) == len([by for by in found.by.values() if by is None])
