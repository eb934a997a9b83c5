"""What a ledger comes to, on a terminal: causes first, then a table of backends, twenty lines or so in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from suites.harness.results import summary
from suites.harness.results.causes import Cause, causes, deciding
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import ALWAYS, STANDINGS, Outcome

#: Causes that are told with an example.
SHOWN = 4
#: Families that a failing backend's rows name.
_FAMILIES = 5


def matrix(ledger: Ledger) -> RenderableType:
    """How many cells of each backend stand where: a row a backend, and below it its families that fail.

    Backends that only clauses name share a row where none of their cells counts against. Standings that are rare have
    no column of their own: lines below the table spell them out.
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    table.add_column("backend", overflow="fold", min_width=15)
    for each in ALWAYS:
        table.add_column(each.label, justify="right", no_wrap=True, min_width=len(each.label))
    below: list[RenderableType] = []
    for name, families, counts in _rows(ledger):
        table.add_row(Text(name, style="bold"), *(_number(counts, column) for column in ALWAYS))
        for label, part in families:
            table.add_row(Text(f"  {label}"), *(_number(part, column) for column in ALWAYS))
        below += [_rare(name, counts)] if _named(counts) else []
    below += [
        Text(
            f" executed by the backend: {by_it} of {asked} cells in which {backend} is equal to eager",
            style="yellow" if by_it < asked else "",
        )
        for backend, (by_it, asked) in summary.executed(ledger).items()
    ]
    below += [Text(f" left out: {line}", style="yellow") for line in summary.left_out(ledger)]
    if there := summary.elsewhere(ledger):
        below.append(Text(f" {there}", style="dim"))
    retried = sum(cell.plain_retry for cell in ledger.cells.values())
    if retried:
        again = f"{summary.count(retried, 'cell')} {'was' if retried == 1 else 'were'} run again the plain way"
        text = f"{again}: a kernel was not built in the quick way of this run"
        below.append(Text(text, style="yellow"))
    return Group(table, *below)


def _rows(ledger: Ledger) -> list[tuple[str, list[tuple[str, Counter[Outcome]]], Counter[Outcome]]]:
    """Each row of a backend: its name, the families below it, its counts."""
    rows: list[tuple[str, list[tuple[str, Counter[Outcome]]], Counter[Outcome]]] = []
    asked, rest = summary.asked(ledger), list[Counter[Outcome]]()
    for backend, families in summary.tallies(ledger).items():
        counts = summary.total(families.values())
        if backend in asked or _fails(counts):
            failing = sorted(
                ((family, part) for family, part in families.items() if _fails(part)),
                key=lambda row: (-_fails(row[1]), row[0]),
            )
            if len(failing) > _FAMILIES:
                others = failing[_FAMILIES - 1 :]
                more = (f"{len(others)} more families", summary.total(part for _, part in others))
                failing = [*failing[: _FAMILIES - 1], more]
            rows.append((backend, failing, counts))
        else:
            rest.append(counts)
    if rest:
        rows.append((f"{summary.count(len(rest), 'other')}, named by clauses", [], summary.total(rest)))
    return rows


def _fails(counts: Counter[Outcome]) -> int:
    return sum(number for outcome, number in counts.items() if outcome.against)


def _named(counts: Counter[Outcome]) -> list[Outcome]:
    return [each for each in reversed(STANDINGS) if counts[each] and each not in ALWAYS]


def _rare(name: str, counts: Counter[Outcome]) -> Text:
    parts = [Text(f"{counts[each]} {each.label}", style=each.style) for each in _named(counts)]
    return Text(f" and {name}: ").append_text(Text(", ").join(parts))


def _number(counts: Counter[Outcome], standing: Outcome) -> Text:
    return Text(str(counts[standing]), style=standing.style) if counts[standing] else Text("·", style="dim")


def findings(cells: Sequence[Cell], *, limit: int = SHOWN) -> RenderableType:
    """Each cause of those cells with how many it explains, and one of them: sides, and the command that shows it again.

    At most ``limit`` causes, the worst and largest first; the rest is counted.
    """
    found = causes(cells)
    blocks: list[RenderableType] = [_block(cause) for cause in found[:limit]]
    if rest := found[limit:]:
        number = summary.count(sum(len(cause.cells) for cause in rest), "cell")
        blocks.append(Text(f"and {summary.count(len(rest), 'more cause')} of {number}, in the report", style="dim"))
    return Group(*blocks)


def _block(cause: Cause) -> Text:
    text = Text()
    text.append(f"{cause.standing.label} ", style=cause.standing.style)
    text.append(f"{summary.count(len(cause.cells), 'cell')}: ", style="bold").append(f"{cause.told}\n")
    item = deciding(cause.example)
    if item is not None and cause.standing.diverges:
        sides = f"expected {summary.first_line(item.expected)}, seen {summary.first_line(item.seen)}"
        text.append(f"  {item.where}: {sides}\n" if item.expected or item.seen else f"  {item.where}\n")
    elif explanation := summary.explanation(cause.example):
        text.append(f"  {summary.first_line(explanation)}\n")
    again = cause.example.reproduce
    text.append(f"  again: {again}" if again else f"  in {cause.example.id}", style="dim")
    return text


def render(ledger: Ledger, *, strict_goldens: bool = False, limit: int = SHOWN) -> RenderableType:
    """Causes and matrix together, with a line for planned cells that never ran."""
    cells = summary.against(ledger, strict_goldens=strict_goldens)
    parts: list[RenderableType] = [findings(cells, limit=limit)] if cells else []
    parts.append(matrix(ledger))
    if ledger.not_run:
        never = f"{summary.count(len(ledger.not_run), 'planned cell')} never ran, {ledger.not_run[0]} first"
        parts.append(Text(never, style="bold yellow"))
    return Group(*parts)
