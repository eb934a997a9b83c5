"""Whether a clause fails on a backend that is wrong on purpose, for a reason that an honest one gives it none."""

from __future__ import annotations

import dataclasses

from golden.expectation import Session, use_session
from suites.harness.backends.registry import resolve
from suites.harness.clauses.check import Check
from suites.harness.clauses.endings import CellEnded
from suites.harness.observation.global_state import GlobalState
from suites.harness.observation.interrupts import Stopped, interrupts_stop
from suites.harness.oracle.examine import Examination
from suites.harness.oracle.runs import Aborted, Completed, Run, Runner, Subject
from suites.harness.programs.specs import Variant
from suites.harness.session.cells import isolated
from suites.selfcheck.clauses import Clause
from suites.selfcheck.mutants import HONEST, MUTANTS, Mutant
from suites.selfcheck.remembering import Memory, remembering

#: Seconds for one clause on one backend.
PAIR_LIMIT = 60.0


class _Trial(Check):
    """A cell whose runs other than the candidate's are remembered."""

    memory: Memory
    trust_references = False

    def runner(self, subject: Subject) -> Runner:
        made = super().runner(subject)
        remembered = remembering(self.backend.name, made, self.memory)

        def make(run: Run) -> Completed | Aborted:
            if run.only_call is not None:
                return Aborted("", "whether a later call fails by itself too makes no difference here")
            if self.trust_references and run.layer not in (None, self.backend.name):
                return remembered(Run())
            return remembered(run)

        return make


def try_pair(
    clause: Clause,
    backend: str,
    memory: Memory,
    *,
    mode: str = "",
    device: str = "cpu",
    clean: bool = False,
    goldens: bool = False,
) -> Outcome:
    """Run a clause on a backend. ``memory`` belongs to the clause, the variant and the device.

    ``clean``: the honest twin is known to pass, so that whatever differs is the backend's own. ``goldens``: graphs are
    compared, too, but for those of a parameter set, which only pytest can tell apart.
    """
    trial = _Trial(resolve(backend), clause.variant(mode), clause.scope, device=device, time_limit=PAIR_LIMIT)
    trial.memory, trial.trust_references = memory, clean
    # What a mutant leaks must not decide what the next one is found to do.
    global_state = GlobalState.read()
    session = Session("strict" if goldens and not clause.parameters else "off", clause.id)
    with use_session(session), interrupts_stop():
        try:
            clause.function(check=trial, **clause.parameters)
        except CellEnded as error:
            return Outcome(error.outcome, *_found(trial.cell.verdict))
        except Stopped:
            raise
        except BaseException as error:
            # Where a clause compiles by hand, what a mutant raises arrives here.
            return Outcome(f"error: {type(error).__name__}: {error}")
        finally:
            global_state.restore()
    return Outcome("pass")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a clause came to on a backend, and what differed there for the first time."""

    outcome: str
    own: frozenset[tuple[str, str, str]] = frozenset()

    def failed(self, honest: Outcome) -> bool:
        """Whether the clause fails on this backend for a reason that the honest twin gives it none."""
        if self.outcome in ("fail", "crash", "timeout"):
            return bool(self.own - honest.own)
        return self.outcome == "vacuous" and honest.outcome == "pass"


def _found(verdict: Examination | None) -> tuple[frozenset[tuple[str, str, str]]]:
    divergences = verdict.divergences if verdict is not None else []
    return (frozenset((item.facet, item.kind, item.where) for item in divergences),)


def twin_of(mutant: Mutant) -> str:
    """The backend that is right where the mutant is wrong."""
    return mutant.honest if mutant.place in ("alone", "lowering", "traced") else HONEST


class Trials:
    """All trials of one clause: the honest twins' outcomes are found once."""

    def __init__(self, clause: Clause, device: str = "cpu") -> None:
        stops = clause.scope.stops(device)
        self.clause = dataclasses.replace(clause, scope=isolated(clause.scope)) if stops else clause
        self.device = device
        self._memories: dict[tuple[Variant, str], Memory] = {}
        self._honest: dict[tuple[Variant, str], Outcome] = {}

    def honest(self, twin: str = HONEST, mode: str = "") -> Outcome:
        """What the clause comes to on an honest twin."""
        key = self.clause.variant(mode), twin
        if key not in self._honest:
            self._honest[key] = try_pair(self.clause, twin, self._memory(mode, twin), mode=mode, device=self.device)
        return self._honest[key]

    def failed_by(self, name: str, *, clean: bool = False) -> bool:
        """Whether the clause fails under a mutant. ``clean``: its honest twin is known to pass."""
        mutant = MUTANTS[name]
        twin = twin_of(mutant)
        # What is remembered of the honest twin is aot_eager's; where another is right, that one is asked.
        clean = clean and mutant.place not in ("alone", "lowering", "traced")
        memory = self._memory(mutant.mode, twin)
        outcome = try_pair(self.clause, mutant.backend, memory, mode=mutant.mode, device=self.device, clean=clean)
        return outcome.failed(Outcome("pass") if clean else self.honest(twin, mutant.mode))

    def _memory(self, mode: str, twin: str) -> Memory:
        return self._memories.setdefault((self.clause.variant(mode), twin), {})
