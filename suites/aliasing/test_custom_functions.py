"""Custom autograd Functions that return an input, a view of it, or a tensor that they mutated."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor


class PassThrough(torch.autograd.Function):
    """Returns its input as it is; its backward is recognisable: three times the cotangent."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """The value, as eager and traced programs compute it."""
        return a

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """The gradient that must arrive."""
        return cotangent * 3


class Flattened(torch.autograd.Function):
    """Returns a flat view of its input; its backward is recognisable: three times the cotangent."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """The value, as eager and traced programs compute it."""
        ctx.shape = a.shape
        return a.view(-1)

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """The gradient that must arrive."""
        return (cotangent * 3).view(ctx.shape)


class Doubled(torch.autograd.Function):
    """Doubles its input in place and marks it dirty."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """The value, as eager and traced programs compute it."""
        a.mul_(2)
        ctx.mark_dirty(a)
        return a

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """The gradient that must arrive."""
        return cotangent * 2


class Product(torch.autograd.Function):
    """The product of two inputs, each saved once even where they are one tensor."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """The value, as eager and traced programs compute it."""
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The gradient that must arrive."""
        a, b = ctx.saved_tensors
        return cotangent * b * 5, cotangent * a * 7


@clause("T7.11", modes="train")
def test_function_that_returns_its_input(check: Check) -> None:
    """A Function that returns its input as it is gives an alias of it, and its own backward runs."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = PassThrough.apply(a)
        return b, b * 2

    result = check(program, tensor(4))
    result.aliases("out[0]", 0).gradient(0)


@clause("T7.11", modes="train")
def test_function_that_returns_an_intermediate_as_it_is(check: Check) -> None:
    """A Function that returns an intermediate as it is: both names share memory, and the gradient goes through it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        return PassThrough.apply(b), b

    check(program, tensor(4)).aliases("out[0]", "out[1]").gradient(0)


@clause("T7.11", modes="train")
def test_function_that_returns_a_view_of_its_input(check: Check) -> None:
    """A Function that returns a view of an intermediate shares its memory, and its own backward runs."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        return Flattened.apply(b), b

    check(program, tensor(2, 2)).aliases("out[0]", "out[1]").gradient(0)


@clause("T7.11", modes="train")
def test_function_that_mutates_an_intermediate(check: Check) -> None:
    """A Function that marks its input dirty changes every alias of it, and its own backward runs."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        return Doubled.apply(b), b

    check(program, tensor(4)).same_object("out[1]", "out[0]").gradient(0)


@clause("T7.11", modes="train")
def test_function_that_mutates_an_input(check: Check) -> None:
    """A Function that marks an input of the program dirty changes the caller's tensor and returns that very object."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return Doubled.apply(a)

    check(program, tensor(4)).mutated(0).same_object("out", "arg[0]")


@clause("T7.11", modes="train", fullgraph=False)
def test_function_given_one_tensor_twice(check: Check) -> None:
    """A Function given one tensor as both arguments sums the two gradients that its backward returns."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        return Product.apply(b, b) + 1

    check(program, tensor(4)).gradient(0).shape("out", 4)


@clause("T7.11", modes="train")
def test_function_given_a_tensor_and_a_view_of_it(check: Check) -> None:
    """A Function given a tensor and a view of it sums both gradients in the tensor."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return Product.apply(a, a.flip(0).view(-1))

    check(program, tensor(4)).gradient(0)
