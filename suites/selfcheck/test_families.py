"""The page of each family of clauses, its ``__init__.py``, names what there is: its files, and lines of the map."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import suites
from suites import contract

SUITES = Path(suites.__file__).parent
FOLDERS = sorted({path.parent for path in SUITES.glob("*/test_*.py")} | {SUITES / "operators" / "functional"})
#: Folders with clauses. Those of selfcheck are tests of Parity; fuzz names rooms and not files.
FAMILIES = {folder.name: folder for folder in FOLDERS if folder.name not in ("selfcheck", "fuzz")}
#: The first words of a reason why something is no clause: ``- T1.3, ...`` or ``- T9.7, D9, T13: ...``.
CODE = re.compile(r"(?:[A-Z]\d+(?:\.\d+)?|[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*)(?=[,:])")


def page_of(family: str) -> str:
    """The docstring of the family's package."""
    text = (FAMILIES[family] / "__init__.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(text)) or ""


def faults(page: str, files: set[str], lines: set[str]) -> list[str]:
    """What a page leaves out or names in vain, given the names of a folder's files and the lines of the map."""
    named = set(re.findall(r"`(\w+)`", page))
    codes = {
        code
        for reason in re.findall(r"^- (.*)", page, re.MULTILINE)
        if CODE.match(reason)
        for code in CODE.findall(reason.partition(": ")[0] + ",")
    }
    tests = {name for name in named if name.startswith("test_")}
    return [
        *(f"does not name {name}" for name in sorted(files - named)),
        *(f"names {name}, which is not there" for name in sorted(tests - files)),
        *(f"names {code}, which is no line of the map" for code in sorted(codes - lines)),
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_page_names_every_file(family: str) -> None:
    files = {path.stem for path in FAMILIES[family].glob("*.py")} - {"__init__"}
    lines = {line.id for theme in contract.themes() for line in theme.lines}
    assert not faults(page_of(family), files, lines)


def test_fault_of_a_page_is_found() -> None:
    page = """Things (`test_here`, with `helpers`, and `test_gone`).

    - T1.1, python.lists: held elsewhere.
    - T99, a line that nobody wrote.
    """
    told = faults(page.replace("    -", "-"), {"test_here", "test_new", "helpers"}, {"T1.1", "python.lists"})
    assert told == [
        "does not name test_new",
        "names test_gone, which is not there",
        "names T99, which is no line of the map",
    ]
