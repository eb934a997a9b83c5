"""A campaign: programs by number, each the same on every machine; an append-only log; finds reduced and told apart.

Program ``i`` of campaign ``name`` is drawn from the seed ``name/i``; shard ``k`` of ``n`` runs those with
``i % n == k``. So shards need no coordinator, a log can be resumed, and logs are merged as a set.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from suites.harness import ledger
from suites.harness.ledger import Divergence

from .judging import Judgement, diverges_alike, judge_apart
from .programs.choices import Seeded
from .programs.drawing import Drawn, draw_program
from .programs.scope import Unfit
from .reduction import reduce, statements
from .script import script

#: Programs that share one forked process, and the seconds that each may take.
BATCH, PROGRAM_LIMIT = 16, 60.0


@dataclasses.dataclass(frozen=True)
class Plan:
    """What to run: ``shard`` of ``shards`` of the campaign ``name``, on one backend."""

    name: str
    backend: str
    shard: int = 0
    shards: int = 1
    reduce_seconds: float = 60.0
    weights: Mapping[str, int] | None = None

    def numbers(self) -> Iterator[int]:
        """The numbers of the shard's programs, without an end."""
        number = self.shard
        while True:
            yield number
            number += self.shards

    def draw(self, number: int) -> Drawn:
        """The program of that number. Raises `Unfit` where none came of it."""
        return draw_program(Seeded(f"{self.name}/{number}"), self.weights)


@dataclasses.dataclass(frozen=True)
class Find:
    """A program that diverges, made small. ``confirmed``: its script exits 1 in a process of its own."""

    number: int
    backend: str
    divergence: Divergence
    operators: tuple[str, ...]
    statements: int
    confirmed: bool
    text: str
    original: str

    @property
    def fingerprint(self) -> str:
        """That of its divergence."""
        return self.divergence.fingerprint

    def to_json(self) -> dict[str, Any]:
        """The find as a record of a log."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {"kind": "find", "hash": _hash(self.text), **fields, "divergence": self.divergence.to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Find:
        """Read a ``find`` record."""
        fields = {field.name: record[field.name] for field in dataclasses.fields(cls)}
        fields["divergence"] = Divergence.from_json(record["divergence"])
        return cls(**{**fields, "operators": tuple(record["operators"])})

    @property
    def bucket(self) -> str:
        """What is the same of two finds that are one bug, as far as can be told: fingerprint and operators."""
        return f"{self.fingerprint} [{' '.join(self.operators)}]"


def operators(text: str) -> tuple[str, ...]:
    """The operators and functions that a program calls, and the kinds of its other statements, sorted."""
    function = next(
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == "program"
    )
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "call")
            found.add(name)
        elif isinstance(node, ast.AugAssign):
            found.add(type(node.op).__name__.lower() + "=")
        elif isinstance(node, ast.BinOp):
            found.add(type(node.op).__name__.lower())
        elif isinstance(node, ast.Subscript):
            found.add("[...]=" if isinstance(node.ctx, ast.Store) else "[...]")
        elif isinstance(node, (ast.With, ast.For, ast.If, ast.IfExp)):
            found.add(type(node).__name__.lower())
    return tuple(sorted(found))


class Log:
    """An append-only file of one shard: a line a program, a line a find. A torn last line is skipped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = read(path)
        # A line that was cut short must not swallow the next one.
        cut = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
        self._writer = ledger.Writer(path)
        if cut:
            self._writer.end_line()

    def write(self, record: dict[str, Any]) -> None:
        """Append a record, at once."""
        self.records.append(record)
        self._writer.write(record)

    def done(self) -> set[int]:
        """The numbers of the programs that are in the log."""
        return {record["number"] for record in self.records if record["kind"] == "program"}


def read(path: Path) -> list[dict[str, Any]]:
    """The records of a log; lines that are torn are left out."""
    return [record for record in ledger.records(path) if record is not None] if path.exists() else []


@dataclasses.dataclass
class Summary:
    """What a log, or several merged, hold."""

    outcomes: Counter[str] = dataclasses.field(default_factory=Counter)
    families: Counter[str] = dataclasses.field(default_factory=Counter)
    features: Counter[str] = dataclasses.field(default_factory=Counter)
    finds: dict[str, list[Find]] = dataclasses.field(default_factory=dict)
    programs: int = 0
    seconds: float = 0.0
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
            key = record["kind"], record.get("hash", ""), record.get("backend", "")
            if key in self._seen:
                continue
            self._seen.add(key)
            if record["kind"] == "program":
                self.programs += 1
                self.outcomes[record["outcome"]] += 1
                self.families.update(record["families"])
                self.features.update(record["features"])
                self.seconds += record["seconds"]
            elif record["kind"] == "find":
                find = Find.from_json(record)
                self.finds.setdefault(find.bucket, []).append(find)


def run(plan: Plan, log: Log, go_on: Callable[[int], bool], tell: Callable[[str], None] = lambda line: None) -> None:
    """Run programs of the shard that the log does not have, while ``go_on`` of their count says so."""
    done, count = log.done(), 0
    batch: list[tuple[int, Drawn]] = []
    for number in plan.numbers():
        if not go_on(count):
            break
        if number in done:
            continue
        count += 1
        try:
            batch.append((number, plan.draw(number)))
        except Unfit:
            log.write(_record(number, plan, None, Judgement("unfit"), ""))
            continue
        if len(batch) == BATCH:
            _run_batch(plan, log, batch, tell)
            batch = []
    _run_batch(plan, log, batch, tell)


def _run_batch(plan: Plan, log: Log, batch: Sequence[tuple[int, Drawn]], tell: Callable[[str], None]) -> None:
    if not batch:
        return
    judgements = judge_apart([drawn.text for _, drawn in batch], plan.backend, PROGRAM_LIMIT)
    for (number, drawn), judgement in zip(batch, judgements, strict=True):
        record = _record(number, plan, drawn, judgement, drawn.text)
        if judgement.diverges and judgement.first is not None:
            find = _find(plan, number, drawn, judgement)
            if find is None:
                record["outcome"] = "not confirmed"
            else:
                log.write(find.to_json())
                tell(find.bucket)
        log.write(record)


def _record(number: int, plan: Plan, drawn: Drawn | None, judgement: Judgement, text: str) -> dict[str, Any]:
    return {
        "kind": "program",
        "number": number,
        "campaign": plan.name,
        "backend": plan.backend,
        "hash": _hash(text or f"{plan.name}/{number}"),
        "outcome": judgement.outcome,
        "fingerprint": judgement.fingerprint,
        "families": list(drawn.families) if drawn else [],
        "features": list(drawn.features) if drawn else [],
        "seconds": round(judgement.seconds, 4),
    }


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _find(plan: Plan, number: int, drawn: Drawn, judgement: Judgement) -> Find | None:
    """The find, reduced on the layer where it begins; None if it is not there a second time."""
    first = judgement.first
    assert first is not None
    still = diverges_alike(first, PROGRAM_LIMIT)
    if not still(drawn.text):
        return None
    small = reduce(drawn.text, still, plan.reduce_seconds)
    last = judge_apart([small.text], first.layer, PROGRAM_LIMIT)[0].first
    if last is None:
        return None
    return Find(
        number,
        plan.backend,
        last,
        operators(small.text),
        statements(small.text),
        exits_one(script(small.text, last)),
        small.text,
        drawn.text,
    )


def exits_one(text: str, seconds: float = 120.0) -> bool:
    """Whether a script, run in a Python process of its own, exits with 1."""
    with tempfile.TemporaryDirectory(prefix="parity-script-") as folder:
        path = Path(folder) / "repro.py"
        path.write_text(text, encoding="utf-8")
        try:
            ended = subprocess.run([sys.executable, str(path)], capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 1 and b"Traceback" not in ended.stderr[-3000:]


def until(seconds: float | None, programs: int | None) -> Callable[[int], bool]:
    """Go on for so many seconds, and so many programs."""
    end = time.monotonic() + seconds if seconds is not None else float("inf")
    most = programs if programs is not None else sys.maxsize
    return lambda count: time.monotonic() < end and count < most
