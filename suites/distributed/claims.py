"""What clauses about training claim of it, and the batches that most of them train on."""

from __future__ import annotations

import torch

from suites.harness import Result, tensor

#: Three steps, two ranks, three rows.
BATCHES = tensor(3, 2, 3, 8, grad=False)


def moves(result: Result, losses: list[torch.Tensor]) -> None:
    """Demand that graphs were compiled, and that eager's losses of three steps are numbers that move."""
    found = torch.stack(losses)
    told = bool(found.isfinite().all() and found.diff().abs().min() > 1e-4)
    result.happened(len(found) == 3 and told, f"another loss in each step: {found.tolist()}")
    result.demand("reuse", "whether graphs were compiled", True, result.verdict.counter.graphs > 0)


def trained(result: Result, where: str = "out") -> None:
    """Demand what `moves` does of the first three outputs, or of those of the list that is there."""
    moves(result, [result.value(f"{where}[{step}]") for step in range(3)])
