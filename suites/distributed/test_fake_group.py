"""FSDP and collectives over the fake process group: one process that takes itself for one of many ranks."""

import contextlib
from collections.abc import Iterator

import torch
import torch.distributed as dist

from suites.distributed.models import Compile, Feedforward, Stack, compile_blocks, everyone, shard
from suites.harness import Check, clause, tensor, torch_internals

collectives = torch_internals.functional_collectives()


@contextlib.contextmanager
def rank_of_four() -> Iterator[None]:
    """This process as rank 1 of four, whose collectives give back what the rank itself puts in."""
    dist.init_process_group("fake", store=torch_internals.fake_store(), rank=1, world_size=4)
    try:
        yield
    finally:
        dist.destroy_process_group()


@clause("T15.4", modes="train", fullgraph=False)
def test_fsdp_forward_and_backward(check: Check) -> None:
    """Compiled blocks under FSDP have eager's output and leave eager's gradients in this rank's shards."""

    def program(compile_part: Compile, x: torch.Tensor) -> list[torch.Tensor]:
        model = shard(compile_blocks(Stack(Feedforward), compile_part))
        out = model(x)
        out.square().mean().backward()
        shards = [parameter.grad.to_local() for parameter in model.parameters()]  # type: ignore[union-attr]
        return [out.detach(), *shards]

    with rank_of_four():
        result = check(program, calls=[(tensor(3, 8, grad=False),)], in_parts=True, backward=False)
    # Of 16 rows, a rank of four has four.
    result.shape("out[1]", 4, 8)
    result.demand("reuse", "graphs compiled", 2, result.verdict.counter.graphs)


@clause("T15.4", "T15.5", shapes=("static", "dynamic"))
def test_collectives_of_many_ranks(check: Check) -> None:
    """Sizes after a gather and a scatter are those that the group's size gives, for sizes of any call."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        gathered = collectives.all_gather_tensor(a.cos(), 0, everyone())
        scattered = collectives.reduce_scatter_tensor(gathered * 2, "sum", 0, everyone())
        return gathered + 1, scattered + a

    with rank_of_four():
        result = check(program, calls=[(tensor(3, 2),), (tensor(5, 2),)])
    result.shape("out[0]", 12, 2).shape("out[1]", 3, 2)
