"""What failed is run some more times: whether it always fails is told, and is never a pass."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from suites.harness.execution.isolation import Outcome as Ended
from suites.harness.execution.isolation import TimedOut
from suites.harness.results.ledger import Cell
from suites.harness.results.outcomes import Outcome

#: Where a report keeps the record of the cell that it is of, while that may be repeated.
KEPT = "parity_record"


def keep(report: Any, cell: Cell, judged: Cell) -> None:
    """Keep with a report the record of its cell, if that is to be repeated: it failed, and not because it passes."""
    if judged.outcome.against and cell.outcome is not Outcome.PASS:
        setattr(report, KEPT, json.dumps(cell.to_json()))


def repeated(report: Any, times: int, once_more: Callable[[], Outcome]) -> Cell | None:
    """The cell of a report after so many more runs of it; None if it is not to be repeated."""
    kept = report.__dict__.pop(KEPT, None)
    if kept is None:
        return None
    return told(Cell.from_json(json.loads(kept)), [once_more() for _ in range(times)])


def told(cell: Cell, more: Sequence[Outcome]) -> Cell:
    """The cell with what the further runs came to. One of them that does not fail makes it a flake."""
    cell.repeats = [each.value for each in more]
    failed = 1 + sum(each.against for each in more)
    of = 1 + len(more)
    rate = f"failed in {failed} of {of} runs"
    if failed < of:
        cell.detail = f"{rate}, the first of them: {cell.outcome.label}" + (f": {cell.detail}" if cell.detail else "")
        cell.outcome = Outcome.FLAKE
    return cell


def outcome_of(reports: Sequence[dict[str, Any]], ended: Ended | None) -> Outcome:
    """What a further run came to, by its reports or by how its process ended."""
    if ended is not None:
        return Outcome.TIMEOUT if isinstance(ended, TimedOut) else Outcome.CRASH
    told_of = [each["parity_outcome"] for each in reports if "parity_outcome" in each]
    return Outcome(told_of[-1]) if told_of else Outcome.ERROR
