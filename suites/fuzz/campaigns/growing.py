"""Programs that grow from others: what reached branches of torch that no earlier one had is begun with again.

A program is the decisions that it was drawn by, so one that grows from another takes some of the other's decisions,
from the first on, and goes on with decisions of its own. Which it grows from, and for how long, is decided by its own
number and by what the shard has kept so far: a log holds that, so a campaign goes on where it ended, and each program
can be drawn again from what its record says.

Measured on aot_eager with torch 2.13, 400 programs of each of two campaigns: with none grown 15,883 and 15,911 steps
were reached, with half of them 15,787 and 15,777, with four of five 15,545 (the first one). So it does not pay there:
what is drawn afresh reaches more that is new. Looking itself costs three quarters of the time again (Python 3.11).
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import random
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from ..programs.choices import Seeded
from .coverage import NoCoverage

#: Of torch, the files whose branches count, by the kind of programs: where a program is traced, and where it is taken
#: apart for autograd and put together again.
WATCHED: Mapping[str, tuple[str, ...]] = {
    "programs": ("_functorch/*", "_dynamo/variables/*"),
    "numbers": ("_decomp/*", "_refs/*", "_inductor/fx_passes/*", "_inductor/codegen/cpp*", "_inductor/lowering.py"),
    "schemas": ("_library/*", "_higher_order_ops/auto_functionalize.py", "_functorch/*"),
    "triton": ("_library/*", "_higher_order_ops/*", "_functorch/*"),
}

#: A step from a line to a line of a file, by its path within torch.
Branch = tuple[str, int, int]


@dataclasses.dataclass(frozen=True)
class Origin:
    """What a program is drawn by: so many decisions of each seed ``before``, and the rest of its own ``seed``."""

    seed: str
    before: tuple[tuple[str, int], ...] = ()

    def choices(self) -> Seeded:
        """The decisions, from the first on."""
        return Seeded(self.seed, self.before)

    def grown(self, decisions: int, seed: str) -> Origin:
        """What begins with so many of these decisions and goes on by another seed."""
        taken, parts = 0, []
        for name, count in (*self.before, (self.seed, decisions)):
            if taken < decisions:
                parts.append((name, min(count, decisions - taken)))
                taken += count
        return Origin(seed, tuple(parts))


@dataclasses.dataclass(frozen=True)
class Trace:
    """What was seen of a program: how many decisions it took, and the branches that it reached."""

    decisions: int
    branches: frozenset[Branch]


class Nursery:
    """What a shard has kept so far. ``records`` are those of its log; of a hundred programs, ``percent`` grow.

    The seeds begin with the campaign's name.
    """

    def __init__(self, name: str, percent: int, records: Iterable[Mapping[str, Any]] = ()) -> None:
        self._name, self._percent = name, percent
        self._kept: list[tuple[Origin, int]] = []
        self.reached: set[Branch] = set()
        for record in records:
            if record.get("reached"):
                self._keep(origin_of(record), record["decisions"], [(path, *step) for path, *step in record["reached"]])

    def origin(self, number: int) -> Origin:
        """What the program of that number is drawn by."""
        fresh = Origin(f"{self._name}/{number}")
        choices = random.Random(f"{self._name}/{number}/grows")
        if not self._kept or choices.randrange(100) >= self._percent:
            return fresh
        parent, decisions = choices.choice(self._kept)
        return parent.grown(choices.randint(decisions // 4, decisions - 1), fresh.seed)

    def learn(self, origin: Origin, trace: Trace) -> dict[str, Any]:
        """Keep a program that reached what none before it had. What its record says of that."""
        new = sorted(trace.branches - self.reached)
        if new:
            self._keep(origin, trace.decisions, new)
        grown = {"before": [list(part) for part in origin.before]} if origin.before else {}
        return {"decisions": trace.decisions, "reached": [list(branch) for branch in new], **grown}

    def _keep(self, origin: Origin, decisions: int, new: Iterable[Branch]) -> None:
        self._kept.append((origin, max(decisions, 1)))
        self.reached.update(new)


def origin_of(record: Mapping[str, Any]) -> Origin:
    """What the program of a record was drawn by."""
    before = tuple((seed, count) for seed, count in record.get("before", ()))
    return Origin(f"{record['campaign']}/{record['number']}", before)


@contextlib.contextmanager
def traced(kind: str, branches: set[Branch]) -> Iterator[None]:
    """Add to ``branches`` what this process reaches of `WATCHED` while the context lasts.

    Raises `suites.fuzz.campaigns.coverage.NoCoverage` if the package is missing.
    """
    measure = _measure(kind)
    measure.erase()
    measure.start()
    try:
        yield
    finally:
        measure.stop()
        data = measure.get_data()
        root = Path(torch.__file__).parent
        for path in data.measured_files():
            within = Path(path).relative_to(root).as_posix()
            branches.update((within, start, end) for start, end in data.arcs(path) or ())


@functools.cache
def _measure(kind: str) -> Any:
    """One a process: to begin it costs more than to begin again."""
    try:
        import coverage
    except ModuleNotFoundError:
        raise NoCoverage("coverage is not installed: pip install coverage") from None
    root = Path(torch.__file__).parent
    include = [str(root / pattern) for pattern in WATCHED[kind]]
    return coverage.Coverage(data_file=None, branch=True, include=include, config_file=False, messages=False)
