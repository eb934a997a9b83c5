"""From files to a verdict: which waivers apply, reading a ledger, and what is concluded from both."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Sequence
from pathlib import Path

from golden import waivers as waiving
from golden.waivers import Waiver, WaiverError
from suites.harness.oracle.divergence import FACETS
from suites.harness.results import ledger as ledgers
from suites.harness.results.ledger import Ledger
from suites.harness.results.verdict import Expectations, Verdict, verdict
from tools.exits import Fault


def load_waivers(files: Sequence[Path]) -> list[Waiver]:
    """Parity's own waivers and those of ``files``. Raises `Fault` with the line that says what is wrong where."""
    own = waiving.default_files()
    extra = [file for file in files if file.resolve() not in {path.resolve() for path in own}]
    try:
        return waiving.load([*own, *extra], facets=FACETS)
    except WaiverError as error:
        raise Fault(str(error)) from None


def read_ledger(path: Path) -> Ledger:
    """A ledger, with whatever its workers had written if the run never came to merge them.

    Raises `Fault` if there is none or the file is not one.
    """
    parts = [part for part in (path, *ledgers.worker_files(path)) if part.is_file()]
    if not parts:
        raise Fault(f"no ledger at {path}")
    try:
        book = ledgers.read(parts)
    except (OSError, ValueError) as error:
        raise Fault(str(error)) from None
    if not book.headers and not book.cells and not book.clauses:
        raise Fault(f"{path} is not a ledger: no record in it")
    return book


def recorded_waiver_files(book: Ledger) -> list[Path]:
    """The waiver files that the run was given, by its header. Raises `Fault` if one is gone."""
    asked = book.header.get("configuration") or {}
    files = [Path(name) for name in asked.get("waivers") or ()]
    for file in files:
        if not file.is_file():
            raise Fault(f"the ledger was made with the waivers in {file}, which is gone; name the file with --waivers")
    return files


def conclude(book: Ledger, files: Sequence[Path], expected: Expectations | None = None) -> tuple[Verdict, list[Waiver]]:
    """The verdict on a ledger with those waiver files, or with the ones of its own header where none are given.

    ``expected`` adds to what the header says was asked for.
    """
    waivers = load_waivers(files or recorded_waiver_files(book))
    wanted = _joined(Expectations.of(book), expected or Expectations())
    return verdict(book, waivers, wanted, datetime.date.today()), waivers


def _joined(header: Expectations, asked: Expectations) -> Expectations:
    return dataclasses.replace(
        header,
        backends=asked.backends or header.backends,
        families=asked.families or header.families,
        strict_goldens=asked.strict_goldens or header.strict_goldens,
        whole=asked.whole or header.whole,
    )
