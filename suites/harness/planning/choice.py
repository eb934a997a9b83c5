"""The cells of the quick profile: few, chosen by what they catch and what they cost.

``quick.json`` beside this file is that choice, with where it comes from. ``python -m suites.selfcheck.quick`` makes it;
nobody edits it.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

PLACE = Path(__file__).with_name("quick.json")
#: A backend that was not there when the cells were chosen runs those that were chosen for this one.
STAND_IN = "inductor"


@dataclasses.dataclass(frozen=True)
class Choice:
    """Clause -> its chosen cells, as ``backend-variant``; the backends that there were; where all of it comes from."""

    cells: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    backends: frozenset[str] = frozenset()
    provenance: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Choice:
        """Read what the file holds."""
        cells = {clause: frozenset(names) for clause, names in data["cells"].items()}
        return cls(cells, frozenset(data["backends"]), data["provenance"])

    def has(self, clause: str, backend: str, variant: str) -> bool:
        """Whether a cell is one of the quick ones."""
        asked = backend if backend in self.backends else STAND_IN
        return f"{asked}-{variant}" in self.cells.get(clause, ())

    def missing(self, clauses: Collection[str], families: Collection[str], backends: Collection[str]) -> list[str]:
        """The clauses of those families, chosen for those backends, that there are not: renamed, or deleted, since.

        Nothing is told of a backend that was not there: a clause that is of some backends alone has no cell on it.
        """
        ran = tuple(f"{backend}-" for backend in self.backends.intersection(backends))
        return sorted(
            name
            for name, chosen in self.cells.items()
            if name.partition("/")[0] in families
            and name not in clauses
            and any(cell.startswith(ran) for cell in chosen)
        )

    @property
    def families(self) -> frozenset[str]:
        """The families that have a quick cell."""
        return frozenset(name.partition("/")[0] for name in self.cells)


def drawn_from(profile: str) -> str:
    """The profile whose cells those of a profile are: the quick ones are chosen of the default one's."""
    return "default" if profile == "quick" else profile


@functools.cache
def read(path: Path = PLACE) -> Choice:
    """The choice of a file."""
    return Choice.from_json(json.loads(path.read_text(encoding="utf-8")))


def told(header: Mapping[str, Any]) -> Iterable[str]:
    """What a run of the quick profile says of itself, by its ledger's header; nothing for other runs."""
    quick = (header.get("configuration") or {}).get("quick")
    if not quick:
        return
    ran, of, held_back = quick["cells"], quick["of"], quick["held_back"]
    line = f"quick: {ran} of the default profile's {of} cells, {of - ran} left out"
    if held_back:
        line += f"; of {held_back['of']} planted faults that its choice did not know it finds {held_back['caught']}"
    yield line
    if missing := quick.get("missing"):
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        yield (
            f"quick: no clause {missing[0]}{more}, which the profile names: renamed or gone; "
            "choose anew: python -m suites.selfcheck.quick LEDGER"
        )
