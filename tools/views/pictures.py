"""The report's pictures, as data: the heat map of backends and families, first layers by facet, tolerance used."""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping

from suites.harness.oracle.divergence import FACETS
from suites.harness.results import summary
from suites.harness.results.causes import deciding
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import STANDINGS, Outcome

#: Shapes tell standings apart where colours do not; any other has pytest's letter.
_MARKS = {Outcome.SILENT: "●", Outcome.LOUD: "▲", Outcome.CRASH: "✖"}
#: Shares of cells at which a colour gets deeper.
_STEPS = (0.05, 0.2, 0.5)


def mark(standing: Outcome) -> str:
    """The shape or letter of a standing."""
    return _MARKS.get(standing, standing.letter)


@dataclasses.dataclass(frozen=True)
class Heat:
    """One field of the heat map: the cells of one backend in one family.

    ``worst``: the worst standing that counts against, or `KNOWN`, `INHERITED` or `PASS`; ``None`` without cells.
    ``depth``: 1 to 4, by the share of such cells.
    """

    backend: str
    family: str
    counts: Counter[Outcome]

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return sum(self.counts.values())

    @property
    def against(self) -> list[Outcome]:
        """The standings that count against and that a cell has, the worst first."""
        return [each for each in reversed(STANDINGS) if each.against and self.counts[each]]

    @property
    def worst(self) -> Outcome | None:
        """What gives the field its colour."""
        told = (*self.against, Outcome.KNOWN, Outcome.INHERITED, Outcome.PASS)
        return next((each for each in told if self.counts[each]), next(iter(self.counts), None))

    @property
    def depth(self) -> int:
        """How deep its colour is."""
        counted = sum(self.counts[each] for each in self.against) or (self.counts[self.worst] if self.worst else 0)
        return 1 + sum(counted / max(self.cells, 1) > step for step in _STEPS)

    @property
    def told(self) -> str:
        """All its counts, in words."""
        return ", ".join(f"{self.counts[each]} {each.label}" for each in reversed(STANDINGS) if self.counts[each])


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the heat map: a backend, or the sum of several (then ``backend`` is empty), and a field a family."""

    name: str
    backend: str
    total: Heat
    fields: tuple[Heat, ...]


@dataclasses.dataclass(frozen=True)
class Map:
    """The heat map. ``rows``: backends that were asked for, or of which a cell counts against. ``others``: the rest,
    which clauses name, summed up in ``rest`` if there are several.
    """

    families: tuple[str, ...]
    rows: tuple[Row, ...]
    others: tuple[Row, ...]

    @property
    def rest(self) -> Row | None:
        """The others as one."""
        if not self.others:
            return None
        fields = [[row.fields[place].counts for row in self.others] for place in range(len(self.families))]
        counts = [summary.total(field) for field in fields]
        name = f"{summary.count(len(self.others), 'other')}, named by clauses"
        return _row(name, "", dict(zip(self.families, counts, strict=True)), self.families)


def heat(book: Ledger) -> Map:
    """The heat map of a judged ledger."""
    counted = summary.tallies(book)
    families = tuple(sorted({family for each in counted.values() for family in each}))
    asked = summary.asked(book)
    rows = [_row(backend, backend, each, families) for backend, each in counted.items()]
    shown = [row for row in rows if row.backend in asked or row.total.against]
    shown.sort(key=lambda row: row.backend not in asked)
    return Map(families, tuple(shown), tuple(row for row in rows if row not in shown))


def _row(name: str, backend: str, counted: Mapping[str, Counter[Outcome]], families: Iterable[str]) -> Row:
    fields = tuple(Heat(backend, family, counted.get(family, Counter())) for family in families)
    return Row(name, backend, Heat(backend, "", summary.total(counted.values())), fields)


@dataclasses.dataclass(frozen=True)
class Bar:
    """One facet: how many cells diverge in it, by the first layer that does, the largest first."""

    facet: str
    layers: tuple[tuple[str, int], ...]

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return sum(number for _, number in self.layers)


def first_layers(book: Ledger) -> list[Bar]:
    """For each facet in which cells diverge, known ones included, the layers that diverge first."""
    counted: dict[str, Counter[str]] = {}
    for cell in book.cells.values():
        item = deciding(cell) if cell.outcome.diverges or cell.outcome is Outcome.KNOWN else None
        if item is not None:
            counted.setdefault(item.facet, Counter())[item.layer or "not walked"] += 1
    return [Bar(facet, tuple(counted[facet].most_common())) for facet in FACETS if facet in counted]


def layers(bars: Iterable[Bar]) -> list[str]:
    """The layers of those bars, those of most cells first."""
    counted = Counter[str]()
    for bar in bars:
        counted.update(dict(bar.layers))
    return [layer for layer, _ in counted.most_common()]


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How much of the allowed error a backend used: of its ``cells`` that were not bitwise equal, as fractions."""

    backend: str
    cells: int
    median: float
    most: float
    where: Cell


def tolerances(book: Ledger) -> list[Tolerance]:
    """For each backend some of whose compared values differ within what is allowed, how much of that they used."""
    rows = []
    for backend in summary.backends(book):
        used = [cell for cell in _compared(book) if cell.backend == backend and cell.tolerance > 0]
        if used:
            most = max(used, key=lambda cell: cell.tolerance)
            middle = statistics.median(cell.tolerance for cell in used)
            rows.append(Tolerance(backend, len(used), middle, most.tolerance, most))
    return sorted(rows, key=lambda row: -row.most)


def _compared(book: Ledger) -> Iterable[Cell]:
    return (cell for cell in book.cells.values() if cell.outcome in (Outcome.PASS, Outcome.CHANGED))
