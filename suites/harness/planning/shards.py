"""One machine's part of a run: which clauses are whose, so that all parts take as long, and parts put together."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from suites.harness.planning.durations import Durations
from suites.harness.results.ledger import Ledger


@dataclasses.dataclass(frozen=True)
class Shard:
    """Part ``number`` (from 1) of so many."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``2/8``. Raises `ValueError`, with a line, for anything else."""
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise ValueError(f"shard {text!r} is not I/N with I from 1 to N, like 2/8")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has_test(self, nodeid: str) -> bool:
        """Whether a test that is no cell is in this shard."""
        return zlib.crc32(nodeid.encode()) % self.of == self.number - 1


def clauses_of(shard: Shard, cells: Iterable[tuple[str, str]], durations: Durations) -> frozenset[str]:
    """The clauses of one shard. ``cells``: clause and backend of all cells of the run.

    A clause stays whole. The dearest goes first, each to the shard that has least to do, so that every machine finds
    the same answer by itself.
    """
    cost: dict[str, float] = defaultdict(float)
    for clause, backend in cells:
        cost[clause] += durations.seconds(clause, backend)
    loads = [0.0] * shard.of
    mine = set()
    for clause in sorted(cost, key=lambda name: (-cost[name], name)):
        least = min(range(shard.of), key=lambda index: (loads[index], index))
        loads[least] += cost[clause]
        if least == shard.number - 1:
            mine.add(clause)
    return frozenset(mine)


def digest(cells: Iterable[str]) -> str:
    """What tells one plan of cells from another."""
    return hashlib.blake2b("\n".join(sorted(cells)).encode(), digest_size=8).hexdigest()


# Parts put together ---------------------------------------------------------------------------------------------------


def of_header(header: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a ledger's header says of the shard that it is of; None for a whole run."""
    found: dict[str, Any] | None = (header.get("configuration") or {}).get("shard")
    return found


def is_alone(book: Ledger) -> bool:
    """Whether a ledger is of one shard, and not of several that have been put together."""
    return len({shard["number"] for header in book.headers if (shard := of_header(header))}) == 1


#: What must be the same in all shards of a run, beside the configuration.
_SAME = ("torch", "device", "backends", "parity", "revision")


def refuse_strangers(books: Sequence[tuple[str, Ledger]]) -> None:
    """Raise `ValueError`, with a line, unless those ledgers, each with its name, are shards of one run, each once."""
    first_name, first = books[0]
    seen: dict[int, str] = {}
    for name, book in books:
        shard = of_header(book.header)
        if shard is None:
            raise ValueError(f"{name} is the ledger of a whole run, not of a shard: it is read by itself")
        number = shard["number"]
        if number in seen:
            raise ValueError(f"{name} is shard {number}/{shard['of']}, and so is {seen[number]}")
        seen[number] = name
        for what, here, there in _differences(book.header, first.header):
            raise ValueError(f"{name} is no shard of the run of {first_name}: {what} is {here!r}, there {there!r}")


def _differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterable[tuple[str, Any, Any]]:
    for key in _SAME:
        if one.get(key) != other.get(key):
            yield key, one.get(key), other.get(key)
    left, right = _comparable(one), _comparable(other)
    for key in sorted(left.keys() | right.keys()):  # Of several the same one is told each time.
        if left.get(key) != right.get(key):
            yield key, left.get(key), right.get(key)


def _comparable(header: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration without what differs from shard to shard, and with what says which plan a shard is of."""
    configuration = dict(header.get("configuration") or {})
    shard = configuration.pop("shard", None) or {}
    # The same files lie elsewhere on another machine.
    configuration["waivers"] = [Path(file).name for file in configuration.get("waivers") or ()]
    return {**configuration, "shards": shard.get("of"), "plan": shard.get("digest")}


def joined(book: Ledger) -> Ledger:
    """A ledger that was read from the files of shards as one of the whole run.

    The header's ``configuration`` then holds ``missing_shards`` where some are, and ``whole`` is the run's own. A
    ledger of no shard stays as it is.
    """
    shards = [shard for header in book.headers if (shard := of_header(header))]
    if not shards:
        return book
    of, cells = shards[0]["of"], shards[0]["cells"]
    missing = sorted(set(range(1, of + 1)) - {shard["number"] for shard in shards})
    configuration = {key: value for key, value in book.header["configuration"].items() if key != "shard"}
    configuration["whole"] = bool(shards[0]["whole"]) and not missing
    lacking = "" if missing or digest(book.planned) == shards[0]["digest"] else _another_plan(len(book.planned), cells)
    if missing or lacking:
        configuration["missing_shards"] = {"numbers": missing, "of": of, "cells": cells, "line": lacking}
    return dataclasses.replace(book, headers=[{**book.header, "configuration": configuration}, *book.headers[1:]])


def _another_plan(planned: int, cells: int) -> str:
    return (
        f"the shards do not make up the run: they planned {planned} different cells, and it has {cells}; "
        "were they given the same --costs?"
    )


def complaints(book: Ledger) -> Iterable[str]:
    """What a joined ledger lacks, one line each: shards, or cells that no shard planned."""
    missing = (book.header.get("configuration") or {}).get("missing_shards")
    if not missing:
        return
    if missing["line"]:
        yield missing["line"]
    if missing["numbers"]:
        names = ", ".join(f"{number}/{missing['of']}" for number in missing["numbers"])
        what = f"shard {names} is missing" if len(missing["numbers"]) == 1 else f"shards {names} are missing"
        yield f"{what}: {len(book.planned)} of the run's {missing['cells']} cells are in those that are here"
