"""What cells cost, as an earlier run recorded it: to balance shards, and to begin with what takes long.

``durations.json`` beside this file holds CPU seconds by clause and backend; ``python -m suites.selfcheck.quick`` writes
it.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from suites.harness.results import ledger as ledgers
from suites.harness.results.ledger import Cell, Ledger

PLACE = Path(__file__).with_name("durations.json")
#: Seconds of a cell where nothing is known of any.
_UNKNOWN = 1.0


def cost(cell: Cell) -> float:
    """What a cell took of the processor, in seconds; what it took by the clock, where its ledger does not say."""
    return cell.cpu_seconds or cell.seconds


@dataclasses.dataclass(frozen=True)
class Durations:
    """Seconds by clause and backend: the mean over the variants that were recorded."""

    of_clause: Mapping[str, Mapping[str, float]] = dataclasses.field(default_factory=dict)
    #: Means, for clauses without a record of their own: by family and backend, by backend, and of everything.
    _means: Mapping[tuple[str, str], float] = dataclasses.field(default_factory=dict, repr=False)
    #: The version of torch that they were recorded with.
    torch: str = ""

    @classmethod
    def of(cls, of_clause: Mapping[str, Mapping[str, float]], torch_version: str = "") -> Durations:
        """Durations with their means."""
        groups: dict[tuple[str, str], list[float]] = defaultdict(list)
        for clause, by_backend in of_clause.items():
            for backend, seconds in by_backend.items():
                for key in ((_family(clause), backend), (_family(clause), ""), ("", backend), ("", "")):
                    groups[key].append(seconds)
        return cls(of_clause, {key: statistics.fmean(values) for key, values in groups.items()}, torch_version)

    @classmethod
    def of_ledger(cls, book: Ledger) -> Durations:
        """What the cells of a ledger cost."""
        seconds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for cell in book.cells.values():
            seconds[cell.clause][cell.backend].append(cost(cell))
        return cls.of(
            {
                clause: {backend: statistics.fmean(values) for backend, values in by_backend.items()}
                for clause, by_backend in seconds.items()
            }
        )

    def seconds(self, clause: str, backend: str) -> float:
        """What a cell is likely to cost. One without a record costs what its family's do on that backend."""
        own = self.of_clause.get(clause, {}).get(backend)
        if own is not None:
            return own
        keys = ((_family(clause), backend), (_family(clause), ""), ("", backend), ("", ""))
        return next((self._means[key] for key in keys if key in self._means), _UNKNOWN)

    def rounded(self, torch_version: str) -> Durations:
        """The durations as a file holds them, three digits each, in a fixed order."""
        return Durations.of(
            {
                clause: {backend: float(f"{seconds:.3g}") for backend, seconds in sorted(by_backend.items())}
                for clause, by_backend in sorted(self.of_clause.items())
            },
            torch_version,
        )

    def write(self, path: Path = PLACE) -> None:
        """Write the file, a line a clause."""
        lines = [f"{json.dumps(clause)}: {json.dumps(by_backend)}" for clause, by_backend in self.of_clause.items()]
        head = f'{{"torch": {json.dumps(self.torch)},\n"clauses": {{\n'
        path.write_text(head + ",\n".join(lines) + "\n}}\n", encoding="utf-8")


def _family(clause: str) -> str:
    return clause.partition("/")[0]


def read(path: Path = PLACE) -> Durations:
    """The durations of a file that `Durations.write` made, or of a ledger; none if it is this module's and not there.

    Raises `ValueError`, with a line, for a file that is neither, or that is not there.
    """
    if not path.exists() and path == PLACE:
        return Durations()
    try:
        text = b"".join(ledgers.lines(path)).decode()
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read durations from {path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    if isinstance(data, dict) and isinstance(data.get("clauses"), dict):
        return Durations.of(data["clauses"], data.get("torch", ""))
    book = ledgers.read([path])
    if not book.cells:
        raise ValueError(f"{path} holds no durations: it is no ledger with cells")
    return Durations.of_ledger(book)
