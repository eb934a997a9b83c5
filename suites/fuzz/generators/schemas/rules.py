"""What must happen to an operator when a program that calls it is compiled: from its schema alone.

The model is written from what torch documents, not from its code: the reference of ``torch.library.custom_op`` (what is
mutated must be declared, results share memory with nothing), the Custom Operators Manual, the notes on ``torch.Tag``
(``inplace`` and ``out`` name the conventions of aten's own variants), and the table of schemas in
``suites.custom_ops.schemas``, each row of which was seen to hold. Where a torch of another version does otherwise, that
is a `Drift`, with a name and a range.
"""

from __future__ import annotations

import dataclasses

import torch
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from .schema import Schema

#: What becomes of a call: it stays as it is, it is wrapped so that the graph is functional, or compiling is refused.
KEPT, WRAPPED, REFUSED = "kept", "wrapped", "refused"


@dataclasses.dataclass(frozen=True)
class Drift:
    """In the versions of ``torch`` this range names, ``rule`` is not there: what it speaks of is refused."""

    rule: str
    torch: str


#: The rules that some of the supported versions do not have.
DRIFTS = (
    Drift("inplace", "<2.13"),
    Drift("out", "<2.13"),
)


def drifted(rule: str, version: str = torch.__version__) -> bool:
    """Whether the rule is missing from that version."""
    base = Version(Version(version).base_version)
    return any(drift.rule == rule and SpecifierSet(drift.torch).contains(base) for drift in DRIFTS)


def why_not_functionalized(schema: Schema, version: str = torch.__version__) -> str:
    """Why calls of the operator are not wrapped in ``auto_functionalized``; empty if they are.

    An operator is wrapped if it writes, and what it returns is nothing or new tensors; or if it follows the convention
    that its tag names: ``inplace`` returns the first argument, the only one that it writes to; ``out`` writes to
    tensors that are given by name alone and returns them in their order.
    """
    if not schema.written:
        return "it writes to nothing"
    if schema.tag and not drifted(schema.tag, version):
        return ""
    for number, result in enumerate(schema.returns):
        if result.alias:
            return f"result {number} shares memory with an argument"
        if result.type != "Tensor":
            return f"result {number} is no tensor"
    return ""


def fate(schema: Schema, version: str = torch.__version__) -> str:
    """What compiling a call comes to: `KEPT`, `WRAPPED` or `REFUSED`.

    AOTAutograd's graphs are functional. An operator that writes to nothing and shares memory with nothing may stand in
    one as it is; one that writes must be wrapped; one that cannot be wrapped, or whose results are views of its
    arguments, has no place in a functional graph, and torch says so when it meets it.
    """
    if not schema.written:
        return REFUSED if any(result.alias for result in schema.returns) else KEPT
    return REFUSED if why_not_functionalized(schema, version) else WRAPPED


def changes(schema: Schema) -> tuple[str, ...]:
    """The arguments whose tensors a call changes, by name."""
    return tuple(argument.name for argument in schema.written)


def aliases(schema: Schema) -> tuple[str, ...]:
    """For each result the argument whose memory it shares; empty for a new one."""
    owners = {argument.alias: argument.name for argument in schema.arguments if argument.alias}
    return tuple(owners.get(result.alias, "") for result in schema.returns)


def node_of(schema: Schema, *, v2: bool = True, version: str = torch.__version__) -> str:
    """What a call is in the graph that AOTAutograd hands on: the name of what the node calls, or `REFUSED`.

    Without views (``v2`` off, `torch._inductor.config.enable_auto_functionalized_v2`) the older wrapper is used, which
    knows neither tag.
    """
    what = fate(schema, version)
    if what == WRAPPED:
        return "auto_functionalized_v2" if v2 else "auto_functionalized"
    return "the operator" if what == KEPT else REFUSED
