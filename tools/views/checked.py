"""What a program came to on a backend: lines for a terminal, text, HTML for a notebook, a table of several."""

from __future__ import annotations

import io
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from suites.harness.results.outcomes import Outcome
from tools.views.terminal import PLAIN_WIDTH

if TYPE_CHECKING:
    from suites.harness.oracle.divergence import Divergence
    from tools.checking import Checked

#: Columns that a table is measured in.
_ENDLESS = 1000
_TEMPLATES = Path(__file__).with_name("templates")


def lines(checked: Checked, *, everywhere: bool = False) -> Iterator[str]:
    """The lines of a terminal, in rich's markup. ``everywhere``: it is so on every backend, and none is named."""
    outcome = checked.outcome
    word = f"[{outcome.style}]{outcome.told}[/{outcome.style}]"
    mode = f" {checked.mode}" if checked.mode != "train" and not everywhere else ""
    backend = "" if everywhere else f"  [bold]{escape(checked.backend)}[/bold]{mode}"
    seconds = "" if everywhere else f"  [dim]{checked.verdict.seconds:.1f} s[/dim]"
    yield f"{escape(checked.program)}{backend}  {word}  {escape(_without_name(checked))}{seconds}"
    for note in checked.notes:
        yield f"[dim]  {escape(note)}[/dim]"
    for item, more in grouped(checked.divergences):
        kind = "[magenta]silent[/magenta]" if item.silent else "[yellow]loud[/yellow]"
        yield f"  {kind} [bold]{item.facet}[/bold]: {escape(item.kind)}, {escape(item.where)}"
        yield f"      expected  {escape(item.expected)}"
        yield f"      seen      {escape(item.seen)}"
        yield f"      first at  {escape(item.layer)}"
        if item.raised_in:
            yield f"      raised in {escape(item.raised_in)}"
        if item.stack:
            yield f"[dim]{escape(textwrap.indent(item.stack, ' ' * 6))}[/dim]"
        if more:
            yield f"      and {more} more like it"
    if checked.verdict.stderr:
        yield "  standard error:"
        yield f"[dim]{escape(textwrap.indent(checked.verdict.stderr, ' ' * 6))}[/dim]"


def grouped(found: Sequence[Divergence]) -> list[tuple[Divergence, int]]:
    """The first divergence of each fingerprint, in their order, with how many more have it."""
    counted = Counter(item.fingerprint for item in found)
    first = {item.fingerprint: item for item in reversed(found)}
    return [(first[each], count - 1) for each, count in counted.items()]


def _without_name(checked: Checked) -> str:
    """What is told of an outcome, without the name of the program, which begins the line already."""
    return checked.told.removeprefix(f"{checked.program}: ")


def text(checked: Checked) -> str:
    """The lines without markup, for ``repr``."""
    console = Console(file=io.StringIO(), width=PLAIN_WIDTH, color_system=None, highlight=False)
    with console.capture() as captured:
        for line in lines(checked):
            console.print(line, soft_wrap=True)
    return captured.get().rstrip()


def html(checked: Checked) -> str:
    """A piece of HTML that needs nothing else, for notebooks."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True)
    return environment.get_template("checked.html.j2").render(
        checked=checked,
        grouped=grouped(checked.divergences),
        outcome=checked.outcome,
        good=checked.outcome is Outcome.PASS,
    )


def width(found: Table) -> int:
    """The columns of a terminal in which a table has a line a row."""
    console = Console(width=_ENDLESS)
    return Measurement.get(console, console.options, found).maximum


def table(results: Sequence[Checked]) -> Table:
    """Program by backend: what came of each, the first layer that shows it, and seconds."""
    modes = len({checked.mode for checked in results}) > 1
    found = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("program", "backend", *(("mode",) if modes else ()), "outcome", "first layer"):
        found.add_column(name, overflow="fold")
    found.add_column("seconds", justify="right")
    for checked in results:
        style = checked.outcome.style
        found.add_row(
            escape(checked.program),
            escape(checked.backend),
            *((checked.mode,) if modes else ()),
            f"[{style}]{checked.outcome.told}[/{style}]",
            escape(checked.verdict.layer) or "·",
            f"{checked.verdict.seconds:.1f}",
        )
    return found
