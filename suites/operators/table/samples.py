"""The samples of torch's own tables by keys that stay: a sample is named by what it is called with, not by its place.

A key is the text of a call: sizes of tensors, strides where they are not contiguous, every other argument as it is,
``[5, 5], dim=1``. The dtype that the samples were asked for is left out of it, so that one key names the same call in
every dtype: another tensor's dtype is said, ``[5, 5], int64[3]``. Of calls with the same text the second is ``... #2``.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import torch

from suites.harness import torch_internals
from suites.harness.observation.global_state import seed_everything

_Tree = TypeVar("_Tree")

#: A longer text is cut and ends in a checksum of the whole.
_LONGEST = 120


@dataclasses.dataclass(frozen=True)
class Sample:
    """One call of an operator. ``process`` is applied to its output, for those whose gradients need it."""

    key: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    process: Callable[[Any], Any] | None = None

    def leaves(self) -> list[Any]:
        """Its arguments, and what is in those that are lists and the like."""
        leaves: list[Any] = torch_internals.pytree.tree_leaves((self.args, dict(self.kwargs)))
        return leaves

    def dimensions(self) -> int:
        """How many the tensor has that has most; 0 without any."""
        return max((leaf.dim() for leaf in self.leaves() if isinstance(leaf, torch.Tensor)), default=0)

    def changed(self, how: str, function: Callable[[torch.Tensor], torch.Tensor]) -> Sample:
        """The sample with what ``function`` makes of each of its tensors, by a key that begins with ``how``."""
        args, kwargs = torch_internals.pytree.tree_map_only(torch.Tensor, function, (self.args, dict(self.kwargs)))
        return dataclasses.replace(self, key=f"{how}: {self.key}", args=args, kwargs=kwargs)


def is_strided(value: Any) -> bool:
    """Whether a value is a tensor that lies in memory by strides."""
    return isinstance(value, torch.Tensor) and value.layout == torch.strided


def is_float(value: Any) -> bool:
    """Whether a value is such a tensor of floats."""
    return is_strided(value) and value.is_floating_point()


def samples_of(info: Any, device: str, dtype: torch.dtype, *, requires_grad: bool) -> Iterator[Sample]:
    """The samples of an operator of torch's table, in its order, drawn anew from generators that it seeds."""
    seed_everything()
    taken: Counter[str] = Counter()
    ask = functools.partial(info.sample_inputs, device, dtype, requires_grad=requires_grad)
    for sample in torch_internals.drawn_samples(ask, seed_everything):
        args, kwargs = (sample.input, *sample.args), dict(sample.kwargs)
        key = key_of(args, kwargs, dtype)
        taken[key] += 1
        key = key if taken[key] == 1 else f"{key} #{taken[key]}"
        yield Sample(key, args, kwargs, _processing(sample.output_process_fn_grad))


def chosen(samples: Iterable[Sample], keys: Iterable[str]) -> tuple[list[Sample], list[str]]:
    """The samples of these keys, in the order of the keys, and the keys that no sample has."""
    wanted = list(keys)
    found: dict[str, Sample] = {}
    for sample in samples:
        if sample.key in wanted:
            found[sample.key] = sample
        if len(found) == len(wanted):
            break
    return [found[key] for key in wanted if key in found], [key for key in wanted if key not in found]


def part_of(key: str, parts: int) -> int:
    """In which of so many parts what has a key, or a name, is: it stays there when others come beside it."""
    return zlib.crc32(key.encode()) % parts


def of_leaves(arguments: _Tree) -> _Tree:
    """Arguments with the history of their tensors cut off, which cannot be copied."""

    def leaf(tensor: torch.Tensor) -> torch.Tensor:
        return tensor if tensor.is_leaf else tensor.detach().requires_grad_()

    made: _Tree = torch_internals.pytree.tree_map_only(torch.Tensor, leaf, arguments)
    return made


def key_of(args: tuple[Any, ...], kwargs: Mapping[str, Any], dtype: torch.dtype) -> str:
    """The text of a call whose samples were asked for in ``dtype``."""
    named = (f"{name}={_said(value, dtype)}" for name, value in kwargs.items())
    text = ", ".join(itertools.chain((_said(value, dtype) for value in args), named))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... {zlib.crc32(text.encode()):08x}"


def _said(value: Any, dtype: torch.dtype) -> str:
    if isinstance(value, torch.Tensor):
        return _tensor(value, dtype)
    if isinstance(value, torch.dtype):
        return "dtype" if value == dtype else str(value).removeprefix("torch.")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {_said(item, dtype)}" for name, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        # Tensors have square brackets, too; a list of numbers is told from one by its own word.
        return f"{type(value).__name__}({', '.join(_said(item, dtype) for item in value)})"
    if isinstance(value, slice):
        ends = ("" if end is None else _said(end, dtype) for end in (value.start, value.stop, value.step))
        return ":".join(ends).removesuffix(":")
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    return repr(value)


def _tensor(tensor: torch.Tensor, dtype: torch.dtype) -> str:
    kind = "" if tensor.dtype == dtype else str(tensor.dtype).removeprefix("torch.")
    if tensor.layout != torch.strided:
        return f"{kind}{list(tensor.shape)} {str(tensor.layout).removeprefix('torch.')}"
    strides = "" if tensor.is_contiguous() else f" by {list(tensor.stride())}"
    return f"{kind}{list(tensor.shape)}{strides}"


def _processing(function: Callable[[Any], Any]) -> Callable[[Any], Any] | None:
    """None for what a sample has that says nothing of its output: a function that hands it back."""
    return None if "SampleInput." in getattr(function, "__qualname__", "") else function
