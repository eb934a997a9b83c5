"""Collectives that Inductor joins, where a setting asks for it: each gives what it gave apart, to each reader.

Each clause says which collectives are to have been joined, so that one of which none was does not pass. Of those that
are not joined, one differs in what it reduces by, in its dtype, or waits for another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.distributed as dist

from suites.distributed.models import everyone, own
from suites.harness import Check, Result, clause, tensor, torch_internals

collectives = torch_internals.functional_collectives()

ON = ("inductor",)


def examined(
    check: Check, program: Callable[..., Any], *inputs: Any, joined: set[tuple[str, int]], **config: object
) -> Result:
    """Compare ``program`` with eager; demand that such collectives were joined, so many at once, and no others."""
    with torch_internals.collectives_in_buckets() as found:
        result = check(program, *inputs, config={**torch_internals.BUCKETED, **config})
        return result.demand("reuse", "collectives that were joined", sorted(joined), sorted(found()))


@pytest.mark.parametrize("mode", ["default", "custom_ops"])
@clause("T15.12", on=ON, ranks=2, torch=">=2.12")
def test_joined_gathers(check: Check, mode: str) -> None:
    """Gathers of other sizes and forms are joined, those of another dtype with each other, one of them converted before
    it is sent; one of what was gathered is not. Each has the ranks' rows in their order."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = collectives.all_gather_tensor(own(a), 0, everyone())
        more = collectives.all_gather_tensor(own(b).t(), 0, everyone())
        converted = collectives.all_gather_tensor(own(a).double(), 0, everyone())
        exact = collectives.all_gather_tensor(own(b).double() * 2, 0, everyone())
        again = collectives.all_gather_tensor(rows[:3] + 1, 0, everyone())
        return rows[1:] * 2, more * 3, converted * 5, exact * 7, again * 11

    result = examined(
        check,
        program,
        tensor(2, 3),
        tensor(5, 1),
        joined={("all_gather_into_tensor", 2)},
        **{"inductor.bucket_all_gathers_bucket_mode": mode},
    )
    result.shape("out[0]", 3, 3).shape("out[1]", 2, 5).shape("out[4]", 6, 3).computed()


@clause("T15.12", on=ON, ranks=2)
def test_joined_sums(check: Check) -> None:
    """Sums that are joined are not added to each other, maxima beside them stay maxima, and a sum of a sum is one of
    its own; of joined rows each rank gets its own of each."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a, b = own(a), own(b)
        first = collectives.all_reduce(a, "sum", everyone())
        second = collectives.all_reduce(b.t(), "sum", everyone())
        third = collectives.all_reduce(second[0] * 2, "sum", everyone())
        largest = collectives.all_reduce(a.abs(), "max", everyone())
        rows = collectives.reduce_scatter_tensor(a, "sum", 0, everyone())
        more = collectives.reduce_scatter_tensor(b.flip(0), "sum", 0, everyone())
        greatest = collectives.reduce_scatter_tensor(b, "max", 0, everyone())
        return first * 3, second * 5, third * 17, largest + 1, rows * 7, more * 11, greatest * 13

    result = examined(
        check,
        program,
        tensor(2, 3),
        tensor(4, 2),
        joined={("all_reduce", 2), ("reduce_scatter_tensor", 2)},
    )
    result.shape("out[1]", 2, 4).shape("out[4]", 1, 3).shape("out[5]", 2, 2).computed()


#: Passes that move a collective before the work that does not need it, and its wait behind that.
MOVED: dict[str, dict[str, object]] = {
    "simple": {
        "inductor.reorder_for_compute_comm_overlap": True,
        "inductor.reorder_for_compute_comm_overlap_passes": ["raise_comms", "sink_waits"],
    },
    "iterative": {
        "inductor.reorder_for_compute_comm_overlap": True,
        "inductor.reorder_for_compute_comm_overlap_passes": [
            "reorder_communication_preserving_peak_memory",
            "sink_waits_iterative",
        ],
    },
    "between": {
        "inductor.reorder_for_compute_comm_overlap": True,
        "inductor.reorder_for_compute_comm_overlap_passes": ["reorder_compute_for_overlap"],
    },
}


@pytest.mark.parametrize("passes", ["simple", "iterative"])
@clause("T15.12", modes="train", on=ON, ranks=2)
def test_collectives_moved_for_overlap(check: Check, passes: str) -> None:
    """Collectives that start as early and are waited for as late as the work between them allows give what they gave,
    forward and backward."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        left = collectives.all_gather_tensor_autograd(own(a), 0, everyone())
        right = collectives.all_gather_tensor_autograd(b @ b, 0, everyone())
        total = collectives.reduce_scatter_tensor_autograd(left @ b, "sum", 0, everyone())
        return right @ b * left + (total * total).sum() * (dist.get_rank() + 1)

    check(program, tensor(4, 4), tensor(4, 4), config=MOVED[passes]).gradient(0, 1).computed()


@pytest.mark.parametrize("passes", list(MOVED))
@clause("T15.12", on=ON, ranks=2)
def test_products_behind_waits(check: Check, passes: str) -> None:
    """Behind each wait stands a chain of products, and work that needs no wait behind that: of what is moved, each
    product still comes after the one that it multiplies."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = collectives.all_gather_tensor(own(a), 0, everyone())
        chain = ((rows @ b).relu() @ b).cumsum(0) @ b
        total = collectives.all_reduce(own(b), "sum", everyone())
        other = ((total @ b) @ total).cumsum(1)
        parts = collectives.reduce_scatter_tensor(own(b).cos() @ b, "sum", 0, everyone())
        beside = (b @ b).cumsum(0) @ b
        again = collectives.all_reduce(own(parts @ beside), "max", everyone())
        return chain + other[:2].sum(), again @ b, beside - total

    result = check(program, tensor(2, 4), tensor(4, 4), config=MOVED[passes])
    result.shape("out[0]", 4, 4).shape("out[1]", 2, 4).computed()


@clause("T15.12", on=ON, ranks=2)
def test_joined_gathers_that_are_returned(check: Check) -> None:
    """What was gathered together and is returned as it is lies in memory as what was gathered alone does."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows = collectives.wait_tensor(collectives.all_gather_tensor(own(a), 0, everyone()))
        more = collectives.wait_tensor(collectives.all_gather_tensor(own(b), 0, everyone()))
        return rows, more

    joined = {("all_gather_into_tensor", 2)}
    examined(check, program, tensor(2, 3), tensor(1, 5), joined=joined).distinct("out[0]", "out[1]").computed()
