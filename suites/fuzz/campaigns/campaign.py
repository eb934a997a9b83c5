"""A campaign: programs by number, each the same on every machine; an append-only log; finds reduced and told apart.

Program ``i`` of campaign ``name`` is drawn from the seed ``name/i``; shard ``k`` of ``n`` runs those with
``i % n == k``. So shards need no coordinator, a log can be resumed, and logs are merged as a set. What programs grow
from others (`growing`) depends on the shard's own log, and on no other shard.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from suites.harness.execution.isolation import Finished, Raised, run_forked
from suites.harness.oracle.divergence import Divergence

from ..judging import Alike, Judgement, fault, judge, judge_apart
from ..kinds import KINDS, Kind
from ..programs.drawing import Drawn
from ..programs.scope import Unfit
from ..reducing.reduction import FirstOf, Reduced, one_by_one, reduce, statements
from . import confirming, coverage, growing, known
from .crew import Crew, Gone, width_for
from .finds import ONCE, RECOGNISED, Find, hashed, operators
from .growing import Nursery, Origin, Trace
from .known import Known
from .log import Log
from .recognition import Recognition

#: The seconds that a program may take.
PROGRAM_LIMIT = 60.0
#: One in so many programs is judged once more, in a fork of its own: does what ran before it in its worker matter?
AUDIT_ONE_IN = 50
#: The seconds that a find is made small for when the campaign's time is over.
LEAST_REDUCTION = 10.0


@dataclasses.dataclass(frozen=True)
class Budget:
    """What one run of a campaign may use: the time until ``end`` of the monotonic clock, and so many ``programs``."""

    end: float = math.inf
    programs: float = math.inf

    @classmethod
    def of(cls, seconds: float | None, programs: int | None) -> Budget:
        """So many seconds from now, and so many programs; ``None`` is no limit."""
        return cls(
            math.inf if seconds is None else time.monotonic() + seconds, math.inf if programs is None else programs
        )

    def allows(self, count: int) -> bool:
        """Whether another program may begin after so many."""
        return count < self.programs and time.monotonic() < self.end

    def for_reduction(self, seconds: float) -> float:
        """How much of the time that a find may be made small for is there."""
        return min(seconds, max(self.end - time.monotonic(), LEAST_REDUCTION))


@dataclasses.dataclass(frozen=True)
class Plan:
    """What to run: ``shard`` of ``shards`` of the campaign ``name``, on one backend; ``of`` is one of `KINDS`.

    ``coverage``: the folder in which each program leaves what it has reached of torch's own Python, if it is measured.
    ``grow``: of a hundred programs, how many grow from others; with none, what is new is written down and not used.
    ``known``: finds that are counted and not reported.
    """

    name: str
    backend: str
    shard: int = 0
    shards: int = 1
    reduce_seconds: float = 60.0
    weights: Mapping[str, int] | None = None
    of: str = "programs"
    coverage: Path | None = None
    grow: int | None = None
    known: tuple[Known, ...] = dataclasses.field(default_factory=known.load)

    def numbers(self) -> Iterator[int]:
        """The numbers of the shard's programs, without an end."""
        number = self.shard
        while True:
            yield number
            number += self.shards

    def draw(self, number: int) -> Drawn:
        """The program of that number, if it does not grow from another. Raises `Unfit` where none came of it."""
        return self.drawn(Task(number, Origin(f"{self.name}/{number}")))[0]

    def drawn(self, task: Task) -> tuple[Drawn, int]:
        """The program of a task, and the decisions that it took. Raises `Unfit` where none came of it."""
        choices = task.origin.choices()
        return KINDS[self.of].draw(choices, task.number, self.weights), choices.made


@dataclasses.dataclass(frozen=True)
class Task:
    """A program's number, and what it is drawn by."""

    number: int
    origin: Origin


@dataclasses.dataclass(frozen=True)
class Ran:
    """What came of a number: the program, if one could be drawn, and its judgement."""

    drawn: Drawn | None
    judgement: Judgement
    trace: Trace | None = None


def run(plan: Plan, log: Log, budget: Budget, tell: Callable[[str], None] = lambda line: None) -> None:
    """Run programs of the shard that the log does not have, as many as the budget allows.

    ``tell`` hears of each find, by its bucket. Programs are drawn and judged in the workers of a crew; whatever a
    program does to its worker, it is one program that is lost, and told as such.
    """
    done = log.done()
    recognition = Recognition(log.finds(), plan.known)
    nursery = Nursery(plan.name, plan.grow or 0, log.records)
    crew: Crew[Task, Ran] = Crew(lambda task: _drawn_and_judged(plan, task), PROGRAM_LIMIT, width_for(plan.backend))
    with crew:
        tasks = (Task(number, nursery.origin(number)) for number in _numbers(plan, done, budget))
        for task, came in crew.run(tasks):
            ran = came if isinstance(came, Ran) else _alone(plan, task, came)
            record = _record(task.number, plan, ran)
            if ran.trace is not None:
                record |= nursery.learn(task.origin, ran.trace)
            if ran.drawn is not None:
                judgement = ran.judgement
                if not judgement.diverges and task.number % AUDIT_ONE_IN == 0:
                    judgement = judge_apart([ran.drawn.text], plan.backend, PROGRAM_LIMIT)[0]
                    record["alone"] = judgement.outcome
                _follow(plan, budget, log, recognition, task.number, ran.drawn, judgement, record, tell)
            log.write(record)


def _numbers(plan: Plan, done: set[int], budget: Budget) -> Iterator[int]:
    count = 0
    for number in plan.numbers():
        if not budget.allows(count):
            return
        if number not in done:
            count += 1
            yield number


def _drawn_and_judged(plan: Plan, task: Task) -> Ran:
    try:
        drawn, decisions = plan.drawn(task)
    except Unfit:
        return Ran(None, Judgement("unfit"))
    branches: set[growing.Branch] = set()
    with contextlib.ExitStack() as stack:
        if plan.coverage is not None:
            stack.enter_context(coverage.measured(plan.coverage, coverage.modules_of(plan.of)))
        if plan.grow is not None:
            stack.enter_context(growing.traced(plan.of, branches))
        judgement = judge(drawn.text, plan.backend)
    return Ran(drawn, judgement, None if plan.grow is None else Trace(decisions, frozenset(branches)))


def _alone(plan: Plan, task: Task, came: Raised | Gone) -> Ran:
    """What comes of a task that its worker did not come back from: the program in a fork of its own."""
    if isinstance(came, Raised):
        return Ran(None, fault(came.message))
    outcome = run_forked(lambda: plan.drawn(task)[0], PROGRAM_LIMIT)
    if isinstance(outcome, Finished):
        return Ran(outcome.value, judge_apart([outcome.value.text], plan.backend, PROGRAM_LIMIT)[0])
    return Ran(None, Judgement("unfit", "drawing it took its process along"))


def _record(number: int, plan: Plan, ran: Ran) -> dict[str, Any]:
    drawn, judgement = ran.drawn, ran.judgement
    return {
        "kind": "program",
        "number": number,
        "campaign": plan.name,
        "of": plan.of,
        "backend": plan.backend,
        "hash": hashed(drawn.text if drawn else f"{plan.name}/{number}"),
        "outcome": judgement.outcome,
        "detail": judgement.detail if judgement.outcome == "error" else "",
        "fingerprint": judgement.fingerprint,
        "families": list(drawn.families) if drawn else [],
        "features": list(drawn.features) if drawn else [],
        "seconds": round(judgement.seconds, 4),
    }


# Finds ----------------------------------------------------------------------------------------------------------------


def _follow(
    plan: Plan,
    budget: Budget,
    log: Log,
    recognition: Recognition,
    number: int,
    drawn: Drawn,
    judgement: Judgement,
    record: dict[str, Any],
    tell: Callable[[str], None],
) -> None:
    """Make a find of a program that diverges, unless it looks like what was met many times."""
    if not judgement.diverges or judgement.first is None:
        return
    likely = recognition.taken_for(judgement.fingerprint, operators(drawn.text))
    if likely:
        record["taken_for"] = likely
        return
    find = _find(plan, budget.for_reduction(plan.reduce_seconds), recognition, number, drawn, judgement)
    recognition.learn(find)
    log.write(find.to_json())
    tell(find.bucket)


def _find(
    plan: Plan, seconds: float, recognition: Recognition, number: int, drawn: Drawn, judgement: Judgement
) -> Find:
    """The find, reduced on the layer where it begins for so many seconds."""
    first = judgement.first
    assert first is not None
    started = time.monotonic()

    def made(text: str, first: Divergence, standing: str, tried: int = 0) -> Find:
        return Find(
            number=number,
            backend=plan.backend,
            divergence=first,
            operators=operators(text),
            statements=statements(text),
            standing=standing,
            text=text,
            original=drawn.text,
            tried=tried,
            seconds=round(time.monotonic() - started, 1),
        )

    alike = Alike(first, PROGRAM_LIMIT)
    if not alike(drawn.text):
        return made(drawn.text, first, ONCE)
    recognised = lambda text: bool(recognition.of(first.fingerprint, operators(text)))
    small = reduced(drawn.text, alike, seconds, KINDS[plan.of], recognised)
    # What is seen of the small program may be said in other words: other elements, other numbers.
    last = judge_apart([small.text], first.layer, PROGRAM_LIMIT)[0].first or first
    if recognition.in_the_end(last.fingerprint, operators(small.text)):
        return made(small.text, last, RECOGNISED, small.tried)
    return made(small.text, last, confirming.standing(small.text, last), small.tried)


def reduced(
    text: str,
    alike: Alike,
    seconds: float,
    kind: Kind,
    enough: Callable[[str], bool] = lambda text: False,
) -> Reduced:
    """The smallest program that diverges ``alike``, for which the text does; see `reduce`.

    Candidates are judged by a crew, on Inductor several at a time. What is left is judged alone, and where that comes
    to something else, all is done over with a fork a candidate; so is what takes its process along.
    """
    if alike.divergence.facet not in ("crash", "timeout"):
        width = width_for(alike.divergence.layer)
        with Crew(kind.guard(alike.here, text), alike.seconds, width) as crew:
            small = reduce(text, together(crew), seconds, first=kind.passes, enough=enough, at_once=width)
        if alike(small.text):
            return small
    return reduce(text, one_by_one(kind.guard(alike, text)), seconds, first=kind.passes, enough=enough)


def together(crew: Crew[str, bool]) -> FirstOf:
    """Which of several programs is the first that holds, judged by a crew, all of them."""

    def first_of(texts: Sequence[str]) -> int | None:
        held = {text for text, came in crew.run(texts) if came is True}
        return next((place for place, text in enumerate(texts) if text in held), None)

    return first_of
