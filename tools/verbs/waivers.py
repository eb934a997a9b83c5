"""``parity waivers``: lint files of known bugs, update one from what a ledger holds, convert those of the old form."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import difflib
import json
import os
import tempfile
from pathlib import Path

import click

from suites.harness.results import known_bugs, linting, rewriting
from suites.harness.results.evidence import Evidence
from suites.harness.results.known_bugs import NO_LINK, UNEXPLAINED, Bug, KnownBugsError, Registry
from suites.harness.results.linting import Facts
from suites.harness.results.places import Environment
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
    """Read torch's known bugs and FILES; name all that are expired, match nothing, or have no link, backend or facet.

    What `update` wrote down and nobody has explained is counted.

    Exit codes: 0 nothing wrong, 1 an entry is faulty, 2 a file cannot be read.
    """
    known = judging.load_known(files)
    problems = linting.lint(known, _facts(known, ledger), datetime.date.today())
    problems += linting.of_no_backend(known, _misspelt)
    unexplained = linting.unexplained(known)
    if as_json:
        told = {"problems": [dataclasses.asdict(each) for each in problems], "unexplained": len(unexplained)}
        click.echo(json.dumps({"bugs": len(known.bugs), **told}))
    else:
        for problem in problems:
            click.echo(str(problem))
        if unexplained:
            what = "entry is" if len(unexplained) == 1 else "entries are"
            click.echo(f"{len(unexplained)} {what} not explained yet; first {unexplained[0].place}")
        click.echo(f"{len(known.bugs)} known bugs, {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    return exits.NOT_CONFORMANT if problems else exits.CONFORMANT


def _misspelt(backend: str) -> str:
    """What is wrong with a backend's name; empty for one that is here, and for one that may be elsewhere."""
    from suites.harness.execution.environment import torch_version

    if not torch_version():
        return ""
    from suites.harness.backends.registry import NoSuchBackend, WrongUse, facts

    try:
        facts(backend)
    except WrongUse as error:
        return str(error)
    except NoSuchBackend:
        pass  # Its package may be on the machine that saw the bug.
    return ""


def _facts(known: Registry, ledger: Path | None) -> Facts:
    if ledger is not None:
        book = judging.told(judging.read_ledger(ledger))
        return Facts.of(book, whole=Expectations.of(book).whole)
    if not known.bugs:
        return Facts(Environment("0"))
    from suites.harness.execution.environment import torch_version

    collected = frozenset(record["id"] for record in clauses.collect())
    return Facts(Environment(torch_version() or "0"), collected, whole=True)


@command.command("update")
@click.argument("ledgers", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--file",
    "file",
    required=True,
    type=click.Path(path_type=Path),
    help="The file to change; or a directory with a file a family, such as suites/known_bugs.",
)
@click.option("--reason", default=UNEXPLAINED, show_default=True, help="The reason of new entries.")
@click.option("--link", required=True, help=f"The URL of new entries, or {NO_LINK!r}.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help=f"Of new entries [default: {DAYS} days from today]")
@click.option("--dry-run", is_flag=True, help="Show what would change, as a diff, and leave the files alone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def update(
    ledgers: tuple[Path, ...],
    file: Path,
    reason: str,
    link: str,
    expires: datetime.datetime | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Write down what LEDGERS saw: of several releases, devices and platforms, the least conditions that explain all.

    Each bug of the file gets the places in which these runs show it; what they show nowhere is dropped, and what they
    did not run keeps its places. A bug is added for each fingerprint that nothing known expects. What stands in the
    file and does not change keeps its text and its comments.
    """
    until = expires.date() if expires else datetime.date.today() + datetime.timedelta(days=DAYS)
    books = [judging.told(judging.read_ledger(ledger)) for ledger in ledgers]
    family = file.is_dir()
    files = sorted(file.glob("*.toml")) if family else [file]
    known = judging.load_known([each for each in files if each.is_file()])
    own = {each.resolve() for each in files}
    runs = [run for book in books for run in Evidence.of(book)]
    changes = {
        bug.id: (bug, now)
        for bug in known.bugs.values()
        if Path(bug.source).resolve() in own and (now := rewriting.seen_again(bug, runs)) is not bug
    }
    known = Registry(changes[bug.id][1] if bug.id in changes else bug for bug in known.bugs.values())
    new = rewriting.missing(known, books, Bug("", reason, (link,), (), until))
    added: dict[Path, list[Bug]] = {}
    for bug in new:
        added.setdefault(file / f"{bug.cells[0].clauses[0].partition('/')[0]}.toml" if family else file, []).append(bug)
    diff: list[str] = []
    try:
        for each in sorted({*files, *added}):
            text = known_bugs.parse(each)[0] if each.exists() else ""
            of_file = {name: pair for name, pair in changes.items() if Path(pair[0].source).resolve() == each.resolve()}
            if of_file or each in added:
                after = rewriting.rewritten(text, of_file, added.get(each, []))
                diff += difflib.unified_diff(text.splitlines(), after.splitlines(), str(each), str(each), lineterm="")
                if not dry_run:
                    _replace(each, after)
    except KnownBugsError as error:
        raise Fault(str(error)) from None
    gone = [row for pair in changes.values() for row in rewriting.dropped(*pair)]
    if as_json:
        dropped = [{"id": row.bug.id, "clause": row.clause, "fingerprint": row.fingerprint} for row in gone]
        click.echo(
            json.dumps(
                {"added": [bug.id for bug in new], "changed": list(changes), "dropped": dropped, "file": str(file)}
            )
        )
        return exits.CONFORMANT
    if dry_run and diff:
        click.echo("\n".join(diff))
    ran = [run.environment for run in runs]
    for row in gone:
        click.echo(f"drop {row.bug.id}: {row.fingerprint} is gone from {row.clause} on {row.backend}")
    for before, now in changes.values():
        if now.cells and before.places != now.places:
            what = f"change {now.id}: seen {', '.join(now.places)}; it said {', '.join(before.places)}"
            click.echo(_noting(what, now.not_run_in(ran)))
    for bug in new:
        about = [each.clause for each in bug.expectations()]
        more = f" and {len(about) - 1} more" if len(about) > 1 else ""
        what = f"add {bug.id}: {bug.cells[0].fingerprints[0]} in {about[0]}{more}"
        click.echo(_noting(what, bug.not_run_in(ran)))
    counts = f"{len(new)} added, {len(changes)} changed, {len(gone)} cells dropped"
    click.echo(f"{file}: {counts}" + (" (dry run)" if dry_run else ""))
    return exits.CONFORMANT


def _noting(line: str, releases: list[str]) -> str:
    return f"{line} (not run by these ledgers: torch {', '.join(releases)})" if releases else line


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
    """Write the file whole or not at all. Raises `Fault` where it cannot be written, and leaves nothing beside it."""
    with exits.writing(file), contextlib.ExitStack() as unfinished:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=file.parent, prefix=f".{file.name}.", delete=False
        ) as new:
            unfinished.callback(os.unlink, new.name)
            new.write(text)
        os.chmod(new.name, file.stat().st_mode if file.exists() else 0o644)
        os.replace(new.name, file)
        unfinished.pop_all()
