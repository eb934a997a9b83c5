"""What a project of one's own imports: ``from parity import Check, clause, tensor`` for its clauses, and `check`.

The names are those of `suites.harness` and of `tools.checking`, which are imported when one of them is first asked for:
the command line and the entry point for pytest are in this package, too, and do without torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import suites
import tools

if TYPE_CHECKING:
    from suites.harness import ANY, AOT_FUNCTION, DYNAMO, Check, Result, built, clause, leaf, tensor, view_of
    from tools.checking import check

__all__ = ["ANY", "AOT_FUNCTION", "DYNAMO", "Check", "Result", "built", "check", "clause", "leaf", "tensor", "view_of"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = f"{tools.__name__}.checking" if name == "check" else f"{suites.__name__}.harness"
    return getattr(importlib.import_module(place), name)
