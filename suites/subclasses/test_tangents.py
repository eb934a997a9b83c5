"""What reaches a compiled backward: tangents of the expected type, of another one, and those that coerce themselves."""

import torch

from suites.harness import Check, built, clause, tensor
from suites.harness.torch_internals import TwoTensor
from suites.layout.outside import hand_back, noted

from .tensors import Retagged, Standardised, Unwrapping, nested, tagged, two


@clause("T8.3", modes="train", fullgraph=False)
def test_plain_tangent_of_a_wrapped_output(check: Check) -> None:
    """A plain tangent where a wrapper was expected gives eager's plain gradient (torch refuses it, aloud)."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return hand_back(a * 2, lambda tangent: tangent.a)

    result = check(program, built(two, tensor(3, grad=False), tensor(3, grad=False))).gradient(0)
    gradient = result.call.gradients["arg[0]"]
    result.happened(gradient is not None and gradient.type == "Tensor", "a plain gradient")


@clause("T8.3", modes="train", fullgraph=False)
def test_wrapped_tangent_of_a_plain_output(check: Check) -> None:
    """A wrapper as tangent of a plain output gives eager's wrapped gradient (torch refuses it, aloud)."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return hand_back(a * 2, lambda tangent: TwoTensor(tangent, tangent * 5))

    result = check(program, tensor(3)).gradient(0)
    gradient = result.call.gradients["leaf[0]"]
    result.happened(gradient is not None and gradient.type == "TwoTensor", "a wrapped gradient")


@clause("T8.2", modes="train", fullgraph=False)
def test_wrapper_as_the_tangent_of_a_nested_one(check: Check) -> None:
    """A wrapper of plain tensors as the tangent of a nested wrapper is eager's gradient (torch refuses it, aloud)."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return hand_back(a * 2, lambda tangent: TwoTensor(tangent.a.a, tangent.b.b))

    check(program, built(nested, *[tensor(3, grad=False) for _ in range(4)])).gradient(0)


@clause("T8.2", modes="train", fullgraph=False)
def test_wrapped_output_that_backward_does_not_reach(check: Check) -> None:
    """Of two wrapped outputs only one is used: the gradient is that one's alone (torch refuses it, aloud)."""

    def program(a: torch.Tensor) -> torch.Tensor:
        used, unused = a.sin(), a.cos()
        torch._dynamo.graph_break()
        return used * 2 if unused.dim() == 1 else unused

    check(program, built(two, tensor(3, grad=False), tensor(3, grad=False))).gradient(0)


@clause("T8.4", modes="train", fullgraph=False)
def test_tangent_coerced_to_the_expected_metadata(check: Check) -> None:
    """A tangent of another tag that coerces itself is taken with its values, and the gradient has the expected tag."""
    notes: list[int] = []

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a = noted(a, lambda gradient: gradient.tag, notes)
        torch._dynamo.graph_break()
        return hand_back(a * b, lambda tangent: Retagged(tangent.held * 5, 70))

    left = built(tagged(Retagged, 3), tensor(3, grad=False))
    right = built(tagged(Retagged, 3), tensor(3, grad=False))
    check(program, left, right).gradient(0, 1).mutated_in_backward("closure notes")


@clause("T8.4", modes="train", fullgraph=False)
def test_tangent_coerced_to_a_plain_tensor(check: Check) -> None:
    """A wrapper that coerces itself to a plain tensor may be the tangent of a plain output."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return hand_back(a * b, lambda tangent: Unwrapping(tangent * 5, 1))

    result = check(program, tensor(3), tensor(3)).gradient(0, 1)
    gradient = result.call.gradients["leaf[0]"]
    result.happened(gradient is not None and gradient.type == "Tensor", "a plain gradient")


@clause("T8.4", modes="train", fullgraph=False)
def test_tangents_made_standard_ahead_of_time(check: Check) -> None:
    """A class that wants tangents of one standard tag gets them so in backward, whatever tag the output has."""
    notes: list[int] = []

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a = noted(a, lambda gradient: gradient.tag, notes)
        torch._dynamo.graph_break()
        return hand_back(a * b, lambda tangent: Standardised(tangent.held * 5, Standardised.STANDARD))

    left = built(tagged(Standardised, 3), tensor(3, grad=False))
    right = built(tagged(Standardised, 3), tensor(3, grad=False))
    check(program, left, right).gradient(0, 1).mutated_in_backward("closure notes")


@clause("T8.2", "A17", modes="train", inputs="subclass", fullgraph=False)
def test_strided_tangent_of_a_wrapper(check: Check) -> None:
    """A wrapper whose sides are transposed or expanded, as tangent, is read element by element as eager reads it."""

    def turned(tangent: TwoTensor) -> torch.Tensor:
        return TwoTensor(tangent.a.t().contiguous().t(), tangent.b.t().contiguous().t())

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first, second = a.sin(), b.cos()
        torch._dynamo.graph_break()
        return hand_back(first, turned), hand_back(second, lambda tangent: tangent[0].expand(2, 3))

    check(program, tensor(2, 3), tensor(2, 3)).gradient(0, 1)


@clause("A17", modes="train", shapes=("static", "dynamic"), inputs="subclass")
def test_channels_last_tangent_of_a_wrapper(check: Check) -> None:
    """A wrapper with channels_last sides comes back so, and a contiguous tangent of it means the same elements."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.to(memory_format=torch.channels_last) * 2

    result = check(program, tensor(2, 3, 2, 2)).gradient(0)
    result.strides("out.a", 12, 1, 6, 3).strides("out.b", 12, 1, 6, 3).strides("out", 12, 1, 6, 3)


@clause("T8.2", modes="train", inputs="subclass")
def test_backward_twice_through_wrappers(check: Check) -> None:
    """A second backward through one graph with wrapped tangents accumulates the same gradients again."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b.sin()

    check(program, tensor(3), tensor(3), backward_twice=True).gradient(0, 1)
