"""Where an operator writes: in place into columns and transposed memory, and each of several results by ``out=``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.operators.table.programs import Made, copied, in_a_row, is_like, result_of, returned
from suites.operators.table.samples import Sample

#: Memory that holds a tensor's values, and the part of it that does.
Memory = Callable[[torch.Tensor], torch.Tensor]
#: A call's arguments and the memory that it writes to, as a program is handed them.
Call = tuple[tuple[Any, ...], dict[str, Any], Any]


def _in_a_column(inner: torch.Tensor) -> torch.Tensor:
    return torch.stack([inner.detach()] * 3, -1)


def _column(memory: torch.Tensor) -> torch.Tensor:
    return memory[..., 1]


def _turned(inner: torch.Tensor) -> torch.Tensor:
    return inner.detach().movedim(0, -1).clone(memory_format=torch.contiguous_format)


def _turned_back(memory: torch.Tensor) -> torch.Tensor:
    return memory.movedim(-1, 0)


def _row(memory: torch.Tensor) -> torch.Tensor:
    return memory[1]


#: Where an operator writes in place. Results by ``out=`` are rows: Dynamo takes none that is not contiguous.
PLACES: Mapping[str, tuple[Memory, Memory]] = {"column": (_in_a_column, _column), "transposed": (_turned, _turned_back)}


def written_elsewhere(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator writes in place into each of `PLACES`, and, if it has several results, into a row for each.

    What eager refuses is left out.
    """
    found = [
        (write, (sample.args, dict(sample.kwargs), memory))
        for sample in samples
        for write, memory in _ways(info, sample)
        if returned(write, copied((sample.args, dict(sample.kwargs), memory)), {}) is not None
    ]

    def program(*calls: Call) -> list[Any]:
        return [write(*call) for (write, _), call in zip(found, calls, strict=True)]

    return Made(program, tuple(call for _, call in found))


def _ways(info: Any, sample: Sample) -> Iterator[tuple[Callable[..., Any], Any]]:
    """Functions of a call's arguments and the memory that they write to, each with such memory."""
    operator = torch_internals.without_seeding(info.get_op())
    result = result_of(operator, sample)
    in_place = info.get_inplace()
    if in_place and is_like(result, sample.args[0]) and result.dim():
        for memory, part in PLACES.values():
            yield _into(torch_internals.without_seeding(in_place), part), memory(sample.args[0])
    if info.supports_out and isinstance(result, tuple) and all(isinstance(each, torch.Tensor) for each in result):
        yield _out(operator), tuple(map(in_a_row, result))


def _into(in_place: Callable[..., Any], part: Memory) -> Callable[..., Any]:
    return lambda args, kwargs, memory: in_place(part(memory), *args[1:], **kwargs)


def _out(operator: Callable[..., Any]) -> Callable[..., Any]:
    return lambda args, kwargs, memory: operator(*args, **kwargs, out=tuple(map(_row, memory)))
