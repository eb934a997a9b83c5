"""What a run says of known bugs: its compared cells, found by what is expected of them."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence

from suites.harness.results.known_bugs import Expectation
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.places import Environment, is_pattern, matches


class Evidence:
    """The compared cells of one run, by clause: looked through once, then asked of every known bug."""

    def __init__(self, environment: Environment, cells: Iterable[Cell]) -> None:
        self.environment = environment
        self._of_clause: dict[str, list[Cell]] = {}
        for cell in cells:
            if cell.outcome.compared:
                self._of_clause.setdefault(cell.clause, []).append(cell)
        self._clauses = sorted(self._of_clause)

    @classmethod
    def of(cls, ledger: Ledger) -> Evidence:
        """What the run of a ledger says."""
        return cls(Environment.of(ledger.header), ledger.cells.values())

    def about(self, each: Expectation) -> list[Cell]:
        """The cells that it is about, wherever it was seen."""
        return [
            cell
            for clause in fitting(each.clause, self._clauses)
            for cell in self._of_clause[clause]
            if matches(each.backend, cell.backend) and matches(each.variant, cell.variant)
        ]

    def told(self, each: Expectation) -> list[bool]:
        """Whether each of the cells that it is about shows it, of those whose run could have."""
        asked = filter(each.asked_of, self.about(each))
        return [any(each.covers(item) for item in cell.divergences) for cell in asked]


def fitting(pattern: str, clauses: Sequence[str]) -> Iterator[str]:
    """Those of the sorted ``clauses`` that a pattern fits: looked for where its text before the first wildcard is."""
    start = re.split(r"[*?]", pattern, maxsplit=1)[0]
    for place in range(bisect.bisect_left(clauses, start), len(clauses)):
        clause = clauses[place]
        if not clause.startswith(start):
            return
        if matches(pattern, clause):
            yield clause
        if not is_pattern(pattern):
            return
