"""What counts against a backend, put together by cause: cells that fail in one way are told of once.

A cause is a standing and the fingerprint of the divergence that gives the cell its standing: layer, facet and what
differs. It is what a reader looks into first, not a proof: one fingerprint may hide two bugs, and one bug may show two.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable

from suites.harness.oracle.divergence import Divergence
from suites.harness.results import summary
from suites.harness.results.ledger import Cell
from suites.harness.results.outcomes import STANDINGS, Outcome


@dataclasses.dataclass(frozen=True)
class Cause:
    """Cells of one standing that fail in one way; the simplest of them first. Never without a cell.

    ``told`` says it in one line, for people; ``fingerprint`` is what the cells have in common, empty where no
    divergence does.
    """

    standing: Outcome
    told: str
    fingerprint: str
    cells: tuple[Cell, ...]

    @property
    def example(self) -> Cell:
        """The simplest of its cells."""
        return self.cells[0]

    @property
    def families(self) -> Counter[str]:
        """Its cells by family."""
        return Counter(cell.family for cell in self.cells)

    @property
    def backends(self) -> Counter[str]:
        """Its cells by backend."""
        return Counter(cell.backend for cell in self.cells)


def deciding(cell: Cell) -> Divergence | None:
    """The divergence that gives a cell its standing: of those that count a silent one, and one of the backend's own."""
    return min(cell.counting, key=lambda item: (not item.silent, item.layer != cell.backend), default=None)


def causes(cells: Iterable[Cell]) -> list[Cause]:
    """Those cells by cause: the worst standing first, then the cause of the most cells."""
    grouped: dict[tuple[Outcome, str, str], list[Cell]] = {}
    for cell in cells:
        grouped.setdefault((summary.standing(cell), *_says(cell)), []).append(cell)
    found = [Cause(*key, tuple(sorted(group, key=_size))) for key, group in grouped.items()]
    return sorted(found, key=lambda cause: (-STANDINGS.index(cause.standing), -len(cause.cells), cause.told))


def _says(cell: Cell) -> tuple[str, str]:
    """A line about how a cell fails, and the fingerprint of that."""
    if cell.outcome is Outcome.UNEXPECTED_PASS:
        return f"passes, though known to fail by {', '.join(cell.bugs)}", ""
    item = deciding(cell)
    if item is None:
        # What follows a colon is about the one cell.
        return summary.first_line(cell.detail.partition(": ")[0]) or summary.standing(cell).meaning, ""
    return words(item), item.fingerprint


def words(item: Divergence, *, layer: bool = True) -> str:
    """A divergence in a line, with the first layer that shows it unless that says nothing here."""
    return f"{item.facet}: {item.kind}" + (f"; first at {item.layer}" if layer and item.layer else "")


def _size(cell: Cell) -> tuple[int, int, str]:
    return len(cell.divergences), len(cell.program), cell.id
