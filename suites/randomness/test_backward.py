"""Draws in backward, and in what is recomputed for it."""

from typing import Any

import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from suites.harness import Check, clause, tensor


class _NoisyGradient(torch.autograd.Function):
    """The identity, whose gradient is multiplied by noise."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        return a * 1

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * torch.rand_like(gradient)


@clause("T17", modes="train")
def test_draw_in_the_backward_of_a_custom_function(check: Check) -> None:
    """What a custom backward draws is drawn when backward runs, after all draws of forward."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return _NoisyGradient.apply(a.sin()) + torch.rand_like(a)

    check(program, tensor(4, 3)).drew_random().gradient(0)


@clause("T17", modes="train")
def test_checkpointed_dropout_is_recomputed_with_its_mask(check: Check) -> None:
    """A checkpointed region recomputes dropout with the mask of the first time, and leaves the generator as eager."""

    def region(a: torch.Tensor) -> torch.Tensor:
        return functional.dropout(a.sin(), 0.5).cos()

    def program(a: torch.Tensor) -> torch.Tensor:
        return checkpoint(region, a, use_reentrant=False) * 2

    check(program, tensor(5, 4)).drew_random().gradient(0)


@clause("T17", modes="train")
def test_draw_between_a_checkpoint_and_its_recomputation(check: Check) -> None:
    """Draws after a checkpointed region do not move the mask with which it is recomputed, nor does it move them."""

    def region(a: torch.Tensor) -> torch.Tensor:
        return (functional.dropout(a, 0.5) * a).exp()

    def program(a: torch.Tensor) -> torch.Tensor:
        first = checkpoint(region, a, use_reentrant=False)
        return functional.dropout(first, 0.3) + torch.rand_like(a)

    check(program, tensor(5, 4)).drew_random().gradient(0)


@clause("T17", modes="train")
def test_draw_is_saved_for_backward_and_not_drawn_again(check: Check) -> None:
    """Noise that the gradient needs is the noise of forward, however cheap it is to draw again."""

    def program(a: torch.Tensor) -> torch.Tensor:
        noise = torch.rand_like(a)
        return (a * noise).sin() * (noise + 1)

    result = check(program, tensor(4, 3)).drew_random().gradient(0)
    result.backward.expect("""\
def forward(self, primals_1, rand_like, tangents_1):
    add = torch.ops.aten.add.Tensor(rand_like, 1)
    mul = torch.ops.aten.mul.Tensor(tangents_1, add)
    mul_1 = torch.ops.aten.mul.Tensor(primals_1, rand_like)
    cos = torch.ops.aten.cos.default(mul_1)
    mul_2 = torch.ops.aten.mul.Tensor(mul, cos)
    mul_3 = torch.ops.aten.mul.Tensor(mul_2, rand_like)
    return (mul_3,)
""")


@clause("T17", modes="train")
def test_draw_in_a_gradient_hook(check: Check) -> None:
    """A hook that draws does so once, when its gradient arrives."""

    def program(a: torch.Tensor) -> torch.Tensor:
        scaled = a * 3
        scaled.register_hook(lambda gradient: gradient + torch.rand_like(gradient))
        return scaled.sin()

    check(program, tensor(4)).gradient(0)
