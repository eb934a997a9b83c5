"""The tensors that torch's table draws, changed: larger in a later call, of one element or none, expanded in memory.

How the tensors of a sample can be changed together, so that eager goes on taking them, is data: ``changes.json``, which
`suites.operators.table.trying` writes, as it writes of which samples eager takes gradients within a program, and which
it writes in place where memory lies otherwise.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from suites.operators.table.choices import write_rows
from suites.operators.table.programs import Kind, Made, outputs_of
from suites.operators.table.samples import Sample, is_strided

PLACE = Path(__file__).with_name("changes.json")

#: Another tensor for one, of which a dimension is changed; None for one of which it cannot be.
Way = Callable[[torch.Tensor, int], "torch.Tensor | None"]
#: For each tensor of a sample, in their order, the dimension that is changed, from the front or the back, or None.
Dimensions = tuple["int | None", ...]


def _one_more(tensor: torch.Tensor, dimension: int) -> torch.Tensor | None:
    return _joined(tensor, dimension, 1)


def _twice(tensor: torch.Tensor, dimension: int) -> torch.Tensor | None:
    return _joined(tensor, dimension, tensor.shape[dimension])


def _joined(tensor: torch.Tensor, dimension: int, count: int) -> torch.Tensor | None:
    # Where there was one element and are two, a program is another: one is told from all other sizes.
    if tensor.shape[dimension] < 2:
        return None
    data = tensor.detach()
    return torch.cat([data, data.narrow(dimension, 0, count)], dimension).requires_grad_(tensor.requires_grad)


def _first(count: int, tensor: torch.Tensor, dimension: int) -> torch.Tensor | None:
    if tensor.shape[dimension] <= count:
        return None
    return tensor.detach().narrow(dimension, 0, count).clone().requires_grad_(tensor.requires_grad)


def _expanded(tensor: torch.Tensor, dimension: int) -> torch.Tensor | None:
    if tensor.shape[dimension] < 2:
        return None
    one = tensor.detach().narrow(dimension, 0, 1).clone()
    return one.expand(tensor.shape).requires_grad_(tensor.requires_grad)


WAYS: Mapping[str, Way] = {
    "one more": _one_more,
    "twice": _twice,
    "of one": functools.partial(_first, 1),
    "of none": functools.partial(_first, 0),
    "expanded": _expanded,
}
#: What clauses are about: ways to change samples. Of those that enlarge one, the first that eager takes is chosen.
LARGER, FEW, EXPANDED, GRADIENTS, WRITES = "larger", "few", "expanded", "gradients", "writes"
KINDS: Mapping[str, tuple[str, ...]] = {
    LARGER: ("one more", "twice"),
    FEW: ("of one", "of none"),
    EXPANDED: ("expanded",),
    GRADIENTS: (),
    WRITES: (),
}


@dataclasses.dataclass(frozen=True)
class Change:
    """A sample of an operator, by its key, and the way its tensors are changed, in these dimensions; "" is none."""

    key: str
    way: str = ""
    dimensions: Dimensions = ()


@functools.cache
def changes(path: Path = PLACE) -> Mapping[str, Mapping[str, tuple[Change, ...]]]:
    """For each of `KINDS` the operators that have any, by name, with their changes."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return {
        kind: {
            name: tuple(Change(key, way, tuple(dimensions)) for key, way, dimensions in rows)
            for name, rows in data[kind].items()
        }
        for kind in KINDS
    }


def write(found: Mapping[str, Mapping[str, Sequence[Change]]], release: str, path: Path = PLACE) -> None:
    """Write ``changes.json``, a line an operator."""
    kinds = {
        kind: {name: [dataclasses.astuple(change) for change in each] for name, each in operators.items()}
        for kind, operators in found.items()
    }
    write_rows(kinds, release, path)


def changed(sample: Sample, way: str, dimensions: Dimensions) -> Sample | None:
    """The sample with its tensors changed together; None where none of them can be."""
    tensors = tensors_of(sample)
    if len(tensors) != len(dimensions):
        return None
    made: dict[int, torch.Tensor] = {}
    for tensor, dimension in zip(tensors, dimensions, strict=True):
        other = None if dimension is None or tensor.dim() == 0 else WAYS[way](tensor, dimension)
        if other is not None:
            made[id(tensor)] = other
    said = " ".join("-" if each is None else str(each) for each in dimensions)
    return sample.changed(f"{way} {said}", lambda tensor: made.get(id(tensor), tensor)) if made else None


def tensors_of(sample: Sample) -> list[torch.Tensor]:
    """The tensors of a sample that lie in memory by strides, each once."""
    return list({id(leaf): leaf for leaf in sample.leaves() if is_strided(leaf)}.values())


def dimensions_together(tensors: Sequence[torch.Tensor]) -> Iterator[Dimensions]:
    """Dimensions to change together: the same of each tensor first, from the front and the back; then any."""
    ranks = [tensor.dim() for tensor in tensors]
    most = max(ranks, default=0)
    for dimension in (*range(most), *range(-1, -most - 1, -1)):
        yield tuple(dimension if -rank <= dimension < rank else None for rank in ranks)
    yield from itertools.product(*((*range(rank), None) for rank in ranks))


@functools.cache
def outputs_of_changed(kind: str) -> Kind:
    """What an operator returns for its samples, changed in the ways of a kind that were chosen."""

    def outputs(info: Any, samples: Sequence[Sample]) -> Made:
        return outputs_of(info, [each for _, each in pairs(_chosen(kind, info), samples)])

    return outputs


def outputs_of_sizes_that_change(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator returns for samples, and in the second call for the same with more elements in a dimension."""
    both = list(pairs(_chosen(LARGER, info), samples))
    made = outputs_of(info, [sample for sample, _ in both])
    return dataclasses.replace(made, later=tuple((larger.args, dict(larger.kwargs)) for _, larger in both))


def _chosen(kind: str, info: Any) -> tuple[Change, ...]:
    return changes()[kind][info.formatted_name]


def pairs(changes: Iterable[Change], samples: Iterable[Sample]) -> Iterator[tuple[Sample, Sample]]:
    """For each change whose sample is there, that sample as it was drawn and changed."""
    by_key = {sample.key: sample for sample in samples}
    for change in changes:
        if change.key in by_key:
            other = changed(by_key[change.key], change.way, change.dimensions)
            if other is not None:
                yield by_key[change.key], other
