"""From files to a verdict: which known bugs apply, reading a ledger, and what is concluded from both."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Container, Sequence
from pathlib import Path

import click

from suites.harness.planning import shards
from suites.harness.results import known_bugs, records, summary
from suites.harness.results import ledger as ledgers
from suites.harness.results.known_bugs import KnownBugsError, Registry
from suites.harness.results.ledger import Ledger
from suites.harness.results.verdict import Expectations, Verdict, verdict
from tools.exits import Fault


def load_known(files: Sequence[Path]) -> Registry:
    """Torch's known bugs and those of ``files``. Raises `Fault` with the line that says what is wrong where."""
    try:
        return known_bugs.load([*known_bugs.default_files(), *files])
    except KnownBugsError as error:
        raise Fault(str(error)) from None


def read_ledger(path: Path) -> Ledger:
    """A ledger, with whatever its workers had written if the run never came to merge them.

    That of a shard is one of the whole run, in which the other shards are missing. Raises `Fault` if there is none or
    the file is not one.
    """
    return shards.joined(read_part(path))


def read_ledgers(paths: Sequence[Path]) -> Ledger:
    """One ledger, or the shards of one run, put together.

    Raises `Fault` as `read_ledger` does, and for ledgers that are not the shards of one run, each once.
    """
    if len(paths) == 1:
        return read_ledger(paths[0])
    books = [(str(path), read_part(path)) for path in paths]
    try:
        shards.refuse_strangers(books)
        whole = ledgers.read([part for path in paths for part in parts_of(path)])
    except ValueError as error:
        raise Fault(str(error)) from None
    whole.complete = all(book.complete for _, book in books)
    return shards.joined(whole)


def told(book: Ledger) -> Ledger:
    """The ledger, after a line on standard error if some of it is no record."""
    if line := summary.torn(book):
        click.echo(f"parity: {line}", err=True)
    return book


def parts_of(path: Path) -> list[Path]:
    """The files that a ledger is in: its own, and those of workers that no run came to merge; none if it is in none."""
    return [part for part in (path, *ledgers.worker_files(path)) if part.is_file()]


def read_part(path: Path, *, only: Container[str] | None = None) -> Ledger:
    """A ledger as it is: that of a shard is of that shard alone; or ``only`` these cells of it.

    Raises `Fault` as `read_ledger` does.
    """
    parts = parts_of(path)
    if not parts:
        raise Fault(f"no ledger at {path}")
    try:
        book = ledgers.read(parts, only=only)
    except (OSError, ValueError) as error:
        raise Fault(str(error)) from None
    if not book.headers and not book.cells and not book.clauses:
        raise Fault(f"{path} is not a ledger: no record in it")
    return book


def recorded_files(book: Ledger) -> list[Path]:
    """The files of known bugs that the run was given, by its header. Raises `Fault` if one is gone."""
    asked = book.header.get("configuration") or {}
    files = [Path(name) for name in asked.get("waivers") or ()]
    for file in files:
        if not file.is_file():
            raise Fault(f"the run was given the known bugs in {file}, which is gone; name the file with --waivers")
    return files


def known_of(book: Ledger, files: Sequence[Path]) -> Registry:
    """The known bugs that a ledger is held against: those of ``files``, or of its own header where none are given."""
    return load_known(files or recorded_files(book))


def recorded_elsewhere(book: Ledger) -> list[Ledger]:
    """The records that come with Parity of other places than that of a ledger, judged: what they say of its cells."""
    here = records.name_of(book)
    known = load_known(())
    others = (read_part(path, only=book.cells) for path in records.paths() if path.name != here)
    return [known.judged(record) for record in others]


def conclude(
    book: Ledger, files: Sequence[Path], expected: Expectations | None = None, *, golden: str | None = None
) -> tuple[Verdict, Registry]:
    """The verdict on a ledger with the known bugs of those files, or of the ones in its own header.

    ``expected`` adds to what the header says was asked for; ``golden`` is what a changed graph means, instead of that.
    """
    known = known_of(book, files)
    wanted = _joined(Expectations.of(book), expected or Expectations())
    if golden is not None:
        wanted = dataclasses.replace(wanted, strict_goldens=golden == "strict")
    return verdict(book, known, wanted, datetime.date.today()), known


def _joined(header: Expectations, asked: Expectations) -> Expectations:
    return dataclasses.replace(
        header,
        backends=asked.backends or header.backends,
        families=asked.families or header.families,
        whole=asked.whole or header.whole,
    )
