"""Schemas drawn: any mix of tensors, optionals, lists and plain values, written or not, with 0 to 3 returns."""

from __future__ import annotations

import dataclasses

import torch

from ..choices import Choices
from .schema import Argument, Return, Schema

#: The functions an operator is registered with; `registration` writes each.
APIS = ("define", "library", "custom_op", "custom_op with a schema")

#: Types with how often they are drawn, and whether the operator may write to them.
_TYPES = (
    *("Tensor",) * 10,
    *("Tensor?",) * 3,
    *("Tensor[]",) * 3,
    *("Tensor?[]",) * 2,
    "Tensor[]?",
    *("SymInt",) * 2,
    *("int", "int[]", "SymInt[]", "float", "bool", "Scalar", "str", "ScalarType", "Device"),
)
_DEFAULTS = {
    "Tensor?": "None",
    "Tensor[]?": "None",
    "SymInt": "3",
    "int": "2",
    "SymInt[]": "[1, 2]",
    "int[]": "[2, 1]",
    "float": "1.5",
    "bool": "True",
    "Scalar": "2",
    "str": '"mean"',
    "ScalarType": "float64",
    "Device": '"cpu"',
}
_NAMES = "xyzuvwpqrst"
MOST_ARGUMENTS = 6
#: What type hints say instead of what they cannot say.
_HINTED = {"int": "SymInt", "int[]": "SymInt[]", "Tensor[]?": "Tensor[]"}


def tags() -> tuple[str, ...]:
    """The tags for aliasing returns that this torch knows."""
    return tuple(tag for tag in ("inplace", "out") if hasattr(torch.Tag, tag))


def draw_schema(choices: Choices, api: str) -> Schema:
    """A schema that can be registered with ``api``; the fewer decisions, the shorter it is."""
    if tags() and choices.chance(12):
        return _draw_tagged(choices, api)
    # The name that torch warns of: it is what operators' own functions call their first argument.
    arguments = [_draw_argument(choices, "self" if choices.chance(4) else _NAMES[0], api)]
    while len(arguments) < MOST_ARGUMENTS and choices.chance(70):
        arguments.append(_draw_argument(choices, _NAMES[len(arguments)], api))
    if not any(argument.is_tensor and argument.type != "Tensor[]?" for argument in arguments):
        # The dispatcher does not look into optional lists for what says where the kernel runs.
        arguments[0] = Argument(arguments[0].name, "Tensor")
    arguments = _with_keyword_only(choices, arguments, api)
    returns, aliased = _draw_returns(choices, arguments, api)
    arguments = [_aliased(argument, aliased) for argument in arguments]
    return Schema(_ordered(arguments), returns)


def _draw_argument(choices: Choices, name: str, api: str) -> Argument:
    kind = choices.one_of(_TYPES)
    if api == "custom_op":
        kind = _HINTED.get(kind, kind)
    if kind.startswith("Tensor"):
        alias = f"{name}!" if choices.chance(40) else ""
        default = _DEFAULTS.get(kind) if choices.chance(30) else None
        return Argument(name, kind, alias, default)
    default = _DEFAULTS[kind] if choices.chance(40) else None
    if api == "custom_op" and "[" in kind:
        default = None  # A hint's default is a single value.
    return Argument(name, kind, "", default)


def _with_keyword_only(choices: Choices, arguments: list[Argument], api: str) -> list[Argument]:
    """Some of the last arguments by name alone: none that is a tensor, through custom_op, which refuses those."""
    if len(arguments) < 2 or not choices.chance(25):
        return arguments
    first = choices.integer(1, len(arguments) - 1)
    allowed = not api.startswith("custom_op")
    return [
        dataclasses.replace(argument, keyword_only=place >= first and (allowed or not argument.is_tensor))
        for place, argument in enumerate(arguments)
    ]


def _draw_returns(choices: Choices, arguments: list[Argument], api: str) -> tuple[tuple[Return, ...], str]:
    """The returns, and the name of the argument that the first of them is a view of."""
    number = choices.one_of([0, 1, 1, 1, 2, 2, 3])
    written = any(argument.is_written for argument in arguments)
    if not written and not number:
        number = 1
    if number and not api.startswith("custom_op") and choices.chance(10):
        plain = [argument for argument in arguments if argument.type == "Tensor"]
        if plain:
            aliased = choices.one_of(plain)
            alias = aliased.alias or aliased.name
            return (Return("Tensor", alias), *(Return() for _ in range(number - 1))), aliased.name
    kinds = ["Tensor"] * 12 + ["Tensor[]", "int"] if not written or choices.chance(20) else ["Tensor"]
    return tuple(Return(choices.one_of(kinds)) for _ in range(number)), ""


def _aliased(argument: Argument, aliased: str) -> Argument:
    if argument.name == aliased and not argument.alias:
        return dataclasses.replace(argument, alias=argument.name)
    return argument


def _ordered(arguments: list[Argument]) -> tuple[Argument, ...]:
    """By place before by name, and of those by place the ones without a default first."""
    return tuple(sorted(arguments, key=lambda argument: (argument.keyword_only, argument.default is not None)))


def _draw_tagged(choices: Choices, api: str) -> Schema:
    """An operator of the conventions of ``Tag.inplace`` (writes and returns its first) or ``Tag.out``."""
    rest = [_draw_argument(choices, name, api) for name in _NAMES[2 : 2 + choices.integer(0, 3)]]
    rest = [dataclasses.replace(argument, alias="") for argument in rest]
    if choices.one_of(tags()) == "inplace":
        arguments = [Argument("x", "Tensor", "x!"), *rest]
        return Schema(_ordered(arguments), (Return("Tensor", "x!"),), "inplace")
    outs = [Argument(name, "Tensor", f"{name}!", None, True) for name in ("out", "out2")[: choices.integer(1, 2)]]
    arguments = [Argument("x", "Tensor"), *rest, *outs]
    overload = "" if api.startswith("custom_op") else "out"
    return Schema(_ordered(arguments), tuple(Return("Tensor", out.alias) for out in outs), "out", overload)
