"""Many operators of torch's own table in one program: in other dtypes, and laid out otherwise in memory.

What the program is told of their results is returned, too: it may reckon with it.
"""

import zlib

import pytest

from suites.harness import Check, clause
from suites.operators.table import choices
from suites.operators.table.choices import FORMULA, TOLD_OTHERWISE, Choice
from suites.operators.table.layouts import outputs_of_the_largest_in_other_layouts
from suites.operators.table.programs import Kind, OperatorProgram, OperatorsProgram, outputs_of_two
from suites.operators.table.told import AndTold

#: How many programs operators make: those of the default profile, and all others.
PARTS, OTHER_PARTS = 6, 12
MODELS, OTHERS = choices.of_profile("default"), choices.of_profile("full")
DTYPES = ("bfloat16", "complex64", "int64", "bool")
#: Where operators are taken apart, and a program of so many is quick to compile.
LAYER = ("aot_eager_decomp_partition",)


def _part(operators: tuple[Choice, ...], part: int, parts: int, dtype: str = "") -> list[Choice]:
    """The operators of a part, which stay in it when others are added."""
    mine = (each for each in operators if zlib.crc32(each.name.encode()) % parts == part)
    return [
        each
        for each in mine
        if not choices.table().is_apart(each.name, dtype) and (not dtype or dtype in each.other_dtypes)
    ]


def _together(
    check: Check,
    operators: list[Choice],
    kind: Kind,
    dtype: str = "",
    *,
    exact: bool = True,
    config: dict[str, object] | None = None,
) -> None:
    """The operators in one program, which returns what it is told of their results, and that each returned something.

    Those that can be called.
    """
    device, mode, table = check.device, check.variant.mode, choices.table()
    kinds = [kind if table.reason(each.name, TOLD_OTHERWISE) else AndTold(kind) for each in operators]
    pairs = zip(operators, kinds, strict=True)
    program = OperatorsProgram(tuple(OperatorProgram(each, device, mode, kind, dtype) for each, kind in pairs))
    result = check.program(program, exact=exact, config=config).computed()
    returned = {name for name in program.names() for path in result.call.entries if path.startswith(f"out[{name!r}]")}
    result.happened(returned == program.names(), "an output of each operator")


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_in_another_dtype(check: Check, dtype: str, part: int) -> None:
    """Operators that models use mean the same in every dtype that they take, forward and backward."""
    _together(check, _part(MODELS, part, PARTS, dtype), outputs_of_two, dtype)


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, on=LAYER)
@pytest.mark.parametrize("part", range(OTHER_PARTS))
@pytest.mark.parametrize("dtype", DTYPES)
def test_other_operators_in_another_dtype(check: Check, dtype: str, part: int) -> None:
    """So do the other operators of torch's table."""
    _together(check, _part(OTHERS, part, OTHER_PARTS, dtype), outputs_of_two, dtype)


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2)
@pytest.mark.parametrize("part", range(PARTS))
def test_operators_in_another_layout(check: Check, part: int) -> None:
    """Results, their strides and gradients are eager's where tensors are in channels last, transposed or spread out."""
    _together(check, _part(MODELS, part, PARTS), outputs_of_the_largest_in_other_layouts)


@clause("A19", modes="train", profile="default", torch=">=2.13", stand_for_all=2, on=LAYER)
@pytest.mark.parametrize("part", range(OTHER_PARTS))
def test_other_operators_in_another_layout(check: Check, part: int) -> None:
    """So are those of the other operators of torch's table."""
    _together(check, _part(OTHERS, part, OTHER_PARTS), outputs_of_the_largest_in_other_layouts)


@clause(
    "A19",
    "dynamic-shapes.strides",
    shapes="dynamic",
    profile="default",
    torch=">=2.13",
    stand_for_all=2,
    on=LAYER,
)
@pytest.mark.parametrize("part", range(PARTS))
def test_operators_of_any_size_in_another_layout(check: Check, part: int) -> None:
    """Where sizes are symbols, operators that models use return what eager's do, as the program is told."""
    each_its_own: dict[str, object] = {"symbols.use_duck_shape": False}  # No operator makes another's sizes numbers.
    _together(check, _part(MODELS, part, PARTS), outputs_of_the_largest_in_other_layouts, config=each_its_own)


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
