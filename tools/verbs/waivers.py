"""``parity waivers``: lint files of known bugs, update one from what a ledger holds, convert those of the old form."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import tempfile
from pathlib import Path

import click

from suites.harness.results import known_bugs, linting, rewriting
from suites.harness.results.known_bugs import NO_LINK, Bug, Environment, KnownBugsError, Registry
from suites.harness.results.linting import Facts
from suites.harness.results.verdict import Expectations
from tools import exits, judging
from tools.exits import Fault
from tools.verbs import list as clauses

#: Days until an entry that this tool writes must be looked at again.
DAYS = 180


@click.group("waivers", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Lint files of known bugs, update one from a ledger, or convert those of the old form."""


@command.command("lint")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--ledger", type=click.Path(path_type=Path), help="Also hold them against what this run saw.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def lint(files: tuple[Path, ...], ledger: Path | None, as_json: bool) -> int:
    """Read torch's known bugs and FILES; name every one that is expired, has no link, or matches nothing.

    Exit codes: 0 nothing wrong, 1 an entry is faulty, 2 a file cannot be read.
    """
    known = judging.load_known(files)
    problems = linting.lint(known, _facts(known, ledger), datetime.date.today())
    if as_json:
        click.echo(json.dumps({"bugs": len(known.bugs), "problems": [dataclasses.asdict(each) for each in problems]}))
    else:
        for problem in problems:
            click.echo(str(problem))
        click.echo(f"{len(known.bugs)} known bugs, {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    return exits.NOT_CONFORMANT if problems else exits.CONFORMANT


def _facts(known: Registry, ledger: Path | None) -> Facts:
    if ledger is not None:
        book = judging.read_ledger(ledger)
        return Facts.of(book, whole=Expectations.of(book).whole)
    if not known.bugs:
        return Facts(Environment("0"))
    from suites.harness.execution.environment import torch_version

    collected = frozenset(record["id"] for record in clauses.collect())
    return Facts(Environment(torch_version() or "0"), collected, whole=True)


@command.command("update")
@click.argument("ledger", type=click.Path(path_type=Path))
@click.option("--file", "file", required=True, type=click.Path(path_type=Path), help="The file to change.")
@click.option("--reason", default="Not explained yet.", show_default=True, help="The reason of new entries.")
@click.option("--link", required=True, help=f"The URL of new entries, or {NO_LINK!r}.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help=f"Of new entries [default: {DAYS} days from today]")
@click.option("--dry-run", is_flag=True, help="Say what would change and leave the file alone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def update(
    ledger: Path,
    file: Path,
    reason: str,
    link: str,
    expires: datetime.datetime | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Add a bug to FILE for each fingerprint of LEDGER that nothing known expects, and drop what is gone.

    What stands in the file keeps its text and its comments.
    """
    until = expires.date() if expires else datetime.date.today() + datetime.timedelta(days=DAYS)
    book = judging.read_ledger(ledger)
    known = judging.load_known([file] if file.exists() else [])
    own = [bug for bug in known.bugs.values() if Path(bug.source).resolve() == file.resolve()]
    gone = rewriting.stale(own, book)
    new = rewriting.missing(known, book, Bug("", reason, (link,), (), until))
    if not dry_run and (new or gone):
        try:
            text = known_bugs.parse(file)[0] if file.exists() else ""
            _replace(file, rewriting.rewritten(text, own, gone, new))
        except KnownBugsError as error:
            raise Fault(str(error)) from None
    if as_json:
        dropped = [{"id": each.bug.id, "clause": each.clause, "fingerprint": each.fingerprint} for each in gone]
        click.echo(json.dumps({"added": [bug.id for bug in new], "dropped": dropped, "file": str(file)}))
    else:
        for each in gone:
            click.echo(f"drop {each.bug.id}: {each.fingerprint} is gone from {each.clause} on {each.backend}")
        for bug in new:
            about = [each.clause for each in bug.expectations()]
            more = f" and {len(about) - 1} more" if len(about) > 1 else ""
            click.echo(f"add {bug.id}: {bug.cells[0].fingerprints[0]} in {about[0]}{more}")
        click.echo(f"{file}: {len(new)} added, {len(gone)} dropped" + (" (dry run)" if dry_run else ""))
    return exits.CONFORMANT


@command.command("convert")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def convert(files: tuple[Path, ...], as_json: bool) -> int:
    """Print FILES of the old form, one [[waiver]] a cell, as known bugs, one entry a cause; without their comments."""
    try:
        bugs = rewriting.converted(files)
    except KnownBugsError as error:
        raise Fault(str(error)) from None
    if as_json:
        click.echo(json.dumps({"bugs": [dataclasses.asdict(bug) for bug in bugs]}, default=str))
    else:
        click.echo("\n\n".join(map(rewriting.text_of, bugs)))
    return exits.CONFORMANT


def _replace(file: Path, text: str) -> None:
    """Write the file whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=file.parent, prefix=f".{file.name}.", delete=False
    ) as new:
        new.write(text)
    os.chmod(new.name, file.stat().st_mode if file.exists() else 0o644)
    os.replace(new.name, file)
