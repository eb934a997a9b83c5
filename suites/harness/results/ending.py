"""What a ledger comes to, on a terminal: causes first, then a table of backends, twenty lines or so in all."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from suites.harness.results import summary
from suites.harness.results.causes import Cause, causes, deciding
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import ALWAYS, STANDINGS, Outcome

#: Causes that are told with an example.
SHOWN = 3
#: Rows of families below the one backend that fails, and below all that do.
_FAMILIES, _OF_SEVERAL = 5, 6
#: Columns that a table is measured in.
_ENDLESS = 1000


def matrix(ledger: Ledger) -> RenderableType:
    """How many cells of each backend stand where: a row a backend, and below it its families that fail.

    Backends that only clauses name share a row where none of their cells counts against. Standings that are rare have
    a column where some cell has them; lines below the table spell them out where there is no room for it.
    """
    rows = _rows(ledger)
    below: list[RenderableType] = [
        _whole(
            f" executed by the backend: {by_it} of {asked} cells in which {backend} is equal to eager",
            "yellow" if by_it < asked else "",
        )
        for backend, (by_it, asked) in summary.executed(ledger).items()
    ]
    below += [_whole(f" left out: {line}", "yellow") for line in summary.left_out(ledger)]
    if there := summary.elsewhere(ledger):
        below.append(_whole(f" {there}", "dim"))
    retried = sum(cell.plain_retry for cell in ledger.cells.values())
    if retried:
        again = f"{summary.count(retried, 'cell')} {'was' if retried == 1 else 'were'} run again the plain way"
        text = f"{again}: a kernel was not built, or not whole, in the quick way of this run"
        below.append(_whole(text, "yellow"))
    return Group(_Matrix(rows), *below)


def _whole(line: str, style: str = "") -> Text:
    """A line as it is, however long: the terminal may wrap it, we do not. It is printed with ``crop=False``."""
    return Text(line, style=style, no_wrap=True, overflow="ignore")


@dataclasses.dataclass(frozen=True)
class _Row:
    """A backend, the families below it that are told, and its counts."""

    name: str
    families: tuple[tuple[str, Counter[Outcome]], ...]
    counts: Counter[Outcome]


@dataclasses.dataclass(frozen=True)
class _Matrix:
    """Rows as wide as there is room for: a table; one of the columns that have a number; or words below each name.

    Rather than words, a table without the rare standings, and these in lines below it.
    """

    rows: Sequence[_Row]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[RenderableType]:
        """The widest form that fits."""
        present = summary.total(row.counts for row in self.rows)
        everything = summary.columns(present)
        for standings in (everything, ALWAYS):
            for columns in (standings, [each for each in standings if present[each]]):
                table = self._table(columns)
                width = Measurement.get(console, options.update_width(_ENDLESS), table).maximum
                if columns and width <= options.max_width:
                    yield table
                    if standings != everything:
                        yield from (_rare(row.name, row.counts) for row in self.rows if _named(row.counts))
                    return
        yield ""
        for row in self.rows:
            yield Text(f" {row.name}", style="bold", overflow="fold")
            yield Padding(_words(row.counts), (0, 0, 0, 3))
            for label, part in row.families:
                yield Padding(Text(f"{label}: ").append_text(_words(part)), (0, 0, 0, 3))
        yield ""

    def _table(self, columns: Sequence[Outcome]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
        table.add_column("backend", no_wrap=True, min_width=15)
        for each in columns:
            table.add_column(each.label, justify="right", no_wrap=True, min_width=len(each.label))
        for row in self.rows:
            table.add_row(Text(row.name, style="bold"), *(_number(row.counts, column) for column in columns))
            for label, part in row.families:
                table.add_row(Text(f"  {label}"), *(_number(part, column) for column in columns))
        return table


def _words(counts: Counter[Outcome]) -> Text:
    there = (each for each in summary.columns(counts) if counts[each])
    return Text(", ").join(Text(f"{counts[each]} {each.label}", style=each.style) for each in there)


def _rows(ledger: Ledger) -> list[_Row]:
    """A row for each backend that was asked for or fails, and one for all others."""
    asked, tallies, rest = summary.asked(ledger), summary.tallies(ledger), list[Counter[Outcome]]()
    totals = {backend: summary.total(families.values()) for backend, families in tallies.items()}
    failing = sum(_fails(counts) > 0 for counts in totals.values())
    most = _FAMILIES if failing == 1 else _OF_SEVERAL // max(failing, 1)
    rows: list[_Row] = []
    for backend, counts in totals.items():
        if backend in asked or _fails(counts):
            rows.append(_Row(backend, _worst(tallies[backend], most), counts))
        else:
            rest.append(counts)
    if rest:
        rows.append(_Row(f"{summary.count(len(rest), 'other')}, named by clauses", (), summary.total(rest)))
    return rows


def _worst(families: dict[str, Counter[Outcome]], most: int) -> tuple[tuple[str, Counter[Outcome]], ...]:
    """The families that fail, those of most cells first, in so many rows at most; none where one row would hold all."""
    failing = [(family, part) for family, part in families.items() if _fails(part)]
    failing.sort(key=lambda row: (-_fails(row[1]), row[0]))
    if len(failing) <= most:
        return tuple(failing)
    if most < 2:
        return ()
    others = failing[most - 1 :]
    return (*failing[: most - 1], (f"{len(others)} more families", summary.total(part for _, part in others)))


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

    At most ``limit`` causes, the worst and largest first; then, in fewer lines, the largest of each standing that has
    not been told of. The rest is counted.
    """
    found = causes(cells)
    blocks: list[RenderableType] = [_block(cause) for cause in found[:limit]]
    told = {cause.standing for cause in found[:limit]}
    rest = list[Cause]()
    for cause in found[limit:]:
        if cause.standing in told:
            rest.append(cause)
        else:
            told.add(cause.standing)
            blocks.append(_block(cause, sides=False))
    if rest:
        number = summary.count(sum(len(cause.cells) for cause in rest), "cell")
        blocks.append(Text(f"and {summary.count(len(rest), 'more cause')} of {number}, in the report", style="dim"))
    return Group(*blocks)


def _block(cause: Cause, *, sides: bool = True) -> Text:
    text = _whole("")  # Commands are for copying.
    text.append(f"{cause.standing.label} ", style=cause.standing.style)
    text.append(f"{summary.count(len(cause.cells), 'cell')}: ", style="bold").append(f"{cause.told}\n")
    if sides:
        text.append(_sides(cause))
    again = cause.example.reproduce
    text.append(f"  again: {again}" if again else f"  in {cause.example.id}", style="dim")
    return text


def _sides(cause: Cause) -> str:
    item = deciding(cause.example)
    if item is not None and cause.standing.diverges:
        both = f"expected {summary.first_line(item.expected)}, seen {summary.first_line(item.seen)}"
        line = f"  {item.where}: {both}\n" if item.expected or item.seen else f"  {item.where}\n"
        return line + (f"  raised in {item.raised_in}\n" if item.raised_in else "")
    explanation = summary.explanation(cause.example)
    return f"  {summary.first_line(explanation)}\n" if explanation else ""


def render(ledger: Ledger) -> RenderableType:
    """Causes and matrix together, with a line for planned cells that never ran."""
    cells = summary.against(ledger)
    parts: list[RenderableType] = [findings(cells)] if cells else []
    parts.append(matrix(ledger))
    if ledger.not_run:
        never = f"{summary.count(len(ledger.not_run), 'planned cell')} never ran, {ledger.not_run[0]} first"
        parts.append(Text(never, style="bold yellow"))
    return Group(*parts)
