"""Operators of torch's own table: each is called on samples that take different ways through torch's decompositions."""

import pytest

from suites.harness import Check, Result, clause
from suites.operators.table import choices, lowered, special_numbers
from suites.operators.table.changes import (
    EXPANDED,
    FEW,
    GRADIENTS,
    LARGER,
    WRITES,
    changes,
    outputs_of_changed,
    outputs_of_sizes_that_change,
)
from suites.operators.table.choices import (
    FORMULA,
    LAYER,
    NO_LAYOUT,
    NO_WRITE,
    OF_ITS_DATA,
    OF_ZEROS,
    OUT_BY_ANOTHER,
    Choice,
)
from suites.operators.table.derivatives import gradients_of
from suites.operators.table.layouts import lies_in_memory, outputs_in_other_layouts
from suites.operators.table.programs import ErrorProgram, Kind, OperatorProgram, outputs_of, written_by
from suites.operators.table.special_numbers import outputs_of_special_numbers
from suites.operators.table.writes import written_elsewhere

DEFAULT, FULL = choices.of_profile("default"), choices.of_profile("full")
EVERY = (*DEFAULT, *FULL)
#: Those that the default profile runs at special numbers with others in one program.
IN_A_PROGRAM = lowered.of_special_numbers(alone=False)
#: What Dynamo needs to hold operators in a graph whose result is of a size that their data decide.
_DATA = {"dynamo.capture_dynamic_output_shape_ops": True}


def _names(operators: tuple[Choice, ...]) -> list[str]:
    return [choice.name for choice in operators]


def _in_other_dtypes() -> list[tuple[str, str]]:
    each = ((choice.name, dtype) for choice in EVERY for dtype in choice.other_dtypes)
    return [(name, dtype) for name, dtype in each if not choices.table().leaves_out_dtype(name, dtype)]


def _that_write() -> list[str]:
    return [choice.name for choice in EVERY if choice.writes and not choices.table().reason(choice.name, NO_WRITE)]


def _laid_out() -> list[str]:
    return [each.name for each in EVERY if lies_in_memory(each) and not choices.table().reason(each.name, NO_LAYOUT)]


def _changed(kind: str) -> list[str]:
    return [choice.name for choice in EVERY if choice.name in changes()[kind]]


def _calls(check: Check, operator: str, dtype: str = "", kind: Kind = outputs_of) -> Result:
    """The operator on its samples, and that it computed something, or refused samples that are special."""
    table = choices.table()
    program = OperatorProgram(choices.named(operator), check.device, check.variant.mode, kind, dtype)
    config = _DATA if table.reason(operator, OF_ITS_DATA) else None
    result = check.program(program, exact=table.is_exact(operator, check.device), config=config)
    if dtype in ("bool", "int64") or table.reason(operator, OF_ZEROS):
        # Of those many an operator makes noughts, or hands back what it is given.
        return result.happened(any(path.startswith("out") for path in result.call.entries), "an output")
    if kind in (outputs_of, outputs_of_sizes_that_change):
        return result.computed()
    # In other layouts, of nothing and of what is not finite, some have no result: eager factors no matrix of NaN.
    return result.computed_or_raised()


@clause("A19", modes="train", profile="default", stand_for_all=4, of_formulas=True)
@pytest.mark.parametrize("operator", _names(DEFAULT))
def test_operator(check: Check, operator: str) -> None:
    """An operator that models use means what it means in eager, forward and backward, however it is decomposed."""
    _calls(check, operator)


@clause("A19", modes="train", profile="full", stand_for_all=2)
@pytest.mark.parametrize("operator", _names(FULL))
def test_other_operator(check: Check, operator: str) -> None:
    """Every other operator of torch's table means what it means in eager, forward and backward."""
    _calls(check, operator)


@clause("A19", modes="train", profile="full", stand_for_all=2)
@pytest.mark.parametrize(("operator", "dtype"), _in_other_dtypes())
def test_operator_in_another_dtype(check: Check, operator: str, dtype: str) -> None:
    """An operator means the same in every dtype that it takes: integers, low and double precision, complex."""
    _calls(check, operator, dtype)


@clause("A19", modes="train", profile="full", stand_for_all=2, on=("aot_eager", "aot_eager_decomp_partition"))
@pytest.mark.parametrize("operator", _laid_out())
def test_operator_in_another_layout(check: Check, operator: str) -> None:
    """Results, their strides and gradients are eager's where tensors are in channels last, transposed or spread out."""
    _calls(check, operator, kind=outputs_in_other_layouts)


@clause(
    "A19",
    "dynamic-shapes.strides",
    modes="train",
    shapes="dynamic",
    profile="full",
    stand_for_all=2,
    on=LAYER,
    devices="cpu",
)
@pytest.mark.parametrize("operator", _changed(LARGER))
def test_operator_of_sizes_that_change(check: Check, operator: str) -> None:
    """Where sizes are symbols, an operator and its gradients are eager's in a later call with more elements, too."""
    _calls(check, operator, kind=outputs_of_sizes_that_change)


@clause("A19", modes="train", profile="full", stand_for_all=2, on=LAYER, devices="cpu")
@pytest.mark.parametrize("operator", _changed(FEW))
def test_operator_of_one_and_none(check: Check, operator: str) -> None:
    """Of dimensions with one element, and with none, an operator makes what eager's does, and so do its gradients."""
    _calls(check, operator, kind=outputs_of_changed(FEW))


@clause("A19", modes="train", profile="full", stand_for_all=2, on=LAYER, devices="cpu")
@pytest.mark.parametrize("operator", _changed(EXPANDED))
def test_operator_of_expanded_tensors(check: Check, operator: str) -> None:
    """Tensors of which many elements are one in memory are read, and have gradients, as others."""
    _calls(check, operator, kind=outputs_of_changed(EXPANDED))


@clause("A19", modes="train", profile="full", stand_for_all=2, on=LAYER, devices="cpu")
@pytest.mark.parametrize("operator", _changed(GRADIENTS))
def test_gradients_of_an_operator(check: Check, operator: str) -> None:
    """Gradients that a program takes itself are eager's, and so are their own gradients, of the second order."""
    _calls(check, operator, kind=gradients_of)


@clause("A19", modes="train", profile="default", stand_for_all=4, of_formulas=True)
@pytest.mark.parametrize("operator", _names(lowered.of_special_numbers(alone=True)))
def test_operator_of_special_numbers(check: Check, operator: str) -> None:
    """At the bounds of formulas, and for NaN and infinities, an operator and its gradients are what eager's are."""
    _calls(check, operator, kind=outputs_of_special_numbers)


@clause("A19", modes="train", profile="full", stand_for_all=2, devices="cpu")
@pytest.mark.parametrize("operator", [*special_numbers.operators("full"), *_names(IN_A_PROGRAM)])
def test_other_operator_of_special_numbers(check: Check, operator: str) -> None:
    """Every other operator that takes floats means what it means in eager at such numbers, forward and backward."""
    _calls(check, operator, kind=outputs_of_special_numbers)


@clause("A19", profile="full", stand_for_all=2)
@pytest.mark.parametrize("operator", _that_write())
def test_operator_that_writes(check: Check, operator: str) -> None:
    """What an operator writes in place, and into ``out=``, reaches one row of the caller's tensor, and no other."""
    program = OperatorProgram(choices.named(operator), check.device, check.variant.mode, written_by)
    by_others = any(choices.table().reason(operator, what) for what in (FORMULA, OUT_BY_ANOTHER))
    result = check.program(program, exact=not by_others)
    result.happened(bool(result.call.changed), "a write")


@clause("A19", profile="full", stand_for_all=2, on=LAYER, devices="cpu")
@pytest.mark.parametrize("operator", [name for name in _that_write() if name in changes()[WRITES]])
def test_operator_that_writes_elsewhere(check: Check, operator: str) -> None:
    """So it does in place in columns and transposed memory, and, by ``out=``, in a row for each of several results."""
    program = OperatorProgram(choices.named(operator), check.device, check.variant.mode, written_elsewhere)
    by_others = any(choices.table().reason(operator, what) for what in (FORMULA, OUT_BY_ANOTHER))
    result = check.program(program, exact=not by_others)
    result.happened(bool(result.call.changed), "a write")


@clause("A19", profile="full", stand_for_all=2)
@pytest.mark.parametrize("operator", [choice.name for choice in EVERY if choice.refuses])
def test_operator_that_refuses(check: Check, operator: str) -> None:
    """What an operator refuses in eager it refuses compiled: no result comes of arguments that mean nothing."""
    check.program(ErrorProgram(choices.named(operator), check.device)).raised()
