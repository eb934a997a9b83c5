"""``parity waivers``: lint waiver files, and update one from what a ledger holds."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import tomli_w

from golden import waivers as waiving
from golden.waivers import NO_LINK, Facts, Problem, Waiver
from suites.harness.results import summary
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.verdict import Expectations, judged
from tools import exits, judging
from tools.exits import Fault
from tools.verbs import list as clauses

#: Days until a waiver that this tool writes must be looked at again.
DAYS = 180


@click.group("waivers", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Lint waiver files, or update one from a ledger."""


@command.command("lint")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--ledger", type=click.Path(path_type=Path), help="Also hold the waivers against what this run saw.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def lint(files: tuple[Path, ...], ledger: Path | None, as_json: bool) -> int:
    """Read Parity's own waivers and FILES; name every one that is expired, has no link, or matches nothing.

    Exit codes: 0 nothing wrong, 1 a waiver is faulty, 2 a file cannot be read.
    """
    loaded = judging.load_waivers(files)
    problems = waiving.lint(loaded, _facts(loaded, ledger), datetime.date.today())
    if as_json:
        click.echo(json.dumps({"waivers": len(loaded), "problems": [dataclasses.asdict(each) for each in problems]}))
    else:
        for problem in problems:
            click.echo(str(problem))
        click.echo(f"{len(loaded)} waivers, {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    return exits.NOT_CONFORMANT if problems else exits.CONFORMANT


def _facts(loaded: Sequence[Waiver], ledger: Path | None) -> Facts:
    if ledger is not None:
        book = judging.read_ledger(ledger)
        torch = str(book.header.get("torch") or "0")
        whole = Expectations.of(book).whole
        return Facts(torch, frozenset(book.clauses), whole, tuple(book.cells.values()))
    if not loaded:
        return Facts("0")
    from suites.harness.execution.environment import torch_version

    return Facts(torch_version() or "0", frozenset(record["id"] for record in clauses.collect()), whole=True)


@command.command("update")
@click.argument("ledger", type=click.Path(path_type=Path))
@click.option("--file", "file", required=True, type=click.Path(path_type=Path), help="The waiver file to change.")
@click.option("--reason", default="Not explained yet.", show_default=True, help="The reason of new entries.")
@click.option("--link", help="The URL of new entries.")
@click.option("--finding", help="The name of the finding, where no link is known.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help=f"Of new entries [default: {DAYS} days from today]")
@click.option("--dry-run", is_flag=True, help="Say what would change and leave the file alone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def update(
    ledger: Path,
    file: Path,
    reason: str,
    link: str | None,
    finding: str | None,
    expires: datetime.datetime | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Add entries to FILE for each divergence of LEDGER that no waiver expects, and drop those that are gone.

    What stands in the file keeps its text and its comments.
    """
    if not link and not finding:
        raise Fault("new waivers need --link URL, or --finding NAME where nobody has reported it yet")
    until = expires.date() if expires else datetime.date.today() + datetime.timedelta(days=DAYS)
    book = judging.read_ledger(ledger)
    waivers = judging.load_waivers([file] if file.exists() else [])
    stale = _stale(waivers, book, file)
    taken = {waiver.id for waiver in waivers} - {waiver.id for waiver in stale}
    about = {"reason": reason, **({"link": link} if link else {"link": NO_LINK, "finding": finding}), "expires": until}
    kept = [waiver for waiver in waivers if waiver not in stale]
    entries = [{**entry, **about} for entry in _missing(kept, book, taken)]
    if not dry_run and (entries or stale):
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        _replace(file, _rewritten(text, file, stale, entries))
    if as_json:
        added, dropped = [entry["id"] for entry in entries], [waiver.id for waiver in stale]
        click.echo(json.dumps({"added": added, "dropped": dropped, "file": str(file)}))
    else:
        for waiver in stale:
            click.echo(f"drop {waiver.id}: {waiver.fingerprint} is gone")
        for entry in entries:
            click.echo(f"add {entry['id']}: {entry['fingerprint']} in {entry['clause']} on {entry['backend']}")
        click.echo(f"{file}: {len(entries)} added, {len(stale)} dropped" + (" (dry run)" if dry_run else ""))
    return exits.CONFORMANT


def _stale(waivers: Iterable[Waiver], book: Ledger, file: Path) -> list[Waiver]:
    """The waivers of ``file`` whose divergence no cell that they apply to shows any more."""
    own = [waiver for waiver in waivers if Path(waiver.source.rpartition(":")[0]).resolve() == file.resolve()]
    facts = Facts(str(book.header.get("torch") or "0"), cells=tuple(book.cells.values()))
    problems: list[Problem] = waiving.lint(own, facts, datetime.date.min)
    passing = {problem.waiver for problem in problems if problem.kind == "passes"}
    return [waiver for waiver in own if waiver.id in passing]


def _missing(waivers: Sequence[Waiver], book: Ledger, taken: set[str]) -> list[dict[str, Any]]:
    """An entry for each clause, backend and divergence that no waiver expects; over all variants where all show it."""
    torch = str(book.header.get("torch") or "0")
    groups: dict[tuple[str, str, str, str], set[str]] = {}
    for cell in judged(book, waivers).cells.values():
        if cell.outcome not in ("fail", "crash", "timeout"):
            continue
        expected = waiving.match(waivers, cell.clause, cell.backend, cell.variant, cell.divergences, torch)
        for item, waiver in zip(cell.divergences, expected, strict=True):
            if waiver is None:
                groups.setdefault((cell.clause, cell.backend, item.facet, item.fingerprint), set()).add(cell.variant)
    entries = []
    for (clause, backend, facet, fingerprint), variants in groups.items():
        for variant in _variants(variants, book, clause, backend):
            fields = {
                "clause": clause,
                "backend": backend,
                "variant": variant,
                "facet": facet,
                "fingerprint": fingerprint,
            }
            entries.append({"id": _name(fields, taken), **fields, "torch": _range(torch)})
    return entries


def _variants(showing: set[str], book: Ledger, clause: str, backend: str) -> list[str]:
    ran = {cell.variant for cell in _compared(book) if cell.clause == clause and cell.backend == backend}
    return ["*"] if showing >= ran else sorted(showing)


def _compared(book: Ledger) -> Iterable[Cell]:
    return (cell for cell in book.cells.values() if summary.standing(cell) not in ("skipped", "unsupported", "error"))


def _name(fields: dict[str, str], taken: set[str]) -> str:
    """An id that says clause and facet; a few digits of its own content where that is taken."""
    short = re.sub(r"[^A-Za-z0-9_]+", "-", f"{fields['clause'].rpartition('/')[2]}-{fields['facet']}").strip("-")
    digest = hashlib.sha256(repr(sorted(fields.items())).encode()).hexdigest()
    name = short if short not in taken else f"{short}-{digest[:8]}"
    taken.add(name)
    return name


def _range(torch: str) -> str:
    """This minor version of torch and no other: another one may diverge differently."""
    numbers = re.match(r"(\d+)\.(\d+)", torch)
    if numbers is None:
        return ""
    return f">={numbers[1]}.{numbers[2]},<{numbers[1]}.{int(numbers[2]) + 1}"


def _rewritten(text: str, file: Path, stale: Sequence[Waiver], entries: Sequence[dict[str, Any]]) -> str:
    """The file's text without the entries of ``stale`` and with ``entries`` at its end; the rest as it was."""
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if re.match(r"\s*\[\[\s*waiver\s*\]\]", line)]
    drop: set[int] = set()
    for waiver in stale:
        line = waiver.source.rpartition(":")[2]
        if not line.isdigit() or int(line) - 1 not in starts:
            raise Fault(f"{file}: cannot find the lines of waiver {waiver.id!r}; delete it by hand")
        start = int(line) - 1
        drop.update(range(start, next((each for each in starts if each > start), len(lines))))
    kept = "".join(line for number, line in enumerate(lines) if number not in drop).rstrip("\n")
    blocks = ["[[waiver]]\n" + tomli_w.dumps(entry).strip() for entry in entries]
    return "\n\n".join(part for part in (kept, *blocks) if part) + "\n"


def _replace(file: Path, text: str) -> None:
    """Write the file whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=file.parent, prefix=f".{file.name}.", delete=False
    ) as new:
        new.write(text)
    os.chmod(new.name, file.stat().st_mode if file.exists() else 0o644)
    os.replace(new.name, file)
