"""``parity fuzz``: a campaign of random programs, with what it finds made small, confirmed and told apart."""

from __future__ import annotations

import json
import multiprocessing
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tools import exits, forking
from tools.exits import Fault
from tools.progress import Tail
from tools.terminal import terminal

if TYPE_CHECKING:
    from suites.fuzz.campaign import Find, Plan, Summary

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
@click.option("--minutes", type=click.FloatRange(min=0), help="Stop after so many minutes.")
@click.option("--programs", type=click.IntRange(min=0), help="Stop after so many programs (a shard).")
@click.option("--campaign", default="default", show_default=True, metavar="NAME", help="Which programs are drawn.")
@click.option("--shard", callback=_shard, default="0/1", show_default=True, metavar="I/N", help="Which of them here.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Processes at once.")
@click.option("--weight", "weights", multiple=True, callback=_weights, metavar="FAMILY=N", help="How often a family.")
@click.option("--reduce-seconds", type=click.FloatRange(min=0), default=60.0, show_default=True, help="For each find.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("parity-fuzz"), show_default=True)
@click.option("--merge", type=click.Path(path_type=Path), multiple=True, help="Run nothing: merge these logs.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")
def command(
    backend: str,
    minutes: float | None,
    programs: int | None,
    campaign: str,
    shard: tuple[int, int],
    jobs: int,
    weights: dict[str, int],
    reduce_seconds: float,
    out: Path,
    merge: tuple[Path, ...],
    as_json: bool,
) -> int:
    """The verb; see its help."""
    forking.settle()
    from suites.fuzz.campaign import Plan, Summary, read
    from suites.fuzz.programs.drawing import FAMILIES

    console = terminal()
    for name in weights:
        if name not in FAMILIES:
            raise click.UsageError(f"--weight: no family {name!r}; there are {', '.join(FAMILIES)}")
    for path in merge:
        if not path.is_file():
            raise Fault(f"no log at {path}")
    logs = list(merge)
    started = time.monotonic()
    if not merge:
        forking.prime(forking.backends([backend]))
        every = {name: weight for name, (_, weight) in FAMILIES.items()} | weights
        plans = [
            Plan(campaign, backend, shard[0] * jobs + job, shard[1] * jobs, reduce_seconds, every)
            for job in range(jobs)
        ]
        logs = [_log_of(out, plan) for plan in plans]
        minutes = 10.0 if minutes is None and programs is None else minutes
        _run(console, plans, logs, None if minutes is None else minutes * 60, programs, quiet=as_json)
    summary = Summary.of(record for log in logs for record in read(log))
    new, known = _sorted_finds(summary)
    files = [_write(out / "finds", find) for find in new]
    if as_json:
        click.echo(json.dumps(_object(summary, new, known, time.monotonic() - started), ensure_ascii=False))
    else:
        console.print(_picture(summary, new, known))
        for path in files:
            console.print(f"[dim]python {escape(str(path))}[/dim]", soft_wrap=True, highlight=False)
    return exits.NOT_CONFORMANT if new else exits.CONFORMANT


def _log_of(out: Path, plan: Plan) -> Path:
    name = re.sub(r"\W+", "_", f"{plan.name}-{plan.backend}")
    return out / f"{name}-{plan.shard}-of-{plan.shards}.jsonl"


def _run(
    console: Console,
    plans: Sequence[Plan],
    logs: Sequence[Path],
    seconds: float | None,
    programs: int | None,
    *,
    quiet: bool,
) -> None:
    """Run each shard in a process of its own, and show how far they are."""
    from suites.fuzz.campaign import Summary

    forking.silence()
    context = multiprocessing.get_context("fork")
    workers = [
        context.Process(target=_work, args=(plan, log, seconds, programs))
        for plan, log in zip(plans, logs, strict=True)
    ]
    tails = [Tail(log) for log in logs]
    summary = Summary()
    for tail in tails:
        summary.add(tail.new_records())
    started, before = time.monotonic(), summary.programs
    for worker in workers:
        worker.start()
    try:
        with Live(console=console, refresh_per_second=2, transient=True) as live:
            while any(worker.is_alive() for worker in workers):
                time.sleep(_POLL_SECONDS)
                if not quiet and console.is_terminal:
                    for tail in tails:
                        summary.add(tail.new_records())
                    live.update(_status(summary, summary.programs - before, time.monotonic() - started))
    finally:
        for worker in workers:
            if worker.is_alive():
                worker.terminate()
            worker.join()
    failed = [worker.exitcode for worker in workers if worker.exitcode]
    if failed:
        raise Fault(f"a process of the campaign ended with exit code {failed[0]}; the same command resumes it")


def _work(plan: Plan, log: Path, seconds: float | None, programs: int | None) -> None:
    from suites.fuzz.campaign import Log, run, until

    run(plan, Log(log), until(seconds, programs))


# What is shown --------------------------------------------------------------------------------------------------------


def _status(summary: Summary, fresh: int, seconds: float) -> Text:
    rate = fresh / max(seconds, 1e-9)
    return Text(
        f"{summary.programs} programs, {rate:.1f} a second, {len(summary.finds)} kinds of finds, {seconds:.0f} s"
    )


def _sorted_finds(summary: Summary) -> tuple[list[Find], dict[str, list[Find]]]:
    """One find a new bucket, the smallest first; and the finds of each known one."""
    from suites.fuzz.known import load, which

    entries = load()
    new: list[Find] = []
    known: dict[str, list[Find]] = {}
    for finds in summary.finds.values():
        smallest = min(finds, key=lambda find: (not find.confirmed, find.statements, len(find.text)))
        entry = which(smallest, entries)
        if entry is None:
            new.append(smallest)
        else:
            known.setdefault(entry.id, []).extend(finds)
    return sorted(new, key=lambda find: (not find.divergence.silent, not find.confirmed, find.statements)), known


def _slug(find: Find) -> str:
    said = f"{find.divergence.layer} {find.divergence.facet} {' '.join(find.operators)}"
    text = re.sub(r"\W+", "-", said).strip("-").lower()
    return text[:70].rstrip("-")


def _write(folder: Path, find: Find) -> Path:
    """Write a find's script, program and issue text. Returns the script's place."""
    from importlib.metadata import version

    from suites.fuzz.script import issue, script

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_slug(find)}-{find.number}.py"
    path.write_text(script(find.text, find.divergence), encoding="utf-8")
    path.with_suffix(".md").write_text(issue(find.text, find.divergence, version("torch")), encoding="utf-8")
    path.with_name(f"{path.stem}.program.py").write_text(find.text, encoding="utf-8")
    return path


def _picture(summary: Summary, new: Sequence[Find], known: dict[str, list[Find]]) -> Group:
    table = Table(title=f"{len(new)} new finds", title_justify="left")
    for column in ("", "what differs", "first at", "operators", "statements", "script"):
        table.add_column(column)
    for find in new:
        table.add_row(
            Text("silent", "magenta") if find.divergence.silent else Text("loud", "yellow"),
            Text(find.fingerprint.partition(":")[2][:60]),
            find.divergence.layer,
            Text(" ".join(find.operators)),
            str(find.statements),
            "confirmed" if find.confirmed else "parity check only",
        )
    outcomes = ", ".join(f"{count} {name}" for name, count in summary.outcomes.most_common())
    lines = [Text(f"{summary.programs} programs: {outcomes}")]
    lines += [Text(f"known: {len(finds)} times {name}") for name, finds in sorted(known.items())]
    lines += [Text(f"never drawn: {', '.join(names)}")] if (names := list(_never(summary))) else []
    return Group(*lines, table) if new else Group(*lines, Text("no new find", "green"))


def _never(summary: Summary) -> Iterator[str]:
    from suites.fuzz.programs.drawing import FAMILIES

    return (name for name in FAMILIES if name not in summary.families)


def _object(summary: Summary, new: Sequence[Find], known: dict[str, list[Find]], seconds: float) -> dict[str, Any]:
    return {
        "programs": summary.programs,
        "outcomes": dict(summary.outcomes),
        "families": dict(summary.families),
        "features": dict(summary.features),
        "never_drawn": list(_never(summary)),
        "new": [
            {"bucket": find.bucket, "silent": find.divergence.silent, "statements": find.statements} for find in new
        ],
        "known": {name: len(finds) for name, finds in known.items()},
        "seconds": round(seconds, 1),
    }
