"""Asynchronous tensor parallelism: a collective and the product beside it are one operator, in parts that overlap.

A rank multiplies the rows that are there while the others' are under way, and sends those of a product that are done
while it computes the next. Each clause says what Inductor is to have fused, so that one of which nothing was fused does
not pass. Other ranks' memory is read over links between GPUs, without multicast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.tensor import Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module

from suites.distributed.models import Compile, NormedFeedforward, all_ranks, everyone, learn, momentum, own, whole
from suites.harness import Check, Result, clause, tensor, torch_internals

collectives = torch_internals.functional_collectives()

ON = ("inductor",)
FUSED_GATHER, FUSED_SCATTER = "fused_all_gather_matmul", "fused_matmul_reduce_scatter"


def examined(check: Check, part: Callable[..., Any], *inputs: Any, fused: Sequence[str]) -> Result:
    """Compare ``part``, one graph on each rank, with eager; demand that these operators came of it, and no other."""

    def program(compile_part: Compile, *args: torch.Tensor) -> Any:
        torch_internals.enable_symmetric_memory(everyone())
        return compile_part(part)(*args)

    with torch_internals.collectives_after_micro_pipelining() as found:
        result = check(program, *inputs, in_parts=True, config=torch_internals.MICRO_PIPELINED)
        return were_fused(result, found(), fused)


def were_fused(result: Result, found: set[str], fused: Sequence[str]) -> Result:
    """Demand that the pass has been over collectives, and that these operators are what it made."""
    result.demand("reuse", "whether the pass has seen collectives", True, bool(found))
    made = found & {FUSED_GATHER, FUSED_SCATTER}
    return result.demand("reuse", "collectives fused with products", sorted(fused), sorted(made))


def gathered(a: torch.Tensor, dimension: int = 0, *, training: bool = False) -> torch.Tensor:
    """All ranks' ``a`` beside each other along a dimension. ``training``: differentiable.

    Written out for other dimensions than the first, since Dynamo does not trace torch's own way in 2.11.
    """
    gather = collectives.all_gather_tensor_autograd if training else collectives.all_gather_tensor
    rows: torch.Tensor = gather(a, 0, everyone())
    return torch.cat(rows.chunk(dist.get_world_size()), dimension) if dimension else rows


def behind(a: torch.Tensor) -> torch.Tensor:
    """``a``, with some milliseconds of work before it on all ranks but the first."""
    work = a.new_full((2048, 2048), 1 / 2048)
    for _ in range(8 if dist.get_rank() else 0):
        work = work @ work
    return a + work.mean() * 0


@pytest.mark.parametrize("sizes, dimension", [((4, 8), 0), ((4, 2, 8), 0), ((2, 4, 8), 1)])
@clause("T15.11", on=ON, devices="cuda", ranks=2)
def test_product_of_gathered_rows(check: Check, sizes: tuple[int, ...], dimension: int) -> None:
    """Each rank's rows are multiplied as they arrive, and stand in the ranks' order along the gathered dimension."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return gathered(own(a), dimension) @ b

    result = examined(check, part, tensor(*sizes), tensor(8, 16), fused=[FUSED_GATHER])
    rows = [size * 2 if place == dimension else size for place, size in enumerate(sizes)]
    result.shape("out", *rows[:-1], 16).computed()


@clause("T15.11", on=ON, devices="cuda", ranks=2, profile="full")
def test_product_of_gathered_columns(check: Check) -> None:
    """The ranks' columns are multiplied by their own rows of the other matrix, and the products are added up."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return gathered(own(a), 1) @ b

    # Fewer columns of a rank's are not fused.
    result = examined(check, part, tensor(4, 1024), tensor(2048, 8), fused=[FUSED_GATHER])
    result.shape("out", 4, 8).computed()


@clause("T15.11", on=ON, devices="cuda", ranks=2)
def test_products_of_rows_that_are_read_too(check: Check) -> None:
    """Three products of one gathered tensor each have their own factor, and what reads that tensor has all of it."""

    def part(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = gathered(own(a))
        return rows @ b, rows @ b.sin(), rows @ (b * 2 - 1), rows[1:] + 1, rows.sum(0)

    result = examined(check, part, tensor(3, 8), tensor(8, 8), fused=[FUSED_GATHER])
    result.shape("out[2]", 6, 8).shape("out[3]", 5, 8).computed()


@pytest.mark.parametrize("sizes, dimension", [((4, 8), 0), ((4, 8), 1), ((4, 2, 8), 0), ((2, 4, 8), 1), ((2, 4, 8), 2)])
@clause("T15.11", on=ON, devices="cuda", ranks=2)
def test_product_whose_parts_are_scattered(check: Check, sizes: tuple[int, ...], dimension: int) -> None:
    """A rank gets its part of the sum of all ranks' products, along the dimension that is scattered, from all ranks."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return collectives.reduce_scatter_tensor(own(a) @ b, "sum", dimension, everyone()) * 1

    result = examined(check, part, tensor(*sizes), tensor(8, 16), fused=[FUSED_SCATTER])
    product = (*sizes[:-1], 16)
    scattered = [size // 2 if place == dimension else size for place, size in enumerate(product)]
    result.shape("out", *scattered).computed()


@clause("T15.11", on=ON, devices="cuda", ranks=2, profile="default")
def test_product_whose_mean_is_scattered(check: Check) -> None:
    """Where the mean of all ranks' products is asked for, it is not their sum."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return collectives.reduce_scatter_tensor(own(a) @ b, "avg", 0, everyone()) * 1

    examined(check, part, tensor(4, 8), tensor(8, 16), fused=[FUSED_SCATTER]).shape("out", 2, 16).computed()


@pytest.mark.parametrize("sizes, dimension", [((4, 8), 0), ((4, 2, 8), 0), ((2, 4, 8), 1)])
@clause("T15.11", modes="train", on=ON, devices="cuda", ranks=2)
def test_columns_then_rows(check: Check, sizes: tuple[int, ...], dimension: int) -> None:
    """A layer of which each rank has columns, and one of which it has rows, on a part of each sequence a rank: fused
    forward and, for the gradients of what was gathered and scattered, backward, where each is the other's."""

    def part(a: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
        rows = gathered(own(a), dimension, training=True)
        hidden = (rows @ own(up)).sigmoid()
        return collectives.reduce_scatter_tensor_autograd(hidden @ down, "sum", dimension, everyone()).sin()

    inputs = tensor(*sizes), tensor(8, 16), tensor(16, 8)
    result = examined(check, part, *inputs, fused=[FUSED_GATHER, FUSED_SCATTER])
    result.gradient(0, 1, 2).shape("out", *sizes).computed()


@clause("T15.11", modes="train", on=ON, devices="cuda", ranks=2)
def test_training_on_parts_of_each_sequence(check: Check) -> None:
    """A feedforward part over DTensors, of which the ranks share sequences and layers, trains as eager's."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = NormedFeedforward().to(batches)
        plan = {
            "norm": SequenceParallel(use_local_output=False),
            "feedforward.up": ColwiseParallel(input_layouts=Shard(1)),
            "feedforward.down": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
        }
        mesh = all_ranks(batches)
        torch_internals.enable_symmetric_memory(mesh.get_group())
        parallelize_module(model, mesh, plan)
        mine = [batch.chunk(dist.get_world_size(), 1)[dist.get_rank()] for batch in batches]
        compiled = compile_part(model)
        losses = learn(momentum(model), lambda x: compiled(x).to_local(), mine)
        return [*losses, *whole(model.parameters())]

    options: dict[str, Any] = {"in_parts": True, "backward": False, "config": torch_internals.MICRO_PIPELINED}
    with torch_internals.collectives_after_micro_pipelining() as found:
        result = check(program, calls=[(tensor(3, 2, 4, 8, grad=False),)], **options)
        were_fused(result, found(), [FUSED_GATHER, FUSED_SCATTER])
    losses = torch.stack([result.value(f"out[{step}]") for step in range(3)])
    result.happened(bool(losses.diff().abs().min() > 1e-4), f"another loss in each step: {losses.tolist()}")


@clause("T15.11", on=ON, devices="cuda", ranks=2)
def test_products_in_turn_while_a_rank_is_behind(check: Check) -> None:
    """Memory that ranks share is used by one product after the other: none is read before the rank that is behind has
    written to it, and none is written to before it has been read."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        rows = gathered(behind(own(a)))
        mine = collectives.reduce_scatter_tensor((rows @ b).sin() @ b, "sum", 0, everyone())
        rows = gathered(behind(mine).cos())
        return collectives.reduce_scatter_tensor((rows @ b).sin() @ b, "sum", 0, everyone()) + mine

    result = examined(check, part, tensor(64, 256), tensor(256, 256), fused=[FUSED_GATHER, FUSED_SCATTER])
    result.shape("out", 64, 256).computed()


# What is not to be fused ----------------------------------------------------------------------------------------------


@clause("T15.11", on=ON, devices="cuda", ranks=2)
def test_product_that_is_read_beside_its_sum(check: Check) -> None:
    """A product whose sum is scattered and which is read itself, too, is computed whole, before any rank's is added."""

    def part(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        product = own(a) @ b
        return collectives.reduce_scatter_tensor(product, "sum", 0, everyone()) * 1, product.relu()

    result = examined(check, part, tensor(4, 8), tensor(8, 16), fused=[])
    result.shape("out[0]", 2, 16).shape("out[1]", 4, 16).computed()


@clause("T15.11", on=ON, devices="cuda", ranks=2, profile="default")
def test_gathered_factors(check: Check) -> None:
    """A gathered tensor that is the right factor, or one of both, is there as a whole before anything is multiplied."""

    def part(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows = gathered(own(a))
        return b @ rows, rows @ rows.t()

    examined(check, part, tensor(4, 8), tensor(16, 8), fused=[]).shape("out[1]", 8, 8).computed()


@clause("T15.11", on=ON, devices="cuda", ranks=2, profile="default")
def test_product_whose_greatest_parts_are_scattered(check: Check) -> None:
    """The greatest of all ranks' products, which no fused operator knows, is found by the collective itself."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return collectives.reduce_scatter_tensor(own(a) @ b, "max", 0, everyone()) * 1

    examined(check, part, tensor(4, 8), tensor(8, 16), fused=[]).shape("out", 2, 16).computed()


@clause("T15.11", on=ON, devices="cuda", ranks=2)
def test_product_that_is_scattered_by_other_rows(check: Check) -> None:
    """A product of rows whose leading dimensions are split otherwise before it is scattered has those of the split.

    The operator that takes the place of both knows of the product's own rows alone.
    """

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        product = (own(a).flatten(0, 1) @ b).view(2, 4, 16)
        return collectives.reduce_scatter_tensor(product, "sum", 0, everyone()) * 1

    examined(check, part, tensor(4, 2, 8), tensor(8, 16), fused=[]).shape("out", 1, 4, 16).computed()


@clause("T15.11", on=ON, devices="cuda", ranks=2, profile="default")
def test_product_with_something_added(check: Check) -> None:
    """A bias that each rank adds to its product before the sum is in the sum as often as there are ranks."""

    def part(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return collectives.reduce_scatter_tensor(F.linear(own(a), b, bias), "sum", 0, everyone()) * 1

    inputs = tensor(4, 8), tensor(16, 8), tensor(16)
    examined(check, part, *inputs, fused=[]).shape("out", 2, 16).computed()
