"""What a run leaves out because it was told to: clauses by their ids, grad modes by name. It is counted, and told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import pytest

from suites.harness.backends.registry import facts
from suites.harness.clauses.scope import Scope
from suites.harness.planning import outline
from suites.harness.programs.specs import MODES, Variant
from suites.harness.results import summary
from suites.harness.results.places import matches
from suites.harness.session import cells

#: As many patterns are told by name.
_NAMED = 3


def refuse_unknown_clauses(config: pytest.Config) -> None:
    """Raise `pytest.UsageError` for a pattern that fits no clause of the suites, where theirs alone are collected."""
    if line := outline.of_no_clause(config.option.clause) if cells.is_own(config) else "":
        raise pytest.UsageError(line)


class Narrowing:
    """What the options of a run, and the backends' own claims, leave out of it.

    ``modes``: the grad modes that were asked for, None where each backend is judged in those that it claims.
    ``patterns``: of the ids of clauses; none: all.
    """

    def __init__(self, modes: tuple[str, ...] | None, patterns: Sequence[str]) -> None:
        self.modes, self.patterns = modes, tuple(dict.fromkeys(patterns))
        self._other_modes: Counter[str] = Counter()
        self._other_clauses = 0

    def cells(
        self, scope: Scope, backends: Sequence[str], profile: str, *, by_default: bool, device: str
    ) -> list[tuple[str, Variant]]:
        """The cells of a clause that are left, as `Scope.cells` has them."""
        kept = scope.cells(backends, profile, by_default=by_default, device=device, modes=self.modes)
        if self.modes is None and all(set(MODES) <= set(facts(name).modes) for name in backends):
            return kept
        every = scope.cells(backends, profile, by_default=by_default, device=device, modes=MODES)
        # A profile that runs one variant runs another one where the first is of another mode: nothing is left out then.
        before, after = (Counter(name for name, _ in each) for each in (every, kept))
        self._other_modes += before - after
        return kept

    def of_clauses(self, items: list[pytest.Item]) -> set[pytest.Item]:
        """The cells of clauses that no pattern names; other tests stay.

        Raises `ValueError` with a line for a pattern that names no clause.
        """
        if not self.patterns:
            return set()
        clauses = {item: cells.describe(item).clause for item in items if cells.is_cell(item) or cells.is_empty(item)}
        ids = sorted(set(clauses.values()))
        if line := self._of_none(ids):
            raise ValueError(line)
        others = {item for item, clause in clauses.items() if not any(matches(each, clause) for each in self.patterns)}
        self._other_clauses = sum(map(cells.is_cell, others))
        return others

    def _of_none(self, ids: Sequence[str]) -> str:
        """A line about the patterns that name no clause, and what the others name; empty if each names one."""
        bad = [pattern for pattern in self.patterns if not any(matches(pattern, clause) for clause in ids)]
        if not bad:
            return ""
        line = outline.complaint(bad, ids)
        good = sum(any(matches(each, clause) for each in self.patterns) for clause in ids)
        if len(bad) < len(self.patterns):
            line += f" (the other patterns name {summary.count(good, 'clause')})"
        return line

    def number(self, backends: Collection[str]) -> int:
        """How many cells are left out, of what these backends would have run."""
        return self._other_clauses + sum(self._other_modes[name] for name in backends)

    def left_out(self, backends: Collection[str]) -> list[str]:
        """What is left out, a line each, for the ledger's header."""
        lines = []
        for name, number in self._other_modes.items():
            judged = ", ".join(facts(name).modes if self.modes is None else self.modes)
            whose = f"as {name} claims no other" if self.modes is None else "by --modes"
            if name in backends:
                lines.append(f"cells of {name} in modes other than {judged}: {number}, {whose}")
        if self.patterns and self._other_clauses:
            named = ", ".join(map(repr, self.patterns[:_NAMED]))
            if len(self.patterns) > _NAMED:
                named += f" and {summary.count(len(self.patterns) - _NAMED, 'pattern')} more"
            lines.append(f"cells of clauses other than {named}: {self._other_clauses}, by --clause")
        return lines
