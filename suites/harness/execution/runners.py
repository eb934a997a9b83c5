"""Runs made each in a process of its own."""

from __future__ import annotations

from suites.harness.execution.isolation import NO_RESULT, Crashed, Finished, TimedOut, run_forked
from suites.harness.oracle.runs import Aborted, Completed, ProgramError, Run, Runner, Subject


def forked(subject: Subject, seconds: float) -> Runner:
    """Runs made each in a fork with a time limit: state, crashes and hangs stay there."""

    def make(run: Run) -> Completed | Aborted:
        outcome = run_forked(lambda: subject.make(run), seconds)
        if isinstance(outcome, Finished):
            made: Completed = outcome.value
            return made
        if isinstance(outcome, TimedOut):
            return Aborted("timeout", NO_RESULT, outcome.told)
        if isinstance(outcome, Crashed):
            return Aborted("crash", outcome.how, outcome.output)
        raise ProgramError(outcome)

    return make
