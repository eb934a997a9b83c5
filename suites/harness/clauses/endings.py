"""What ends a cell otherwise than with a pass, as exceptions."""

from __future__ import annotations

from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import Examination
from suites.harness.results.outcomes import Outcome


class CellEnded(Exception):
    """The cell has come to something other than a pass. ``outcome`` is one of the ledger's."""

    outcome = Outcome.ERROR


class Diverged(CellEnded):
    """The candidate differs from eager."""

    def __init__(self, verdict: Examination) -> None:
        super().__init__("\n".join(map(_described, verdict.divergences)) or verdict.detail)
        self.outcome = verdict.outcome


def _described(item: Divergence) -> str:
    return (
        f"{'silent' if item.silent else 'loud'} {item.facet}: {item.kind}\n"
        f"    where     {item.where}\n    expected  {item.expected}\n    seen      {item.seen}\n"
        f"    layer     {item.layer}"
    )


class NotHappened(CellEnded):
    """The cell passed, but what the clause is about did not happen: vacuous."""

    outcome = Outcome.VACUOUS


class NotSupported(CellEnded):
    """The backend, or this environment, says that it cannot run the cell."""

    outcome = Outcome.UNSUPPORTED


class Rejected(CellEnded):
    """The clause's own program is at fault: eager leaves it undefined, or it cannot be built."""

    outcome = Outcome.ERROR
