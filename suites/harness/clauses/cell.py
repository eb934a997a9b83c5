"""The cell that a clause runs for: which it is, and what has been found and claimed so far."""

from __future__ import annotations

import dataclasses

from golden.expectation import current_session
from suites.harness.backends.backend import Backend, CompileCounter
from suites.harness.clauses.endings import Diverged, NotSupported
from suites.harness.clauses.scope import Scope
from suites.harness.observation.facts import ErrorFacts
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import Examination, not_implemented
from suites.harness.oracle.messages import headline, raised_kind
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
    #: What the last thing that was done by hand came to, if to nothing good: what a demand or a call raised.
    raised_by_hand: BaseException | None = None
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

    @property
    def holds_values(self) -> bool:
        """Whether eager's values are compared here: wherever eager ran what it runs in the cell of the goldens.

        They are written down there alone.
        """
        return self.holds_goldens or (self.variant == self.scope.golden_home[1] and current_session().mode != "record")

    def demand(self, facet: str, where: str, expected: object, seen: object) -> None:
        """Claim that ``seen`` is ``expected``, of something that no observation of a call holds.

        Raises `Diverged` with a divergence of ``facet`` if ``seen`` is not equal to ``expected``.
        """
        self.claims += 1
        self._verdict_by_hand().facets.setdefault(facet, "same")
        if expected == seen:
            return
        kind = f"{where}: not what the contract says"
        self._differs(Divergence(facet, kind, where, str(expected), str(seen), layer=self.backend.name))
        self.raised_by_hand = Diverged(self._verdict_by_hand())
        raise self.raised_by_hand

    def refuses(self, error: BaseException) -> None:
        """A call of what was compiled by hand raises ``error``, at which the clause ends: eager does not.

        Raises `NotSupported` where the backend says that it does not implement the program.
        """
        facts = ErrorFacts.of(error)
        if line := not_implemented(facts):
            raise NotSupported(line)
        kind, where, seen = raised_kind(facts), "a call by hand", headline(facts)
        layer, within, stack = self.backend.name, facts.raised_in, facts.stack
        self._differs(Divergence("error", kind, where, "no error", seen, False, layer, within, stack))

    def is_of_layer(self, layer: str) -> None:
        """A lower layer of torch comes to the same as what was done by hand on this backend."""
        verdict = self._verdict_by_hand()
        verdict.divergences[-1] = dataclasses.replace(verdict.divergences[-1], layer=layer)
        verdict.outcome = Outcome.INHERITED

    def _differs(self, divergence: Divergence) -> None:
        verdict = self._verdict_by_hand()
        verdict.divergences.append(divergence)
        verdict.facets[divergence.facet], verdict.outcome = "differs", Outcome.FAIL
        differ = f"expected {divergence.expected}, seen {divergence.seen}"
        verdict.detail = f"{divergence.facet}: {divergence.kind}: {differ}"

    def _verdict_by_hand(self) -> Examination:
        if self.verdict is None:
            self.verdict = Examination(Outcome.PASS, counter=self._by_hand)
        return self.verdict
