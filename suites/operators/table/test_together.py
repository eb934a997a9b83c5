"""Many operators of torch's own table in one program: in other dtypes, and laid out otherwise in memory."""

from collections.abc import Mapping
from typing import Any

import pytest

from suites.harness import Check, clause
from suites.operators.table import choices, lowered, noticing
from suites.operators.table.changes import EXPANDED, FEW, GRADIENTS, LARGER
from suites.operators.table.choices import FORMULA, LAYER, Choice
from suites.operators.table.dtypes import DTYPES, outputs_in, reaches
from suites.operators.table.layouts import (
    outputs_of_the_largest_by_turns,
    outputs_of_the_largest_in_other_layouts,
    outputs_of_the_largest_in_the_rest,
)
from suites.operators.table.noticing import laid_out_noticing
from suites.operators.table.programs import (
    Kind,
    OperatorProgram,
    OperatorsProgram,
    outputs_of_first,
    outputs_of_second,
    outputs_of_two,
)
from suites.operators.table.reaching import ANY_SIZE, CHANGED, OF_SYMBOLS, adds, takes
from suites.operators.table.samples import part_of
from suites.operators.table.special_numbers import outputs_of_special_numbers

#: How many programs operators make: those of the default profile, all others, those with samples that notice a fault,
#: those at special numbers.
PARTS, OTHER_PARTS, NOTICING_PARTS, SPECIAL_PARTS = 6, 12, 10, 3
#: And those that Inductor runs, too, called otherwise.
LOWERED_PARTS = {lowered.LAID_OUT: 4, "bfloat16": 4, "complex64": 3, "int64": 2, "bool": 1}
MODELS, OTHERS = choices.of_profile("default"), choices.of_profile("full")
#: Symbols of its own for each operator, so that one which asks for a size makes no number of another's.
_APART = {"symbols.use_duck_shape": False}
RARER_DTYPES = ("float16", "float64", "complex128", "int32", "int16", "int8", "uint8")


def _part(operators: tuple[Choice, ...], part: int, parts: int, dtype: str = "") -> list[Choice]:
    """The operators of a part, which stay in it when others are added."""
    mine = (each for each in operators if part_of(each.name, parts) == part)
    return [
        each
        for each in mine
        if not choices.table().is_apart(each.name, dtype)
        and (not dtype or dtype in each.other_dtypes or dtype in RARER_DTYPES)
    ]


def _others_laid_out(part: int, parts: int, *, that_notice: bool) -> list[Choice]:
    """The operators of a part that models do not use, which notice something in another layout, or do not."""
    return [each for each in _part(OTHERS, part, parts) if (each.name in laid_out_noticing()) == that_notice]


def lowered_in(kind: str, part: int, dtype: str = "") -> list[Choice]:
    """The operators of a part that Inductor, too, runs by default called so."""
    return [each for each in _part(MODELS, part, LOWERED_PARTS[kind], dtype) if lowered.adds(each, kind)]


def _changed(check: Check, kind: str) -> None:
    """In one program those that a change makes reach something."""
    operators = [each for each in MODELS if takes(each, kind) and adds(each, kind)]
    _together(check, operators, CHANGED[kind], config=_APART if kind in OF_SYMBOLS else None)


def _together(
    check: Check,
    operators: list[Choice],
    kind: Kind,
    dtype: str = "",
    *,
    exact: bool = True,
    config: Mapping[str, Any] | None = None,
) -> None:
    """The operators in one program, and that each of them that can be called returned something."""
    _each(check, [(each, kind) for each in operators], dtype, exact=exact, config=config)


def _each(
    check: Check,
    operators: list[tuple[Choice, Kind]],
    dtype: str = "",
    *,
    exact: bool = True,
    config: Mapping[str, Any] | None = None,
) -> None:
    """The same with a kind for each."""
    programs = (OperatorProgram(each, check.device, check.variant.mode, kind, dtype) for each, kind in operators)
    _returning(check, tuple(programs), exact=exact, config=config)


def _returning(
    check: Check, programs: tuple[OperatorProgram, ...], *, exact: bool = True, config: Mapping[str, Any] | None = None
) -> None:
    program = OperatorsProgram(programs)
    result = check.program(program, exact=exact, config=config).computed()
    returned = {name for name in program.names() for path in result.call.entries if path.startswith(f"out[{name!r}]")}
    result.happened(returned == program.names(), "an output of each operator")


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, of_formulas=True)
@pytest.mark.parametrize(("dtype", "part"), [(dtype, part) for dtype in DTYPES for part in range(LOWERED_PARTS[dtype])])
def test_operators_in_another_dtype(check: Check, dtype: str, part: int) -> None:
    """Operators that models use mean the same in every dtype that they take, forward and backward."""
    _together(check, lowered_in(dtype, part, dtype), outputs_of_first, dtype)


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, by_default_on=LAYER)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_in_another_dtype_of_another_sample(check: Check, dtype: str, part: int) -> None:
    """So do those that reach nothing of Inductor then, and the others in a call that takes another way to be apart."""
    every = _part(MODELS, part, PARTS, dtype)
    _each(check, [(each, outputs_of_second if lowered.adds(each, dtype) else outputs_of_two) for each in every], dtype)


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, on=LAYER)
@pytest.mark.parametrize("part", range(OTHER_PARTS))
@pytest.mark.parametrize("dtype", DTYPES)
def test_other_operators_in_another_dtype(check: Check, dtype: str, part: int) -> None:
    """So do the other operators of torch's table, in the dtypes in which they reach what they do in no other."""
    every = _part(OTHERS, part, OTHER_PARTS, dtype)
    # A part of which none does is held whole, so that no part is of nothing.
    _together(check, [each for each in every if reaches(each, dtype)] or every, outputs_in(dtype), dtype)


@clause("A19", modes="train", profile="full", torch=">=2.13", stand_for_all=2, on=LAYER)
@pytest.mark.parametrize("part", range(OTHER_PARTS))
@pytest.mark.parametrize("dtype", RARER_DTYPES)
def test_operators_in_a_rarer_dtype(check: Check, dtype: str, part: int) -> None:
    """So do all operators in the other dtypes that they take: half precision, narrow integers, complex doubles."""
    # Which of them takes which is known to torch's table: those that do not are left out.
    _together(
        check,
        [*_part(MODELS, part, OTHER_PARTS, dtype), *_part(OTHERS, part, OTHER_PARTS, dtype)],
        outputs_of_two,
        dtype,
    )


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, of_formulas=True)
@pytest.mark.parametrize("part", range(LOWERED_PARTS[lowered.LAID_OUT]))
def test_operators_in_another_layout(check: Check, part: int) -> None:
    """Results, their strides and gradients are eager's in channels last, transposed or spread out: each in one."""
    _together(check, lowered_in(lowered.LAID_OUT, part), outputs_of_the_largest_by_turns)


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, by_default_on=LAYER)
@pytest.mark.parametrize("part", range(PARTS))
def test_operators_in_every_other_layout(check: Check, part: int) -> None:
    """So are they in the others of these layouts, and those that reach nothing of Inductor so in all of them."""
    kinds = {True: outputs_of_the_largest_in_the_rest, False: outputs_of_the_largest_in_other_layouts}
    _each(check, [(each, kinds[lowered.adds(each, lowered.LAID_OUT)]) for each in _part(MODELS, part, PARTS)])


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=1, by_default_on=LAYER)
@pytest.mark.parametrize("part", range(SPECIAL_PARTS))
def test_operators_of_special_numbers(check: Check, part: int) -> None:
    """So are those that reach nothing of Inductor's at the bounds of formulas, and of NaN and infinities."""
    _together(check, _part(lowered.of_special_numbers(alone=False), part, SPECIAL_PARTS), outputs_of_special_numbers)


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, on=LAYER)
@pytest.mark.parametrize("part", range(PARTS))
def test_other_operators_in_another_layout(check: Check, part: int) -> None:
    """So are those of the other operators of torch's table that notice a fault then which they do not as they are."""
    _together(check, _others_laid_out(part, PARTS, that_notice=True), outputs_of_the_largest_by_turns)


@clause("A19", modes="train", profile="full", torch=">=2.13", stand_for_all=2, on=LAYER)
@pytest.mark.parametrize("part", range(OTHER_PARTS))
def test_remaining_operators_in_another_layout(check: Check, part: int) -> None:
    """So are those of all that are left, each in one of these layouts."""
    _together(check, _others_laid_out(part, OTHER_PARTS, that_notice=False), outputs_of_the_largest_by_turns)


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, on=LAYER, devices="cpu")
@pytest.mark.parametrize("part", range(NOTICING_PARTS))
def test_operators_of_samples_that_notice(check: Check, part: int) -> None:
    """So are operators of samples which notice a fault in how they are taken apart that no other program does."""
    mine = [each for each in noticing.operators() if part_of(each.name, NOTICING_PARTS) == part]
    _returning(check, tuple(each for one in mine for each in noticing.programs(one, check.device, check.variant.mode)))


@clause("A19", "dynamic-shapes.strides", shapes="dynamic", profile="default", torch=">=2.13", on=LAYER)
def test_operators_of_any_size_in_another_layout(check: Check) -> None:
    """Where sizes are symbols, operators that models use return what eager's do, as the program is told."""
    _changed(check, ANY_SIZE)


@clause("A19", "dynamic-shapes.strides", shapes="dynamic", profile="full", torch=">=2.13", stand_for_all=1, on=LAYER)
@pytest.mark.parametrize("part", range(PARTS))
def test_other_operators_of_any_size_in_another_layout(check: Check, part: int) -> None:
    """So do those that reach nothing then which they do not reach as their tensors are drawn."""
    others = [each for each in _part(MODELS, part, PARTS) if not adds(each, ANY_SIZE)]
    _together(check, others, CHANGED[ANY_SIZE], config=_APART)


@clause("A19", "dynamic-shapes.strides", modes="train", shapes="dynamic", torch=">=2.13", on=LAYER, devices="cpu")
def test_operators_of_sizes_that_change(check: Check) -> None:
    """Where sizes are symbols, operators that models use and their gradients are eager's in a larger call, too."""
    _changed(check, LARGER)


@clause("A19", modes="train", torch=">=2.13", on=LAYER, devices="cpu")
@pytest.mark.parametrize("kind", [FEW, EXPANDED])
def test_operators_of_changed_tensors(check: Check, kind: str) -> None:
    """So are they of tensors of one element and of none, and of those of which many elements are one in memory."""
    _changed(check, kind)


@clause("A19", modes="train", torch=">=2.13", on=LAYER, devices="cpu")
def test_gradients_of_operators(check: Check) -> None:
    """So are gradients that a program takes of them itself, and the gradients of those."""
    _changed(check, GRADIENTS)


@clause("A19", modes="train", profile="default", torch=">=2.13", on=LAYER)
@pytest.mark.parametrize("otherwise", ["layout", "bfloat16"])
def test_operators_by_formulas(check: Check, otherwise: str) -> None:
    """So are operators for whose kernels AOTAutograd traces a formula of its own: to rounding."""
    dtype, kind = (
        ("", outputs_of_the_largest_in_other_layouts) if otherwise == "layout" else (otherwise, outputs_of_two)
    )
    operators = [each for each in choices.operators() if choices.table().reason(each.name, FORMULA)]
    operators = [each for each in operators if not dtype or dtype in each.other_dtypes]
    _together(check, operators, kind, dtype, exact=False)
