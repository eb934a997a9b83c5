"""Random mutation: in-place random ops on inputs draw what eager draws and leave the generator where eager does."""

import torch

from suites.harness import Check, clause, tensor


@clause("T3.1", "T17", modes=("train", "no_grad"), shapes=("static", "dynamic"))
def test_input_filled_with_random_numbers(check: Check) -> None:
    """`uniform_` on an input gives the caller eager's numbers, and the generator's next number is eager's too."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.uniform_(-1, 1)
        return a * 2

    check(program, tensor(5)).mutated(0).drew_random()


@clause("T3.1", "T17", modes=("train", "no_grad"))
def test_random_mutations_keep_their_order(check: Check) -> None:
    """Of three draws in a program each gets its own share of the stream, in the order in which they are written."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.normal_()
        noise = torch.rand_like(a)
        b.bernoulli_(0.5)
        return noise * 3

    check(program, tensor(6), tensor(6)).mutated(0, 1).drew_random()


@clause("T3.1", "T17", modes=("train", "no_grad"))
def test_draw_that_nobody_uses_still_advances_the_generator(check: Check) -> None:
    """A random number that is thrown away is drawn all the same: what the caller draws next does not move."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.rand(3)
        return a.add_(torch.rand_like(a))

    check(program, tensor(4)).mutated(0).drew_random()


@clause("T3.1", "T17", modes="train", shapes=("static", "dynamic"))
def test_dropout_of_a_mutated_input(check: Check) -> None:
    """Dropout of an input that was mutated before drops eager's elements, in the result and in the gradient."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(3)
        return torch.nn.functional.dropout(a, 0.5)

    check(program, tensor(4, 4)).mutated(0).drew_random().gradient(0)
