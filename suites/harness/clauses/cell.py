"""The cell that a clause runs for: which it is, and what has been found and claimed so far."""

from __future__ import annotations

import dataclasses

from suites.harness.backends.backend import Backend, CompileCounter
from suites.harness.clauses.endings import Diverged
from suites.harness.clauses.scope import Scope
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import Examination
from suites.harness.programs.specs import Variant
from suites.harness.results.outcomes import Outcome


@dataclasses.dataclass
class CellInProgress:
    """A cell while its clause runs: what was examined, None before that, and how many claims were made."""

    backend: Backend
    variant: Variant
    scope: Scope
    verdict: Examination | None = None
    claims: int = 0
    #: A call of what was compiled by hand came back; one that a backend refuses compiles nothing, and rightly so.
    ran_by_hand: bool = False
    #: What was compiled by hand before there was a verdict.
    _by_hand: CompileCounter = dataclasses.field(default_factory=CompileCounter)

    @property
    def counter(self) -> CompileCounter:
        """What the cell's compilations are counted in."""
        return self.verdict.counter if self.verdict is not None else self._by_hand

    @property
    def fell_back(self) -> bool:
        """Whether torch executed all that the backend was handed, as far as that is known."""
        verdict = self.verdict
        if verdict is not None and verdict.executed is None and self.ran_by_hand and self.counter.graphs:
            verdict.executed = None if self.counter.executions is None else self.counter.executions > 0
        return verdict is not None and verdict.executed is False

    @property
    def holds_goldens(self) -> bool:
        """Whether this is the cell that the clause's goldens belong to."""
        return (self.backend.name, self.variant) == self.scope.golden_home

    def demand(self, facet: str, where: str, expected: object, seen: object) -> None:
        """Claim that ``seen`` is ``expected``, of something that no observation of a call holds.

        Raises `Diverged` with a divergence of ``facet`` if ``seen`` is not equal to ``expected``.
        """
        self.claims += 1
        if self.verdict is None:
            self.verdict = Examination(Outcome.PASS, counter=self._by_hand)
        verdict = self.verdict
        verdict.facets.setdefault(facet, "same")
        if expected == seen:
            return
        kind = f"{where}: not what the contract says"
        divergence = Divergence(facet, kind, where, str(expected), str(seen), layer=self.backend.name)
        verdict.divergences.append(divergence)
        verdict.facets[facet], verdict.outcome = "differs", Outcome.FAIL
        verdict.detail = f"{facet}: {kind}: expected {expected}, seen {seen}"
        raise Diverged(verdict)
