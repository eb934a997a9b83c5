"""What changed between two sets of goldens, put together by cause.

The sets come from two ledgers: torch A against torch B, or backend A against backend B.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from golden.editing.locate import normalised
from golden.graphs.compare import compare_texts
from golden.graphs.explain import findings
from golden.graphs.graph_value import NotCanonical, parse
from golden.values import are_values

PRINTING = "printing only"
ORDER = "independent nodes in another order"
EAGER = "eager's own values"
ONLY_OLD = "only the first has a graph"
ONLY_NEW = "only the second has a graph"


@dataclasses.dataclass(frozen=True)
class Cluster:
    """One cause, the golden ids behind it, and one of them told in a sentence.

    ``meaning`` is False for causes that change only spelling or the order of independent nodes.
    """

    cause: str
    goldens: tuple[str, ...]
    example: str
    meaning: bool

    def line(self) -> str:
        """The cluster in one line: how many, the cause, the goldens."""
        shown = ", ".join(self.goldens[:5]) + (f", and {len(self.goldens) - 5} more" if len(self.goldens) > 5 else "")
        return f"{len(self.goldens):4}  {self.cause}: {shown}"


@dataclasses.dataclass(frozen=True)
class Drift:
    """All clusters, the largest first, and how many goldens are the same."""

    clusters: tuple[Cluster, ...]
    same: int

    @property
    def changed(self) -> tuple[str, ...]:
        """The goldens whose meaning changed, each once."""
        return tuple(sorted({golden for cluster in self.clusters if cluster.meaning for golden in cluster.goldens}))


def drift(old: Mapping[str, str], new: Mapping[str, str]) -> Drift:
    """Compare two mappings from golden id to canonical text. A golden with several causes is behind each of them."""
    found: dict[str, dict[str, str]] = {}
    same = 0
    for golden in sorted(old.keys() | new.keys()):
        causes = _causes(old.get(golden), new.get(golden))
        same += not causes
        for cause, sentence in causes.items():
            found.setdefault(cause, {})[golden] = sentence
    clusters = [
        Cluster(cause, tuple(goldens), next(iter(goldens.values())), cause not in (PRINTING, ORDER))
        for cause, goldens in found.items()
    ]
    clusters.sort(key=lambda cluster: (not cluster.meaning, -len(cluster.goldens), cluster.cause))
    return Drift(tuple(clusters), same)


def _causes(old: str | None, new: str | None) -> dict[str, str]:
    """The causes behind one golden, each with its sentence; empty when nothing changed."""
    if old is None:
        return {ONLY_NEW: "the first has no such graph"}
    if new is None:
        return {ONLY_OLD: "the second has no such graph"}
    comparison = compare_texts(normalised(old), normalised(new))
    if comparison.verdict == "same":
        return {}
    if comparison.verdict == "cosmetic":
        return {PRINTING: comparison.explanation}
    if comparison.verdict == "reordered":
        return {ORDER: comparison.explanation}
    if are_values(normalised(new)):
        return {EAGER: comparison.explanation}
    try:
        found = findings(parse(normalised(old)), parse(normalised(new)))
    except NotCanonical:
        found = []
    return {finding.cause: finding.sentence for finding in found} or {"the wiring": comparison.explanation}
