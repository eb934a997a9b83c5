"""What AOTAutograd's export refuses: each program beside the nearest one that it takes."""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor, torch_internals

ON = ("export_joint",)


class Returned(torch.nn.Module):
    """A module that returns a loss which ``compute`` makes of the argument and a parameter."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([2.0, -3.0]))
        self.compute = compute

    def forward(self, *args: torch.Tensor) -> Any:
        """What ``compute`` makes of the parameter and the arguments."""
        return self.compute(self.weight, *args)


def accepted(check: Check, compute: Callable[..., Any], *inputs: Any) -> Any:
    """Check the program that export takes."""
    return check(built(lambda: Returned(compute)), *inputs, probe=False).gradient(0)


def refusal(compute: Callable[..., Any], *args: torch.Tensor, joint: bool = True) -> str:
    """The message with which the joint export, or the one of forward alone, refuses a program; empty if it does not."""
    options = {"trace_joint": True, "output_loss_index": 0} if joint else {"trace_joint": False}
    try:
        torch_internals.aot_export_module(Returned(compute), args, **options)
    except (RuntimeError, AssertionError) as error:
        return str(error)
    return ""


def demand_refusal(result: Any, words: str, message: str) -> None:
    """Demand that an export was refused, in a message with these words."""
    result.demand("error", "the refusal", f"a refusal that says {words!r}", _described(words, message))


def _described(words: str, message: str) -> str:
    return f"a refusal that says {words!r}" if words in message else message or "no refusal"


@clause("A11", modes="train", on=ON)
def test_metadata_mutation_of_an_input_is_refused(check: Check) -> None:
    """A program that transposes its input in place is not exported; one that returns the transpose is."""

    def transposes(weight: torch.Tensor, a: torch.Tensor) -> Any:
        a.t_()
        return ((a * weight).sum(),)

    def returns(weight: torch.Tensor, a: torch.Tensor) -> Any:
        return ((a.t() * weight).sum(),)

    result = accepted(check, returns, tensor(2, 2))
    demand_refusal(result, "metadata", refusal(transposes, torch.ones(2, 2), joint=False))


@clause("A11", modes="train", on=ON)
def test_mutated_views_of_one_base_are_refused(check: Check) -> None:
    """A program whose inputs overlap and are written is not exported; apart from each other they are."""

    def writes(weight: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> Any:
        a.mul_(2)
        return ((a + b).sum(),)

    def reads(weight: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> Any:
        return ((a * weight + b).sum(),)

    result = accepted(check, reads, tensor(2), tensor(2))
    base = torch.ones(4)
    demand_refusal(result, "alias", refusal(writes, base[:2], base[1:3], joint=False))


@clause("A11", modes="train", on=ON)
def test_duplicate_mutated_inputs_are_refused(check: Check) -> None:
    """A program that is given one tensor twice and writes to it is not exported."""

    def writes(weight: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> Any:
        a.mul_(2)
        b.add_(1)
        return ((a + b).sum(),)

    def reads(weight: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> Any:
        return ((a * 2 * weight - b).sum(),)

    result = accepted(check, reads, tensor(2), tensor(2))
    twice = torch.ones(2)
    demand_refusal(result, "duplicated inputs", refusal(writes, twice, twice, joint=False))


@clause("A11", modes="train", on=ON)
def test_loss_that_is_no_scalar_is_refused(check: Check) -> None:
    """The joint export takes a loss of one element that requires grad, and neither a vector nor a constant."""

    def vector(weight: torch.Tensor, a: torch.Tensor) -> Any:
        return (a * weight,)

    def constant(weight: torch.Tensor, a: torch.Tensor) -> Any:
        return (a.detach().sum(),)

    def scalar(weight: torch.Tensor, a: torch.Tensor) -> Any:
        return ((a * weight).sum(),)

    result = accepted(check, scalar, tensor(2))
    demand_refusal(result, "scalar", refusal(vector, torch.ones(2)))
    demand_refusal(result, "does not require gradients", refusal(constant, torch.ones(2)))


@clause("A11", modes="train", on=ON)
def test_second_output_with_a_gradient_is_refused(check: Check) -> None:
    """Beside the loss no output of the joint export may require grad; detached it may be returned."""

    def recorded(weight: torch.Tensor, a: torch.Tensor) -> Any:
        return (a * weight).sum(), a * weight

    def detached(weight: torch.Tensor, a: torch.Tensor) -> Any:
        return (a * weight).sum(), (a * weight).detach()

    result = accepted(check, detached, tensor(2)).no_grad("out[1]")
    demand_refusal(result, "that was not the scalar loss", refusal(recorded, torch.ones(2)))
