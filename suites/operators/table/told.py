"""What a program is told of what operators return: the sizes, strides and dtypes that it can reckon with."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.operators.table.programs import Call, Kind, Made
from suites.operators.table.samples import Sample


@dataclasses.dataclass(frozen=True)
class AndTold:
    """A kind of program that returns, besides its outputs, what it is told of each tensor among them."""

    kind: Kind

    def __call__(self, info: Any, samples: Sequence[Sample]) -> Made:
        """The program that the kind makes, with a list under ``told``: a dtype, sizes and strides for each tensor."""
        made = self.kind(info, samples)

        def program(*calls: Call) -> dict[str, Any]:
            outputs = made.program(*calls)
            tensors = [leaf for leaf in torch_internals.pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]
            return {**outputs, "told": [(leaf.dtype, *leaf.shape, *_steps(leaf)) for leaf in tensors]}

        return Made(program, made.args)


def _steps(tensor: torch.Tensor) -> list[int]:
    """The strides; nought where there is nothing to step to, of which no stride is told for sure."""
    some = min(tensor.numel(), 1)
    return [step * min(size - 1, 1) * some for size, step in zip(tensor.shape, tensor.stride(), strict=True)]
