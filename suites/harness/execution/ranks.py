"""Programs that run on several processes at once: a rank each, joined by a process group.

On the CPU the ranks talk through gloo; on GPUs each has one to itself, and they talk through NCCL. Every run is made on
all ranks together, each in a fork of its own with a time limit. What a rank observes is compared with what the same
rank observes in eager's run. A rank that dies or hangs ends the run in bounded time and is named.

A process group, and a context of CUDA, cost more than most runs. Eager's run and the one that looks for undefined
memory share theirs (`accelerations.RANKS`). No compiled run shares: what eager's left behind in memory could stand in
for what a wait that is lost did not bring. And no verdict but a pass rests on what was shared: such a run is made again
first, in processes of its own.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import functools
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed

from suites.harness.backends.backend import Backend
from suites.harness.backends.names import INDUCTOR_MODES
from suites.harness.backends.registry import resolve
from suites.harness.execution import accelerations
from suites.harness.execution.isolation import NO_RESULT, Crashed, Finished, Forked, Outcome, Raised, TimedOut
from suites.harness.observation.observe import Inputs, Instance
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import Examination, examine
from suites.harness.oracle.runs import Aborted, Completed, ProgramError, Retrying, Run, Runner, Subject
from suites.harness.results.outcomes import Outcome as JudgedOutcome

#: How long the other ranks may go on when one has died: they wait for it, or are about to find out.
GRACE_SECONDS = 3.0
#: The part of a run's time limit that a rank waits for the others: less than all, so that the rank that hangs is known
#: by being the one that does not come back.
PATIENCE = 0.5
_TURN_SECONDS = 0.02

#: What gloo and NCCL say on a rank whose fellow is gone, or does not come to the same collective.
_LEFT_ALONE = re.compile(
    r"Connection (closed|reset) by peer|Broken pipe|Timed out waiting|remote process exited|communicator was aborted"
    r"|Watchdog caught collective operation timeout",
    re.IGNORECASE,
)

#: Outcomes from the worst to the best: what the cell comes to is the worst that came of a rank.
_WORST_FIRST = ("error", "crash", "timeout", "fail", "skip", "unsupported", "inherited", "vacuous", "pass")


def why_not(count: int, device: str) -> str | None:
    """One line: why so many ranks cannot run on that kind of device here; ``None`` if they can."""
    if device == "cpu":
        joined = torch.distributed.is_available() and torch.distributed.is_gloo_available()
        return None if joined else "this torch has no Gloo to join the ranks with"
    # Counted without touching the driver: what runs the ranks is forked from this process.
    here = torch.cuda.device_count()
    if here < count:
        return f"it needs {count} GPUs, a rank each, and this machine has {here}"
    return None if torch.distributed.is_nccl_available() else "this torch has no NCCL to join the ranks with"


def run_on_ranks(function: Callable[[], Any], count: int, seconds: float, device: str = "cpu") -> tuple[Outcome, ...]:
    """Run ``function`` on ``count`` ranks of one process group; what came of each, by rank.

    ``seconds`` limits all of them together. Once a rank has died, the others have `GRACE_SECONDS` left.
    """
    deadline = time.monotonic() + seconds
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(tempfile.TemporaryDirectory(prefix="parity-ranks-")) + "/store"
        forks = [
            stack.enter_context(
                Forked(functools.partial(_join, store, rank, count, seconds * PATIENCE, device, function))
            )
            for rank in range(count)
        ]
        outcomes: list[Outcome | None] = [None] * count
        while None in outcomes and time.monotonic() < deadline:
            for rank, fork in enumerate(forks):
                if outcomes[rank] is None:
                    outcomes[rank] = fork.outcome(min(time.monotonic() + _TURN_SECONDS, deadline))
                    if isinstance(outcomes[rank], (Crashed, Raised)):
                        deadline = min(deadline, time.monotonic() + GRACE_SECONDS)
        return tuple(outcome or fork.timed_out(seconds) for outcome, fork in zip(outcomes, forks, strict=True))


def _join(store: str, rank: int, count: int, patience: float, device: str, function: Callable[[], Any]) -> Any:
    own = None
    if device != "cpu":
        own = torch.device(device, rank)
        torch.cuda.set_device(own)
    torch.distributed.init_process_group(
        "gloo" if own is None else "nccl",
        device_id=own,
        store=torch.distributed.FileStore(store, count),
        rank=rank,
        world_size=count,
        timeout=datetime.timedelta(seconds=patience),
    )
    return function()


@functools.cache
def _prime(layer: str) -> None:
    """Have this process import what compiling imports, once: forks of it would each do so again, run by run.

    Not where torch is built for GPUs, with one here or none: compiling starts threads of autograd's there, and torch
    refuses backward in forks from then on.
    """
    if torch.backends.cuda.is_built():
        return
    primed = layer if layer in INDUCTOR_MODES else "aot_eager"
    with contextlib.suppress(Exception):
        Subject(_SumOfSquares()).make(Run(resolve(primed)))


class _SumOfSquares:
    """A program whose compilation comes by everything, forward and backward."""

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """A sum of squares of three leaves."""
        return Instance(lambda a: a.square().sum(), [lambda: _leaf(torch.ones(3, requires_grad=True))])


def _leaf(tensor: torch.Tensor) -> Inputs:
    return Inputs((tensor,), {}, {"leaf[0]": tensor})


#: What a program's eager run is followed by in any case.
_FOLLOWED_BY = {Run(): (Run(special="poison"),)}


class OnRanks:
    """Runs made on ``count`` ranks at once; what is made is rank 0's, with ``others`` beside it.

    ``shared`` are those made by processes that had made another one before. Once `apart` is set there are no more.
    """

    def __init__(self, subject: Subject, count: int, seconds: float, device: str = "cpu") -> None:
        self._subject, self._count, self._seconds, self._device = subject, count, seconds, device
        self._ahead: dict[Run, Completed] = {}
        self.shared: set[Run] = set()
        self.apart = not accelerations.on(accelerations.RANKS)

    def __call__(self, run: Run) -> Completed | Aborted:
        """Make one run. Raises what building the program's inputs raises."""
        if run.special == "hazards":
            return Aborted(
                "", "operands are not looked at on several ranks: a dispatch mode would change what they wait for"
            )
        if run in self._ahead:
            self.shared.add(run)
            return self._ahead.pop(run)
        _prime(run.layer or "")
        if not self.apart and run in _FOLLOWED_BY:
            together = (run, *_FOLLOWED_BY[run])
            # Half of the time: what comes to no end has a run of its own yet.
            outcomes = self._outcomes(together, self._seconds / 2)
            if all(isinstance(outcome, Finished) for outcome in outcomes):
                made = self._made(outcomes)
                self._ahead.update(zip(together[1:], made[1:], strict=False))
                return made[0]
        outcomes = self._outcomes((run,), self._seconds)
        lost = _first_lost(outcomes)
        return self._made(outcomes)[0] if lost is None else lost

    def _outcomes(self, runs: Sequence[Run], seconds: float) -> tuple[Outcome, ...]:
        with tempfile.TemporaryDirectory(prefix="parity-met-") as folder:
            one = functools.partial(self._on_this_rank, runs, f"{folder}/store")
            return run_on_ranks(one, self._count, seconds, self._device)

    def _on_this_rank(self, runs: Sequence[Run], store: str) -> list[tuple[Completed, list[tuple[str, str]]]]:
        """The runs, one after the other, as long as every rank's goes well; each with the graphs that it recorded."""
        found: list[tuple[Completed, list[tuple[str, str]]]] = []
        for number, run in enumerate(runs):
            if number and not self._all_went_well(found[-1][0], f"{store}-{number}"):
                break
            made = self._subject.make(run)
            recorder = self._subject.recorder
            graphs = recorder.graphs().recorded if recorder is not None else ()
            found.append((made, [(graph.stage, graph.text) for graph in graphs]))
        return found

    def _all_went_well(self, made: Completed, store: str) -> bool:
        """Whether no rank's run ended in an error: what waits for one that did would wait in vain, or for ever."""
        calls = made.observation.calls
        well = all(call.error is None and call.backward_error is None for call in calls)
        told = torch.distributed.FileStore(store, self._count)
        told.set(str(torch.distributed.get_rank()), str(int(well)))
        return all(told.get(str(rank)) == b"1" for rank in range(self._count))

    def _made(self, outcomes: Sequence[Outcome]) -> list[Completed]:
        """Each run with what the other ranks have made of it."""
        results = [outcome.value for outcome in outcomes if isinstance(outcome, Finished)]
        recorder = self._subject.recorder
        if recorder is not None and not recorder.graphs().stages:
            for stage, text in results[0][0][1]:
                recorder.record_text(stage, text)
        of_each_run = zip(*results, strict=True)
        return [
            dataclasses.replace(first, others=tuple(other for other, _ in others))
            for (first, _), *others in of_each_run
        ]


def on_ranks(subject: Subject, count: int, seconds: float, device: str = "cpu") -> OnRanks:
    """Runs made on ``count`` ranks at once, within ``seconds``."""
    return OnRanks(subject, count, seconds, device)


def _first_lost(outcomes: Sequence[Outcome]) -> Aborted | None:
    """The rank that did not come back, by name: one that died before one that only waited for it."""
    for rank, outcome in enumerate(outcomes):
        if isinstance(outcome, Crashed):
            return Aborted("crash", f"rank {rank}: {outcome.how}", outcome.output)
    raised = [(rank, outcome) for rank, outcome in enumerate(outcomes) if isinstance(outcome, Raised)]
    if raised:
        rank, outcome = min(raised, key=lambda item: _LEFT_ALONE.search(item[1].message) is not None)
        raise ProgramError(Raised(f"rank {rank}: {outcome.message}", outcome.traceback))
    for rank, outcome in enumerate(outcomes):
        if isinstance(outcome, TimedOut):
            return Aborted("timeout", f"rank {rank}: {NO_RESULT}", outcome.told)
    return None


def examine_on_ranks(subject: Subject, backend: Backend, runner: Runner, count: int) -> Examination:
    """Examine ``subject`` on each rank; the verdict is the worst of them, and names the rank.

    ``runner`` makes runs on all ranks (`on_ranks`); each is made once. Raises what building inputs raises.
    """
    runs: dict[Run, Completed | Aborted] = {}
    # All ranks together: one of them alone would wait for the others.
    retrying = Retrying(runner)

    def of_rank(rank: int, run: Run) -> Completed | Aborted:
        if run not in runs:
            runs[run] = retrying(run)
        made = runs[run]
        return made if isinstance(made, Aborted) or rank == 0 else made.others[rank - 1]

    def examined() -> Examination:
        return _together([examine(subject, backend, functools.partial(of_rank, rank)) for rank in range(count)])

    verdict = examined()
    if verdict.outcome is JudgedOutcome.PASS or not isinstance(runner, OnRanks) or not runner.shared:
        return verdict
    runner.apart = True
    for run in runner.shared:
        runs.pop(run)
    return examined()


def _together(verdicts: Sequence[Examination]) -> Examination:
    worst = min(verdicts, key=lambda verdict: (_WORST_FIRST.index(verdict.outcome), _was_left_alone(verdict)))
    ranks = sorted(range(len(verdicts)), key=lambda rank: _was_left_alone(verdicts[rank]))
    divergences = [_named(item, rank) for rank in ranks for item in verdicts[rank].divergences]
    facets: dict[str, str] = {}
    for facet, found in (item for verdict in verdicts for item in verdict.facets.items()):
        facets[facet] = "differs" if "differs" in (found, facets.get(facet)) else found
    detail = f"rank {verdicts.index(worst)}: {worst.detail}" if worst.detail else ""
    return dataclasses.replace(
        verdicts[0],
        outcome=worst.outcome,
        detail=worst.detail if worst.outcome in ("crash", "timeout") else detail,
        divergences=list(dict.fromkeys(divergences)),
        facets=facets,
        tolerance=max(verdict.tolerance for verdict in verdicts),
        seconds=sum(verdict.seconds for verdict in verdicts),
        plain_retry=any(verdict.plain_retry for verdict in verdicts),
    )


def _was_left_alone(verdict: Examination) -> bool:
    """Whether a rank's first divergence is that another rank was gone: that one's own words come before."""
    return bool(verdict.divergences) and _LEFT_ALONE.search(verdict.divergences[0].seen) is not None


def _named(item: Divergence, rank: int) -> Divergence:
    """The divergence with its rank; a run that was lost names the rank itself, and is every rank's."""
    if item.facet in ("crash", "timeout"):
        return item
    return dataclasses.replace(item, where=f"rank {rank}: {item.where}")
