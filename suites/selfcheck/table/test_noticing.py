"""Samples that run for a fault that they notice: what is written of them, and how faults are planted and asked."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch

from suites.harness import torch_internals
from suites.operators.table import choices, noticing
from suites.selfcheck.noticing import Call, Grounds, Inquiry, beside, by_default, same

#: One that the module of the faults, which is a small one, takes apart.
OPERATOR = "special_xlog1py"


def test_a_key_says_how_its_sample_is_changed() -> None:
    assert noticing.how_of("transposed: [5, 5], 0") == ("transposed", "[5, 5], 0")
    assert noticing.how_of("at bounds: [5]") == ("at bounds", "[5]")
    assert noticing.how_of("[5, 5], {'a': 1}") == ("", "[5, 5], {'a': 1}")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found = {"softmax": {"float32": ["[5], 0"]}}
    noticing.write(found, "2.13.0", tmp_path / "noticing.json")
    assert noticing.noticing(tmp_path / "noticing.json") == found


def test_samples_that_notice_may_run_in_programs_of_many() -> None:
    table = choices.table()
    for name, dtypes in noticing.noticing().items():
        for dtype, keys in dtypes.items():
            for how, drawn in map(noticing.how_of, keys):
                assert table.may_notice(name, drawn, dtype), (name, dtype, drawn)
                assert not how or how in noticing.NUMBERS or not table.is_apart(name), (name, how)


def test_a_program_calls_the_samples_of_its_dtype() -> None:
    name = next(name for name, dtypes in noticing.noticing().items() if len(dtypes) > 1)
    programs = list(noticing.programs(choices.named(name), "cpu", "train"))
    assert [each.dtype for each in programs] == list(noticing.noticing()[name])
    for each in programs:
        assert set(each.made().program(*each.made().args)) == set(noticing.noticing()[name][each.dtype])


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
