"""What a run leaves out because it was told to: clauses by their ids, grad modes by name. It is counted, and told."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Sequence

import pytest

from suites.harness.backends.registry import facts
from suites.harness.clauses.scope import Scope
from suites.harness.programs.specs import MODES, Variant
from suites.harness.results import summary
from suites.harness.results.places import is_pattern, matches
from suites.harness.session import cells

#: As many patterns are told by name.
_NAMED = 3


def near_pattern(pattern: str, ids: Sequence[str]) -> str:
    """What a pattern of ids that fits none may have been meant to be; empty if nothing is like it.

    One whose wildcards stand for what is in a folder or a file (``mutation/copyback/*``): with a folder that there is.
    """
    place, _, last = pattern.rpartition("/")
    if is_pattern(last) and place and not is_pattern(place):
        places = sorted({"/".join(each.split("/")[: place.count("/") + 1]) for each in ids})
        # A mistake in the name of a file is more alike in one of the same family.
        family = place.partition("/")[0] + "/"
        for among in ([each for each in places if each.startswith(family)], places):
            if (near := difflib.get_close_matches(place, among, 1)) and near[0] != place:
                return f"{near[0]}/{last}"
    if is_pattern(pattern):
        return ""  # An id of its own would be an answer to another question.
    return next(iter(difflib.get_close_matches(pattern, ids, 1, 0.4)), "")


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
        near = [near_pattern(pattern, ids) for pattern in bad]
        line = f"--clause {', '.join(map(repr, bad))}: no clause has such an id"
        if any(near):
            line += f"; did you mean {' and '.join(repr(each) for each in near if each)}?"
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
