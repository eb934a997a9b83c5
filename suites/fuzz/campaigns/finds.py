"""What a campaign finds: a program that diverges, made small, and how sure that is."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

from suites.harness.oracle.divergence import Divergence

from ..reduction.edits import function_named
from .describing import words

#: How sure a find is. Only the first two count.
CONFIRMED = "confirmed"
BY_CHECK = "by parity check"
UNCONFIRMED = "not in a new process"
ONCE = "once"
RECOGNISED = "recognised"

STANDINGS: Mapping[str, str] = {
    CONFIRMED: "its script of plain PyTorch exits with 1 in a new process",
    BY_CHECK: "the script does not show it, but the oracle does, in a new process",
    UNCONFIRMED: "it diverges in a fork of its own, but not in a new process",
    ONCE: "it diverged among other programs, and not alone",
    RECOGNISED: "reduced until it was seen to be one that the campaign or the list of known finds has",
}


@dataclasses.dataclass(frozen=True)
class Find:
    """A program that diverges, made small; ``original`` is the one that was drawn, number ``number``."""

    number: int
    backend: str
    divergence: Divergence
    operators: tuple[str, ...]
    statements: int
    standing: str
    text: str
    original: str
    #: What it took to make it small: candidates that were run, and seconds, confirming included.
    tried: int = 0
    seconds: float = 0.0

    @property
    def fingerprint(self) -> str:
        """That of its divergence."""
        return self.divergence.fingerprint

    @property
    def counts(self) -> bool:
        """Whether it has been seen in a new process."""
        return self.standing in (CONFIRMED, BY_CHECK)

    @property
    def bucket(self) -> str:
        """What is the same of two finds that are one bug, as far as can be told: fingerprint and operators."""
        return bucket(self.fingerprint, self.operators)

    def to_json(self) -> dict[str, Any]:
        """The find as a record of a log."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {"kind": "find", "hash": hashed(self.text), **fields, "divergence": self.divergence.to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Find:
        """Read a ``find`` record. Raises `KeyError` for one that is not whole."""
        fields = {field.name: record[field.name] for field in dataclasses.fields(cls)}
        fields["divergence"] = Divergence.from_json(record["divergence"])
        return cls(**{**fields, "operators": tuple(record["operators"])})


def bucket(fingerprint: str, names: tuple[str, ...]) -> str:
    """A fingerprint and operators, as one word for both."""
    return f"{fingerprint} [{' '.join(names)}]"


def hashed(text: str) -> str:
    """What stands for a text in a log."""
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def operators(text: str) -> tuple[str, ...]:
    """The operators and functions that a program calls, and the kinds of its other statements, sorted.

    Of operators that it defines itself: what is particular about them.
    """
    tree = ast.parse(text)
    found = words(tree)
    for node in ast.walk(function_named(tree, "program")):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "call")
            found.add(name)
        elif isinstance(node, ast.AugAssign):
            found.add(type(node.op).__name__.lower() + "=")
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(f".{node.attr}=")
        elif isinstance(node, ast.BinOp):
            found.add(type(node.op).__name__.lower())
        elif isinstance(node, ast.Subscript):
            found.add("[...]=" if isinstance(node.ctx, ast.Store) else "[...]")
        elif isinstance(node, (ast.With, ast.For, ast.If, ast.IfExp)):
            found.add(type(node).__name__.lower())
    return tuple(sorted(found))
