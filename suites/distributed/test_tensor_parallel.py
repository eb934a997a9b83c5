"""Tensor and sequence parallelism over DTensors: a feedforward part of which each rank has a share."""

from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module

from suites.distributed.models import Compile, Feedforward, NormedFeedforward, all_ranks, learn, momentum, whole
from suites.harness import Check, clause, tensor

#: Three steps, two sequences of four positions, the same on every rank.
BATCHES = tensor(3, 2, 4, 8, grad=False)


@clause("T15.9", modes="train", ranks=2)
def test_columns_then_rows(check: Check) -> None:
    """With columns of one layer and rows of the next on each rank, training is eager's: the ranks' parts are summed up
    once, forward and backward; without that sum a rank has its own part of the output alone."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        torch.manual_seed(0)
        model = Feedforward().to(batches)
        parallelize_module(model, all_ranks(batches), {"up": ColwiseParallel(), "down": RowwiseParallel()})
        losses = learn(momentum(model), compile_part(model), batches)
        return [*losses, *whole(model.parameters())]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.values("out[0]", "out[1]", "out[2]").expect("""\
out[0] = float32[] 3.073
out[1] = float32[] 1.491
out[2] = float32[] 1.615
""")


@clause("T15.9", modes="train", ranks=2)
def test_norm_of_a_part_of_each_sequence(check: Check) -> None:
    """A norm over each rank's positions, gathered for the layers and scattered after them, trains as eager's does."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = NormedFeedforward().to(batches)
        plan = {
            "norm": SequenceParallel(use_local_output=False),
            "feedforward.up": ColwiseParallel(input_layouts=Shard(1)),
            "feedforward.down": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
        }
        mesh = all_ranks(batches)
        parallelize_module(model, mesh, plan)
        mine = [batch.chunk(dist.get_world_size(), 1)[dist.get_rank()] for batch in batches]
        compiled = compile_part(model)
        losses = learn(momentum(model), lambda x: compiled(x).to_local(), mine)
        return [*losses, *whole(model.parameters())]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    # In torch 2.11 the last loss is 1.513, eagerly and compiled: each rank adds its own part of the norm's gradient to
    # a momentum that it has whole.
    result.values("out[0]", "out[1]", "out[2]").expect("""\
out[0] = float32[] 3.592
out[1] = float32[] 1.283
out[2] = float32[] 1.49
""")


@pytest.mark.parametrize("dimension", [0, 1])
@clause("T15.9", modes="train", ranks=2, profile="full")
def test_product_of_sharded_tensors(check: Check, dimension: int) -> None:
    """DTensors made, multiplied and put together inside of a graph are the whole product on every rank: rows of it are
    gathered, and parts of its sums are added up; with either left out a rank has its own alone."""

    def program(compile_part: Compile, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        mesh = all_ranks(a)

        def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            left = DTensor.from_local(a * (dist.get_rank() + 1), mesh, [Shard(dimension)], run_check=False)
            right = DTensor.from_local(b, mesh, [Shard(0) if dimension else Replicate()], run_check=False)
            product: Any = left.sin() @ right
            found: torch.Tensor = product.redistribute(mesh, [Replicate()]).to_local()
            return found + 1

        return torch.as_tensor(compile_part(product)(a, b))

    result = check(program, tensor(2, 3), tensor(3, 4), in_parts=True)
    result.gradient(0)
    if dimension:
        result.values().expect("""\
out = float32[2, 4] [[-1.165, 2.692, -0.1079, -2.35], [2.097, -0.7677, 1.464, 3.594]]
""")
    else:
        result.values().expect("""\
out = float32[4, 4] [[0.02667, 1.739, 1.946, 0.03172], [2.076, -0.1753, 1.226, 2.891], [-0.1917, 1.953, -1.054,
    -1.382], [1.022, 0.4076, 1.238, 1.703]]
""")
