"""Mutants of wrapper subclasses: their types, what they hold, and which of their sides is which."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.torch_internals import TwoTensor, is_traceable_wrapper_subclass

from .making import Run, backward, graph, map_tensors, overwrite, tensors_in


@graph("value")
def exchanges_the_sides(run: Run) -> Run:
    """A wrapper of two tensors comes back with its sides exchanged."""

    def exchanged(tensor: torch.Tensor) -> torch.Tensor:
        if isinstance(tensor, TwoTensor):
            tensor.a, tensor.b = tensor.b, tensor.a
        return tensor

    return lambda *args: map_tensors(exchanged, run(*args))


@graph("value", "structure")
def halves_a_nested_side(run: Run) -> Run:
    """A wrapper inside of a wrapper comes back as one that holds its first tensor twice."""

    def halved(tensor: torch.Tensor) -> torch.Tensor:
        if isinstance(tensor, TwoTensor) and isinstance(tensor.a, TwoTensor):
            tensor.a = TwoTensor(tensor.a.a, tensor.a.a.clone())
        return tensor

    return lambda *args: map_tensors(halved, run(*args))


@graph("structure")
def forgets_constant_metadata(run: Run) -> Run:
    """The tag of a tagged wrapper is zero when it comes back, whatever it held."""

    def untagged(tensor: torch.Tensor) -> torch.Tensor:
        for held in tensors_in(tensor):
            if isinstance(getattr(held, "tag", None), int):
                held.tag = 0  # type: ignore[attr-defined]
        return tensor

    return lambda *args: map_tensors(untagged, run(*args))


@graph("mutation")
def writes_one_side_only(run: Run) -> Run:
    """What the program wrote to a wrapper reaches the first of the tensors that it holds, and no other."""

    def wrong(*args: Any) -> Any:
        others: list[torch.Tensor] = []
        for tensor in tensors_in(args):
            if is_traceable_wrapper_subclass(tensor):
                others += [getattr(tensor, name) for name in tensor.__tensor_flatten__()[0][1:]]
        plain = [(held, held.detach().clone()) for held in others if not is_traceable_wrapper_subclass(held)]
        outputs = run(*args)
        for held, old in plain:
            if not torch.equal(held, old):
                overwrite(held, old)
        return outputs

    return wrong


@graph("value")
def moves_ragged_rows(run: Run) -> Run:
    """The rows of a jagged nested tensor come back one place further, over the boundaries of its components."""

    def moved(tensor: torch.Tensor) -> torch.Tensor:
        if torch_internals.is_jagged(tensor):
            torch_internals.set_jagged_values(tensor, tensor.values().roll(1, 0))
        return tensor

    return lambda *args: map_tensors(moved, run(*args))


@backward("autograd")
def exchanges_two_gradients(run: Run) -> Run:
    """The last two gradients of one shape are exchanged, as of the two sides of a wrapper."""

    def wrong(*args: Any) -> Any:
        gradients = list(run(*args))
        places = [place for place, value in enumerate(gradients) if isinstance(value, torch.Tensor)]
        for left, right in zip(places[-2::-1], places[:0:-1], strict=False):
            if gradients[left].shape == gradients[right].shape:
                gradients[left], gradients[right] = gradients[right], gradients[left]
                break
        return tuple(gradients)

    return wrong
