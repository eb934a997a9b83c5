"""What a clause in a project of one's own is written with: ``from parity import Check, clause, tensor``.

The names are those of `suites.harness`, which is imported when one of them is first asked for: the command line and the
entry point for pytest are in this package, too, and do without torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import suites

if TYPE_CHECKING:
    from suites.harness import ANY, AOT_FUNCTION, DYNAMO, Check, Result, built, clause, leaf, tensor, view_of

__all__ = ["ANY", "AOT_FUNCTION", "DYNAMO", "Check", "Result", "built", "clause", "leaf", "tensor", "view_of"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{suites.__name__}.harness"), name)
