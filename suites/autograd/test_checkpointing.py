"""Activation checkpointing: what is computed again in backward, what never is, and with which random numbers."""

import functools
from typing import Any

import pytest
import torch
from torch.utils.checkpoint import (
    checkpoint,
    checkpoint_sequential,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)

from suites.autograd.checkpointed import dropped, layer, save_products
from suites.harness import Check, built, clause, leaf, tensor


@torch.library.custom_op("parity_autograd::counted_sine", mutates_args={"count"})
def counted_sine(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """The sine, and one more in the count: a second run in backward would show."""
    count.add_(1)
    return a.sin()


@counted_sine.register_fake
def _(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(a)


@clause("A24", modes="train", shapes=("static", "dynamic"))
def test_checkpointed_block_has_the_same_gradients(check: Check) -> None:
    """A checkpointed block gives eager's value and gradients, to the input inside of it and to the weight."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return checkpoint(layer, a * 2, weight, use_reentrant=False).sum(0)

    check(program, tensor(3, 4), leaf(4, 4)).gradient(0, 1)


@clause("A24", modes="train", golden="aot_eager_decomp_partition")
def test_checkpointed_block_is_recomputed_in_backward(check: Check) -> None:
    """Of a checkpointed block the inputs are saved alone, and backward computes it again."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return checkpoint(layer, a, weight, use_reentrant=False)

    result = check(program, tensor(3, 4), leaf(4, 4))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    tanh = torch.ops.aten.tanh.default(mm)
    exp = torch.ops.aten.exp.default(tanh)
    return (exp, primals_1, primals_2)
""")
    result.backward.expect("""\
def forward(self, primals_1, primals_2, tangents_1):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    tanh = torch.ops.aten.tanh.default(mm)
    exp = torch.ops.aten.exp.default(tanh)
    alias = torch.ops.aten.alias.default(exp)
    alias_1 = torch.ops.aten.alias.default(alias)
    mul = torch.ops.aten.mul.Tensor(tangents_1, alias_1)
    alias_2 = torch.ops.aten.alias.default(tanh)
    alias_3 = torch.ops.aten.alias.default(alias_2)
    mul_1 = torch.ops.aten.mul.Tensor(alias_3, alias_3)
    sub = torch.ops.aten.sub.Tensor(1, mul_1)
    mul_2 = torch.ops.aten.mul.Tensor(mul, sub)
    permute = torch.ops.aten.permute.default(primals_1, [1, 0])
    mm_1 = torch.ops.aten.mm.default(permute, mul_2)
    permute_1 = torch.ops.aten.permute.default(primals_2, [1, 0])
    mm_2 = torch.ops.aten.mm.default(mul_2, permute_1)
    return (mm_2, mm_1)
""")


@clause("A24", "A15", modes="train")
def test_dropout_in_a_checkpoint_drops_the_same_elements_again(check: Check) -> None:
    """Dropout that is recomputed in backward drops what it dropped in forward; the generator advances once."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return checkpoint(dropped, a, use_reentrant=False) * 3

    check(program, tensor(8, 8)).drew_random().gradient(0)


@clause("A24", modes="train")
def test_two_checkpoints_with_random_numbers_of_their_own(check: Check) -> None:
    """Two checkpointed blocks that draw keep their own draws, however backward orders their recomputation."""

    def block(a: torch.Tensor, scale: float) -> torch.Tensor:
        return (a * torch.rand_like(a) * scale).sin()

    def program(a: torch.Tensor) -> torch.Tensor:
        first = checkpoint(block, a, 2.0, use_reentrant=False)
        return checkpoint(block, first, 3.0, use_reentrant=False) + first

    check(program, tensor(4, 4)).drew_random().gradient(0)


@clause("A24", modes="train")
def test_checkpoint_inside_of_a_checkpoint(check: Check) -> None:
    """A checkpointed block within another one is recomputed within its recomputation, with the same gradients."""

    def inner(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * a

    def outer(a: torch.Tensor) -> torch.Tensor:
        return checkpoint(inner, a.exp(), use_reentrant=False).tanh() + a

    def program(a: torch.Tensor) -> torch.Tensor:
        return checkpoint(outer, a, use_reentrant=False)

    check(program, tensor(3)).gradient(0)


@clause("A24", modes="train", golden="aot_eager_decomp_partition")
def test_selective_checkpoint_saves_what_its_policy_names(check: Check) -> None:
    """Selective checkpointing saves the matrix products that its policy names and recomputes the rest."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        context = functools.partial(create_selective_checkpoint_contexts, save_products)
        return checkpoint(layer, a, weight, use_reentrant=False, context_fn=context)

    result = check(program, tensor(3, 4), leaf(4, 4))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    tanh = torch.ops.aten.tanh.default(mm)
    exp = torch.ops.aten.exp.default(tanh)
    permute = torch.ops.aten.permute.default(primals_1, [1, 0])
    permute_1 = torch.ops.aten.permute.default(primals_2, [1, 0])
    return (exp, mm, permute, permute_1)
""")
    result.backward.expect("""\
def forward(self, mm, permute, permute_1, tangents_1):
    tanh = torch.ops.aten.tanh.default(mm)
    exp = torch.ops.aten.exp.default(tanh)
    alias = torch.ops.aten.alias.default(exp)
    alias_1 = torch.ops.aten.alias.default(alias)
    mul = torch.ops.aten.mul.Tensor(tangents_1, alias_1)
    alias_2 = torch.ops.aten.alias.default(tanh)
    alias_3 = torch.ops.aten.alias.default(alias_2)
    mul_1 = torch.ops.aten.mul.Tensor(alias_3, alias_3)
    sub = torch.ops.aten.sub.Tensor(1, mul_1)
    mul_2 = torch.ops.aten.mul.Tensor(mul, sub)
    mm_1 = torch.ops.aten.mm.default(permute, mul_2)
    mm_2 = torch.ops.aten.mm.default(mul_2, permute_1)
    return (mm_2, mm_1)
""")


@clause("A24", modes="train")
def test_selective_checkpoint_with_dropout(check: Check) -> None:
    """Under selective checkpointing dropout drops the same elements in forward and in backward."""

    def block(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout((a @ weight).sin(), 0.5).exp()

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        context = functools.partial(create_selective_checkpoint_contexts, save_products)
        return checkpoint(block, a, weight, use_reentrant=False, context_fn=context)

    check(program, tensor(4, 4), leaf(4, 4)).drew_random().gradient(0, 1)


class _Stack(torch.nn.Module):
    """Two checkpointed layers with dropout, and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(2))

    def layer(self, index: int, a: torch.Tensor) -> torch.Tensor:
        return a + torch.nn.functional.dropout(torch.tanh(self.layers[index](a)), 0.25)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        for index in range(2):
            a = checkpoint(functools.partial(self.layer, index), a, use_reentrant=False)
        return a.sin()


@clause("A24", modes="train")
def test_module_with_checkpointed_layers(check: Check) -> None:
    """Checkpointed layers with dropout in a loop give every parameter eager's gradient, accumulated over two calls."""
    check(built(_Stack), tensor(3, 4)).drew_random().gradient(0, 1, 2, 3, 4)


@clause("A24")
def test_checkpoint_without_gradients_is_its_block(check: Check) -> None:
    """Without gradients a checkpointed block is computed once, and nothing is kept."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return checkpoint(layer, a, weight, use_reentrant=False)

    result = check(program, tensor(3, 4), leaf(4, 4))
    result.no_grad("out")
    result.values().expect("""\
out = float32[3, 4] [[2.639, 2.538, 0.4033, 2.718], [1.726, 2.014, 2.715, 0.3757], [2.676, 1.923, 2.653, 1.728]]
""")


@clause("A15", modes="train")
def test_operator_that_counts_its_runs_is_not_run_again(check: Check) -> None:
    """An operator with a side effect on a buffer runs once, in forward, however cheap it would be to recompute."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        noise = counted_sine(a.detach(), count)
        return (a * noise).exp() * noise

    result = check(program, tensor(3), tensor(1, grad=False, values=[0.0]))
    result.mutated(1).gradient(0)
    result.happened(not result.call.after_backward, "a count that backward leaves alone")


@clause("A15", modes="train", golden="aot_eager_decomp_partition")
def test_random_numbers_are_saved_and_not_drawn_again(check: Check) -> None:
    """Backward uses the numbers that forward drew: the draw is in the forward graph alone, and saved."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * torch.rand_like(a)).sin()

    result = check(program, tensor(4))
    result.drew_random().gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    rand_like = torch.ops.aten.rand_like.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(primals_1, rand_like)
    sin = torch.ops.aten.sin.default(mul)
    return (sin, primals_1, rand_like)
""")
    result.backward.expect("""\
def forward(self, primals_1, rand_like, tangents_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, rand_like)
    cos = torch.ops.aten.cos.default(mul)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_1, cos)
    mul_2 = torch.ops.aten.mul.Tensor(mul_1, rand_like)
    return (mul_2,)
""")


@clause("A15", modes="train")
def test_dropout_mask_of_forward_is_the_one_of_backward(check: Check) -> None:
    """Where dropout dropped an element its gradient is zero, through a chain that is cheap to recompute."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = torch.nn.functional.dropout(a.sin(), 0.5)
        c = torch.nn.functional.dropout(b.cos(), 0.5)
        return (b * c).exp() * torch.bernoulli(torch.full_like(a, 0.5))

    check(program, tensor(6, 6)).drew_random().gradient(0)


@clause("A15", modes="train")
def test_products_are_recomputed_under_a_memory_budget(check: Check) -> None:
    """Under a budget for activations products are computed again in backward, and gradients are what they were."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            a = torch.tanh(a @ weight).cos()
        return a

    check(program, tensor(4, 4), leaf(4, 4), config={"functorch.activation_memory_budget": 0.2}).gradient(0, 1)


@clause("A15", modes="train")
def test_random_numbers_under_a_memory_budget(check: Check) -> None:
    """Under a budget for activations backward still uses the numbers that forward drew."""

    def program(a: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            a = torch.nn.functional.dropout(a.sin(), 0.5) * a.cos()
        return a

    check(program, tensor(8, 8), config={"functorch.activation_memory_budget": 0.2}).gradient(0).drew_random()


@clause("A15", modes="train")
def test_random_numbers_under_aggressive_recomputation(check: Check) -> None:
    """Where all that can be is computed again, dropout and noise are not: backward uses the numbers of forward."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        noise = torch.rand_like(a).sin()
        return torch.nn.functional.dropout((a @ weight).cos() * noise, 0.5).exp()

    check(program, tensor(6, 6), leaf(6, 6), config={"functorch.aggressive_recomputation": True}).gradient(
        0, 1
    ).drew_random()


@clause("A15", modes="train")
def test_everything_is_recomputed_without_a_memory_budget(check: Check) -> None:
    """Without any budget for activations only inputs are saved, and gradients are what they were."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        b = torch.tanh(a @ weight)
        return (b @ weight.t()).cos() * b.exp()

    check(program, tensor(4, 4), leaf(4, 4), config={"functorch.activation_memory_budget": 0.0}).gradient(0, 1)


@clause("A15", modes="train")
def test_random_numbers_without_a_memory_budget(check: Check) -> None:
    """Without any budget for activations backward still uses the numbers that forward drew."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(a.sin(), 0.5) * a.cos()

    check(program, tensor(8, 8), config={"functorch.activation_memory_budget": 0.0}).gradient(0).drew_random()


@clause("A24", "A6", modes="train", shapes="dynamic")
def test_two_dropouts_in_a_checkpoint_of_sizes_that_are_saved(check: Check) -> None:
    """Each state of the generator that a checkpoint saves is found again between saved tensors and saved sizes."""

    def block(a: torch.Tensor) -> torch.Tensor:
        rows = torch.nn.functional.dropout(a.exp(), 0.5).sin()
        return torch.nn.functional.dropout(rows * rows.shape[0], 0.25).cos()

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return checkpoint(block, a, use_reentrant=False).sum(0) * b.mean(0, keepdim=True).expand_as(b).shape[0] * b

    check(program, tensor(5, 3), tensor(7, 3)).drew_random().gradient(0, 1)


class _Normalised(torch.nn.Module):
    """Batch normalisation in a checkpoint, and a product."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(2)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.norm, a, use_reentrant=False) * 3


@clause("A24", "T13", modes="train")
def test_running_statistics_in_a_checkpoint(check: Check) -> None:
    """Batch normalisation in a checkpoint counts a batch in forward, and again where backward computes it again."""
    check(built(_Normalised), calls=[(tensor(3, 2),)]).gradient(0).mutated_in_backward(
        "module.norm.num_batches_tracked"
    )


@clause("A24", "T13", modes="train")
def test_frozen_statistics_in_a_checkpoint(check: Check) -> None:
    """Batch normalisation in evaluation, in a checkpoint, takes its statistics as they are, and has gradients."""
    result = check(built(lambda: _Normalised().eval()), tensor(3, 2))
    result.gradient(0, 1, 2).unchanged("module.norm.running_mean", "module.norm.num_batches_tracked")


class _Counted(torch.nn.Module):
    """A product with a count of the runs, in a checkpoint."""

    runs: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("runs", torch.zeros(2))

    def counted(self, a: torch.Tensor) -> torch.Tensor:
        self.runs.add_(1)
        return a * self.runs

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.counted, a, use_reentrant=False) * 3


@clause("A24", "T13", modes="train")
def test_buffer_that_a_checkpoint_counts_in(check: Check) -> None:
    """A buffer that a checkpointed block adds to is added to again by backward, by which it then multiplies."""
    result = check(built(_Counted), calls=[(tensor(2),)])
    result.gradient(0).mutated("module.runs").mutated_in_backward("module.runs")


@clause("A24", "T3.1", modes="train")
def test_write_around_a_checkpoint(check: Check) -> None:
    """A buffer that the program writes to before a checkpointed block reads it is written once, and read as written."""

    def block(a: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
        scaled = buffer * 2
        scaled.add_(1)
        return (a * buffer).sin() * scaled

    def program(a: torch.Tensor, buffer: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        buffer.add_(1)
        result = checkpoint(block, a, buffer, use_reentrant=False)
        count.add_(result.detach().sum())
        return result

    buffers = tensor(2, grad=False, values=[1.0, -3.0]), tensor(grad=False, values=[1.0])
    result = check(program, tensor(2), *buffers).gradient(0).mutated(1, 2)
    result.happened(not result.call.after_backward, "buffers that backward leaves alone")


@clause("A24", "T3.1")
def test_write_in_a_checkpoint_without_gradients(check: Check) -> None:
    """Without gradients a checkpointed block writes once."""

    def block(a: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
        buffer.add_(1)
        return a * buffer

    def program(a: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
        return checkpoint(block, a, buffer, use_reentrant=False)

    check(program, tensor(2, values=[0.5, 2.0]), tensor(2, values=[1.0, -3.0])).mutated(1).values().expect("""\
out = float32[2] [1, -4]
arg[1] = float32[2] [2, -2]
""")


@clause("A24", modes="train")
def test_reentrant_checkpoint_has_the_same_gradients(check: Check) -> None:
    """A checkpoint of the reentrant kind gives eager's value and gradients."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return checkpoint(layer, a * 2, weight, use_reentrant=True).sum(0)

    check(program, tensor(3, 4), leaf(4, 4)).gradient(0, 1).computed()


OPTIONS: dict[str, dict[str, Any]] = {
    "without the state of generators": {"preserve_rng_state": False},
    "without a check of what is computed again": {"determinism_check": "none"},
    "by name and number": {"power": 3},
}


@pytest.mark.parametrize("options", OPTIONS)
@clause("A24", modes="train")
def test_checkpoint_with_options(check: Check, options: str) -> None:
    """A checkpointed block has eager's gradients whatever is kept and checked for it, and takes arguments by name."""

    def block(a: torch.Tensor, weight: torch.Tensor, power: int = 2) -> tuple[torch.Tensor, int]:
        return torch.tanh(a @ weight) ** power, power

    def program(a: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, int]:
        value, power = checkpoint(block, a * 2, weight, use_reentrant=False, **OPTIONS[options])
        return value.sum(0), power

    check(program, tensor(3, 4), leaf(4, 4)).gradient(0, 1).holds("out[1]", OPTIONS[options].get("power", 2))


@clause("A24", modes="train", fullgraph=False)
def test_checkpoint_that_is_computed_to_its_end(check: Check) -> None:
    """Without an early stop backward computes all of a block again, also what no gradient needs."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        with set_checkpoint_early_stop(False):
            value: torch.Tensor = checkpoint(layer, doubled, weight, use_reentrant=False)
        return value.sum(0)

    check(program, tensor(3, 4), leaf(4, 4)).gradient(0, 1)


@clause("A24", modes="train", fullgraph=False)
def test_checkpointed_parts_of_a_sequence(check: Check) -> None:
    """Five functions in two checkpointed parts, of which the last may keep what it computes, are the five in a row."""

    def program(a: torch.Tensor) -> torch.Tensor:
        parts = [torch.sin, torch.exp, lambda a: a * a.sum(), torch.tanh, torch.cos]
        result: torch.Tensor = checkpoint_sequential(parts, 2, a * 2, use_reentrant=False)
        return result + a

    check(program, tensor(3)).gradient(0)
