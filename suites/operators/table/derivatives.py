"""Gradients that a program takes of an operator itself, whose own gradients are those of the second order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.operators.table.changes import GRADIENTS, changes
from suites.operators.table.programs import Made
from suites.operators.table.samples import Sample, is_float


def gradients_of(info: Any, samples: Sequence[Sample]) -> Made:
    """The gradients of what an operator returns for the samples that are chosen for it, squared and summed."""
    keys = {change.key for change in changes()[GRADIENTS][info.formatted_name]}
    operator = torch_internals.without_seeding(info.get_op())
    asked = [(sample, gradient_of(operator, sample)) for sample in samples if sample.key in keys]

    def program(*calls: Any) -> dict[str, Any]:
        return {sample.key: gradient(*call) for (sample, gradient), call in zip(asked, calls, strict=True)}

    return Made(program, tuple((sample.args, dict(sample.kwargs)) for sample, _ in asked))


def gradient_of(operator: Callable[..., Any], sample: Sample) -> Callable[..., Any]:
    """A function of a sample's arguments, as a tuple and a dict: ``torch.func.grad`` of the sum of squares, by all."""
    process, pytree = sample.process, torch_internals.pytree

    def gradient(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        leaves, shape = pytree.tree_flatten((args, kwargs))
        numbers = tuple(place for place, leaf in enumerate(leaves) if is_float(leaf))

        def total(*tensors: torch.Tensor) -> torch.Tensor:
            filled = list(leaves)
            for place, tensor in zip(numbers, tensors, strict=True):
                filled[place] = tensor
            whole, named = pytree.tree_unflatten(filled, shape)
            output = operator(*whole, **named)
            output = output if process is None else process(output)
            found = [leaf for leaf in pytree.tree_leaves(output) if is_float(leaf)]
            return torch.stack([leaf.square().sum() for leaf in found]).sum()

        return torch.func.grad(total, argnums=tuple(range(len(numbers))))(*(leaves[place] for place in numbers))

    return gradient
