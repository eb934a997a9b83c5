"""Calls of operators as data: one of the texts of each option, and the inputs that a call needs besides its operand."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from golden.toml import tomllib

from ..choices import Choices

#: What a call's operand may be called by, besides `S` and `E`: its sizes, by the number of its dimensions.
SIZES: Mapping[int, str] = {2: "NC", 3: "NCL", 4: "NCHW", 5: "NCDHW"}

_OPTION = re.compile(r"<(?:(?P<name>\w+):=)?(?P<texts>(?:->|[^<>])+)>")
_AGAIN = re.compile(r"\$(\w+)")
_NEEDED = re.compile(r"\{(?P<kind>\w+): (?P<sizes>[^{}]+)\}")

#: How an input is made, by its kind: of its shape, of what stands before that, and of the dtype of what has a gradient.
_MADE: Mapping[str, str] = {
    "new": "torch.randn({shape}{dtype})",
    "above": "torch.rand({shape}{dtype}) + 0.25",
    "share": "torch.rand({shape}{dtype}) * 0.8 + 0.1",
    "weigh": "torch.randn({shape}{dtype}) * 0.3",
    "fixed": "torch.rand({shape}{dtype}) * 0.8 + 0.1",
    "whole": "torch.randint({first}, {shape})",
    "place": "torch.rand({shape}).argsort({first})",
    "truth": "torch.rand({shape}) > 0.4",
    "sign": "(torch.rand({shape}) > 0.5) * 2 - 1",
}
_WITH_GRADIENT = frozenset({"new", "above", "share", "weigh"})
_AFTER_A_NUMBER = frozenset({"whole", "place"})


def told(dtype: str) -> str:
    """How a function that makes a tensor is told its dtype: empty for the one that it has by itself."""
    return f", dtype=torch.{dtype}" if dtype != "float32" else ""


@dataclasses.dataclass(frozen=True)
class Needed:
    """An input that a call needs: its ``kind``, and its shape in sizes of the operand (with a number before it)."""

    kind: str
    sizes: str

    @property
    def has_gradient(self) -> bool:
        """Whether it is a leaf where the program trains."""
        return self.kind in _WITH_GRADIENT

    def made(self, operand: Sequence[int], dtype: str) -> str:
        """The expression that makes it for an operand of such a shape. Raises `ValueError` where there is none."""
        names = dict(zip(SIZES.get(len(operand), ""), operand, strict=False))
        try:
            sizes = eval(f"({self.sizes},)", {"S": tuple(operand), "E": operand[-1], **names})
        except (NameError, IndexError, TypeError) as error:
            raise ValueError(str(error)) from None
        flat = [size for each in sizes for size in (each if isinstance(each, tuple) else (each,))]
        first, shape = (flat[0], flat[1:]) if self.kind in _AFTER_A_NUMBER else (0, flat)
        if any(size < 0 for size in shape) or (self.kind == "whole" and first < 1):
            raise ValueError(f"no input of sizes {flat}")
        return _MADE[self.kind].format(shape=tuple(shape), first=first, dtype=told(dtype))


@dataclasses.dataclass(frozen=True)
class Call:
    """The text of a call, in which ``{0}``, ``{1}``, ... stand for the inputs that it needs."""

    text: str
    needed: tuple[Needed, ...]


@functools.cache
def calls() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The calls of ``calls.toml``: by family, and by the operand's number of dimensions, or ``any``."""
    read = tomllib.loads(Path(__file__).with_name("calls.toml").read_text(encoding="utf-8"))
    return {family: {dimensions: tuple(texts) for dimensions, texts in table.items()} for family, table in read.items()}


def of_dimensions(family: str, dimensions: int) -> tuple[str, ...]:
    """The calls of a family on an operand of so many dimensions."""
    table = calls()[family]
    return (*table.get(str(dimensions), ()), *table.get("any", ()))


def drawn(template: str, choices: Choices) -> Call:
    """A call with one text of each option."""
    named: dict[str, str] = {}

    def option(match: re.Match[str]) -> str:
        text = choices.one_of(match["texts"].split("|"))
        if match["name"]:
            named[match["name"]] = text
        return text

    text = _AGAIN.sub(lambda match: named[match[1]], _OPTION.sub(option, template))
    needed: list[Needed] = []

    def placed(match: re.Match[str]) -> str:
        needed.append(Needed(match["kind"], match["sizes"]))
        return f"{{{len(needed) - 1}}}"

    return Call(_NEEDED.sub(placed, text), tuple(needed))


def in_words(call: Call, operand: str, other: str, inputs: Sequence[str]) -> str:
    """The call as Python: of these operands and of inputs by these names."""
    tree = ast.parse(call.text.format(*inputs), mode="eval")
    names = {"x": operand, "y": other}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return ast.unparse(tree)
