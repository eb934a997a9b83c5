"""What a ledger comes to, for people: the backend x family matrix, and the list of what counts against a backend."""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from suites.harness.oracle.divergence import Divergence
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import ALWAYS, STANDINGS, Outcome


def standing(cell: Cell) -> Outcome:
    """Where a cell stands in the matrix. A failing cell is `SILENT` if any of its divergences is, else `LOUD`."""
    if cell.outcome is Outcome.FAIL:
        return Outcome.SILENT if cell.silent or not cell.divergences else Outcome.LOUD
    return cell.outcome


def counts_against(cell: Cell, *, strict_goldens: bool = False) -> bool:
    """Whether this cell alone makes its backend not conformant."""
    return cell.outcome.against or (strict_goldens and cell.outcome is Outcome.CHANGED)


def against(ledger: Ledger, *, strict_goldens: bool = False) -> list[Cell]:
    """The cells that count against a backend, the worst standing first, then by backend and id."""
    cells = [cell for cell in ledger.cells.values() if counts_against(cell, strict_goldens=strict_goldens)]
    return sorted(cells, key=lambda cell: (-STANDINGS.index(standing(cell)), cell.backend, cell.id))


def backends(ledger: Ledger) -> list[str]:
    """The backends that some cell ran on, in order of appearance."""
    return list(dict.fromkeys(cell.backend for cell in ledger.cells.values()))


def tallies(ledger: Ledger) -> dict[str, dict[str, Counter[Outcome]]]:
    """Backend -> family -> how many cells have each standing. Families are in alphabetical order."""
    result: dict[str, dict[str, Counter[Outcome]]] = {backend: {} for backend in backends(ledger)}
    for cell in sorted(ledger.cells.values(), key=lambda cell: cell.family):
        result[cell.backend].setdefault(cell.family, Counter())[standing(cell)] += 1
    return result


def labelled(ledger: Ledger) -> dict[str, dict[str, dict[str, int]]]:
    """What `tallies` says, in plain words for machines."""
    return {
        backend: {
            family: {each.label: number for each, number in counts.items()} for family, counts in families.items()
        }
        for backend, families in tallies(ledger).items()
    }


def total(families: Iterable[Counter[Outcome]]) -> Counter[Outcome]:
    """The sum of several families' counts; standings stay apart."""
    return sum(families, Counter())


def matrix(ledger: Ledger) -> RenderableType:
    """The backend x family matrix as a table: a line a family under each backend, silent and loud apart.

    Standings that are rare have no column of their own: lines below the table spell them out.
    """
    counted = tallies(ledger)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    table.add_column("backend, family", overflow="fold", min_width=15)
    for each in ALWAYS:
        table.add_column(each.label, justify="right", no_wrap=True, min_width=len(each.label))
    below: list[RenderableType] = []
    for backend, families in counted.items():
        rows = [(Text(backend, style="bold"), total(families.values()))]
        rows += [(Text(f"  {family}"), counts) for family, counts in families.items()]
        for label, counts in rows:
            table.add_row(label, *(_number(counts, column) for column in ALWAYS))
        below += [_rare(backend, family, counts) for family, counts in families.items() if _named(counts)]
    below += [
        Text(
            f" executed by the backend: {by_it} of {asked} cells in which {backend} is equal to eager",
            style="yellow" if by_it < asked else "",
        )
        for backend, (by_it, asked) in executed(ledger).items()
    ]
    below += [Text(f" left out: {line}", style="yellow") for line in left_out(ledger)]
    retried = sum(cell.plain_retry for cell in ledger.cells.values())
    if retried:
        text = f"{retried} cells were run again the plain way: a kernel was not built in the quick way of this run"
        below.append(Text(text, style="yellow"))
    return Group(table, *below)


def left_out(ledger: Ledger) -> list[str]:
    """What the run left out because it was told to, or because a backend claims no more: a line each."""
    return [str(line) for line in (ledger.header.get("configuration") or {}).get("left_out") or ()]


def executed(ledger: Ledger) -> dict[str, tuple[int, int]]:
    """Backend -> in how many of its passes it executed something, and of how many that is known; none where of none.

    A fallback is counted among them: all was equal, but torch did the work.
    """
    asked = [cell for cell in ledger.cells.values() if cell.executed is not None]
    return {
        backend: (sum(cell.backend == backend and bool(cell.executed) for cell in asked), number)
        for backend, number in Counter(cell.backend for cell in asked).items()
    }


def _named(counts: Counter[Outcome]) -> list[Outcome]:
    return [each for each in reversed(STANDINGS) if counts[each] and each not in ALWAYS]


def _rare(backend: str, family: str, counts: Counter[Outcome]) -> Text:
    parts = [Text(f"{counts[each]} {each.label}", style=each.style) for each in _named(counts)]
    return Text(f" and {backend}, {family}: ").append_text(Text(", ").join(parts))


def _number(counts: Counter[Outcome], standing: Outcome) -> Text:
    return Text(str(counts[standing]), style=standing.style) if counts[standing] else Text("·", style="dim")


def causes(ledger: Ledger) -> Counter[str]:
    """The known bugs that explain cells of a judged ledger, by id, with how many each explains."""
    known = (cell for cell in ledger.cells.values() if cell.outcome is Outcome.KNOWN)
    return Counter(bug for cell in known for bug in cell.bugs)


def explained(ledger: Ledger) -> str:
    """How many causes explain how many cells of a judged ledger; empty if none does."""
    number, cells = len(causes(ledger)), sum(cell.outcome is Outcome.KNOWN for cell in ledger.cells.values())
    return f"{count(number, 'cause')} explain{'s' * (number == 1)} {count(cells, 'known cell')}" if cells else ""


def count(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def findings(cells: Sequence[Cell], *, limit: int | None = 20) -> RenderableType:
    """Each cell with its divergences, layer and the command that shows it again; at most ``limit`` of them."""
    blocks: list[RenderableType] = [_block(cell) for cell in cells[:limit]]
    if limit is not None and len(cells) > limit:
        blocks.append(Text(f"and {len(cells) - limit} more, in the report", style="dim"))
    return Group(*blocks)


def _block(cell: Cell) -> Text:
    text = Text()
    text.append(f"{standing(cell).label} ", style=standing(cell).style)
    text.append(f"{cell.id}\n", style="bold")
    if cell.sentence:
        text.append(f"  {cell.sentence}\n")
    for divergence in cell.divergences:
        text.append_text(_lines(divergence))
    if explanation(cell):
        text.append(f"  {first_line(explanation(cell))}\n")
    if cell.reproduce:
        text.append(f"  again: {cell.reproduce}\n", style="dim")
    return text


def explanation(cell: Cell) -> str:
    """A cell's detail where its divergences do not say it already."""
    told = cell.outcome in (Outcome.FAIL, Outcome.INHERITED, Outcome.KNOWN)
    return "" if cell.divergences and told else cell.detail


def _lines(divergence: Divergence) -> Text:
    text = Text()
    text.append(f"  {divergence.facet}", style="bold")
    text.append(f" at {divergence.where}: {divergence.kind}")
    if divergence.layer:
        text.append(f"; first at {divergence.layer}")
    text.append(f"\n    expected {first_line(divergence.expected)}\n    seen     {first_line(divergence.seen)}\n")
    return text


def first_line(text: str, width: int = 160) -> str:
    """The first line of a text that is not blank, cut at ``width`` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= width else line[: width - 3] + "..."


@dataclasses.dataclass(frozen=True)
class Pace:
    """How fast one backend's cells were; seconds, and MiB of the largest worker."""

    backend: str
    cells: int
    median: float
    slowest: float
    total: float
    compiling: float
    memory_mib: float

    @property
    def per_second(self) -> float:
        """Cells a second of one worker."""
        return self.cells / self.total if self.total else 0.0


def paces(ledger: Ledger) -> list[Pace]:
    """How fast each backend's cells were."""
    result = []
    for backend in backends(ledger):
        cells = [cell for cell in ledger.cells.values() if cell.backend == backend]
        seconds = [cell.seconds for cell in cells]
        result.append(
            Pace(
                backend,
                len(cells),
                statistics.median(seconds),
                max(seconds),
                sum(seconds),
                sum(cell.compile_seconds for cell in cells),
                max(cell.memory_mib for cell in cells),
            )
        )
    return result


def render(ledger: Ledger, *, strict_goldens: bool = False, limit: int | None = 20) -> RenderableType:
    """Matrix and findings together, with a line for planned cells that never ran."""
    cells = against(ledger, strict_goldens=strict_goldens)
    parts: list[RenderableType] = [findings(cells, limit=limit), matrix(ledger)] if cells else [matrix(ledger)]
    if ledger.not_run:
        parts.append(
            Text(f"{len(ledger.not_run)} planned cells never ran, {ledger.not_run[0]} first", style="bold yellow")
        )
    return Group(*parts)
