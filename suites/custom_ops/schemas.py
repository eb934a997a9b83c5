"""The table of schemas against auto-functionalization: which of them a mutable custom operator may have.

The rule is ``can_auto_functionalize``'s: the operator is not built in, it mutates, what it mutates are tensors or
lists of tensors, its results are new tensors (unless a tag says that they are its mutated arguments), and it has no
functionalization kernel of its own. ``torch`` is the range of versions in which a row says what it says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from packaging.specifiers import SpecifierSet
from packaging.version import Version

#: Calls the operator with what the row's schema asks for, out of four tensors.
CallOf = Callable[[Any, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], Any]


@dataclasses.dataclass(frozen=True)
class Row:
    """One schema. ``tag``: ``inplace``, ``out`` or none; ``mutates``: which of the four tensors the call changes."""

    name: str
    schema: str
    call: CallOf
    mutates: tuple[int, ...] = (0,)
    tag: str = ""
    overload: str = "default"
    torch: str = ">=2.11"


@dataclasses.dataclass(frozen=True)
class Misuse:
    """A schema that its tag does not allow. ``says``: a part of the error that defining it raises."""

    name: str
    schema: str
    tag: str
    says: str


FUNCTIONALIZED: tuple[Row, ...] = (
    Row("one", "(Tensor(a!) x) -> ()", lambda op, a, b, c, d: op(a)),
    Row("one_and_one_read", "(Tensor(a!) x, Tensor y) -> ()", lambda op, a, b, c, d: op(a, b)),
    Row("two", "(Tensor(a!) x, Tensor(b!) y) -> ()", lambda op, a, b, c, d: op(a, b), (0, 1)),
    Row(
        "two_and_an_optional_one",
        "(Tensor(a!) x, Tensor(b!) y, Tensor z, SymInt w, Tensor(c!)? n) -> ()",
        lambda op, a, b, c, d: op(a, b, c, 3, d),
        (0, 1, 3),
    ),
    Row("reads_a_list", "(Tensor(a!) x, Tensor[] y) -> ()", lambda op, a, b, c, d: op(a, [b, c])),
    Row("list", "(Tensor(a!)[] x) -> ()", lambda op, a, b, c, d: op([b, a, c]), (0, 1, 2)),
    Row("one_and_a_list", "(Tensor(a!) x, Tensor(b!)[] y) -> ()", lambda op, a, b, c, d: op(a, [b, c]), (0, 1, 2)),
    Row("optional_list", "(Tensor(a!)[]? x, Tensor y) -> ()", lambda op, a, b, c, d: op([a, b], c), (0, 1)),
    Row("list_of_optionals", "(Tensor(a!)?[] x, Tensor y) -> ()", lambda op, a, b, c, d: op([a, b], c), (0, 1)),
    Row("optional", "(Tensor(a!)? x, Tensor y) -> ()", lambda op, a, b, c, d: op(a, b)),
    Row(
        "reads_optional_lists",
        "(Tensor(a!) x, Tensor?[] y, Tensor[]? z) -> ()",
        lambda op, a, b, c, d: op(a, [b, None], [c]),
    ),
    Row("returns_a_tensor", "(Tensor(a!) x) -> Tensor", lambda op, a, b, c, d: op(a)),
    Row(
        "returns_two_tensors",
        "(Tensor(a!) x, Tensor(b!) y) -> (Tensor, Tensor)",
        lambda op, a, b, c, d: op(a, b),
        (0, 1),
    ),
    Row("keyword_only_out", "(Tensor x, *, Tensor(a!) out) -> ()", lambda op, a, b, c, d: op(a, out=b), (1,)),
    Row(
        "keyword_only_list_out",
        "(Tensor x, *, Tensor(a!)[] out) -> ()",
        lambda op, a, b, c, d: op(a, out=[b, c]),
        (1, 2),
    ),
    Row(
        "scalars_of_every_type",
        "(Tensor(a!) x, int i, float f, bool b, str s, Scalar c, ScalarType t, Device e, int[] j, float[] g) -> ()",
        lambda op, a, b, c, d: op(a, 2, 1.5, True, "text", 3, torch.float32, a.device, [1, 2], [0.5]),
    ),
    Row("list_of_scalars", "(Tensor(a!) x, Scalar[] s) -> ()", lambda op, a, b, c, d: op(a, [1, 2.5])),
    Row("generator", "(Tensor(a!) x, Generator? g) -> ()", lambda op, a, b, c, d: op(a, None)),
    Row("any", "(Tensor(a!) x, Any g) -> ()", lambda op, a, b, c, d: op(a, 5)),
    Row("symbolic_list", "(Tensor(a!) x, SymInt[] s) -> ()", lambda op, a, b, c, d: op(a, [a.shape[0], 2])),
    Row(
        "tagged_in_place",
        "(Tensor(a!) x, Tensor y) -> Tensor(a!)",
        lambda op, a, b, c, d: op(a, b),
        tag="inplace",
        torch=">=2.13",
    ),
    Row(
        "tagged_out",
        "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
        lambda op, a, b, c, d: op(a, out=b),
        (1,),
        tag="out",
        overload="out",
        torch=">=2.13",
    ),
    Row(
        "tagged_out_twice",
        "(Tensor x, *, Tensor(a!) out, Tensor(b!) second) -> (Tensor(a!), Tensor(b!))",
        lambda op, a, b, c, d: op(a, out=b, second=c),
        (1, 2),
        tag="out",
        overload="out",
        torch=">=2.13",
    ),
)
"""Schemas that are auto-functionalized."""

LEFT_ALONE: tuple[Row, ...] = (
    Row("mutates_nothing", "(Tensor x) -> Tensor", lambda op, a, b, c, d: op(a), ()),
    Row("returns_a_view", "(Tensor(a) x) -> Tensor(a)", lambda op, a, b, c, d: op(a), ()),
    Row("returns_what_it_mutates", "(Tensor(a!) x) -> Tensor(a!)", lambda op, a, b, c, d: op(a)),
    Row("returns_another_alias", "(Tensor(a!) x, Tensor(b) y) -> Tensor(b)", lambda op, a, b, c, d: op(a, b)),
    Row("returns_a_list", "(Tensor(a!) x) -> Tensor[]", lambda op, a, b, c, d: op(a)),
    Row("returns_an_optional", "(Tensor(a!) x) -> Tensor?", lambda op, a, b, c, d: op(a)),
    Row("returns_an_integer", "(Tensor(a!) x) -> int", lambda op, a, b, c, d: op(a)),
    Row("returns_a_size", "(Tensor(a!) x) -> SymInt", lambda op, a, b, c, d: op(a)),
    Row("returns_a_scalar", "(Tensor(a!) x) -> Scalar", lambda op, a, b, c, d: op(a)),
    Row("returns_a_tensor_and_an_integer", "(Tensor(a!) x) -> (Tensor, int)", lambda op, a, b, c, d: op(a)),
    Row("returns_a_tensor_and_a_list", "(Tensor(a!) x) -> (Tensor, Tensor[])", lambda op, a, b, c, d: op(a)),
    Row("returns_a_named_new_tensor", "(Tensor(a!) x) -> Tensor(c)", lambda op, a, b, c, d: op(a)),
    Row("aten_in_place", "aten::sin_", lambda op, a, b, c, d: op(a)),
    Row("functionalized_by_its_own_kernel", "fsdp::copy_", lambda op, a, b, c, d: op(a, b)),
)
"""Schemas, and operators that exist already, that are not: by themselves, or refused."""

MISUSES: tuple[Misuse, ...] = (
    Misuse("in_place_on_the_second", "(Tensor x, Tensor(a!) y) -> Tensor(a!)", "inplace", "first positional argument"),
    Misuse("in_place_without_a_return", "(Tensor(a!) x) -> ()", "inplace", "must return exactly one value"),
    Misuse("positional_out", "(Tensor(a!) x) -> Tensor(a!)", "out", "keyword-only"),
    Misuse("list_out", "(Tensor x, *, Tensor(a!)[] out) -> ()", "out", "only supports Tensor mutable arguments"),
    Misuse("out_without_a_return", "(Tensor x, *, Tensor(a!) out) -> ()", "out", "must return all mutable arguments"),
)
"""What a tag does not allow, and what defining it says."""


def holds(specifier: str) -> bool:
    """Whether the torch that runs is in this range."""
    return SpecifierSet(specifier).contains(Version(torch.__version__).base_version, prereleases=True)


def names(rows: tuple[Row, ...]) -> list[str]:
    """The names of the rows that speak of the torch that runs."""
    return [row.name for row in rows if holds(row.torch)]


def row(name: str) -> Row:
    """The row of that name."""
    return next(row for row in FUNCTIONALIZED + LEFT_ALONE if row.name == name)


def misuse(name: str) -> Misuse:
    """The misuse of that name."""
    return next(row for row in MISUSES if row.name == name)
