"""Numbers that formulas stumble over, in the place of those that torch's table draws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import torch

from suites.operators.table import choices
from suites.operators.table.choices import NO_SPECIAL
from suites.operators.table.programs import Made, outputs_of
from suites.operators.table.samples import Sample, is_float

#: Where formulas begin and end: noughts of both signs, the bounds of activations, losses and probabilities and what is
#: next to one, what an exponential has no number for in low precision. No two are equal, so that hardly any tie.
BOUNDS = (0.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 2.0, 6.0, -2.0, 20.0, -20.0, 1e-7, -100.0, 0.99999994, -0.0, 1.0000001)
#: What is no number, each with numbers around it that stay as they were drawn.
NO_NUMBERS = (None, math.nan, None, math.inf, None, -math.inf, None)
#: What samples are called with in the place of their numbers, by what their keys begin with.
NUMBERS = {"at bounds": BOUNDS, "no numbers": NO_NUMBERS}
#: Samples of an operator that such numbers are put into.
_SAMPLES = 3
#: Where the numbers of the next tensor of a sample begin, so that each meets each.
_STEP = 5


def outputs_of_special_numbers(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator returns for numbers at bounds, and for NaN and infinities among others."""
    with_numbers = [sample for sample in samples if any(map(is_float, sample.leaves()))][:_SAMPLES]
    return outputs_of(info, [of_special_numbers(sample, name) for sample in with_numbers for name in NUMBERS])


def has_special_numbers(dtype: str) -> bool:
    """Whether a dtype has NaN and infinities."""
    return bool(getattr(torch, dtype).is_floating_point)


def operators(profile: str) -> list[str]:
    """The operators that run on such numbers in a profile, by name, those that models use first."""
    table = choices.table()
    of_default = table.default | table.special
    every = (*choices.of_profile("default"), *choices.of_profile("full"))
    mine = (choice for choice in every if (choice.name in of_default) == (profile == "default"))
    return [choice.name for choice in mine if runs_on_special_numbers(choice.name, choice.dtype)]


def runs_on_special_numbers(name: str, dtype: str) -> bool:
    """Whether an operator means anything at such numbers, which a dtype must have."""
    return has_special_numbers(dtype) and not choices.table().reason(name, NO_SPECIAL)


def of_special_numbers(sample: Sample, name: str) -> Sample:
    """The sample with such `NUMBERS` in each of its tensors of floats, over and over; None leaves what is there."""
    values = NUMBERS[name]
    begins = itertools.count(step=_STEP)

    def special(tensor: torch.Tensor) -> torch.Tensor:
        if not is_float(tensor):
            return tensor
        begin = next(begins)
        cycle = itertools.islice(itertools.cycle(values), begin, begin + tensor.numel())
        drawn = tensor.detach().flatten().tolist()
        numbers = [number if value is None else value for number, value in zip(drawn, cycle, strict=True)]
        made = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)
        made.copy_(torch.tensor(numbers, dtype=tensor.dtype, device=tensor.device).view(tensor.shape))
        return made.requires_grad_(tensor.requires_grad)

    return sample.changed(name, special)
