"""Collectives in Inductor's schedule of a whole graph: started early, waited for late, beside products, and joined.

Each gives what it gave in the program's own order, forward and backward, on every rank. How long products and
collectives take is said here, so that the schedule is the same on all machines. Each clause says of how many
collectives the schedule is to have been, and where all of them are short of time that some were joined. They run in
the full profile: some runs come to no end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from suites.distributed.models import everyone, own
from suites.harness import Check, Result, clause, tensor, torch_internals

collectives = torch_internals.functional_collectives()

#: In 2.11 it is for machines with GPUs alone.
ON = ("inductor",)
#: Products that are long enough to hide a collective each, and those that are not.
LONG = {"mm": 2.0, "addmm": 2.0, "all_gather_into_tensor": 1.0, "all_reduce": 1.0, "reduce_scatter_tensor": 1.0}
SHORT = {**LONG, "mm": 0.1, "addmm": 0.1}


def examined(
    check: Check,
    program: Callable[..., Any],
    *inputs: Any,
    scheduled: int,
    milliseconds: dict[str, float] = LONG,
    joined: bool | None = None,
) -> Result:
    """Compare ``program`` with eager; demand that graphs of so many collectives each were scheduled, and that some of
    them were ``joined``, or none, where that is not for a release to decide."""
    with torch_internals.collectives_scheduled_for_overlap(milliseconds) as found:
        result = check(program, *inputs, config=torch_internals.OVERLAPPED)
        result.demand(
            "reuse", "collectives that were scheduled", [scheduled], sorted({before for before, _ in found()})
        )
    if joined is not None:
        fewer = any(after < before for before, after in found())
        result.demand("reuse", "whether collectives were joined", joined, fewer)
    return result


@clause("T15.12", on=ON, ranks=2, torch=">=2.13", profile="full")
def test_collectives_beside_products(check: Check) -> None:
    """Each collective that a product hides is waited for before it is read, and each product has its own factors."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = collectives.all_gather_tensor(own(a), 0, everyone())
        square = b @ b
        total = collectives.all_reduce(own(square.cos()), "sum", everyone())
        cube = square @ b
        largest = collectives.all_reduce(own(cube), "max", everyone())
        return rows.sin() + 1, total * 2 + cube @ b, largest[1:] @ b

    result = examined(check, program, tensor(2, 3), tensor(4, 4), scheduled=3, joined=False)
    result.shape("out[0]", 4, 3).shape("out[1]", 4, 4).shape("out[2]", 3, 4).computed()


@clause("T15.12", on=ON, ranks=2, torch=">=2.13", profile="full")
def test_collectives_that_no_product_hides(check: Check) -> None:
    """Collectives of a kind that nothing hides are joined: each reader has its own, with its own shape and order."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = collectives.all_gather_tensor(own(a), 0, everyone())
        more = collectives.all_gather_tensor(own(b) + 1, 0, everyone())
        total = collectives.all_reduce(own(a) * 3, "sum", everyone())
        other = collectives.all_reduce(own(b).sin(), "sum", everyone())
        parts = collectives.reduce_scatter_tensor(own(b) - 2, "sum", 0, everyone())
        return rows[1:] * 2, more * 3, total + 5, other * 7, parts @ a[:1]

    result = examined(check, program, tensor(2, 3), tensor(4, 1), scheduled=5, milliseconds=SHORT, joined=True)
    result.shape("out[0]", 3, 3).shape("out[1]", 8, 1).shape("out[4]", 2, 3).computed()


@clause("T15.12", on=ON, ranks=2, torch=">=2.13", profile="full")
def test_written_and_sent_in_turn(check: Check) -> None:
    """A tensor that is sent, written, sent again and written: no sum is of what was written later, and what is written
    is the tensor itself, and not a sum of it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = collectives.all_reduce(a, "sum", everyone())
        a.mul_(dist.get_rank() + 2)
        product = b @ b
        second = collectives.all_reduce(a, "sum", everyone())
        a.add_(product.sum())
        return first * 3 + product[0, :3], second * 5

    result = examined(check, program, tensor(3), tensor(4, 4), scheduled=2)
    result.mutated(0).unchanged(1).computed()


@clause("T15.12", modes="train", on=ON, ranks=2, torch=">=2.13", profile="full")
def test_layers_whose_rows_are_gathered(check: Check) -> None:
    """Layers whose weights are gathered for each product, as a fully sharded model's are: the gradient of each comes
    back to its own rank's rows, scattered from all."""

    def program(x: torch.Tensor, *rows: torch.Tensor) -> torch.Tensor:
        for mine in rows:
            weight = collectives.all_gather_tensor_autograd(mine, 0, everyone())
            x = (x @ weight).tanh()
        return x * (dist.get_rank() + 1)

    inputs = (tensor(3, 4), tensor(2, 4), tensor(2, 4), tensor(2, 4))
    examined(check, program, *inputs, scheduled=3).gradient(0, 1, 2, 3).computed()
