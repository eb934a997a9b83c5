"""What a run says of known bugs: its compared cells, found by what is expected of them, and what it left out."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from suites.harness.results.known_bugs import Expectation, where_cells_ran
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import Outcome
from suites.harness.results.places import Environment, is_pattern, matches


class Evidence:
    """The compared cells of a run in one environment, by clause: looked through once, then asked of every known bug.

    ``asked`` is the header's ``configuration``: what it was asked to leave out, no bug is gone from.
    """

    def __init__(self, environment: Environment, cells: Iterable[Cell], asked: Mapping[str, Any] | None = None) -> None:
        self.environment = environment
        self._of_clause: dict[str, list[Cell]] = {}
        for cell in cells:
            if cell.outcome.compared:
                self._of_clause.setdefault(cell.clause, []).append(cell)
        self._clauses = sorted(self._of_clause)
        asked = asked or {}
        part = not asked.get("whole")
        self._some_backends = bool(asked.get("backends"))
        self._some_variants = asked.get("profile") in ("quick", "smoke") or (part and _has(asked, "modes", "named"))
        self._some_clauses = part and _has(asked, "clauses", "named", "quick", "shard", "missing_shards")
        self._some_families = part and not asked.get("every_family", True)

    @classmethod
    def of(cls, ledger: Ledger) -> list[Evidence]:
        """What the run of a ledger says in each environment that it ran in: those of shards may be several."""
        cells: dict[Environment, list[Cell]] = {}
        for name, here in where_cells_ran(ledger).items():
            cells.setdefault(here, []).append(ledger.cells[name])
        asked = ledger.header.get("configuration") or {}
        asked = {**asked, "whole": False, "shard": True} if len(cells) > 1 else asked
        return [cls(environment, its, asked) for environment, its in cells.items()]

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

    def passes(self, each: Expectation) -> bool:
        """Whether one of the cells that it is about passes, of those whose run could have shown it."""
        return any(cell.outcome is Outcome.PASS for cell in filter(each.asked_of, self.about(each)))

    def shows(self, each: Expectation) -> bool | None:
        """Whether it is seen there; None where nothing follows from what ran.

        Nothing does from a run in which a bug that shows by chance did not, or which left out cells that may show it:
        but one that passes shows that an entry of its clause is too wide.
        """
        told = self.told(each)
        if any(told):
            return True
        if not told or each.bug.by_chance:
            return None
        return False if self._has_all(each) or (not is_pattern(each.clause) and self.passes(each)) else None

    def _has_all(self, each: Expectation) -> bool:
        """Whether the run left out none of the cells that it is about."""
        family = each.clause.partition("/")[0]
        return not (
            (self._some_backends and each.backend == "*")
            or (self._some_variants and (is_pattern(each.variant) or is_pattern(each.clause)))
            or (self._some_clauses and is_pattern(each.clause))
            or (self._some_families and is_pattern(family))
        )


def _has(asked: Mapping[str, Any], *keys: str) -> bool:
    return any(asked.get(key) for key in keys)


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
