"""Shards of a campaign on one machine: each in a process of its own that writes a log of its own."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path

from suites.harness.execution.isolation import die_with_parent

from .campaign import Budget, Plan, forget_claims, run
from .log import Log

_POLL_SECONDS = 0.5


class ShardEnded(Exception):
    """A shard's process ended before its budget did; the message is one line."""


def divided(plan: Plan, jobs: int) -> list[Plan]:
    """One machine's shard, divided into as many as it has processes."""
    parts = range(plan.shard * jobs, (plan.shard + 1) * jobs)
    return [dataclasses.replace(plan, shard=part, shards=plan.shards * jobs) for part in parts]


def log_of(folder: Path, plan: Plan, report_known: Sequence[str] = ()) -> Path:
    """Where a shard's log lies, so that the same options go on with it."""
    of = "" if plan.of == "programs" else f"{plan.of}-"
    of += "cuda-" if plan.device == "cuda" and plan.of != "triton" else ""
    more = "".join(f"-with-{name}" for name in report_known)
    name = re.sub(r"\W+", "_", f"{of}{plan.name}-{plan.backend}{more}")
    return folder / f"{name}-{plan.shard}-of-{plan.shards}.jsonl"


def running(
    plans: Sequence[Plan], logs: Sequence[Path], seconds: float | None, programs: int | None
) -> Generator[None, None, None]:
    """Run every shard, and come back twice a second until all have ended; closed, it ends those that run.

    ``seconds`` and ``programs`` are the budget of each shard. Raises `suites.fuzz.campaigns.log.NotALog` at once for a
    log that cannot be gone on with, and `ShardEnded` at the end if a process failed.
    """
    for log in logs:
        Log(log)
        forget_claims(log)
    return _running(plans, logs, seconds, programs)


def _running(
    plans: Sequence[Plan], logs: Sequence[Path], seconds: float | None, programs: int | None
) -> Generator[None, None, None]:
    context = multiprocessing.get_context("fork")
    workers = [
        context.Process(target=_work, args=(plan, log, seconds, programs))
        for plan, log in zip(plans, logs, strict=True)
    ]
    try:
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            time.sleep(_POLL_SECONDS)
            yield
    finally:
        for worker in workers:
            if worker.is_alive():
                worker.terminate()
            worker.join()
    failed = [worker.exitcode for worker in workers if worker.exitcode]
    if failed:
        raise ShardEnded(f"a process of the campaign ended with exit code {failed[0]}; the same command resumes it")


def _work(plan: Plan, log: Path, seconds: float | None, programs: int | None) -> None:
    # Two processes must not write to one log.
    die_with_parent(os.getppid())
    # The parent ends us, and hears the terminal's interrupts; what we began is put away.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    run(plan, Log(log), Budget.of(seconds, programs))
