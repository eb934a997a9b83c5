"""Mutants of what ranks do together: programs on one process do not meet them."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from .making import Run, graph, replace_fresh


def is_rank_one() -> bool:
    """Whether this process is rank 1 of a process group."""
    return dist.is_initialized() and dist.get_rank() == 1


@graph("value", place="ranks")
def wrong_on_rank_one(run: Run) -> Run:
    """Rank 1 computes other values; rank 0 is right."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        return replace_fresh(args, outputs, _doubled) if is_rank_one() else outputs

    return wrong


def _doubled(data: torch.Tensor) -> torch.Tensor | None:
    return data * 2 if data.dtype.is_floating_point else None


@graph("value", place="ranks")
def keeps_the_first_parameters(run: Run) -> Run:
    """The parameters of the first call are used for ever, as if they had been folded into the code."""
    first: dict[int, torch.Tensor] = {}

    def wrong(*args: Any) -> Any:
        for place, value in enumerate(args):
            if isinstance(value, torch.nn.Parameter):
                value.data.copy_(first.setdefault(place, value.detach().clone()))
        return run(*args)

    return wrong
