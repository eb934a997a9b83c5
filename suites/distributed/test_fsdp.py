"""FSDP2 end to end: three steps of training on two ranks, compiled in the ways that people compile it."""

import pytest
import torch

from suites.distributed.models import CausalBlock, Compile, Feedforward, Stack, compile_blocks, shard, train, whole
from suites.harness import Check, Result, clause, tensor

#: Three steps, two ranks, two sequences of five positions.
BATCHES = tensor(3, 2, 2, 5, 8, grad=False)


def compiled_graphs(result: Result, count: int) -> None:
    """Demand that so many graphs were compiled: an FSDP module that runs eagerly agrees with everything."""
    result.demand("reuse", "graphs compiled", count, result.verdict.counter.graphs)


@pytest.mark.parametrize("reshard", [True, False])
@clause("T15.1", modes="train", fullgraph=False, ranks=2)
def test_perceptron_compiled_whole(check: Check, reshard: bool) -> None:
    """Nested FSDP compiled as one module trains as eager's, whether or not parameters are freed after forward."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(Stack(Feedforward), batches, reshard=reshard)
        return train(model, compile_part(model), batches)

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    compiled_graphs(result, 2)


@clause("T15.1", "T17", modes="train", fullgraph=False, ranks=2)
def test_transformer_compiled_whole(check: Check) -> None:
    """A causal transformer with dropout, one compiled FSDP module, has eager's losses, parameters and random draws."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(Stack(CausalBlock), batches)
        return train(model, compile_part(model), batches)

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.drew_random()
    compiled_graphs(result, 2)


@clause("T15.1", modes="train", fullgraph=False, ranks=2)
def test_transformer_compiled_by_block_before_sharding(check: Check) -> None:
    """Blocks that are compiled first and sharded then train as eager's: each runs on its gathered parameters."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(compile_blocks(Stack(CausalBlock), compile_part), batches)
        return train(model, model, batches)

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.drew_random()
    compiled_graphs(result, 2)


@clause("T15.1", modes="train", fullgraph=False, ranks=2)
def test_transformer_compiled_by_block_after_sharding(check: Check) -> None:
    """Blocks that are sharded first and compiled then train as eager's: the hooks run around the compiled code."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(Stack(CausalBlock), batches)
        for number, block in enumerate(model.blocks):
            model.blocks[number] = compile_part(block)
        return train(model, model, batches)

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.drew_random()
    compiled_graphs(result, 2)


@clause("T15.1", modes="train", fullgraph=False, ranks=2)
def test_gradients_that_accumulate_over_two_batches(check: Check) -> None:
    """Two backward passes before a step add up, in every rank's shard, to eager's gradient of both."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(compile_blocks(Stack(Feedforward), compile_part), batches)
        for batch in batches:
            model(batch[torch.distributed.get_rank()]).square().mean().backward()
        return whole(parameter.grad for parameter in model.parameters() if parameter.grad is not None)

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.happened(len(result.call.tensors) > 10, "a gradient of every parameter")


@clause("T15.1", modes="train", fullgraph=False, ranks=2)
def test_parameters_written_between_two_steps(check: Check) -> None:
    """A checkpoint that is loaded into the shards between two calls is what the compiled blocks use from then on."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(compile_blocks(Stack(Feedforward), compile_part), batches)
        mine = batches[0, torch.distributed.get_rank()]
        with torch.no_grad():
            before = model(mine)
            for parameter in model.parameters():
                parameter.mul_(0.5)
            return [before, model(mine)]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.distinct("out[0]", "out[1]")


@clause("T15.2", modes="train", fullgraph=True, ranks=2)
def test_whole_module_under_fullgraph(check: Check) -> None:
    """An FSDP module compiled with fullgraph trains as eager's; torch refuses to, because its hooks are no graph's."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(Stack(Feedforward), batches)
        return train(model, compile_part(model), batches)

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    compiled_graphs(result, 1)


@clause("T15.3", "T15.1", modes="train", fullgraph=False, ranks=2)
def test_perceptron_with_compiled_autograd(check: Check) -> None:
    """With compiled autograd on, backward and the hooks that scatter gradients leave eager's losses and parameters."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(Stack(Feedforward), batches)
        return train(model, compile_part(model), batches)

    result = check(
        program, calls=[(BATCHES,)], in_parts=True, backward=False, config={"dynamo.compiled_autograd": True}
    )
    compiled_graphs(result, 2)
