"""Schemas as values: what an operator says of its arguments and returns, printed as torch reads it."""

from __future__ import annotations

import dataclasses
import re

#: The types of arguments, as a schema spells them without an alias.
TENSORS = ("Tensor", "Tensor?", "Tensor[]", "Tensor?[]", "Tensor[]?")
PLAIN = ("SymInt", "SymInt[]", "int", "int[]", "float", "bool", "Scalar", "str", "ScalarType", "Device")


class NotASchema(ValueError):
    """A text is no schema, or one of a kind that is not drawn; the message says where."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument: ``alias`` is a letter, with ``!`` where the operator writes to it; ``default`` as it is spelled."""

    name: str
    type: str
    alias: str = ""
    default: str | None = None
    keyword_only: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether tensors are passed in it, alone or in a list."""
        return self.type.startswith("Tensor")

    @property
    def is_list(self) -> bool:
        """Whether several tensors are passed in it."""
        return self.is_tensor and "[" in self.type

    @property
    def is_optional(self) -> bool:
        """Whether None may be passed for a tensor, or for the list."""
        return self.is_tensor and "?" in self.type

    @property
    def is_written(self) -> bool:
        """Whether the operator declares that it changes it."""
        return self.alias.endswith("!")

    def __str__(self) -> str:
        ending = "" if self.default is None else f"={self.default}"
        return f"{_annotated(self.type, self.alias)} {self.name}{ending}"


@dataclasses.dataclass(frozen=True)
class Return:
    """One result: a new one, or with the letter of the argument that it shares memory with."""

    type: str = "Tensor"
    alias: str = ""

    def __str__(self) -> str:
        return _annotated(self.type, self.alias)


@dataclasses.dataclass(frozen=True)
class Schema:
    """What an operator says of itself. ``tag`` is ``inplace``, ``out`` or nothing; ``overload`` a name or nothing."""

    arguments: tuple[Argument, ...] = ()
    returns: tuple[Return, ...] = ()
    tag: str = ""
    overload: str = ""

    @property
    def positional(self) -> tuple[Argument, ...]:
        """The arguments that have a place."""
        return tuple(argument for argument in self.arguments if not argument.keyword_only)

    @property
    def keyword_only(self) -> tuple[Argument, ...]:
        """The arguments that have a name alone."""
        return tuple(argument for argument in self.arguments if argument.keyword_only)

    @property
    def tensors(self) -> tuple[Argument, ...]:
        """The arguments that hold tensors."""
        return tuple(argument for argument in self.arguments if argument.is_tensor)

    @property
    def written(self) -> tuple[Argument, ...]:
        """The arguments that a call changes."""
        return tuple(argument for argument in self.arguments if argument.is_written)

    def without(self, name: str) -> Schema:
        """The schema without an argument."""
        return dataclasses.replace(self, arguments=tuple(a for a in self.arguments if a.name != name))

    def __str__(self) -> str:
        words = [str(argument) for argument in self.positional]
        words += ["*"] * bool(self.keyword_only) + [str(argument) for argument in self.keyword_only]
        returns = [str(result) for result in self.returns]
        ending = returns[0] if len(returns) == 1 else f"({', '.join(returns)})"
        return f"({', '.join(words)}) -> {ending}"


def _annotated(kind: str, alias: str) -> str:
    if not alias:
        return kind
    base = re.match(r"\w+", kind)
    assert base is not None
    return f"{base[0]}({alias}){kind[base.end() :]}"


_TYPE = re.compile(r"(?P<base>\w+)(?:\((?P<alias>[a-z]\w*!?)\))?(?P<rest>(?:\?|\[\d*\])*)$")


def parse(text: str, tag: str = "", overload: str = "") -> Schema:
    """The schema that a text is, as `Schema` prints it. Raises `NotASchema`."""
    left, arrow, right = text.partition("->")
    left, right = left.strip(), right.strip()
    if not arrow or not (left.startswith("(") and left.endswith(")")):
        raise NotASchema(f"{text!r}: no `(arguments) -> returns`")
    arguments = []
    keyword_only = False
    for word in _split(left[1:-1]):
        if word == "*":
            keyword_only = True
            continue
        declared, _, default = word.partition("=")
        kind, _, name = declared.strip().rpartition(" ")
        arguments.append(Argument(name, *_type(kind, text), default or None, keyword_only))
    inner = right[1:-1] if right.startswith("(") else right
    returns = tuple(Return(*_type(word.split(" ")[0], text)) for word in _split(inner))
    return Schema(tuple(arguments), returns, tag, overload)


def _type(kind: str, text: str) -> tuple[str, str]:
    match = _TYPE.match(kind.strip())
    if match is None:
        raise NotASchema(f"{text!r}: {kind!r} is no type")
    return match["base"] + match["rest"], match["alias"] or ""


def _split(text: str) -> list[str]:
    """The parts between commas that are in no bracket and no quotation marks."""
    parts = re.findall(r"(?:\"[^\"]*\"|\[[^\]]*\]|[^,])+", text)
    return [part.strip() for part in parts if part.strip()]
