"""What a campaign came to: finds that are new told from those that are known, and written where people read them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from ..reduction.script import issue, script
from .finds import Find
from .known import Known, which
from .log import Summary


@dataclasses.dataclass(frozen=True)
class Sorted:
    """Finds, one a bucket, the best first; ``known`` are all of each known find, by its id.

    ``unsure`` are those that were not seen in a new process: they do not count.
    """

    new: Sequence[Find]
    unsure: Sequence[Find]
    known: Mapping[str, Sequence[Find]]


def sort_finds(summary: Summary, entries: tuple[Known, ...]) -> Sorted:
    """Tell finds that are new from those that are known, one of ``entries``, and from those that are unsure."""
    new, unsure = [], []
    known: dict[str, list[Find]] = {}
    for finds in summary.finds.values():
        best = min(finds, key=lambda find: (not find.counts, find.statements, len(find.text)))
        entry = which(best, entries)
        if entry is not None:
            known.setdefault(entry.id, []).extend(finds)
        elif best.counts:
            new.append(best)
        else:
            unsure.append(best)
    order = lambda find: (not find.divergence.silent, find.standing, find.statements)
    return Sorted(sorted(new, key=order), sorted(unsure, key=order), known)


def write(folder: Path, find: Find) -> Path:
    """Write a find's script, program and issue text. Returns the script's place. Raises `OSError` if that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_slug(find)}-{find.number}.py"
    path.write_text(script(find.text, find.divergence), encoding="utf-8")
    path.with_suffix(".md").write_text(issue(find.text, find.divergence, torch.__version__), encoding="utf-8")
    path.with_name(f"{path.stem}.program.py").write_text(find.text, encoding="utf-8")
    return path


def _slug(find: Find) -> str:
    """A file's name for a find, without its number."""
    said = f"{find.divergence.layer} {find.divergence.facet} {' '.join(find.operators)}"
    text = re.sub(r"\W+", "-", said).strip("-").lower()
    return text[:70].rstrip("-")
