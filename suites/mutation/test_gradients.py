"""Gradients past a mutation: present where they are zero, and the same when backward runs a second time."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T3.1", modes="train")
def test_gradient_that_is_zero_everywhere_is_still_there(check: Check) -> None:
    """An input multiplied in place by zero keeps a gradient: zeros, not None."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(0)
        return a.sin() + b

    check(program, tensor(4), tensor(4)).mutated(0).gradient(0, 1)


@clause("T3.1", modes="train")
def test_second_backward_accumulates_the_same_gradient(check: Check) -> None:
    """With its graph retained, backward past a mutation runs again and adds the same gradient a second time."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a.sin() * b

    check(program, tensor(4), tensor(4), backward_twice=True).mutated(0).gradient(0, 1)


@clause("T3.1", modes="train")
def test_second_backward_beside_a_mutated_constant(check: Check) -> None:
    """With its graph retained, backward of a program that mutates a constant input runs again and adds the same."""

    def program(count: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        count.add_(1)
        return a.cos() + count.sum()

    result = check(program, tensor(4, grad=False), tensor(4), backward_twice=True)
    result.mutated(0).unchanged(1).gradient(0)


@clause("T3.1", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_function_of_an_input_in_place_is_differentiated_at_its_old_values(check: Check) -> None:
    """An input with a history that becomes its own sine in place is, for backward, what it was: its cosine is taken."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.sin_()
        return a + b

    check(program, tensor(4), tensor(4)).mutated(0).gradient(0, 1)


@clause("T3.1", modes="train", entry=ANY)
def test_factor_of_an_input_in_place_gets_its_old_values(check: Check) -> None:
    """The gradient of what an input with a history is multiplied by in place is what the input was before."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(b).add_(1)
        return (a * b).sum(1)

    check(program, tensor(3, 5), tensor(3, 5)).mutated(0).gradient(0, 1)
