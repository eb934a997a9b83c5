"""What writing to the outputs of a call hides, and what it must not."""

import pytest
import torch

from suites.selfcheck.mutants.reuse import reuses_its_output_buffers
from tools.checking import check


@pytest.mark.parametrize("later", [0.0, 1.0, 2.0])
def test_output_that_a_later_call_overwrites_is_told_whatever_number_it_writes(later: float) -> None:
    numbers = [torch.full((3,), 7.0), torch.full((3,), later)]
    turns = iter(range(100))
    found = check(
        lambda a: a * 1, inputs=lambda: (numbers[next(turns) % 2].clone(),), backend=reuses_its_output_buffers
    )
    assert [item.kind for item in found.divergences] == ["an earlier call's output overwritten"]
