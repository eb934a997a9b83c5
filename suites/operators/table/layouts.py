"""Where the tensors that torch's table draws lie in memory: otherwise than it lays them out."""

from __future__ import annotations

import copy
import functools
import itertools
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.operators.table.choices import Choice
from suites.operators.table.programs import Made, outputs_of, returned
from suites.operators.table.samples import Sample, is_strided

#: The strides of a tensor of this shape, and the offset of its first element, in memory of its own; None where the
#: layout is that of a tensor of such a rank as it is.
Layout = Callable[[Sequence[int]], "tuple[Sequence[int], int] | None"]


def _channels_last(shape: Sequence[int]) -> tuple[Sequence[int], int] | None:
    if len(shape) not in (4, 5):
        return None
    return _dense(shape, (0, *range(2, len(shape)), 1)), 0


def _transposed(shape: Sequence[int]) -> tuple[Sequence[int], int] | None:
    if len(shape) < 2:
        return None
    return _dense(shape, (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)), 0


def _every_second(shape: Sequence[int]) -> tuple[Sequence[int], int] | None:
    """Of a longer row, from its second element."""
    return tuple(2 * stride for stride in _dense(shape, range(len(shape)))), 1


LAYOUTS: Mapping[str, Layout] = {
    "channels last": _channels_last,
    "transposed": _transposed,
    "every second": _every_second,
}


def _dense(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """The strides of memory without gaps, whose dimensions lie in that order, the innermost last."""
    strides, step = [0] * len(shape), 1
    for dimension in reversed(order):
        strides[dimension] = step
        step *= max(shape[dimension], 1)
    return tuple(strides)


def outputs_in_other_layouts(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator returns for tensors in channels last, for transposed ones, and for every second element.

    Samples that it refuses so are left out.
    """
    return outputs_of(info, [sample for found in _found(info, samples) for sample in found])


def _found(info: Any, samples: Sequence[Sample]) -> Iterator[Iterator[Sample]]:
    """For each layout the samples that can be laid out so, and that the operator does not refuse then."""
    operator = torch_internals.without_seeding(info.get_op())
    with_tensors = [sample for sample in samples if any(map(is_strided, sample.leaves()))]
    for name in LAYOUTS:
        otherwise = map(functools.partial(laid_out, name=name), with_tensors)
        yield (sample for sample in otherwise if sample is not None and not _refuses(operator, sample))


def _refuses(operator: Callable[..., Any], sample: Sample) -> bool:
    return returned(operator, *copy.deepcopy((sample.args, dict(sample.kwargs)))) is None


def outputs_of_the_largest_in_other_layouts(info: Any, samples: Sequence[Sample]) -> Made:
    """The same, in each layout of the sample alone whose tensors have most dimensions, the first of several."""
    return outputs_of(info, list(_largest(info, samples)))


def outputs_of_the_largest_in_another_layout(info: Any, samples: Sequence[Sample]) -> Made:
    """The same in the first of these layouts alone that such a sample has."""
    return outputs_of(info, list(itertools.islice(_largest(info, samples), 1)))


def outputs_of_the_largest_by_turns(info: Any, samples: Sequence[Sample]) -> Made:
    """The same in one layout alone, of which operators begin at another each: they share them out."""
    return outputs_of(info, list(itertools.islice(_by_turns(info, samples), 1)))


def outputs_of_the_largest_in_the_rest(info: Any, samples: Sequence[Sample]) -> Made:
    """The same in the layouts that are not an operator's by turns."""
    return outputs_of(info, list(itertools.islice(_by_turns(info, samples), 1, None)))


def _by_turns(info: Any, samples: Sequence[Sample]) -> Iterator[Sample]:
    return _largest(info, samples, zlib.crc32(info.formatted_name.encode()) % len(LAYOUTS))


def _largest(info: Any, samples: Sequence[Sample], first: int = 0) -> Iterator[Sample]:
    found = list(_found(info, sorted(samples, key=Sample.dimensions, reverse=True)))
    for in_one in (*found[first:], *found[:first]):
        yield from itertools.islice(in_one, 1)


def lies_in_memory(choice: Choice) -> bool:
    """Whether a sample of an operator has a tensor, which can be laid out otherwise."""
    return any("[" in key for key in choice.samples)


def laid_out(sample: Sample, name: str) -> Sample | None:
    """The sample with each of its tensors in a layout of `LAYOUTS`; None if its first could not be, or it has none."""
    layout = LAYOUTS[name]
    first = next(filter(is_strided, sample.leaves()), None)
    if first is None or layout(first.shape) is None:
        return None
    return sample.changed(name, functools.partial(lying, name=name))


def lying(tensor: torch.Tensor, name: str) -> torch.Tensor:
    """The numbers of a tensor in a layout of `LAYOUTS`; the tensor itself where it cannot be laid out so."""
    found = LAYOUTS[name](tensor.shape) if is_strided(tensor) else None
    if found is None:
        return tensor
    strides, offset = found
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, strides, strict=True)) if tensor.numel() else 0
    memory = torch.zeros(offset + last + 1, dtype=tensor.dtype, device=tensor.device)
    made = memory.as_strided(tensor.shape, strides, offset)
    made.copy_(tensor.detach())
    return made.requires_grad_(tensor.requires_grad)
