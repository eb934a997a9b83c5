"""What writing to the outputs of a call hides, and what it must not."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tools.checking import check


def hands_out_its_own_memory(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    """Each call computes into the tensors that the first one returned."""
    kept: list[torch.Tensor] = []

    def run(*args: Any) -> tuple[torch.Tensor, ...]:
        results = module.forward(*args)
        kept[:] = kept or [torch.empty_like(result) for result in results]
        for buffer, result in zip(kept, results, strict=True):
            buffer.copy_(result)
        return tuple(kept)

    return run


@pytest.mark.parametrize("later", [0.0, 1.0, 2.0])
def test_output_that_a_later_call_overwrites_is_told_whatever_number_it_writes(later: float) -> None:
    numbers = [torch.full((3,), 7.0), torch.full((3,), later)]
    turns = iter(range(100))
    found = check(lambda a: a * 1, inputs=lambda: (numbers[next(turns) % 2].clone(),), backend=hands_out_its_own_memory)
    assert [item.kind for item in found.divergences] == ["an earlier call's output overwritten"]
