"""The matrix of clients as a picture: a line each, what their cells came to as a bar and in numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import jinja2

from tools.clients import PROFILE, Row

_TEMPLATES = Path(__file__).with_name("templates")
#: What a bar is made of and has a column, in order: the name of `Row`'s number, and what stands above the column.
KINDS = (
    *(("passed", "passed"), ("torchs", "torch's"), ("fallback", "fallback")),
    *(("silent", "silent"), ("loud", "loud"), ("crash", "crash"), ("rest", "other")),
)
#: Pixels: where bars begin, how long they are, where the first column of numbers ends, and how far columns are apart.
_BAR, _LENGTH, _COLUMN, _STEP = 292, 220, 575, 62
_TOP, _HEIGHT = 78, 40


@dataclasses.dataclass(frozen=True)
class Piece:
    """A part of a bar, in pixels."""

    kind: str
    x: float
    width: float


def pieces(row: Row) -> list[Piece]:
    """The bar of a row: what its cells came to, as lengths."""
    found, x = [], float(_BAR)
    for kind, _ in KINDS:
        width = _LENGTH * getattr(row, kind) / max(row.cells, 1)
        if width:
            found.append(Piece(kind, round(x, 1), round(width, 1)))
        x += width
    return found


def numbers(row: Row) -> list[tuple[int, str, str]]:
    """The numbers of a row, as where they end, their kind and their text."""
    executed = f"{row.executed[0]} of {row.executed[1]}" if row.executed else "·"
    counted = [(kind, str(getattr(row, kind) or "·")) for kind, _ in KINDS]
    share = "·" if row.share is None else f"{100 * row.share:.0f} %"
    texts = [("cells", str(row.cells)), *counted, ("executed", executed), ("share", share)]
    return [(_COLUMN + place * _STEP, kind, text) for place, (kind, text) in enumerate(texts)]


def under(row: Row) -> str:
    """What stands below the name of a client: its version, where it has one of its own, and the modes of its cells."""
    client = row.client
    own = row.version.partition("-")[0] if row.version != row.torch else ""
    version = own or client.install.partition("==")[2]
    parts = (version, client.modes.replace(",", " and "), client.note)
    return ", ".join(part for part in parts if part) or "torch's own"


def svg(rows: Sequence[Row]) -> str:
    """The picture, one SVG file that needs no other; light and dark."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    heads = ["cells", *(head for _, head in KINDS), "executed", "share"]
    columns = [(_COLUMN + place * _STEP, head) for place, head in enumerate(heads)]
    return templates.get_template("clients.svg.j2").render(
        rows=[(_TOP + place * _HEIGHT, row, under(row), pieces(row), numbers(row)) for place, row in enumerate(rows)],
        columns=columns,
        kinds={head: kind for kind, head in KINDS},
        width=columns[-1][0] + 18,
        height=_TOP + len(rows) * _HEIGHT + 52,
        bottom=_TOP + len(rows) * _HEIGHT + 10,
        bar=_BAR,
        profile=PROFILE,
        torch=", ".join(sorted({row.torch for row in rows if row.torch})),
    )
