"""Uses of values that change between calls, read from ``uses.toml``, and the program that makes them."""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from golden.toml import tomllib
from suites.harness.observation.observe import Inputs, Instance
from suites.harness.programs.texts import module_of_text, three_numbers
from suites.reuse.table.places import PLACES, Place

USES = Path(__file__).with_name("uses.toml")
#: In how many turns each use comes to all places.
TURNS = 12
#: Of three values, the order in which calls find them.
CALLS = (0, 1, 2, 0)
_KEYS = {"values", "uses", "apart", "apart_in", "setup"}


@dataclasses.dataclass(frozen=True)
class Kind:
    """Three values, by the expressions that make them afresh, and the ``uses`` of each that a program makes.

    ``apart``: uses that some release of torch gets wrong, by a name; ``apart_in``: places where it gets them
    all wrong. ``setup`` stands before them in their module.
    """

    name: str
    values: tuple[str, ...]
    uses: tuple[str, ...]
    apart: Mapping[str, str]
    apart_in: tuple[str, ...]
    setup: str


@dataclasses.dataclass(frozen=True)
class UsesProgram:
    """Uses of values of a kind, each a function of its own, compiled by itself, with its value in a place."""

    kind: Kind
    rows: tuple[tuple[str, Place], ...]
    device: str

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """A function of what compiles, a tensor (float32, of three) and the place of a value among the kind's."""
        module = self._module()
        found = vars(module)
        functions = [(self.told(row), found[f"put_{n}"], found[f"row_{n}"]) for n, row in enumerate(self.rows)]

        def program(compiled: Callable[..., Any], a: torch.Tensor, number: int) -> dict[str, Any]:
            value = eval(f"lambda: {self.kind.values[number]}", found)
            return {told: compiled(row)(a, *put(value())) for told, put, row in functions}

        return Instance(program, [functools.partial(self._inputs, number, upcast) for number in CALLS])

    @staticmethod
    def told(row: tuple[str, Place]) -> str:
        """What a row is called: its use, and where the value is."""
        return f"{row[0]} of {row[1].name}"

    def _module(self) -> types.ModuleType:
        parts = [_IMPORTS, self.kind.setup]
        parts += [place.source(number, f"return a * 2, ({use})") for number, (use, place) in enumerate(self.rows)]
        return module_of_text("uses", self.kind.name, "\n".join(parts))

    def _inputs(self, number: int, upcast: bool) -> Inputs:
        return Inputs((three_numbers(self.device, upcast=upcast), number))


_IMPORTS = "import collections, dataclasses, enum, functools, itertools, math, operator, types\nimport torch\n"


@functools.cache
def kinds() -> Mapping[str, Kind]:
    """Every kind of value, by its name. Raises `ValueError` with a line for a file that says what it cannot."""
    return read(USES)


def read(path: Path) -> Mapping[str, Kind]:
    """The kinds of a file. Raises `ValueError` as `kinds` does."""
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return {name: _kind(name, table) for name, table in said.items()}
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def _kind(name: str, table: Mapping[str, Any]) -> Kind:
    unknown = sorted(table.keys() - _KEYS)
    if unknown:
        raise ValueError(f"{name}: {unknown[0]!r} is none of {', '.join(sorted(_KEYS))}")
    values, uses, apart = tuple(table["values"]), tuple(table["uses"]), dict(table.get("apart", {}))
    if len(values) != max(CALLS) + 1:
        raise ValueError(f"{name}: {len(values)} values, and not {max(CALLS) + 1}")
    for text in (*values, *uses, *apart.values()):
        try:
            ast.parse(text, mode="eval")
        except SyntaxError as error:
            raise ValueError(f"{name}: no expression: {text}: {error.msg}") from None
    apart_in = tuple(table.get("apart_in", ()))
    for place in set(apart_in) - {place.name for place in PLACES}:
        raise ValueError(f"{name}: no place: {place}")
    return Kind(name, values, uses, apart, apart_in, table.get("setup", ""))


def rows(kind: Kind, uses: Sequence[str], turns: Collection[int]) -> tuple[tuple[str, Place], ...]:
    """Uses of a kind, each in the places that it comes to in some of `TURNS` turns: all uses, in a few places."""
    return tuple(
        (use, place)
        for (i, use), (j, place) in itertools.product(enumerate(uses), enumerate(PLACES))
        if (i + j) % TURNS in turns and not place.apart and place.name not in kind.apart_in
    )


def rows_apart(kind: Kind) -> tuple[tuple[str, Place], ...]:
    """The uses of a kind in the places that are apart."""
    return tuple((use, place) for use in kind.uses for place in PLACES if place.name in kind.apart_in)
