"""What is compiled after a trace that failed: it is as it would be without that."""

from __future__ import annotations

import contextlib
import gc
from typing import Any

import torch
from torch import nn
from torch.func import jvp

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin


@clause("T1.2", modes="train", isolated=True, on=QUICK)
def test_gradient_after_a_direction_that_failed(check: Check) -> None:
    """Where forward mode was not traced, and its traceback is collected, the next result has its gradient."""

    def program(compile_part: Compile, a: torch.Tensor) -> torch.Tensor:
        norm, layer = begin(lambda: nn.LayerNorm(4), a), begin(lambda: nn.Linear(4, 4), a)

        def along(rows: torch.Tensor) -> Any:
            return jvp(norm, (rows,), (rows.cos(),))

        with contextlib.suppress(Exception):
            compile_part(along)(a.detach())
        gc.collect()
        return compile_part(lambda rows: layer(rows).softmax(-1).sin())(a.detach())

    check(program, calls=[(tensor(6, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()
