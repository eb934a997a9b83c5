"""What a program is told of what operators return: the sizes, strides and dtypes that it can reckon with."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness import torch_internals


def told_of(outputs: Any) -> list[tuple[Any, ...]]:
    """A dtype, sizes and strides for each tensor among outputs, for a program to return.

    A stride is nought where there is nothing to step to: no stride is told for sure of such a dimension.
    """
    tensors = [leaf for leaf in torch_internals.pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]
    return [(leaf.dtype, *leaf.shape, *_steps(leaf)) for leaf in tensors]


def _steps(tensor: torch.Tensor) -> list[int]:
    some = min(tensor.numel(), 1)
    return [step * min(size - 1, 1) * some for size, step in zip(tensor.shape, tensor.stride(), strict=True)]
