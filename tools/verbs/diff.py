"""``parity diff A B``: what changed between two ledgers, by cause, graph by graph, and in time to compile."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from suites.harness.results import summary
from suites.harness.results.outcomes import Outcome
from tools import exits, judging
from tools.comparing import Differences, GraphChange, Group, Kind, clusters, compare
from tools.exits import Fault
from tools.views import changes
from tools.views.terminal import terminal

#: Lines of one graph's text diff that the terminal shows.
_GRAPH_LINES = 40
#: Causes of a kind, and lines of times, that the terminal shows.
_SHOWN = 12
#: Cells of a cause that the terminal names.
_CELLS = 3


@click.command("diff", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("before", metavar="A", type=click.Path(path_type=Path))
@click.argument("after", metavar="B", type=click.Path(path_type=Path))
@click.option("--waivers", multiple=True, type=click.Path(path_type=Path), help="Your known bugs. Repeatable.")
@click.option("--backend", "backends", multiple=True, metavar="NAME", help="Only this one; given twice: A's, and B's.")
@click.option("--exact", is_flag=True, help="Also tell cells that stand alike, and of which anything else differs.")
@click.option("--graphs", is_flag=True, help="Also show each changed graph as a text diff.")
@click.option("--markdown", "markdown_file", type=click.Path(path_type=Path, dir_okay=False), help="Write a page.")
@click.option("--html", "html_file", type=click.Path(path_type=Path, dir_okay=False), help="Write it as HTML.")
@click.option("--issues", type=click.Path(path_type=Path, file_okay=False), help="Write a report a cause, in a folder.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    before: Path,
    after: Path,
    waivers: tuple[Path, ...],
    backends: tuple[str, ...],
    exact: bool,
    graphs: bool,
    markdown_file: Path | None,
    html_file: Path | None,
    issues: Path | None,
    as_json: bool,
) -> int:
    """What changed from ledger A to ledger B: what diverges, agrees or fails otherwise, by cause, graphs, times.

    Two releases, two days, two devices; or two backends: of two ledgers, or of one named twice with --backend X
    --backend Y. Both are judged by the known bugs of today. A ledger may be compressed (.jsonl.gz).

    With --exact, what two runs in different orders (parity gate --order) must not show: other facets, expected and seen
    values, graphs, recompilations, used tolerances.

    Exit codes: 0 no difference, 1 some.
    """
    books = [judging.told(judging.read_ledger(path)) for path in (before, after)]
    left, right = (judging.known_of(book, waivers).judged(book) for book in books)
    if len(backends) > 2:
        raise click.UsageError("--backend is given once, or twice: one of A, one of B")
    for book, names in ((left, backends[:1]), (right, backends[-1:])):
        for name in names:
            if name not in summary.backends(book):
                raise Fault(f"backend {name!r} has no cell there; those that ran: {', '.join(summary.backends(book))}")
    found = compare(left, right, backends, exact=exact)
    runs = changes.Runs.of(left, right, backends)
    written = []
    for file, text in ((markdown_file, changes.markdown), (html_file, changes.html)):
        if file is not None:
            exits.write(file, text(found, runs))
            written.append(file)
    for name, text_of_one in changes.issues(found, runs) if issues is not None else ():
        assert issues is not None
        exits.write(issues / name, text_of_one)
        written.append(issues / name)
    if as_json:
        click.echo(json.dumps({**found.to_json(), "written": [str(file) for file in written]}, ensure_ascii=False))
    else:
        _show(found, terminal(), graphs=graphs)
        for file in written:
            click.echo(f"written: {file}")
    return exits.NOT_CONFORMANT if found.any else exits.CONFORMANT


def _show(found: Differences, console: Console, *, graphs: bool) -> None:
    for name, left, right in found.facts:
        console.print(Text(f"{name}: {left or 'none'} -> {right or 'none'}", style="dim"), soft_wrap=True)
    for kind in Kind:
        groups = found.of(kind)
        if groups:
            told = f"\n{kind.value}: {summary.count(found.count(kind), 'cell')}, {summary.count(len(groups), 'cause')}"
            console.print(Text(told, style="bold"))
        for group in groups[:_SHOWN]:
            console.print(_lines(group), soft_wrap=True)
        _more(console, len(groups))
    if found.graphs:
        console.print(Text(f"\ngraphs changed: {len(found.graphs)}, by cause", style="bold"))
    for cluster in clusters(found):
        console.print(Text(cluster.line(), style="" if cluster.meaning else "dim"), soft_wrap=True)
        console.print(Text(f"        {cluster.example}", style="dim"), soft_wrap=True)
    for graph in found.graphs if graphs else ():
        console.print(_graph_lines(graph), soft_wrap=True)
    for title, slow in (("slower to compile", found.slower), ("slowest to compile", found.slower_cells)):
        if slow:
            console.print(Text(f"\n{title}: {len(slow)}", style="bold"))
        for each in slow[:_SHOWN]:
            times = f"{each.before:.1f} s -> {each.after:.1f} s, {each.ratio:.1f} times"
            cells = f" ({summary.count(each.cells, 'cell')})" if each.cells > 1 else ""
            console.print(Text(f"  {each.name}: {times}{cells}"), soft_wrap=True)
        _more(console, len(slow))
    console.print(Text(f"\n{found.line}" if found.any else "no difference", style="bold" if found.any else ""))


def _more(console: Console, count: int) -> None:
    if count > _SHOWN:
        console.print(Text(f"  and {count - _SHOWN} more (--markdown has more, --json all)", style="dim"))


def _lines(group: Group) -> Text:
    text = Text("  ")
    standings: list[Outcome] = [each for each in dict.fromkeys((group.before, group.after)) if each is not None]
    for place, each in enumerate(standings):
        text.append(" -> " if place else "").append(each.label, style=each.style)
    text.append(f", {summary.count(len(group.changes), 'cell')}", style="bold")
    text.append(f": {group.told}" if group.told else "")
    text.append(f" [{', '.join(group.bugs[:3])}{', ...' if len(group.bugs) > 3 else ''}]" if group.bugs else "")
    shown = [group.example, *(change for change in group.changes if change is not group.example)]
    for change in shown[:_CELLS]:
        text.append(f"\n    {change.key}")
    if len(shown) > _CELLS:
        text.append(f"\n    and {len(shown) - _CELLS} more", style="dim")
    if group.against and group.example.cell.reproduce:
        text.append(f"\n    again: {group.example.cell.reproduce}", style="dim")
    return text


def _graph_lines(graph: GraphChange) -> Text:
    text = Text(f"  {graph.golden} of {graph.cell}")
    lines = list(difflib.unified_diff(graph.before.splitlines(), graph.after.splitlines(), lineterm="", n=1))[2:]
    for line in lines[:_GRAPH_LINES]:
        text.append(f"\n    {line}", style={"+": "green", "-": "red", "@": "dim"}.get(line[:1], ""))
    if len(lines) > _GRAPH_LINES:
        text.append(f"\n    and {len(lines) - _GRAPH_LINES} more lines", style="dim")
    return text
