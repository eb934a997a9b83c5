"""Sheets: rows of Python that programs are made of, read from the TOML files beside this module."""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import textwrap
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.toml import tomllib
from suites.harness.programs.texts import module_of_text

#: How many calls a program gets values for.
CALLS = 3
#: What a sheet may say.
_KEYS = {"setup", "given", "rows", "apart"}


@dataclasses.dataclass(frozen=True)
class Row:
    """One row: statements of which the last one is the expression whose value the row returns.

    ``names``: the sheet's values that it names, in the sheet's order.
    """

    text: str
    body: str
    names: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Sheet:
    """Rows about one thing, and the values that they name.

    ``given``: of each name the expressions of its value in the first call, the second and the third. ``setup``: what
    stands before the rows in their module. ``apart``: rows that some release of torch gets wrong, in groups: those that
    the newest gets wrong and those that one gets right since, and for themselves those which made some release raise
    what the program cannot catch.
    """

    name: str
    given: Mapping[str, tuple[str, ...]]
    setup: str
    rows: tuple[Row, ...]
    apart: Mapping[str, tuple[Row, ...]]

    def module(self, rows: tuple[Row, ...], *, handed_in: bool) -> types.ModuleType:
        """A module made afresh, with ``program(a)``, or ``program(a, values)`` where the values are ``handed_in``.

        It returns twice the tensor ``a`` beside a dict: of each row's text what the row returned or raised.
        """
        return module_of_text("rows", self.name, self._source(rows, handed_in=handed_in))

    def values(self, module: types.ModuleType, rows: tuple[Row, ...], call: int) -> dict[str, dict[str, Any]]:
        """The values of one call, made afresh of a module's classes for each row, by its text and their names."""
        return {row.text: {name: eval(self.given[name][call], vars(module)) for name in row.names} for row in rows}

    def _source(self, rows: tuple[Row, ...], *, handed_in: bool) -> str:
        parts = [_IMPORTS, self.setup]
        for number, row in enumerate(rows):
            made = "" if handed_in else "".join(f"{name} = {self.given[name][0]}\n" for name in row.names)
            body = textwrap.indent(made + row.body, " " * 8)
            parts.append(_ROW.format(number=number, names=", ".join(row.names) if handed_in else "", body=body))
        parts.append("def program(a, values):" if handed_in else "def program(a):")
        parts.append("    b, out = a * 2, {}")
        for number, row in enumerate(rows):
            parts.append(f"    out[{row.text!r}] = row_{number}({f'**values[{row.text!r}]' if handed_in else ''})")
        parts.append("    return b, out\n")
        return "\n".join(parts)


_IMPORTS = """\
import collections, contextlib, copy, dataclasses, enum, functools, itertools, math, operator, types, typing
import torch
"""
#: The function of a row. What it raises is the row's own doing, and it ends no other.
_ROW = """
def row_{number}({names}):
    try:
{body}
    except Exception as error:
        return type(error)
"""


@functools.cache
def sheets() -> Mapping[str, Sheet]:
    """Every sheet, by its name. Raises `ValueError` with a line for one that says what no sheet does."""
    return {path.stem.replace("_", "-"): read(path) for path in sorted(Path(__file__).parent.glob("*.toml"))}


def read(path: Path) -> Sheet:
    """The sheet of a file. Raises `ValueError` as `sheets` does."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.name}: {error}") from None
    unknown = sorted(said.keys() - _KEYS)
    if unknown:
        raise ValueError(f"{path.name}: {unknown[0]!r} is none of {', '.join(sorted(_KEYS))}")
    given = {name: tuple(values) for name, values in said.get("given", {}).items()}
    for name, values in given.items():
        if len(values) != CALLS:
            raise ValueError(f"{path.name}: {name!r} has {len(values)} values, and not one for each of {CALLS} calls")
    rows = tuple(_row(path, text, given) for text in said.get("rows", ()))
    apart = {
        group: tuple(_row(path, text, given) for text in named.values())
        for group, named in said.get("apart", {}).items()
    }
    texts = [row.text for row in itertools.chain(rows, *apart.values())]
    for text in texts:
        if texts.count(text) > 1:
            raise ValueError(f"{path.name}: a row stands there twice: {text.splitlines()[0]}")
    return Sheet(path.stem.replace("_", "-"), given, said.get("setup", ""), rows, apart)


def _row(path: Path, text: str, given: Mapping[str, tuple[str, ...]]) -> Row:
    text = textwrap.dedent(text).strip()
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise ValueError(f"{path.name}: no Python: {text.splitlines()[0]}: {error.msg}") from None
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        raise ValueError(f"{path.name}: a row ends with an expression, its value, and not so: {text.splitlines()[0]}")
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    tree.body[-1] = ast.copy_location(ast.Return(last.value), last)
    return Row(text, ast.unparse(tree), tuple(name for name in given if name in named))
