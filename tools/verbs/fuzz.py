"""``parity fuzz``: a campaign of random programs, with what it finds made small, confirmed and told apart."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.live import Live

from tools import arguments, exits, forking
from tools.exits import CannotRun, Fault
from tools.views import fuzz_view
from tools.views.progress import PLAIN_EVERY, Tail
from tools.views.terminal import terminal

if TYPE_CHECKING:
    from suites.fuzz.campaigns.campaign import Plan
    from suites.fuzz.kinds import Kind


def _shard(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)/(\d+)", value)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise click.BadParameter(f"{value!r} is no shard: say I/N with I from 1 to N, as for parity gate")
    return int(match[1]) - 1, int(match[2])


def _weights(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> dict[str, int]:
    weights = {}
    for value in values:
        name, _, number = value.rpartition("=")
        if not name or not (number.isascii() and number.isdigit()):
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
    help="What is drawn: programs, numbers, operators, schemas, triton (on a GPU).",
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    help="Where programs compute: cpu, but for triton.  [default: cpu]",
)
@click.option("--minutes", type=arguments.Amount(min=0), help="Stop after so many minutes.")
@click.option("--programs", type=click.IntRange(min=0), help="Stop after so many programs (a shard).")
@click.option("--campaign", default="default", show_default=True, metavar="NAME", help="Which programs are drawn.")
@click.option("--shard", callback=_shard, default="1/1", show_default=True, metavar="I/N", help="Which of them here.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Processes at once.")
@click.option("--weight", "weights", multiple=True, callback=_weights, metavar="FAMILY=N", help="How often a family.")
@click.option(
    "--reduce-seconds",
    type=arguments.Amount(min=0),
    default=60.0,
    show_default=True,
    help="For each find; 10 once the minutes are over.",
)
@click.option(
    "--finds-last",
    type=arguments.Amount(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Run programs first, and make finds small in the last so many seconds, a few of each fingerprint.",
)
@click.option("--coverage", is_flag=True, help="Measure how much of torch's own compiler the programs reach.")
@click.option("--report-known", multiple=True, metavar="ID", help="Known finds to report like new ones; * fits all.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("parity-fuzz"), show_default=True)
@click.option("--merge", type=click.Path(path_type=Path), multiple=True, help="Run nothing: merge these logs.")
@click.option("--plain", is_flag=True, help="Do nothing for speed that a user would not do.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="[--merge LOG...]")
def command(
    backend: str,
    of: str,
    device: str | None,
    minutes: float | None,
    programs: int | None,
    campaign: str,
    shard: tuple[int, int],
    jobs: int,
    weights: dict[str, int],
    reduce_seconds: float,
    finds_last: float,
    coverage: bool,
    report_known: tuple[str, ...],
    out: Path,
    merge: tuple[Path, ...],
    plain: bool,
    as_json: bool,
    more: tuple[Path, ...],
) -> int:
    """The verb; see its help."""
    backend = arguments.canonical(backend)
    device = device or ("cuda" if of == "triton" else "cpu")
    # On a GPU kernels are Triton's: there is nothing to try of the C++ compiler.
    forking.settle(() if merge or device == "cuda" else [backend], device, plain=plain)
    from suites.fuzz.campaigns.campaign import Plan
    from suites.fuzz.campaigns.coverage import NoCoverage, can_measure, measure_importing, merged, modules_of
    from suites.fuzz.campaigns.known import without
    from suites.fuzz.campaigns.log import NotALog, Summary, read
    from suites.fuzz.campaigns.results import sort_finds, write
    from suites.fuzz.campaigns.shards import ShardEnded, divided, log_of
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
    if coverage and not can_measure():
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
            if of == "triton" and device == "cpu":
                raise click.UsageError("--of triton: its kernels run on a GPU; leave out --device cpu")
            if device == "cuda" and not (environment.cuda() and environment.triton()):
                raise CannotRun(f"--of {of} on cuda needs a CUDA device and Triton, and there are not both")
            forking.prime([forking.searched(backend, device)], device)
            every = {**kind.families, **weights}
            place = measured if coverage else None
            if coverage:
                measure_importing(measured, modules_of(of))
            plan = Plan(campaign, backend, *shard, reduce_seconds, every, of, place, entries, device, finds_last)
            plans = divided(plan, jobs)
            logs = [log_of(out, plan, report_known) for plan in plans]
            minutes = 10.0 if minutes is None and programs is None else minutes
            _run(console, kind, plans, logs, None if minutes is None else minutes * 60, programs, quiet=as_json)
        summary = Summary.of(record for log in logs for record in read(log))
        reached = merged(measured, modules_of(of)) if coverage else []
    except (NotALog, NoCoverage, ShardEnded) as error:
        raise Fault(str(error)) from None
    found = sort_finds(summary, entries)
    files = {find.bucket: write(out / "finds", find) for find in found.new}
    if as_json:
        told = fuzz_view.described(summary, found, kind, reached, time.monotonic() - started)
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        console.print(fuzz_view.picture(summary, found, kind, reached, files), crop=False)
        if not merge:
            console.print("[dim]the same command goes on from here; --merge LOG... sums up several[/dim]")
    return exits.NOT_CONFORMANT if found.new else exits.CONFORMANT


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
    """Run the shards and show how far they are. Interrupted, a campaign is over for now. Raises what `running` does."""
    from suites.fuzz.campaigns.log import Summary
    from suites.fuzz.campaigns.shards import running

    forking.silence()
    shards = running(plans, logs, seconds, programs)
    tails, known, summary = [Tail(log) for log in logs], plans[0].known, Summary()
    for tail in tails:
        summary.add(tail.new_records())
    pace, shown = fuzz_view.Pace(summary.programs), time.monotonic()
    live = Live(console=console, refresh_per_second=2, transient=True)
    try:
        with live, contextlib.closing(shards):
            for _ in shards:
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
