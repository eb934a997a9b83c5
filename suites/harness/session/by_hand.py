"""What a clause that compiles by hand comes to where a demand is not met, or a call of what it compiled raises.

The oracle makes the runs of a program that it is handed, and so finds the layer of torch that diverges first. What a
clause does by hand it alone can do again: it is run once more on each layer below the backend.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

import pytest

from golden.expectation import Session, use_session
from suites.harness import torch_internals
from suites.harness.backends.registry import resolve
from suites.harness.clauses.check import Check
from suites.harness.clauses.endings import CellEnded, NotSupported
from suites.harness.execution.isolation import one_line
from suites.harness.observation.facts import ErrorFacts
from suites.harness.observation.global_state import GlobalState
from suites.harness.oracle.messages import raised_kind
from suites.harness.results.outcomes import Outcome


def judged(item: pytest.Item, check: Check) -> tuple[str, str]:
    """The outcome of a cell that ended by what was raised by hand, and a line about it; its verdict says the rest."""
    ended, end = check.cell.raised_by_hand, _end(check)
    assert ended is not None
    layer = next((each for each in check.backend.references if _end(_again(item, check, each)) == end), "")
    if not isinstance(ended, CellEnded):
        if layer == "eager":
            # With no compiler behind it, either: that is the clause's own.
            return Outcome.ERROR, one_line(ended)
        try:
            check.cell.refuses(ended)
        except NotSupported as error:
            return error.outcome, str(error)
    if layer:
        check.cell.is_of_layer(layer)
    assert check.cell.verdict is not None
    return check.cell.verdict.outcome, check.cell.verdict.detail


def _again(item: pytest.Item, check: Check, layer: str) -> Check:
    """What the clause was handed when it was run once more, on a layer."""
    again = Check(resolve(layer), check.variant, check.scope, device=check.device, time_limit=check.time_limit)
    function = item.obj  # type: ignore[attr-defined]
    given: dict[str, Any] = {**item.funcargs, "check": again}  # type: ignore[attr-defined]
    state = GlobalState.read()
    torch_internals.reset()
    with use_session(Session("off", item.nodeid)), contextlib.suppress(Exception):
        function(**{name: given[name] for name in inspect.signature(function).parameters})
    state.restore()
    return again


def _end(check: Check) -> tuple[str, str] | None:
    """The facet and the kind of what was raised by hand."""
    ended = check.cell.raised_by_hand
    if ended is None:
        return None
    if isinstance(ended, CellEnded):
        assert check.cell.verdict is not None
        last = check.cell.verdict.divergences[-1]
        return last.facet, last.kind
    return "error", raised_kind(ErrorFacts.of(ended))
