"""``parity fuzz``: a campaign of random programs, with what it finds made small, confirmed and told apart."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import re
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.live import Live

from tools import exits, forking
from tools.exits import CannotRun, Fault
from tools.views import fuzz_view
from tools.views.progress import PLAIN_EVERY, Tail
from tools.views.terminal import terminal

if TYPE_CHECKING:
    from suites.fuzz.campaigns.campaign import Plan
    from suites.fuzz.campaigns.finds import Find
    from suites.fuzz.kinds import Kind

_POLL_SECONDS = 0.5


def _shard(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)/(\d+)", value)
    if match is None or not int(match[1]) < int(match[2]):
        raise click.BadParameter(f"{value!r} is no shard: say I/N with I from 0 to N-1")
    return int(match[1]), int(match[2])


def _weights(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> dict[str, int]:
    weights = {}
    for value in values:
        name, _, number = value.rpartition("=")
        if not name or not number.isdigit():
            raise click.BadParameter(f"{value!r} is no weight: say FAMILY=N")
        weights[name] = int(number)
    return weights


@click.command(
    "fuzz",
    help="Run random programs on a backend and report every new divergence, reduced and confirmed.\n\n"
    "Program I of a campaign is the same on every machine, so a hundred machines are a hundred shards. Logs are "
    "appended to: the same command resumes. Finds are written under OUT/finds, each as a script of plain PyTorch, a "
    "program for `parity check` and an issue text. Exit code 1: there is a find that is not known.",
)
@click.option("--backend", default="aot_eager", show_default=True, metavar="NAME", help="Backend to run on.")
@click.option(
    "--of",
    default="programs",
    show_default=True,
    metavar="KIND",
    help="What is drawn: programs, numbers, schemas, triton (on a GPU).",
)
@click.option("--minutes", type=click.FloatRange(min=0), help="Stop after so many minutes.")
@click.option("--programs", type=click.IntRange(min=0), help="Stop after so many programs (a shard).")
@click.option("--campaign", default="default", show_default=True, metavar="NAME", help="Which programs are drawn.")
@click.option("--shard", callback=_shard, default="0/1", show_default=True, metavar="I/N", help="Which of them here.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Processes at once.")
@click.option("--weight", "weights", multiple=True, callback=_weights, metavar="FAMILY=N", help="How often a family.")
@click.option(
    "--reduce-seconds",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    help="For each find; 10 once the minutes are over.",
)
@click.option("--coverage", is_flag=True, help="Measure how much of torch's own compiler the programs reach.")
@click.option(
    "--grow",
    type=click.IntRange(0, 100),
    metavar="PERCENT",
    help="Keep programs that reach new branches of torch's compiler, and have so many of a hundred grow from those.",
)
@click.option("--report-known", multiple=True, metavar="ID", help="Known finds to report like new ones; * fits all.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("parity-fuzz"), show_default=True)
@click.option("--merge", type=click.Path(path_type=Path), multiple=True, help="Run nothing: merge these logs.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="[--merge LOG...]")
def command(
    backend: str,
    of: str,
    minutes: float | None,
    programs: int | None,
    campaign: str,
    shard: tuple[int, int],
    jobs: int,
    weights: dict[str, int],
    reduce_seconds: float,
    coverage: bool,
    grow: int | None,
    report_known: tuple[str, ...],
    out: Path,
    merge: tuple[Path, ...],
    as_json: bool,
    more: tuple[Path, ...],
) -> int:
    """The verb; see its help."""
    device = "cuda" if of == "triton" else "cpu"
    forking.settle(device)
    from suites.fuzz.campaigns.campaign import Plan
    from suites.fuzz.campaigns.coverage import NoCoverage, can_measure, measure_importing, merged, modules_of
    from suites.fuzz.campaigns.known import without
    from suites.fuzz.campaigns.log import NotALog, Summary, read
    from suites.fuzz.kinds import KINDS
    from suites.harness.execution import environment

    console = terminal()
    if of not in KINDS:
        raise click.UsageError(f"--of: no kind {of!r}; there are {', '.join(KINDS)}")
    kind = KINDS[of]
    for name in weights:
        if name not in kind.families:
            raise click.UsageError(f"--weight: no family {name!r}; there are {', '.join(kind.families)}")
    if more and not merge:
        raise click.UsageError(f"unexpected {str(more[0])!r}: logs come after --merge")
    merge = (*merge, *more)
    for path in merge:
        if not path.is_file():
            raise Fault(f"no log at {path}")
    if coverage and grow is not None:
        raise click.UsageError("--coverage and --grow: one at a time")
    if (coverage or grow is not None) and not can_measure():
        raise CannotRun("coverage is not installed; type: pip install coverage")
    try:
        entries = without(report_known)
    except ValueError as error:
        raise Fault(str(error)) from None
    logs, reached = list(merge), []
    measured = out / f"coverage-{of}"
    started = time.monotonic()
    try:
        if not merge:
            if device == "cuda" and not (environment.cuda() and environment.triton()):
                raise CannotRun(f"--of {of} needs a CUDA device and Triton, and there are not both")
            forking.prime([forking.searched(backend, device)], device)
            every = {**kind.families, **weights}
            place = measured if coverage else None
            if coverage:
                measure_importing(measured, modules_of(of))
            whole = Plan(campaign, backend, 0, 1, reduce_seconds, every, of, place, grow, entries)
            parts = range(shard[0] * jobs, (shard[0] + 1) * jobs)
            plans = [dataclasses.replace(whole, shard=part, shards=shard[1] * jobs) for part in parts]
            logs = [_log_of(out, plan, report_known) for plan in plans]
            minutes = 10.0 if minutes is None and programs is None else minutes
            _run(console, kind, plans, logs, None if minutes is None else minutes * 60, programs, quiet=as_json)
        summary = Summary.of(record for log in logs for record in read(log))
        reached = merged(measured, modules_of(of)) if coverage else []
    except (NotALog, NoCoverage) as error:
        raise Fault(str(error)) from None
    found = fuzz_view.sort_finds(summary, entries)
    files = {find.bucket: _write(out / "finds", find) for find in found.new}
    if as_json:
        told = fuzz_view.described(summary, found, kind, reached, time.monotonic() - started)
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        console.print(fuzz_view.picture(summary, found, kind, reached, files), crop=False)
        if not merge:
            console.print("[dim]the same command goes on from here; --merge LOG... sums up several[/dim]")
    return exits.NOT_CONFORMANT if found.new else exits.CONFORMANT


def _log_of(out: Path, plan: Plan, report_known: Sequence[str]) -> Path:
    of = "" if plan.of == "programs" else f"{plan.of}-"
    grown = f"-grown-{plan.grow}" if plan.grow else ""
    more = "".join(f"-with-{name}" for name in report_known)
    name = re.sub(r"\W+", "_", f"{of}{plan.name}-{plan.backend}{grown}{more}")
    return out / f"{name}-{plan.shard}-of-{plan.shards}.jsonl"


def _run(
    console: Console,
    kind: Kind,
    plans: Sequence[Plan],
    logs: Sequence[Path],
    seconds: float | None,
    programs: int | None,
    *,
    quiet: bool,
) -> None:
    """Run each shard in a process of its own, and show how far they are. Interrupted, a campaign is over for now."""
    from suites.fuzz.campaigns.log import Log, Summary

    for log in logs:
        Log(log)  # Begun here, so that one that cannot be gone on with is told of in one line.
    forking.silence()
    context = multiprocessing.get_context("fork")
    workers = [
        context.Process(target=_work, args=(plan, log, seconds, programs))
        for plan, log in zip(plans, logs, strict=True)
    ]
    tails, known = [Tail(log) for log in logs], plans[0].known
    summary = Summary()
    for tail in tails:
        summary.add(tail.new_records())
    pace, shown = fuzz_view.Pace(summary.programs), time.monotonic()
    for worker in workers:
        worker.start()
    try:
        with Live(console=console, refresh_per_second=2, transient=True) as live:
            while any(worker.is_alive() for worker in workers):
                time.sleep(_POLL_SECONDS)
                if quiet:
                    continue
                for tail in tails:
                    summary.add(tail.new_records())
                if console.is_terminal:
                    live.update(fuzz_view.status(summary, kind, pace, known))
                elif time.monotonic() - shown > PLAIN_EVERY:
                    shown = time.monotonic()
                    console.print(fuzz_view.line(summary, kind, pace, known), soft_wrap=True)
    except KeyboardInterrupt:
        console.print("interrupted: what has been run is in the log", highlight=False)
    finally:
        alive = [worker for worker in workers if worker.is_alive()]
        for worker in alive:
            worker.terminate()
        for worker in workers:
            worker.join()
    failed = [worker.exitcode for worker in workers if worker.exitcode and worker not in alive]
    if failed:
        raise Fault(f"a process of the campaign ended with exit code {failed[0]}; the same command resumes it")


def _work(plan: Plan, log: Path, seconds: float | None, programs: int | None) -> None:
    from suites.fuzz.campaigns.campaign import Budget, run
    from suites.fuzz.campaigns.log import Log
    from suites.harness.execution.isolation import die_with_parent

    # Two of us must not write to one log.
    die_with_parent()
    # The parent ends us, and hears the terminal's interrupts; what we began is put away.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    run(plan, Log(log), Budget.of(seconds, programs))


def _write(folder: Path, find: Find) -> Path:
    """Write a find's script, program and issue text. Returns the script's place."""
    from importlib.metadata import version

    from suites.fuzz.reducing.script import issue, script

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{fuzz_view.slug(find)}-{find.number}.py"
    path.write_text(script(find.text, find.divergence), encoding="utf-8")
    path.with_suffix(".md").write_text(issue(find.text, find.divergence, version("torch")), encoding="utf-8")
    path.with_name(f"{path.stem}.program.py").write_text(find.text, encoding="utf-8")
    return path
