"""Rows of Python, a sheet at a time, and those that some release gets wrong alone."""

import pytest

from suites.harness import Check, Result, clause
from suites.python.table.programs import RowByRowProgram, RowsProgram
from suites.python.table.sheets import Row, Sheet, sheets

SHEETS = sheets()
#: What Dynamo gets wrong of Python itself: other backends come after it.
LAYERS = ("aot_eager",)
APART = [f"{sheet.name}-{name}" for sheet in SHEETS.values() for name in sheet.apart]


def _run(check: Check, sheet: Sheet, rows: tuple[Row, ...], *, handed_in: bool) -> None:
    """The rows in one program, and that each of them returned something."""
    _tells_of_each(check.program(RowsProgram(sheet, rows, check.device, handed_in)), rows, "out[1]")


def _tells_of_each(result: Result, rows: tuple[Row, ...], where: str) -> None:
    paths = result.computed().call.entries
    told = all(any(path.startswith(f"{where}[{row.text!r}]") for path in paths) for row in rows)
    result.happened(told, "a value of each row")


def _apart(name: str) -> tuple[Sheet, tuple[Row, ...]]:
    sheet = next(each for each in SHEETS.values() if name.removeprefix(f"{each.name}-") in each.apart)
    return sheet, sheet.apart[name.removeprefix(f"{sheet.name}-")]


def _that_name_values(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(row for row in rows if row.names)


@clause("python.operations", fullgraph=False, stand_for_all=2)
@pytest.mark.parametrize("sheet", SHEETS)
def test_rows_on_values_of_their_own(check: Check, sheet: str) -> None:
    """Python's operations on what the program makes come to what the interpreter's come to."""
    _run(check, SHEETS[sheet], SHEETS[sheet].rows, handed_in=False)


@clause("python.operations", fullgraph=False, stand_for_all=2)
@pytest.mark.parametrize("sheet", [name for name, sheet in SHEETS.items() if sheet.given])
def test_rows_on_values_of_the_caller(check: Check, sheet: str) -> None:
    """So do those on what the caller hands in, other values in each call, and what they do to it reaches the caller."""
    _run(check, SHEETS[sheet], _that_name_values(SHEETS[sheet].rows), handed_in=True)


@clause("python.operations", fullgraph=False, on=LAYERS, profile="full", stand_for_all=1)
@pytest.mark.parametrize("sheet", [name for name, sheet in SHEETS.items() if sheet.given])
def test_rows_one_by_one_on_values_of_the_caller(check: Check, sheet: str) -> None:
    """So does each of them alone, where no other makes numbers constants again."""
    rows = _that_name_values(SHEETS[sheet].rows)
    _tells_of_each(check.program(RowByRowProgram(SHEETS[sheet], rows, check.device), in_parts=True), rows, "out")


@clause("python.operations", fullgraph=False, on=LAYERS, stand_for_all=1)
@pytest.mark.parametrize("rows", APART)
def test_rows_apart_on_values_of_their_own(check: Check, rows: str) -> None:
    """So do operations that some release of torch gets wrong."""
    _run(check, *_apart(rows), handed_in=False)


@clause("python.operations", fullgraph=False, on=LAYERS, stand_for_all=1)
@pytest.mark.parametrize("rows", [each for each in APART if _that_name_values(_apart(each)[1])])
def test_rows_apart_on_values_of_the_caller(check: Check, rows: str) -> None:
    """And where their values are the caller's."""
    sheet, apart = _apart(rows)
    _run(check, sheet, _that_name_values(apart), handed_in=True)
