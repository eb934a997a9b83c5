"""Runs made each in a process of its own."""

from __future__ import annotations

from suites.harness.execution.isolation import NO_RESULT, Crashed, Finished, TimedOut, run_forked
from suites.harness.oracle.runs import Aborted, Completed, ProgramError, Run, Runner, Subject
from suites.harness.programs.errors import NotHere


def forked(subject: Subject, seconds: float) -> Runner:
    """Runs made each in a fork with a time limit: state, crashes and hangs stay there.

    A program that is not for this place says so in the fork, and `NotHere` is raised out of it.
    """

    def attempt(run: Run) -> Completed | NotHere:
        try:
            return subject.make(run)
        except NotHere as error:
            return error

    def make(run: Run) -> Completed | Aborted:
        outcome = run_forked(lambda: attempt(run), seconds)
        if isinstance(outcome, Finished):
            made: Completed | NotHere = outcome.value
            if isinstance(made, NotHere):
                raise made
            return made
        if isinstance(outcome, TimedOut):
            return Aborted("timeout", NO_RESULT, outcome.told)
        if isinstance(outcome, Crashed):
            return Aborted("crash", outcome.how, outcome.output)
        raise ProgramError(outcome)

    return make
