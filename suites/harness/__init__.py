"""The engine. A clause imports what it is written with from here.

A program goes through these rooms: ``clauses`` (what a clause is written with, and its cells), ``programs`` (inputs and
what is run on them), ``backends`` (how it is compiled), ``observation`` (what a caller can see of one run), ``oracle``
(eager against compiled: what differs, and at which layer first), ``execution`` (processes, limits, kernels),
``results`` (the ledger and what follows from it). ``session`` and ``plugin`` tie them to pytest. The private names of
torch are in ``torch_internals``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suites.harness.clauses.check import Check
    from suites.harness.clauses.result import Result
    from suites.harness.clauses.scope import ANY, AOT_FUNCTION, DYNAMO, clause
    from suites.harness.programs.specs import built, leaf, tensor, view_of

__all__ = ["ANY", "AOT_FUNCTION", "DYNAMO", "Check", "Result", "built", "clause", "leaf", "tensor", "view_of"]

#: Where each name is. They are imported when they are asked for: the rooms that judge a ledger do without torch.
_HOMES = {
    **dict.fromkeys(("ANY", "AOT_FUNCTION", "DYNAMO", "clause"), "clauses.scope"),
    "Check": "clauses.check",
    "Result": "clauses.result",
    **dict.fromkeys(("built", "leaf", "tensor", "view_of"), "programs.specs"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
