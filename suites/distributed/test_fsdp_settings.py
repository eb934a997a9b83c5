"""FSDP2 as it is set up in earnest: what changes of precision, gradients and parameters compiled blocks live with."""

import copy
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

from suites.distributed.claims import BATCHES, moves, trained
from suites.distributed.models import (
    CausalBlock,
    Compile,
    Feedforward,
    Recomputed,
    Stack,
    all_ranks,
    compile_blocks,
    learn,
    momentum,
    shard,
    train,
    whole,
)
from suites.harness import Check, clause, tensor


@clause("T15.8", modes="train", fullgraph=False, ranks=2)
def test_parameters_and_reductions_in_bfloat16(check: Check) -> None:
    """Blocks compute in bfloat16 and gradients are reduced in it, as eager's; the parameters stay float32."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        seen: list[torch.Tensor] = []
        # The run in double precision, by which rounding is judged, is not to round.
        rounds = torch.bfloat16 if batches.dtype == torch.float32 else None
        half = MixedPrecisionPolicy(param_dtype=rounds, reduce_dtype=rounds)
        model = shard(compile_blocks(Stack(Feedforward), compile_part), batches, precision=half)
        hook = model.blocks[0].register_forward_hook(lambda block, args, output: seen.append(output.detach()))
        made = train(model, model, batches)
        hook.remove()
        # As one tensor: a single number may by chance be rounded hardly at all, and is judged by that.
        return [torch.stack(made[:3]), *made[3:], seen[0]]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    moves(result, list(result.value("out[0]")))
    *_, parameter, hidden = (path for path in result.call.tensors if path.startswith("out"))
    found = [result.facts(path).dtype for path in (parameter, hidden)]
    result.happened(found == ["float32", "bfloat16"], f"float32 parameters and bfloat16 between blocks, but {found}")


@clause("T15.8", modes="train", fullgraph=False, ranks=2)
def test_gradients_in_bfloat16_that_are_reduced_in_float32(check: Check) -> None:
    """Each rank's gradients are bfloat16, and what is added up of them float32: added up in bfloat16, a small one of a
    rank is lost beside a large one of another."""

    def program(compile_part: Compile, batches: torch.Tensor) -> tuple[list[bool], list[torch.Tensor]]:
        rounds = torch.bfloat16 if batches.dtype == torch.float32 else None
        policy = MixedPrecisionPolicy(param_dtype=rounds, reduce_dtype=batches.dtype)
        model = shard(compile_blocks(Stack(Feedforward), compile_part), batches, precision=policy)
        # By so much that the sum of two ranks' gradients has more digits than bfloat16 has.
        scale = 1 if dist.get_rank() else 100
        (model(batches[0, dist.get_rank()]).square().mean() * scale).backward()
        gradients = whole(parameter.grad for parameter in model.parameters() if parameter.grad is not None)
        return [bool((grad.bfloat16() != grad).any()) for grad in gradients], gradients

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.holds("out[0]", [True] * 10)
    result.demand("reuse", "whether graphs were compiled", True, result.verdict.counter.graphs > 0)


@pytest.mark.parametrize("within", [True, False])
@clause("T15.8", modes="train", fullgraph=False, ranks=2, profile="full")
def test_module_within_a_block_that_reshards_otherwise(check: Check, within: bool) -> None:
    """A part of a block is freed after forward and the block is not, or the other way round: both train as eager's."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = Stack(CausalBlock).to(batches.device)
        for block in model.blocks:
            fully_shard(block.get_submodule("feedforward"), mesh=all_ranks(batches), reshard_after_forward=within)
        shard(compile_blocks(model, compile_part), batches, reshard=not within)
        return train(model, model, batches)

    result = check(program, calls=[(tensor(3, 2, 2, 5, 8, grad=False),)], in_parts=True, backward=False)
    result.drew_random()
    trained(result)


@clause("T15.8", modes="train", fullgraph=False, ranks=2)
def test_gradients_that_accumulate_without_sync(check: Check) -> None:
    """Of three batches only the last one's backward reduces: until then no shard has a gradient, then it is of all."""

    def program(compile_part: Compile, batches: torch.Tensor) -> tuple[list[bool], list[torch.Tensor]]:
        model: Any = shard(compile_blocks(Stack(Feedforward), compile_part), batches)
        reduced = []
        for number, batch in enumerate(batches, 1):
            model.set_requires_gradient_sync(number == len(batches))
            model(batch[dist.get_rank()]).square().mean().backward()
            reduced.append(all(parameter.grad is not None for parameter in model.parameters()))
        return reduced, whole(parameter.grad for parameter in model.parameters() if parameter.grad is not None)

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.holds("out[0]", [False, False, True])
    result.happened(float(result.value("out[1][0]").abs().sum()) > 0, "a gradient that is not zero")


@clause("T15.8", modes="train", fullgraph=False, ranks=2, profile="full")
def test_frozen_parameters(check: Check) -> None:
    """Parameters that are frozen in each block stay as they are and get no gradient, and the others train as eager's.

    A backward graph that returned gradients by position would hand a trained parameter those of a frozen one.
    """

    def program(compile_part: Compile, batches: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        model = Stack(Feedforward)
        for block in model.blocks:
            block.get_submodule("up").requires_grad_(False)
        before = model.get_parameter("blocks.0.up.weight").detach().to(batches, copy=True)
        shard(compile_blocks(model, compile_part), batches)
        losses = learn(momentum(model), model, [batch[dist.get_rank()] for batch in batches])
        frozen, moving = ([p for p in model.parameters() if p.requires_grad is wanted] for wanted in (False, True))
        return losses, [before, *whole(frozen), *whole(moving)]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    before, after = result.value("out[1][0]"), result.value("out[1][1]")
    result.happened(bool(before.any()) and torch.equal(before, after), "a frozen parameter that stays")
    trained(result, "out[0]")


class Tied(Stack):
    """A stack whose first and last layer are one parameter."""

    def __init__(self) -> None:
        super().__init__(Feedforward)
        self.first = nn.Linear(8, 8)
        self.first.weight = self.head.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x``: [..., 8]; so is the result."""
        return super().forward(self.first(x).tanh())


@clause("T15.8", modes="train", fullgraph=False, ranks=2, profile="full")
def test_tied_parameters(check: Check) -> None:
    """A weight of the first and the last layer is one shard, whose gradient is the sum of both uses, as eager's."""

    def program(compile_part: Compile, batches: torch.Tensor) -> tuple[list[torch.Tensor], bool]:
        model: Any = shard(Tied(), batches)
        return train(model, compile_part(model), batches), model.first.weight is model.head.weight

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.holds("out[1]", True)
    trained(result, "out[0]")


@clause("T15.8", modes="train", fullgraph=False, ranks=2, profile="full")
def test_state_that_is_loaded_into_another_model(check: Check) -> None:
    """Model and optimizer go on elsewhere from what they have saved: the next step is the one that would have been."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(compile_blocks(Stack(Feedforward), compile_part), batches)
        optimizer = momentum(model)
        mine = [batch[dist.get_rank()] for batch in batches]
        learn(optimizer, model, mine[:2])
        other = compile_blocks(Stack(Feedforward), compile_part)
        with torch.no_grad():
            for parameter in other.parameters():
                parameter.zero_()
        shard(other, batches)
        other.load_state_dict(model.state_dict())
        others_optimizer = momentum(other)
        others_optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        losses = [*learn(optimizer, model, mine[2:]), *learn(others_optimizer, other, mine[2:])]
        return [*losses, *whole(model.parameters()), *whole(other.parameters())]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    values = [result.value(path) for path in result.call.tensors if path.startswith("out")]
    half = (len(values) - 2) // 2
    result.happened(float(values[0]) != 0 and torch.equal(values[0], values[1]), "one loss of both models")
    same = all(map(torch.equal, values[2 : 2 + half], values[2 + half :]))
    result.happened(same and half > 0, "equal parameters of both models after the step")


@clause("T15.8", modes="train", fullgraph=False, ranks=2)
def test_gradients_that_are_clipped(check: Check) -> None:
    """Gradients are scaled by their norm over all ranks: by one of a rank's own shards, the ranks would drift apart."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        norms: list[torch.Tensor] = []
        model = shard(compile_blocks(Stack(Feedforward), compile_part), batches)

        def clip() -> None:
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.05)
            norms.extend(whole([norm]))

        losses = learn(momentum(model), model, [batch[dist.get_rank()] for batch in batches], clip)
        return [*losses, *norms, *whole(model.parameters())]

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    trained(result)
    result.happened(all(float(result.value(f"out[{i}]")) > 0.05 for i in (3, 4, 5)), "norms above the limit")


@clause("T15.8", "T17", modes="train", fullgraph=False, ranks=2, profile="full")
def test_activations_that_are_computed_again(check: Check) -> None:
    """A block that computes its activations again in backward draws the dropout of forward once more, as eager's."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[torch.Tensor]:
        model = shard(compile_blocks(Stack(Recomputed), compile_part), batches)
        return train(model, model, batches)

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    result.drew_random()
    trained(result)
