"""A campaign: programs by number, each the same on every machine; an append-only log; finds reduced and told apart.

Program ``i`` of campaign ``name`` is drawn from the seed ``name/i``; shard ``k`` of ``n`` runs those with
``i % n == k``. So shards need no coordinator, a log can be resumed, and logs are merged as a set.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from suites.harness.execution.isolation import Finished, Raised, run_forked
from suites.harness.oracle.divergence import Divergence

from ..generators.choices import Seeded
from ..generators.devices import is_on_cuda, on_cuda
from ..generators.programs.drawing import Drawn
from ..generators.programs.scope import Rejected
from ..judging import Alike, Judgement, fault, judge, judge_apart
from ..kinds import KINDS, Kind
from ..reduction.search import FirstOf, Reduced, one_by_one, reduce, statements
from . import confirming, coverage, known
from .finds import ONCE, RECOGNISED, Find, hashed, operators
from .known import Known
from .log import Log
from .recognition import Recognition
from .worker_pool import Gone, WorkerPool, width_for

#: The seconds that a program may take.
PROGRAM_LIMIT = 60.0
#: One in so many programs is judged once more, in a fork of its own: does what ran before it in its worker matter?
AUDIT_ONE_IN = 50
#: The seconds that a find is made small for when the campaign's time is over.
LEAST_REDUCTION = 10.0
#: Where finds come last, so many with one fingerprint are made small by all shards on a machine together.
MOST_OF_A_FINGERPRINT = 12


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
    ``known``: finds that are counted and not reported. ``device``: where the programs' memory is, ``cpu`` or ``cuda``.
    ``finds_last``: in the last so many seconds, finds are made small, and in those before them programs run alone. What
    time was too short for is in the log, as a program that diverged, and is followed first when the campaign goes on.
    With none, each find is followed when it is met.
    """

    name: str
    backend: str
    shard: int = 0
    shards: int = 1
    reduce_seconds: float = 60.0
    weights: Mapping[str, int] | None = None
    of: str = "programs"
    coverage: Path | None = None
    known: tuple[Known, ...] = dataclasses.field(default_factory=known.load)
    device: str = "cpu"
    finds_last: float = 0.0

    def numbers(self) -> Iterator[int]:
        """The numbers of the shard's programs, without an end."""
        number = self.shard
        while True:
            yield number
            number += self.shards

    def draw(self, number: int) -> Drawn:
        """The program of that number, the same on each device but for its name; it is drawn and tried on the CPU.

        Raises `Rejected` where none came of it.
        """
        drawn = KINDS[self.of].draw(Seeded(f"{self.name}/{number}"), number, self.weights)
        return dataclasses.replace(drawn, text=on_cuda(drawn.text)) if self.device == "cuda" else drawn


@dataclasses.dataclass(frozen=True)
class Ran:
    """What came of a number: the program, if one could be drawn, and its judgement."""

    drawn: Drawn | None
    judgement: Judgement


def run(plan: Plan, log: Log, budget: Budget, tell: Callable[[str], None] = lambda line: None) -> None:
    """Run programs of the shard that the log does not have, as many as the budget allows; where finds come last, after
    those that an earlier run had no time to make small.

    ``tell`` is called with each find's bucket. Programs are drawn and judged by the workers of a pool; a program that
    ends its worker or raises in it costs that program alone, and its record says so.
    """
    left_over = log.left_over() if plan.finds_last else []
    recognition = Recognition(log.finds(), plan.known)
    waiting: list[_Waiting] = []
    drawing = dataclasses.replace(budget, end=budget.end - plan.finds_last)
    pool: WorkerPool[int, Ran] = WorkerPool(
        lambda number: _drawn_and_judged(plan, number), PROGRAM_LIMIT, width_for(plan.backend, plan.device)
    )
    with pool:
        for number, came in pool.run(itertools.chain(left_over, _numbers(plan, log.done(), drawing))):
            ran = came if isinstance(came, Ran) else _alone(plan, number, came)
            record = _record(number, plan, ran)
            if ran.drawn is not None:
                judgement = ran.judgement
                if not judgement.diverges and number % AUDIT_ONE_IN == 0:
                    judgement = judge_apart([ran.drawn.text], plan.backend, PROGRAM_LIMIT)[0]
                    record["alone"] = judgement.outcome
                if plan.finds_last and judgement.diverges:
                    record["waits"] = True
                    waiting.append(_Waiting(number, ran.drawn, judgement, record))
                else:
                    _follow(plan, budget, log, recognition, number, ran.drawn, judgement, record, tell)
            if number not in left_over:
                log.write(record)
    for find in _in_turn(waiting, plan.known):
        if time.monotonic() >= budget.end:
            return
        if _claimed(_claims(log.path), find.judgement.fingerprint):
            _follow(plan, budget, log, recognition, find.number, find.drawn, find.judgement, find.record, tell)


@dataclasses.dataclass(frozen=True)
class _Waiting:
    """A program that diverges, and is followed when the others have run."""

    number: int
    drawn: Drawn
    judgement: Judgement
    record: dict[str, Any]


def _in_turn(waiting: Sequence[_Waiting], entries: Sequence[Known]) -> list[_Waiting]:
    """One of each fingerprint after the other, silent ones first, those that look like known finds last."""
    met: Counter[str] = Counter()

    def place(find: _Waiting) -> tuple[bool, int, bool]:
        fingerprint, first = find.judgement.fingerprint, find.judgement.first
        likely = any(entry.is_of(fingerprint, operators(find.drawn.text)) for entry in entries)
        met[fingerprint] += not likely
        return likely, met[fingerprint], first is None or not first.silent

    return [find for _, find in sorted([(place(find), find) for find in waiting], key=lambda item: item[0])]


def _claimed(folder: Path, fingerprint: str) -> bool:
    """Whether a find with that fingerprint is this shard's to follow: there are not too many of it on this machine."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(MOST_OF_A_FINGERPRINT):
        try:
            os.close(os.open(folder / f"{hashed(fingerprint)}-{number}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        return True
    return False


def _claims(log: Path) -> Path:
    return log.parent / "claims"


def forget_claims(log: Path) -> None:
    """Let a new run of a campaign follow as many finds of a fingerprint as one before it."""
    shutil.rmtree(_claims(log), ignore_errors=True)


def _numbers(plan: Plan, done: set[int], budget: Budget) -> Iterator[int]:
    count = 0
    for number in plan.numbers():
        if not budget.allows(count):
            return
        if number not in done:
            count += 1
            yield number


def _drawn_and_judged(plan: Plan, number: int) -> Ran:
    try:
        drawn = plan.draw(number)
    except Rejected:
        return Ran(None, Judgement("rejected"))
    if plan.coverage is None:
        return Ran(drawn, judge(drawn.text, plan.backend))
    with coverage.measured(plan.coverage, coverage.modules_of(plan.of)):
        return Ran(drawn, judge(drawn.text, plan.backend))


def _alone(plan: Plan, number: int, came: Raised | Gone) -> Ran:
    """What comes of a number that its worker did not come back from: the program in a fork of its own."""
    if isinstance(came, Raised):
        return Ran(None, fault(came.message))
    outcome = run_forked(lambda: plan.draw(number), PROGRAM_LIMIT)
    if isinstance(outcome, Finished):
        return Ran(outcome.value, judge_apart([outcome.value.text], plan.backend, PROGRAM_LIMIT)[0])
    return Ran(None, Judgement("rejected", "drawing it ended its process"))


def _record(number: int, plan: Plan, ran: Ran) -> dict[str, Any]:
    drawn, judgement = ran.drawn, ran.judgement
    return {
        "kind": "program",
        "number": number,
        "campaign": plan.name,
        "of": plan.of,
        "backend": plan.backend,
        "device": plan.device,
        "hash": hashed(drawn.text if drawn else f"{plan.name}/{number}"),
        "outcome": judgement.outcome,
        "detail": judgement.detail if judgement.outcome == "error" else "",
        "fingerprint": judgement.fingerprint,
        "families": list(drawn.families) if drawn else [],
        "features": list(drawn.features) if drawn else [],
        "seconds": round(judgement.seconds, 4),
        "plain_retry": judgement.plain_retry,
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
    log.write({"kind": "reducing", **{key: record[key] for key in ("number", "backend", "hash", "fingerprint")}})
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

    Candidates are judged by a pool of workers, on Inductor several at a time. What is left is judged alone, and where
    that comes to something else, all is done over with a fork a candidate; so is a crash or a run without an end.
    """
    if alike.divergence.facet not in ("crash", "timeout"):
        width = width_for(alike.divergence.layer, "cuda" if is_on_cuda(text) else "cpu")
        with WorkerPool(kind.guard(alike.here, text), alike.seconds, width) as pool:
            small = reduce(text, together(pool), seconds, first=kind.passes, enough=enough, at_once=width)
        if alike(small.text):
            return small
    return reduce(text, one_by_one(kind.guard(alike, text)), seconds, first=kind.passes, enough=enough)


def together(pool: WorkerPool[str, bool]) -> FirstOf:
    """Which of several programs is the first that holds, judged by a pool of workers, all of them."""

    def first_of(texts: Sequence[str]) -> int | None:
        held = {text for text, came in pool.run(texts) if came is True}
        return next((place for place, text in enumerate(texts) if text in held), None)

    return first_of
