"""What a comparison of two calls has in hand: the rules, what was found so far, and how numbers are judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch

from suites.harness.observation.facts import ErrorFacts
from suites.harness.observation.observe import Call, Observation
from suites.harness.oracle import numerics
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.messages import headline, raised_kind, same_message_class

#: Characters of a value that a divergence tells.
LONG = 300


@dataclasses.dataclass(frozen=True)
class Rules:
    """How strictly values are compared.

    ``bitwise``: the candidate runs eager's own kernels, so that what the calls return and change is equal to the last
    bit. Otherwise, and for gradients always (a formula traced into a joint graph may pick another order of a matrix
    product), values may differ by rounding; ``reference`` gives an fp64 observation of the same program, for values
    that are not close by default tolerances.
    """

    bitwise: bool
    #: Whether an in-place op on an output must raise where eager's does. AOTAutograd hides multi-output views of one
    #: intermediate from autograd by design, so only clauses about these errors ask for it.
    strict_probe: bool = False
    #: Whether the program is anybody's, and not a clause's of a few operators: see `numerics.close`.
    of_any_program: bool = False
    reference: Callable[[], Observation | None] = lambda: None
    #: The same observation with each operand off by a rounding, for programs that are anybody's.
    rounded: Callable[[], Observation | None] = lambda: None


@dataclasses.dataclass
class Comparison:
    """What a comparison found: the divergences, and the largest fraction of the tolerance that an equal value used."""

    divergences: list[Divergence] = dataclasses.field(default_factory=list)
    tolerance: float = 0.0
    #: The facets that were there to be compared.
    facets: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass(frozen=True)
class Pair:
    """A call of eager's and its counterpart, with the comparison that differences are told to.

    ``number`` counts calls from nought; ``prefix`` says which one it is, where there are several.
    """

    comparison: Comparison
    rules: Rules
    expected: Call
    seen: Call
    prefix: str
    number: int

    def differs(
        self, facet: str, kind: str, where: str, expected: object, seen: object, *, silent: bool = True
    ) -> None:
        """What a caller sees differs, and no error says so unless ``silent`` is false."""
        self.comparison.divergences.append(
            Divergence(facet, kind, self.prefix + where, told(expected), told(seen), silent)
        )

    def raises(self, kind: str, where: str, expected: str, seen: ErrorFacts) -> None:
        """The candidate raises, and eager does not, or something else."""
        self.comparison.divergences.append(raised("error", kind, self.prefix + where, expected, seen))

    def errors(self, where: str, expected: ErrorFacts | None, seen: ErrorFacts | None) -> None:
        """One raises, or both do, and not the same."""
        if expected is None and seen is not None:
            self.raises(raised_kind(seen), where, "no error", seen)
        elif expected is not None and seen is None:
            self.differs("error", "missing error", where, headline(expected), "no error")
        elif expected is not None and seen is not None and not same_message_class(expected, seen):
            self.raises("another error", where, headline(expected), seen)

    def named(self, facet: str, kind: str, expected: dict, seen: dict) -> None:
        """Values by name: those that both have must be equal."""
        for name, value in expected.items():
            if name in seen and seen[name] != value:
                self.differs(facet, f"{name} {kind}", name, value, seen[name])

    def numbers(
        self,
        facet: str,
        kind: str,
        path: str,
        left: torch.Tensor,
        right: torch.Tensor,
        held: Callable[[Call], torch.Tensor | None],
        by_backward: bool = False,
    ) -> None:
        """Compare numbers of one dtype and shape; ``held`` finds them in a call of the reference."""
        closeness = numerics.bitwise(left, right)
        if not closeness.equal and (not self.rules.bitwise or by_backward):
            reference: torch.Tensor | None = None
            loose = self.rules.of_any_program
            closeness = numerics.close(left, right, None, of_any_program=loose)
            if not closeness.equal:
                reference = self._reference_value(self.rules.reference(), held)
                closeness = numerics.close(left, right, reference, of_any_program=loose)
            if not closeness.equal and loose and reference is not None:
                rounded = self._reference_value(self.rules.rounded(), held)
                closeness = numerics.close(left, right, reference, of_any_program=True, rounded=rounded)
        if closeness.equal:
            self.comparison.tolerance = max(self.comparison.tolerance, closeness.used)
        else:
            self.differs(facet, kind, path, closeness.expected, closeness.seen)

    def call_of(self, reference: Observation | None) -> Call | None:
        """The reference's call of this number, if it came so far."""
        return reference.calls[self.number] if reference is not None and self.number < len(reference.calls) else None

    def _reference_value(
        self, reference: Observation | None, held: Callable[[Call], torch.Tensor | None]
    ) -> torch.Tensor | None:
        call = self.call_of(reference)
        value = held(call) if call is not None else None
        return value if value is not None and (value.dtype.is_floating_point or value.dtype.is_complex) else None


def told(value: object) -> str:
    """A value for a reader: of one that is long, such as the state of a generator, its beginning and its length."""
    text = str(value)
    return text if len(text) <= LONG else f"{text[:LONG]}... ({len(text)} characters)"


def raised(facet: str, kind: str, where: str, expected: str, seen: ErrorFacts) -> Divergence:
    """The divergence of a candidate that raises."""
    told_of = (told(expected), told(headline(seen)))
    return Divergence(facet, kind, where, *told_of, silent=False, raised_in=seen.raised_in, stack=seen.stack)
