"""FSDP2's memory: parameters that are freed and gathered again, gathered ahead of time, or kept on the CPU."""

import functools
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed.fsdp import CPUOffloadPolicy

from suites.distributed.claims import BATCHES, trained
from suites.distributed.models import (
    CausalBlock,
    Compile,
    Feedforward,
    Stack,
    compile_blocks,
    learn,
    momentum,
    shard,
    train,
    whole,
)
from suites.harness import Check, clause, tensor


def memory_of(parameter: torch.Tensor) -> int:
    """The bytes of the storage of a parameter that has been gathered: none once it has been freed."""
    return parameter.untyped_storage().nbytes()


@pytest.mark.parametrize("reshard", [True, False])
@clause("T15.6", "T15.1", modes="train", fullgraph=False, ranks=2)
def test_parameters_that_are_freed_and_gathered_again(check: Check, reshard: bool) -> None:
    """A gathered parameter has no memory after forward, where it is to be freed then, and none after backward.

    What a compiled forward has saved for backward is that parameter: it must not keep the memory, and has to find in it
    what is gathered again.
    """

    def program(compile_part: Compile, batches: torch.Tensor) -> tuple[list[bool], list[bool], list[torch.Tensor]]:
        model: Any = shard(compile_blocks(Stack(Feedforward), compile_part), batches, reshard=reshard)
        for block in model.blocks:
            block.unshard()
        gathered = [block.up.weight for block in model.blocks]
        loss = model(batches[0, dist.get_rank()]).square().mean()
        after_forward = [memory_of(parameter) > 0 for parameter in gathered]
        loss.backward()
        after_backward = [memory_of(parameter) > 0 for parameter in gathered]
        gradients = whole(parameter.grad for parameter in model.parameters())
        return after_forward, after_backward, [loss.detach(), *gradients]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.holds("out[0]", [not reshard] * 2).holds("out[1]", [False] * 2)
    result.happened(float(result.value("out[2][1]").abs().sum()) > 0, "a gradient that is not zero")
    result.demand("reuse", "whether graphs were compiled", True, result.verdict.counter.graphs > 0)


@clause("T15.6", modes="train", fullgraph=False, ranks=2)
def test_parameters_that_are_gathered_ahead(check: Check) -> None:
    """While a block computes, forward or backward, the parameters of the next are on their way: a block that did not
    wait for its own would compute with memory into which nothing, or a part of them, has come."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model: Any = shard(compile_blocks(Stack(CausalBlock, depth=3), compile_part), batches)
        for block, later in zip(model.blocks, model.blocks[1:], strict=False):
            block.set_modules_to_forward_prefetch([later])
            later.set_modules_to_backward_prefetch([block])
        return train(model, model, batches)

    result = check(program, calls=[(tensor(3, 2, 2, 5, 8, grad=False),)], in_parts=True, backward=False)
    result.drew_random()
    trained(result)


@clause("T15.6", "T15.8", modes="train", fullgraph=False, ranks=2)
def test_parameters_that_stay_on_the_cpu(check: Check) -> None:
    """Shards, their gradients and the optimizer's state stay on the CPU and are trained there; compiled blocks compute
    where the batch is, with what was copied there for this call."""

    def program(compile_part: Compile, batches: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        policy = CPUOffloadPolicy(pin_memory=batches.device.type != "cpu")
        model = shard(compile_blocks(Stack(Feedforward), compile_part), batches, offload=policy)
        losses = learn(momentum(model), model, [batch[dist.get_rank()] for batch in batches])
        mine: list[Any] = [parameter.detach() for parameter in model.parameters()]
        return losses, [parameter.to_local() for parameter in mine]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    trained(result, "out[0]")
    result.happened(result.facts("out[1][0]").device == "cpu", "shards on the CPU")


@clause("T15.6", modes="train", fullgraph=False, devices="cuda", ranks=2)
def test_memory_at_its_peak(check: Check) -> None:
    """At its peak forward holds the shards and a few gathered blocks, and backward the gradients' shards beside them.

    Were gathered blocks kept, by what a compiled forward saves or by a copy of it, all of them would be there at once.
    """

    def program(compile_part: Compile, batch: torch.Tensor) -> tuple[bool, bool, torch.Tensor]:
        # What a rank's process group holds is there once it has been used.
        model: Any = Stack(functools.partial(Feedforward, 1024), depth=16, width=1024)
        shard(compile_blocks(model, compile_part), batch)
        model(batch[dist.get_rank()])
        shards = sum(parameter.to_local().nbytes for parameter in model.parameters())
        few = 10 * (2 * shards // len(model.blocks))
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        loss = model(batch[dist.get_rank()]).square().mean()
        forward = torch.cuda.max_memory_allocated() - before
        torch.cuda.reset_peak_memory_stats()
        loss.backward()
        backward = torch.cuda.max_memory_allocated() - before
        return forward < few, backward < few + shards, loss.detach()

    result = check(program, calls=[(tensor(2, 4, 1024, grad=False),)], in_parts=True, backward=False)
    result.holds("out[0]", True).holds("out[1]", True)
