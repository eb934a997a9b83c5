"""Python's operations as data: what a sheet may say, and that Dynamo traces the rows that it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from suites.harness import torch_internals
from suites.python.table import sheets
from suites.reuse.table import uses
from suites.selfcheck.sampling import one_in

#: Of the rows of a sheet, how many Dynamo may leave to the interpreter.
LEFT = 0.2
#: One in so many sheets is asked.
ASKED = 6
MISTAKES = {
    "rows = [": "Invalid value",
    "row = ['1']": "'row' is none of apart, given, rows, setup",
    "rows = ['1 +']": "no Python: 1 +: invalid syntax",
    "rows = ['x = 1']": "a row ends with an expression, its value, and not so: x = 1",
    "rows = ['1', '1']": "a row stands there twice: 1",
    "rows = ['1']\n[apart.so-far]\nsame = '1'": "a row stands there twice: 1",
    "[given]\nn = ['1', '2']": "'n' has 2 values, and not one for each of 3 calls",
}
MISTAKES_IN_USES = {
    "values = ['1', '2', '3']\nuse = ['x']": "'use' is none of apart, apart_in, setup, uses, values",
    "values = ['1', '2']\nuses = ['x']": "2 values, and not 3",
    "values = ['1', '2', '3']\nuses = ['x +']": "no expression: x +: invalid syntax",
    "values = ['1', '2', '3']\nuses = ['x']\napart_in = ['a drawer']": "no place: a drawer",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_sheet_with_a_mistake(text: str, tmp_path: Path) -> None:
    (tmp_path / "lists.toml").write_text(text)
    with pytest.raises(ValueError) as raised:
        sheets.read(tmp_path / "lists.toml")
    assert str(raised.value).startswith("lists.toml: ")
    assert MISTAKES[text] in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text", MISTAKES_IN_USES)
def test_kind_of_values_with_a_mistake(text: str, tmp_path: Path) -> None:
    (tmp_path / "uses.toml").write_text(f"[numbers]\n{text}")
    with pytest.raises(ValueError) as raised:
        uses.read(tmp_path / "uses.toml")
    assert str(raised.value) == f"uses.toml: numbers: {MISTAKES_IN_USES[text]}"


def test_row_is_a_function_of_the_values_that_it_names(tmp_path: Path) -> None:
    place = tmp_path / "numbers.toml"
    place.write_text(
        "rows = ['''\nm = n + 1\nm, k\n''', 'int(\"x\")']\n[given]\nn = ['1', '2', '3']\nk = ['4', '5', '6']"
    )
    sheet = sheets.read(place)
    assert [row.names for row in sheet.rows] == [("n", "k"), ()]
    a = torch.ones(1)
    _, own = sheet.module(sheet.rows, handed_in=False).program(a)
    module = sheet.module(sheet.rows, handed_in=True)
    _, given = module.program(a, sheet.values(module, sheet.rows, 1))
    assert list(own.values()) == [(2, 4), ValueError]
    assert list(given.values()) == [(3, 5), ValueError]


def test_use_is_asked_in_every_place_in_so_many_turns() -> None:
    kind = uses.kinds()["integers"]
    every = [row for turn in range(uses.TURNS) for row in uses.rows(kind, kind.uses, [turn])]
    places = {place.name for place in uses.PLACES if not place.apart and place.name not in kind.apart_in}
    assert len(every) == len(set(every)) == len(kind.uses) * len(places)


@pytest.mark.skipif(
    torch.__version__.partition("+")[0] != torch_internals.BASELINE,
    reason=f"what torch {torch.__version__} traces is not written down; {torch_internals.BASELINE} is asked",
)
@pytest.mark.filterwarnings("ignore")
def test_most_rows_are_traced(pytestconfig: pytest.Config) -> None:
    """Of one sheet in `ASKED`; with ``--profile full`` of all."""
    asked = 1 if pytestconfig.option.profile == "full" else ASKED
    chosen = [sheet for name, sheet in sheets.sheets().items() if one_in(asked, name)]
    assert chosen
    for sheet in chosen:
        left = [row.text for row in sheet.rows if not _is_traced(sheet, row)]
        assert len(left) <= LEFT * len(sheet.rows), left


def _is_traced(sheet: sheets.Sheet, row: sheets.Row) -> bool:
    """Whether Dynamo computes with the values that a row makes, and leaves none of it to the interpreter."""
    with torch.no_grad():
        return torch_internals.is_traced_whole(sheet.module((row,), handed_in=False).program, torch.ones(3))
