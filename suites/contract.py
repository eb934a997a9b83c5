"""The map of behaviours: its lines (``contract.toml``), and which clauses hold which (``CONTRACT.md``, generated).

``parity list --map > suites/CONTRACT.md`` writes the page anew; a test says when that is due.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from golden.toml import tomllib

LINES = Path(__file__).with_name("contract.toml")
PAGE = Path(__file__).with_name("CONTRACT.md")


@dataclasses.dataclass(frozen=True)
class Line:
    """One line of the map: what must hold, or why no clause can say so (``exception``)."""

    id: str
    says: str
    exception: str = ""


@dataclasses.dataclass(frozen=True)
class Theme:
    """Lines that belong together, under a title."""

    title: str
    lines: tuple[Line, ...]


def themes(path: Path = LINES) -> tuple[Theme, ...]:
    """The map, in its order. Raises `ValueError` for an id that is there twice."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    result = tuple(
        Theme(theme["title"], tuple(Line(**line) for line in theme.get("line", ()))) for theme in data["theme"]
    )
    seen: set[str] = set()
    for line in (line for theme in result for line in theme.lines):
        if line.id in seen:
            raise ValueError(f"{path.name}: line {line.id} is there twice")
        seen.add(line.id)
    return result


def faults(covers: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """What is wrong between the map and the clauses (id -> the lines it covers), one sentence each."""
    lines = {line.id: line for theme in themes() for line in theme.lines}
    held = {name for names in covers.values() for name in names}
    for clause, names in covers.items():
        if not names:
            yield f"{clause} covers no line of the map"
        yield from (f"{clause} covers {name}, which is no line of the map" for name in names if name not in lines)
    for line in lines.values():
        if line.id not in held and not line.exception:
            yield f"{line.id} ({line.says}) has no clause, and no exception says why"
        if line.id in held and line.exception:
            yield f"{line.id} has a clause: its exception in contract.toml is out of date"


def without_parameters(clause: str) -> str:
    """The id of a clause without the parameters of one case of it."""
    return clause.partition("(")[0]


def page(covers: Mapping[str, Iterable[str]]) -> str:
    """The map with the clauses that hold each line, as Markdown."""
    by_line: dict[str, list[str]] = defaultdict(list)
    for clause in sorted(covers):
        for name in covers[clause]:
            by_line[name].append(clause)
    kinds = {"themes": len(themes()), "lines": sum(len(theme.lines) for theme in themes()), "clauses": len(covers)}
    parts = [
        "# The contract, line by line",
        "",
        "Which clauses hold which line of the map of behaviours "
        f"({', '.join(f'{count} {kind}' for kind, count in kinds.items())}). "
        "Generated: `parity list --map > suites/CONTRACT.md`.",
    ]
    for theme in themes():
        parts += ["", f"## {theme.title}"]
        for line in theme.lines:
            parts += ["", f"**{line.id}** {line.says}"]
            parts += [f"- no clause: {line.exception}"] if line.exception else list(_groups(by_line[line.id]))
    return "\n".join(parts) + "\n"


def _groups(clauses: Iterable[str]) -> Iterator[str]:
    groups: dict[str, list[str]] = defaultdict(list)
    for clause in clauses:
        group, _, name = clause.rpartition("/")
        groups[group].append(name)
    for group, names in groups.items():
        folder, _, file = group.rpartition("/")
        yield f"- [{group}]({folder}/test_{file}.py): {', '.join(names)}"
