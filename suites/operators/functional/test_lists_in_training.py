"""Lists that are written in training: what was computed before, and requires grad, is changed in place."""

from collections.abc import Callable

import pytest
import torch

from suites.harness import Check, clause, tensor

_Write = Callable[[list[torch.Tensor], list[torch.Tensor]], None]
#: Writes to a list, by another, each with a derivative in eager.
WITH_A_HISTORY: dict[str, _Write] = {
    "greater of two": lambda first, second: torch._foreach_maximum_(first, second),
    "lesser of two": lambda first, second: torch._foreach_minimum_(first, second),
    "at least": lambda first, second: torch._foreach_clamp_min_(first, 0.25),
    "at most, each": lambda first, second: torch._foreach_clamp_max_(first, [0.25, -0.5]),
    "a little towards": lambda first, second: torch._foreach_lerp_(first, second, 0.25),
    "far towards": lambda first, second: torch._foreach_lerp_(first, second, 0.75),
    "towards, each": lambda first, second: torch._foreach_lerp_(first, second, [0.25, 0.75]),
    "product": lambda first, second: torch._foreach_mul_(first, second),
    "quotient": lambda first, second: torch._foreach_div_(first, torch._foreach_exp(second)),
    "power": lambda first, second: torch._foreach_pow_(first, 2),
    "product added": lambda first, second: torch._foreach_addcmul_(first, second, second, value=0.5),
    "quotient added": lambda first, second: torch._foreach_addcdiv_(first, second, torch._foreach_exp(first)),
}


@pytest.mark.parametrize("kind", WITH_A_HISTORY)
@clause("numbers.options", "T3.1", modes="train", fullgraph=False)
def test_lists_with_a_history_are_written(check: Check, kind: str) -> None:
    """What was computed is written to as a list, in training, and the gradient is that of what was written."""

    def program(*given: torch.Tensor) -> list[torch.Tensor]:
        first = list(torch._foreach_mul(given[:2], 2.0))
        second = list(torch._foreach_add(given[2:], 0.5))
        WITH_A_HISTORY[kind](first, second)
        return list(torch._foreach_sin(first))

    check(program, tensor(3), tensor(2, 2), tensor(3), tensor(2, 2), exact=False).computed()
