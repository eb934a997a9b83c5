"""What random search has found in torch and somebody has looked at, with what a run says of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from suites.fuzz.campaigns import known
from suites.harness.oracle.divergence import Divergence
from suites.harness.results import summary
from suites.harness.results.ledger import Cell, Ledger

#: The clauses that run what was frozen: their cells name the program.
_GROUP, _PROGRAM = "fuzz/frozen/", "(program={program})"
_LOUD = ("error", "crash", "timeout")


@dataclasses.dataclass(frozen=True)
class Finding:
    """A divergence of torch: ``layer`` is the first that shows it, ``script`` is plain PyTorch and shows it again.

    ``standings``: what the run's cells of its program came to, by backend. ``bug``: the id of the known bug of which it
    is a find.
    """

    bug: str
    title: str
    layer: str
    facet: str
    kind: str
    silent: bool
    link: str
    script: str
    standings: Mapping[str, str]


def findings(book: Ledger) -> list[Finding]:
    """The findings whose programs the run has cells of, silent ones first. None if it did not run them."""
    found = list(_findings(book))
    return sorted(found, key=lambda finding: (not finding.silent, finding.layer, finding.facet, finding.title))


def _findings(book: Ledger) -> Iterator[Finding]:
    # One find of several fingerprints is one finding.
    for entry in {(entry.title, entry.program): entry for entry in reversed(known.load())}.values():
        program = _PROGRAM.format(program=entry.program.removesuffix(".py"))
        cells = [cell for cell in book.cells.values() if cell.clause.startswith(_GROUP) and program in cell.clause]
        path = known.PROGRAMS / entry.program
        if not cells or not path.is_file():
            continue
        from suites.fuzz.reduction.script import script  # It knows torch's settings, and so imports torch.

        seen = _seen(cells, entry)
        yield Finding(
            bug=entry.id,
            title=entry.title,
            layer=seen.layer,
            facet=seen.facet,
            kind=seen.kind,
            silent=seen.silent,
            link=entry.link,
            script=script(path.read_text(encoding="utf-8"), seen),
            standings={cell.backend: summary.standing(cell).label for cell in cells},
        )


def _seen(cells: list[Cell], entry: known.Known) -> Divergence:
    """The divergence as the run saw it; as its fingerprint tells it, where the run did not."""
    for cell in cells:
        for divergence in cell.divergences:
            if known.says(entry, divergence.fingerprint):
                return divergence
    layer, facet, kind = (entry.fingerprint.replace("*", "…").split(":", 2) + ["", ""])[:3]
    return Divergence(facet, kind, "not seen in this run", "", "", facet not in _LOUD, layer)
