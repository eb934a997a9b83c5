"""What clauses ask of a graph besides its text."""

from __future__ import annotations

from golden.expectation import NoGraph
from golden.graphs.capture import Graph


def count(graph: Graph | NoGraph, target: str, *, otherwise: int) -> int:
    """How many nodes of a graph call ``target``; ``otherwise`` in the cells that no graph was kept of."""
    return graph.targets.count(target) if isinstance(graph, Graph) else otherwise
