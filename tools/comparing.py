"""What changed between two judged ledgers: cells by cause, the most important first, graphs, and time to compile."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any

from suites.harness.results import summary
from suites.harness.results.causes import deciding, words
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import STANDINGS, Outcome

if TYPE_CHECKING:
    from golden.graphs.drift import Cluster

#: How much longer compiling must take, of a backend's family and of a cell, to be told: a ratio, and seconds.
SLOWER_FAMILY = (1.25, 1.0)
SLOWER_CELL = (2.0, 0.5)
#: What a record says of the program beside its standing and fingerprints, each by its name there.
SEEN = ("facets", "divergences", "graphs", "nodes", "recompilations", "tolerance", "executed", "detail")


class Kind(Enum):
    """What a change of a cell means, the most important first."""

    DIVERGES = "newly diverging"
    DIFFERENTLY = "diverging in another way"
    OTHERWISE = "another standing"
    SEEN = "standing alike, seen otherwise"
    AGREES = "newly agreeing"
    NEW = "new cells"
    GONE = "cells that are gone"


@dataclasses.dataclass(frozen=True)
class Change:
    """One cell that differs: as it is in A and in B, ``None`` where it is not there. ``key`` pairs the two.

    ``across``: the two are of different backends, so that layers, which name them, are not compared. ``exact``: all
    that was `SEEN` is compared, of cells that pass too.
    """

    key: str
    left: Cell | None
    right: Cell | None
    across: bool = False
    exact: bool = False

    @property
    def before(self) -> Outcome | None:
        """Where it stands in A."""
        return None if self.left is None else summary.standing(self.left)

    @property
    def after(self) -> Outcome | None:
        """Where it stands in B."""
        return None if self.right is None else summary.standing(self.right)

    @property
    def cell(self) -> Cell:
        """The cell in B, or in A where B has none."""
        cell = self.right or self.left
        assert cell is not None
        return cell

    @property
    def kind(self) -> Kind:
        """What the change means."""
        if self.left is None or self.right is None:
            return Kind.NEW if self.left is None else Kind.GONE
        before, after = diverges(self.left), diverges(self.right)
        if not self._fundamental:
            return Kind.SEEN
        if before and after:
            return Kind.DIFFERENTLY
        if after:
            return Kind.DIVERGES
        return Kind.AGREES if before and self.right.outcome.compared else Kind.OTHERWISE

    def fingerprints(self, cell: Cell | None) -> tuple[str, ...]:
        """The fingerprints of one side, without layers where these say nothing."""
        found = {item.fingerprint for item in cell.divergences} if cell is not None else set()
        return tuple(sorted({each.partition(":")[2] for each in found} if self.across else found))

    @property
    def any(self) -> bool:
        """Whether it is one: another standing, or other fingerprints; with ``exact``, anything else that was seen."""
        return self._fundamental or bool(self.exact and self.seen_otherwise)

    @property
    def _fundamental(self) -> bool:
        return self.before is not self.after or self.fingerprints(self.left) != self.fingerprints(self.right)

    @property
    def seen_otherwise(self) -> list[str]:
        """Which of what was `SEEN` is not the same in both."""
        return [name for name in SEEN if _seen(self.left, name) != _seen(self.right, name)]

    @property
    def told(self) -> str:
        """How it diverges: in B, or in A where it does no longer, or both where these are two ways."""
        if self.kind is Kind.SEEN:
            return ", ".join(self.seen_otherwise)
        ways = [way(cell, layer=not self.across) for cell in (self.left, self.right) if cell is not None]
        told = [each for each in dict.fromkeys(ways) if each]
        return " -> ".join(told)

    def to_json(self) -> dict[str, Any]:
        """The change for machines."""
        old, new = set(self.fingerprints(self.left)), set(self.fingerprints(self.right))
        return {
            "cell": self.key,
            "before": self.before.label if self.before else "",
            "after": self.after.label if self.after else "",
            "gone": sorted(old - new),
            "new": sorted(new - old),
        }


def _seen(cell: Cell | None, name: str) -> Any:
    """That field of a record, but for what errors and crashes say beyond their kind: orders of sets, times."""
    if cell is None:
        return None
    if name == "divergences":
        return [item if item.silent else dataclasses.replace(item, expected="", seen="") for item in cell.divergences]
    return "" if name == "detail" and cell.divergences else getattr(cell, name)


def diverges(cell: Cell) -> bool:
    """Whether a cell diverges, known or not."""
    return cell.outcome.diverges or cell.outcome is Outcome.KNOWN


def way(cell: Cell, *, layer: bool = True) -> str:
    """How a cell diverges, or why it is no pass, in one line; empty for a pass."""
    item = deciding(cell) if diverges(cell) else None
    if item is not None:
        return words(item, layer=layer)
    passes = cell.outcome in (Outcome.PASS, Outcome.UNEXPECTED_PASS)
    return "" if passes else summary.first_line(cell.detail.partition(": ")[0])


@dataclasses.dataclass(frozen=True)
class Group:
    """Changes of one cause: of one kind, between the same standings, told in the same words. Never empty."""

    kind: Kind
    before: Outcome | None
    after: Outcome | None
    told: str
    changes: tuple[Change, ...]

    @property
    def against(self) -> bool:
        """Whether its cells count against a backend in B."""
        return self.after is not None and self.after.against

    @property
    def example(self) -> Change:
        """The change of the simplest cell."""

        def size(change: Change) -> tuple[int, int, str]:
            return len(change.cell.divergences), len(change.cell.program), change.key

        return min(self.changes, key=size)

    @property
    def bugs(self) -> list[str]:
        """The known bugs that explain its cells, by id, those of most cells first."""
        counted = Counter(bug for change in self.changes for bug in change.cell.bugs)
        return [bug for bug, _ in counted.most_common()]

    @property
    def standings(self) -> str:
        """From which standing to which."""
        return " -> ".join(each.label for each in (self.before, self.after) if each is not None)


@dataclasses.dataclass(frozen=True)
class GraphChange:
    """One golden whose text differs; either text is empty where the ledger has none."""

    cell: str
    golden: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True)
class Slower:
    """Compiling took longer: a backend's family or one cell, how many cells, seconds in A and in B."""

    name: str
    cells: int
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """How many times as long it took."""
        return self.after / self.before


@dataclasses.dataclass(frozen=True)
class Differences:
    """Everything that differs between two ledgers."""

    facts: tuple[tuple[str, str, str], ...]
    groups: tuple[Group, ...]
    graphs: tuple[GraphChange, ...]
    slower: tuple[Slower, ...]
    slower_cells: tuple[Slower, ...]
    #: How many cells both ledgers have.
    paired: int = 0

    @property
    def any(self) -> bool:
        """Whether a cell or a graph differs. Versions, machines and times alone are no difference."""
        return bool(self.groups or self.graphs)

    @property
    def changed(self) -> list[Change]:
        """The cells that both have, and that differ."""
        return [change for change in self._changes() if change.left is not None and change.right is not None]

    @property
    def new(self) -> list[Change]:
        """The cells that only B has."""
        return [change for change in self._changes() if change.left is None]

    @property
    def gone(self) -> list[Change]:
        """The cells that only A has."""
        return [change for change in self._changes() if change.right is None]

    def of(self, kind: Kind) -> list[Group]:
        """The groups of one kind."""
        return [group for group in self.groups if group.kind is kind]

    def count(self, kind: Kind) -> int:
        """How many cells changed in one way."""
        return sum(len(group.changes) for group in self.of(kind))

    @property
    def line(self) -> str:
        """It all, in one line."""
        parts = [f"{self.count(kind)} {kind.value}" for kind in Kind if self.count(kind)]
        parts += [f"{summary.count(len(self.graphs), 'graph')} changed"] if self.graphs else []
        return "; ".join(parts) or "no difference"

    def _changes(self) -> Iterable[Change]:
        return (change for group in self.groups for change in group.changes)

    def to_json(self) -> dict[str, Any]:
        """Everything for machines."""
        return {
            "facts": self.facts,
            **{name: [change.to_json() for change in getattr(self, name)] for name in ("changed", "new", "gone")},
            "groups": [
                {
                    "kind": group.kind.value,
                    "before": group.before.label if group.before else "",
                    "after": group.after.label if group.after else "",
                    "told": group.told,
                    "cells": [change.key for change in group.changes],
                }
                for group in self.groups
            ],
            "graphs": [dataclasses.asdict(graph) for graph in self.graphs],
            "causes": [dataclasses.asdict(cluster) for cluster in clusters(self)],
            "slower": [dataclasses.asdict(each) for each in (*self.slower, *self.slower_cells)],
        }


def compare(before: Ledger, after: Ledger, backends: tuple[str, ...] = (), *, exact: bool = False) -> Differences:
    """Compare two ledgers. ``backends``: of A and of B, or one for both; empty: all. ``exact``: all that was `SEEN`.

    Cells pair by id. Where the backends are different ones (those named, or each run was asked for one of its own),
    those of the two pair by clause and variant.
    """
    one, other = _compared(before, after, backends)
    across = bool(one) and one != other
    left, right = _keyed(before, one, across), _keyed(after, other, across)
    both = [key for key in left if key in right]
    pairs = [
        Change(key, left[key], right[key], across and left[key].backend != right[key].backend, exact) for key in both
    ]
    changes = [change for change in pairs if change.any]
    changes += [Change(key, None, cell) for key, cell in right.items() if key not in left]
    changes += [Change(key, cell, None) for key, cell in left.items() if key not in right]
    return Differences(
        facts=tuple(_facts(before, after)),
        groups=tuple(_grouped(changes)),
        graphs=tuple(graph for key in both for graph in _graphs(key, left[key], right[key])),
        slower=tuple(_slower_families(pairs)),
        slower_cells=tuple(_slower_cells(pairs)),
        paired=len(both),
    )


def _compared(before: Ledger, after: Ledger, backends: tuple[str, ...]) -> tuple[str, str]:
    """The backend of A and that of B to compare; empty texts for all."""
    if backends:
        return backends[0], backends[-1]
    asked = summary.asked(before), summary.asked(after)
    if len(asked[0]) == len(asked[1]) == 1 and asked[0] != asked[1]:
        return asked[0][0], asked[1][0]
    return "", ""


def _keyed(book: Ledger, backend: str, across: bool) -> dict[str, Cell]:
    cells = [cell for cell in book.cells.values() if not backend or cell.backend == backend]
    return {f"{cell.clause}[{cell.variant}]" if across else cell.id: cell for cell in cells}


def _grouped(changes: Iterable[Change]) -> list[Group]:
    found: dict[tuple[Kind, Outcome | None, Outcome | None, str], list[Change]] = {}
    for change in changes:
        found.setdefault((change.kind, change.before, change.after, change.told), []).append(change)
    groups = [Group(*key, tuple(group)) for key, group in found.items()]
    return sorted(groups, key=_importance)


def _importance(group: Group) -> tuple[int, int, int, str]:
    standing = group.after or group.before
    assert standing is not None
    return list(Kind).index(group.kind), -STANDINGS.index(standing), -len(group.changes), group.told


def _graphs(key: str, left: Cell, right: Cell) -> Iterable[GraphChange]:
    # A cell that was not run to its end has no goldens; that shows as its change of standing.
    if not left.goldens or not right.goldens:
        return
    for name in dict.fromkeys((*left.goldens, *right.goldens)):
        texts = left.goldens.get(name, ""), right.goldens.get(name, "")
        if texts[0].strip() != texts[1].strip():
            yield GraphChange(key, name, *texts)


def clusters(found: Differences) -> tuple[Cluster, ...]:
    """The changed graphs put together by what changed them, those that change meaning first."""
    if not found.graphs:
        return ()
    from golden.graphs.drift import drift

    before = {graph.golden: graph.before for graph in found.graphs if graph.before}
    after = {graph.golden: graph.after for graph in found.graphs if graph.after}
    return drift(before, after).clusters


def _compiled(pairs: Iterable[Change]) -> Iterable[tuple[Change, Cell, Cell]]:
    """The pairs in which both sides compiled something and came to an end."""
    for pair in pairs:
        left, right = pair.left, pair.right
        if left is None or right is None or not (left.outcome.compared and right.outcome.compared):
            continue
        if left.compile_seconds > 0 and right.compile_seconds > 0:
            yield pair, left, right


def _slower_families(pairs: Iterable[Change]) -> list[Slower]:
    sums: dict[str, tuple[int, float, float]] = {}
    for _, left, right in _compiled(pairs):
        name = right.backend if left.backend == right.backend else f"{left.backend} -> {right.backend}"
        for key in (name, f"{name}, {right.family}"):
            cells, before, after = sums.get(key, (0, 0.0, 0.0))
            sums[key] = cells + 1, before + left.compile_seconds, after + right.compile_seconds
    return _longest((Slower(name, *each) for name, each in sums.items()), SLOWER_FAMILY)


def _slower_cells(pairs: Iterable[Change]) -> list[Slower]:
    cells = (Slower(pair.key, 1, left.compile_seconds, right.compile_seconds) for pair, left, right in _compiled(pairs))
    return _longest(cells, SLOWER_CELL)


def _longest(found: Iterable[Slower], limits: tuple[float, float]) -> list[Slower]:
    ratio, seconds = limits
    slow = (each for each in found if each.ratio >= ratio and each.after - each.before >= seconds)
    return sorted(slow, key=lambda each: (each.before - each.after, each.name))


def _facts(before: Ledger, after: Ledger) -> Iterable[tuple[str, str, str]]:
    names = (
        "torch",
        "python",
        "device",
        "gpu",
        "vector",
        "kernel_vector",
        "compiler",
        "platform",
        "processor",
        "cores",
    )
    for name in (*names, "revision", "backends"):
        left, right = (_fact(book.header.get(name)) for book in (before, after))
        if left != right:
            yield name, left, right


def _fact(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {version}".strip() for key, version in value.items())
    return str(value or "")
