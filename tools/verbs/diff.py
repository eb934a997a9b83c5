"""``parity diff A B``: what changed between two ledgers, cell by cell and graph by graph."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from suites.harness.results import summary
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import STANDINGS
from tools import exits, judging
from tools.views.terminal import terminal

if TYPE_CHECKING:
    from golden.graphs.drift import Cluster

#: Lines of one graph's text diff that the terminal shows.
_GRAPH_LINES = 40
#: Entries of a kind that the terminal shows.
_SHOWN = 50
_STYLE = {outcome.label: outcome.style for outcome in STANDINGS}


@dataclasses.dataclass(frozen=True)
class Change:
    """One cell that differs: its standing and fingerprints in A and in B. An absent side is an empty text."""

    cell: str
    before: str
    after: str
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class GraphChange:
    """One golden whose text differs; either text is empty where the ledger has none."""

    cell: str
    golden: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True)
class Differences:
    """Everything that differs between two ledgers."""

    facts: tuple[tuple[str, str, str], ...]
    changed: tuple[Change, ...]
    new: tuple[Change, ...]
    gone: tuple[Change, ...]
    graphs: tuple[GraphChange, ...]

    @property
    def any(self) -> bool:
        """Whether a cell or a graph differs. Facts of the two runs (versions, machines) alone are no difference."""
        return bool(self.changed or self.new or self.gone or self.graphs)


def compare(before: Ledger, after: Ledger) -> Differences:
    """Compare two ledgers. Cells pair by id; where each ran one backend, and another one, by clause and variant."""
    left, right = _keyed(before, after)
    both = [key for key in left if key in right]
    changed = (_change(left[key], right[key]) for key in both)
    return Differences(
        facts=tuple(_facts(before, after)),
        changed=tuple(change for change in changed if change is not None),
        new=tuple(Change(key, "", summary.standing(cell).label) for key, cell in right.items() if key not in left),
        gone=tuple(Change(key, summary.standing(cell).label, "") for key, cell in left.items() if key not in right),
        graphs=tuple(graph for key in both for graph in _graphs(key, left[key], right[key])),
    )


def _keyed(before: Ledger, after: Ledger) -> tuple[dict[str, Cell], dict[str, Cell]]:
    names = summary.backends(before), summary.backends(after)
    if len(names[0]) == len(names[1]) == 1 and names[0] != names[1]:
        left, right = (
            {f"{cell.clause}[{cell.variant}]": cell for cell in book.cells.values()} for book in (before, after)
        )
        return left, right
    return dict(before.cells), dict(after.cells)


def _change(left: Cell, right: Cell) -> Change | None:
    old, new = ({item.fingerprint for item in cell.divergences} for cell in (left, right))
    if left.backend != right.backend:
        # The layer of a divergence names the backend, so fingerprints of two backends never agree.
        old, new = ({item.partition(":")[2] for item in each} for each in (old, new))
    if summary.standing(left) == summary.standing(right) and old == new:
        return None
    key = left.id if left.backend == right.backend else f"{left.clause}[{left.variant}]"
    return Change(
        key,
        summary.standing(left).label,
        summary.standing(right).label,
        tuple(sorted(old - new)),
        tuple(sorted(new - old)),
    )


def _graphs(key: str, left: Cell, right: Cell) -> Iterable[GraphChange]:
    # A cell that was not run to its end has no goldens; that shows as its change of standing.
    if not left.goldens or not right.goldens:
        return
    for name in dict.fromkeys((*left.goldens, *right.goldens)):
        texts = left.goldens.get(name, ""), right.goldens.get(name, "")
        if texts[0].strip() != texts[1].strip():
            yield GraphChange(key, name, *texts)


def _facts(before: Ledger, after: Ledger) -> Iterable[tuple[str, str, str]]:
    for name in ("torch", "python", "device", "compiler", "platform", "revision", "backends"):
        left, right = (_fact(book.header.get(name)) for book in (before, after))
        if left != right:
            yield name, left, right


def _fact(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {version}".strip() for key, version in value.items())
    return str(value or "")


@click.command("diff", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("before", metavar="A", type=click.Path(path_type=Path))
@click.argument("after", metavar="B", type=click.Path(path_type=Path))
@click.option("--waivers", multiple=True, type=click.Path(path_type=Path), help="Your known bugs. Repeatable.")
@click.option("--graphs", is_flag=True, help="Also show each changed graph as a text diff.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(before: Path, after: Path, waivers: tuple[Path, ...], graphs: bool, as_json: bool) -> int:
    """What changed from ledger A to ledger B: outcomes, fingerprints, cells that are new or gone, graphs.

    Both are judged by the known bugs of today. Exit codes: 0 no difference, 1 some.
    """
    books = (judging.read_ledger(before), judging.read_ledger(after))
    found = compare(*(judging.known_of(book, waivers).judged(book) for book in books))
    if as_json:
        clusters = [dataclasses.asdict(cluster) for cluster in causes(found)]
        click.echo(json.dumps({**dataclasses.asdict(found), "causes": clusters}, ensure_ascii=False))
    else:
        _show(found, terminal(), graphs=graphs)
    return exits.NOT_CONFORMANT if found.any else exits.CONFORMANT


def causes(found: Differences) -> tuple[Cluster, ...]:
    """The changed graphs put together by what changed them, those that change meaning first."""
    if not found.graphs:
        return ()
    from golden.graphs.drift import drift

    before = {graph.golden: graph.before for graph in found.graphs if graph.before}
    after = {graph.golden: graph.after for graph in found.graphs if graph.after}
    return drift(before, after).clusters


def _show(found: Differences, console: Console, *, graphs: bool) -> None:
    for name, left, right in found.facts:
        console.print(Text(f"{name}: {left or 'none'} -> {right or 'none'}", style="dim"), soft_wrap=True)
    for title, changes in (("changed", found.changed), ("new", found.new), ("gone", found.gone)):
        if changes:
            console.print(Text(f"\n{title} ({len(changes)})", style="bold"))
        for change in changes[:_SHOWN]:
            console.print(_line(change), soft_wrap=True)
        _more(console, len(changes))
    if found.graphs:
        console.print(Text(f"\ngraphs changed ({len(found.graphs)}), by cause", style="bold"))
    for cluster in causes(found):
        console.print(Text(cluster.line(), style="" if cluster.meaning else "dim"), soft_wrap=True)
        console.print(Text(f"        {cluster.example}", style="dim"), soft_wrap=True)
    for graph in found.graphs if graphs else ():
        console.print(_graph_lines(graph), soft_wrap=True)
    if not found.any:
        console.print("no difference")


def _more(console: Console, count: int) -> None:
    if count > _SHOWN:
        console.print(Text(f"  and {count - _SHOWN} more (--json has all)", style="dim"))


def _line(change: Change) -> Text:
    text = Text("  ")
    for place, name in enumerate(name for name in (change.before, change.after) if name):
        text.append(" -> " if place else "").append(name, style=_STYLE[name])
    text.append(f" {change.cell}")
    for sign, items in (("-", change.gone), ("+", change.new)):
        for item in items:
            text.append(f"\n    {sign} {item}", style="dim")
    return text


def _graph_lines(graph: GraphChange) -> Text:
    text = Text(f"  {graph.golden} of {graph.cell}")
    lines = list(difflib.unified_diff(graph.before.splitlines(), graph.after.splitlines(), lineterm="", n=1))[2:]
    for line in lines[:_GRAPH_LINES]:
        text.append(f"\n    {line}", style={"+": "green", "-": "red", "@": "dim"}.get(line[:1], ""))
    if len(lines) > _GRAPH_LINES:
        text.append(f"\n    and {len(lines) - _GRAPH_LINES} more lines", style="dim")
    return text
