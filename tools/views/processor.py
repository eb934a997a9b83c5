"""Where a run's processor time went, as a table: phases by backends, against what the system counts."""

from __future__ import annotations

import dataclasses
from collections import Counter

from rich.table import Table
from rich.text import Text

from suites.harness.results.ledger import Ledger

#: What makes the record that the table is of.
COMMAND = "python -m tools.benchmarks.where_time_goes"
NOT_SEEN = "not seen"
#: Characters of the longest bar.
_BAR = 16


@dataclasses.dataclass(frozen=True)
class Row:
    """A phase: its processor seconds, their share of the whole run's, and what of them each backend's cells took."""

    phase: str
    seconds: float
    share: float
    of_backends: tuple[float, ...] = ()


@dataclasses.dataclass(frozen=True)
class Spent:
    """A run's processor time: ``total`` as the system counts it, of which the rows but the last were seen."""

    total: float
    backends: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def seen(self) -> float:
        """Seconds that were seen in some phase."""
        return sum(row.seconds for row in self.rows if row.phase != NOT_SEEN)


def spent(book: Ledger) -> Spent | None:
    """The table of a ledger, the largest phase first, what was not seen last; ``None`` of a run that nobody sampled."""
    if not book.processor:
        return None
    total = sum(float(record["total"]) for record in book.processor)
    seen: dict[str, Counter[str]] = {}
    for record in book.processor:
        for phase, backend, seconds in record["seen"]:
            seen.setdefault(phase, Counter())[backend] += seconds
    of_backend: Counter[str] = Counter()
    for counted in seen.values():
        of_backend.update(counted)
    backends = tuple(name for name, _ in of_backend.most_common() if name)
    rows = [
        Row(
            phase,
            sum(counted.values()),
            sum(counted.values()) / total if total else 0.0,
            tuple(float(counted[name]) for name in backends),
        )
        for phase, counted in seen.items()
    ]
    rows.sort(key=lambda row: -row.seconds)
    missing = total - sum(row.seconds for row in rows)
    rows.append(Row(NOT_SEEN, missing, missing / total if total else 0.0))
    return Spent(total, backends, tuple(rows))


def table(found: Spent, most: int = 3) -> Table:
    """The table for a terminal, with columns of the ``most`` costly backends."""
    shown = Table(box=None, header_style="dim", pad_edge=False)
    shown.add_column("phase", no_wrap=True)
    shown.add_column("CPU s", justify="right")
    shown.add_column("share", justify="right")
    shown.add_column("", no_wrap=True, width=_BAR)
    for name in found.backends[:most]:
        shown.add_column(name, justify="right")
    longest = max((row.seconds for row in found.rows), default=0.0) or 1.0
    for row in found.rows:
        bar = "█" * round(_BAR * max(row.seconds, 0.0) / longest)
        parts = [f"{seconds:.1f}" if seconds >= 0.05 else "·" for seconds in row.of_backends[:most]]
        shown.add_row(row.phase, f"{row.seconds:.1f}", f"{row.share:.1%}", Text(bar, style="cyan"), *parts)
    shown.add_section()
    columns = zip(*(row.of_backends[:most] for row in found.rows if row.of_backends), strict=True)
    sums = [f"{sum(column):.1f}" for column in columns]
    shown.add_row("the whole run", f"{found.total:.1f}", "100.0%", "", *sums, style="bold")
    return shown
