"""The log of a campaign's shard, append-only; and what several come to together.

A line a program and a line a find, and one before a program that diverges is made small. The first says what wrote it.
A line that was cut short when its writer was killed is left out.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from suites.harness.execution import accelerations
from suites.harness.results import ledger

from .finds import Find

SCHEMA_VERSION = 3


class NotALog(Exception):
    """A file is no log of a campaign, or not one that can be read together with others; the message is one line."""


class Log:
    """An append-only file of one shard. Raises `NotALog` for a file that holds something else, or another torch's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = read(path) if path.exists() and path.stat().st_size else []
        # A line that was cut short must not swallow the next one.
        cut = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
        self._writer = ledger.Writer(path)
        if cut:
            self._writer.end_line()
        if not self.records:
            ways = accelerations.current().ways
            opening = {"schema": SCHEMA_VERSION, "torch": torch.__version__, "accelerations": ways}
            self.write({"kind": "campaign", **opening})
        elif self.records[0]["torch"] != torch.__version__:
            before = self.records[0]["torch"]
            raise NotALog(f"{path}: was begun with torch {before}, and this is {torch.__version__}: name another --out")

    def write(self, record: dict[str, Any]) -> None:
        """Append a record, at once."""
        self.records.append(record)
        self._writer.write(record)

    def done(self) -> set[int]:
        """The numbers of the programs that are in the log."""
        return {record["number"] for record in self.records if record["kind"] == "program"}

    def left_over(self) -> list[int]:
        """The numbers of the programs that diverged and waited to be made small, and were not, or not to the end."""
        waited = (record["number"] for record in self.records if record["kind"] == "program" and record.get("waits"))
        followed = {record["number"] for record in self.records if record["kind"] == "find"}
        return [number for number in dict.fromkeys(waited) if number not in followed]

    def finds(self) -> Iterator[Find]:
        """The finds that are in the log, in their order."""
        return (Find.from_json(record) for record in self.records if record["kind"] == "find")


def read(path: Path) -> list[dict[str, Any]]:
    """The records of a log; lines that are torn are left out. Raises `NotALog`."""
    try:
        records = [record for record in ledger.records(path) if record is not None]
    except OSError as error:
        raise NotALog(f"{path}: {error.strerror or error}") from None
    first = records[0] if records else {}
    if first.get("kind") != "campaign" or "torch" not in first:
        raise NotALog(f"{path}: is no log of a campaign")
    if first.get("schema") != SCHEMA_VERSION:
        raise NotALog(
            f"{path}: is a log of format {first.get('schema')}, and this Parity reads format {SCHEMA_VERSION}"
        )
    for record in records:
        missing = _NEEDED.get(record["kind"], frozenset()) - record.keys()
        if missing:
            raise NotALog(f"{path}: a record of kind {record['kind']!r} has no {min(missing)!r}")
    return records


_NEEDED: Mapping[str, frozenset[str]] = {
    "program": frozenset({"number", "hash", "backend", "outcome", "families", "features", "seconds"}),
    "reducing": frozenset({"number", "hash", "backend", "fingerprint"}),
    "find": frozenset({"hash", *(field.name for field in dataclasses.fields(Find))}),
}


@dataclasses.dataclass
class Summary:
    """What a log, or several merged, hold."""

    programs: int = 0
    outcomes: Counter[str] = dataclasses.field(default_factory=Counter)
    families: Counter[str] = dataclasses.field(default_factory=Counter)
    features: Counter[str] = dataclasses.field(default_factory=Counter)
    #: Finds by bucket.
    finds: dict[str, list[Find]] = dataclasses.field(default_factory=dict)
    #: Programs that were not reduced, because they look like finds that were met often, by what they look like.
    taken_for: Counter[str] = dataclasses.field(default_factory=Counter)
    #: Programs judged again alone, and the numbers of those that came to something else then.
    audited: int = 0
    disagreed: list[int] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    #: Programs that were run again the plain way.
    plain_retries: int = 0
    torch: set[str] = dataclasses.field(default_factory=set)
    #: The fingerprints of programs that are being made small, by number and backend.
    reducing: dict[tuple[int, str], str] = dataclasses.field(default_factory=dict)
    _seen: set[tuple[str, str, str]] = dataclasses.field(default_factory=set, repr=False)

    @staticmethod
    def of(records: Iterable[dict[str, Any]]) -> Summary:
        """Merge records as a set: a program counts once, whoever ran it."""
        summary = Summary()
        summary.add(records)
        return summary

    def add(self, records: Iterable[dict[str, Any]]) -> None:
        """Merge more records in."""
        for record in records:
            if record["kind"] == "campaign":
                self.torch.add(record["torch"])
                continue
            if record["kind"] in ("program", "find"):
                self.reducing.pop((record["number"], record["backend"]), None)
            key = record["kind"], record["hash"], record["backend"]
            if key in self._seen:
                continue
            self._seen.add(key)
            if record["kind"] == "reducing":
                self.reducing[record["number"], record["backend"]] = record["fingerprint"]
            elif record["kind"] == "program":
                self._add_program(record)
            elif record["kind"] == "find":
                find = Find.from_json(record)
                self.finds.setdefault(find.bucket, []).append(find)

    def _add_program(self, record: Mapping[str, Any]) -> None:
        self.programs += 1
        self.outcomes[record["outcome"]] += 1
        self.families.update(record["families"])
        self.features.update(record["features"])
        self.seconds += record["seconds"]
        self.plain_retries += record.get("plain_retry", False)
        if record.get("taken_for"):
            self.taken_for[record["taken_for"]] += 1
        if record.get("alone"):
            self.audited += 1
            if record["alone"] != record["outcome"]:
                self.disagreed.append(record["number"])
