"""Calls that torch's table does not draw: of its samples, with one argument turned, or two.

A *turn* puts something else in an argument's place: of a number, a word, a flag or a list another value, which another
sample has there, or which is beside the one drawn; of a tensor what `TENSORS` makes of it. An option that no sample
sets is added by its name. Whether eager takes such a call is for those to see who turn.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.operators.table.changes import WAYS, Way
from suites.operators.table.layouts import LAYOUTS, lying
from suites.operators.table.samples import Sample, is_strided

#: All tensors of a call, as the place of a turn. Another place is an argument's number from nought, or its name.
EVERY = "*"
#: What a dtype, or a memory format, is written with, where it is a value.
_TORCH = "torch."


@dataclasses.dataclass(frozen=True)
class Turn:
    """What is put into a place of a call: a value that JSON has, lists as tuples, or for a tensor one of `TENSORS`."""

    place: str
    value: Any

    def __str__(self) -> str:
        return f"{self.place}={self.value}"


def _one_less(tensor: torch.Tensor, dimension: int) -> torch.Tensor:
    rest = tensor.detach().narrow(dimension, 1, tensor.shape[dimension] - 1)
    return rest.clone().requires_grad_(tensor.requires_grad)


def _along(way: Way, dimension: int, tensor: torch.Tensor) -> torch.Tensor | None:
    """What a way makes of a tensor in its first or its last dimension, where that is of several elements."""
    return way(tensor, dimension) if tensor.dim() and tensor.shape[dimension] > 1 else None


def _in_dtype(dtype: torch.dtype, tensor: torch.Tensor) -> torch.Tensor | None:
    if tensor.dtype == dtype or (tensor.dtype.is_complex and not dtype.is_complex):
        return None
    made = tensor.detach().to(dtype)
    return made.requires_grad_(tensor.requires_grad and (dtype.is_floating_point or dtype.is_complex))


def _laid_out(name: str, tensor: torch.Tensor) -> torch.Tensor | None:
    made = lying(tensor, name)
    return None if made is tensor else made


def _anew(function: Callable[[torch.Tensor], torch.Tensor], tensor: torch.Tensor) -> torch.Tensor | None:
    return function(tensor.detach()).clone().requires_grad_(tensor.requires_grad) if tensor.numel() else None


def _has_signs(tensor: torch.Tensor) -> bool:
    """Whether its numbers are no places, counts or ends of something, whose order eager may rely on."""
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def _without_gradient(tensor: torch.Tensor) -> torch.Tensor | None:
    return tensor.detach().clone() if tensor.requires_grad else None


#: What becomes of a tensor, by a word; None where nothing does.
TENSORS: Mapping[str, Callable[[torch.Tensor], Any]] = {
    **{
        name: functools.partial(_in_dtype, getattr(torch, name))
        for name in ("float32", "float64", "float16", "bfloat16", "complex64", "int64", "int32", "uint8", "bool")
    },
    **{name: functools.partial(_laid_out, name) for name in LAYOUTS},
    "of one at the front": functools.partial(_along, WAYS["of one"], 0),
    "of one at the back": functools.partial(_along, WAYS["of one"], -1),
    "of none at the front": functools.partial(_along, WAYS["of none"], 0),
    "of none at the back": functools.partial(_along, WAYS["of none"], -1),
    "one less at the front": functools.partial(_along, _one_less, 0),
    "one less at the back": functools.partial(_along, _one_less, -1),
    "of one more dimension": functools.partial(_anew, lambda each: each[None]),
    "of one dimension less": functools.partial(_anew, lambda each: each[0] if each.dim() else each),
    "a row": functools.partial(_anew, lambda each: each[(0,) * (each.dim() - 1)] if each.dim() > 1 else each),
    "of no dimensions": functools.partial(_anew, lambda each: each.flatten()[0]),
    "flipped": functools.partial(_anew, lambda each: each.flip(-1) if each.dim() and _has_signs(each) else each),
    "negative": functools.partial(_anew, lambda each: each.neg() if _has_signs(each) else each),
    "expanded": functools.partial(_along, WAYS["expanded"], 0),
    "without a gradient": _without_gradient,
}
#: Of one tensor among several, and of all.
ONE, ALL = tuple(TENSORS), tuple(name for name in TENSORS if name not in LAYOUTS)
#: Those that change how many dimensions a tensor has, or elements.
RESIZED = tuple(name for name in TENSORS if " " in name and name not in LAYOUTS and name != "without a gradient")


def turned(sample: Sample, turns: Sequence[Turn]) -> Sample | None:
    """The sample with its arguments turned; None where one of them cannot be."""
    args, kwargs = list(sample.args), dict(sample.kwargs)
    for turn in turns:
        if turn.place == EVERY:
            made: dict[int, Any] = {}
            for leaf in torch_internals.pytree.tree_leaves((args, kwargs)):
                if is_strided(leaf):
                    made[id(leaf)] = TENSORS[turn.value](leaf)
            if all(each is None for each in made.values()):
                return None
            args, kwargs = torch_internals.pytree.tree_map_only(
                torch.Tensor, functools.partial(_of, made), (args, kwargs)
            )
            continue
        where: Any = int(turn.place) if turn.place.isdigit() else turn.place
        there: Any = args if turn.place.isdigit() else kwargs
        drawn: Any = there[where] if turn.place.isdigit() or where in kwargs else None
        if is_strided(drawn) and turn.value in TENSORS:
            there[where] = TENSORS[turn.value](drawn)
            if there[where] is None:
                return None
        else:
            there[where] = _value(turn.value, drawn)
    said = ", ".join(map(str, turns))
    return dataclasses.replace(sample, key=f"with {said}: {sample.key}", args=tuple(args), kwargs=kwargs)


def _of(made: Mapping[int, Any], tensor: torch.Tensor) -> torch.Tensor:
    other = made.get(id(tensor))
    return tensor if other is None else other


def _value(value: Any, drawn: Any) -> Any:
    if isinstance(value, str) and value.startswith(_TORCH):
        return getattr(torch, value.removeprefix(_TORCH))
    return list(value) if isinstance(value, tuple) and isinstance(drawn, list) else value


#: So many calls of an operator have two arguments turned, at most.
PAIRS = 4000


# Which turns there are ------------------------------------------------------------------------------------------------

#: What is put into the place of a number, and beside it one more and one less.
_INTEGERS, _FLOATS = (0, 1, 2, -1), (0.0, 0.7, -1.5, 2)
#: What an option is set to that no sample sets, by its type in an operator's schema.
_SET: Mapping[str, Sequence[Any]] = {
    "bool": (True, False),
    "int": (*_INTEGERS, 3, f"{_TORCH}float64", f"{_TORCH}float32", f"{_TORCH}int64"),
    "float": _FLOATS,
    "number": _FLOATS,
    "List[int]": (1, 2, -1, (1,), (0, 1), (2, 1), (2, 3)),
    "List[float]": ((1.5, 0.7), (0.7,)),
}
_DTYPES = tuple(f"{_TORCH}{name}" for name in ("float64", "float32", "float16", "int64", "int32", "complex64", "bool"))
#: Options that are not set: where and how a result lies, and what only older releases take.
_NOT_SET = {"_stacklevel", "out", "device", "layout", "pin_memory", "generator", "requires_grad"}
_NOT_SET |= {"size_average", "reduce"}


def options_of(info: Any) -> Mapping[str, Sequence[Any]]:
    """Options of an operator of torch's table, by name, with values that they may take, by its schema and signature."""
    found: dict[str, dict[str, Any]] = {}
    aten = getattr(torch.ops.aten, info.aten_name or "", None)
    for overload in () if aten is None else (getattr(aten, name) for name in aten.overloads()):
        for argument in torch_internals.schema(overload).arguments:
            if argument.has_default_value() or argument.kwarg_only:
                said = str(argument.type).removeprefix("Optional[").removesuffix("]" * str(argument.type).count("Opt"))
                found.setdefault(argument.name, {}).update({repr(value): value for value in _SET.get(said, ())})
    for name, parameter in _parameters(info.op).items():
        if parameter.default is not inspect.Parameter.empty:
            found.setdefault(name, {}).update({repr(value): value for value in _beside(parameter.default)})
    return {name: tuple(values.values()) for name, values in found.items() if name not in _NOT_SET and values}


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _beside(value: Any) -> list[Any]:
    """Values that differ from one by little, or are of its kind."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [each for each in dict.fromkeys((*_INTEGERS, value + 1, value - 1)) if each != value]
    if isinstance(value, float):
        return [each for each in _FLOATS if each != value]
    if isinstance(value, torch.dtype):
        return [each for each in _DTYPES if each != str(value)]
    if isinstance(value, (list, tuple)) and value and all(type(each) in (int, float) for each in value):
        own = tuple(value)
        more = [(*own[:place], own[place] + 1, *own[place + 1 :]) for place in range(len(own))]
        less = [(*own[:place], own[place] - 1, *own[place + 1 :]) for place in range(len(own))]
        return [each for each in (own[::-1], own[:1], own[0], *more, *less) if each != own]
    return []


def turns_of(info: Any, samples: Sequence[Sample]) -> Iterator[tuple[Sample, tuple[Turn, ...]]]:
    """Samples with turns, those of one first, then of two, in an order that stays; some cannot be made."""
    pool: dict[str, dict[str, Any]] = {}
    for sample in samples:
        for place, value in _places(sample):
            if _is_plain(value):
                pool.setdefault(place, {})[repr(value)] = _written(value)
    options = options_of(info)
    singles = {sample.key: list(_single(sample, pool, options)) for sample in samples}
    draw = random.Random(info.formatted_name)
    for each in singles.values():
        draw.shuffle(each)
    ones = (
        ((sample, (each[turn],)) for sample in samples for each in [singles[sample.key]] if turn < len(each))
        for turn in range(max(map(len, singles.values()), default=0))
    )
    singly = itertools.chain.from_iterable(ones)
    doubly = _pairs(samples, singles, draw)
    for pair in itertools.zip_longest(singly, itertools.islice(doubly, PAIRS)):
        yield from (each for each in pair if each is not None)


def _pairs(samples: Sequence[Sample], singles: Mapping[str, Sequence[Turn]], draw: random.Random) -> Iterator[Any]:
    """Samples with two turns, every second time of the ranks or sizes of all tensors and of what is no tensor."""
    able = [sample for sample in samples if len({turn.place for turn in singles[sample.key]}) > 1]
    for number in itertools.count() if able else ():
        sample = draw.choice(able)
        tensors = {place for place, value in _places(sample) if is_strided(value)}
        mine = singles[sample.key]
        others = [turn for turn in mine if turn.place not in (EVERY, *tensors)]
        resized = [turn for turn in mine if turn.place == EVERY and turn.value in RESIZED]
        if number % 2 and others and resized:
            yield sample, (draw.choice(resized), draw.choice(others))
        else:
            one, other = draw.sample(mine, 2)
            if one.place != other.place:
                yield sample, (one, other)


def _places(sample: Sample) -> Iterator[tuple[str, Any]]:
    yield from ((str(number), value) for number, value in enumerate(sample.args))
    yield from sample.kwargs.items()


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return bool(value) and all(type(each) in (int, float, bool) for each in value)
    return (
        value is None or type(value) in (bool, int, float, str) or isinstance(value, (torch.dtype, torch.memory_format))
    )


def _written(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(value)
    return str(value) if isinstance(value, (torch.dtype, torch.memory_format)) else value


def _single(
    sample: Sample, pool: Mapping[str, Mapping[str, Any]], options: Mapping[str, Sequence[Any]]
) -> Iterator[Turn]:
    tensors = [leaf for leaf in sample.leaves() if is_strided(leaf)]
    if tensors:
        yield from (Turn(EVERY, name) for name in ALL)
    places = dict(_places(sample))
    for place, value in places.items():
        if is_strided(value):
            if len(tensors) > 1:
                yield from (Turn(place, name) for name in ONE)
            values: list[Any] = [None] if place != "0" else []
        elif _is_plain(value):
            values = [*pool.get(place, {}).values(), *_beside(value)]
            if value is None:
                values += options.get(place, ())
        else:
            continue
        own = repr(_written(value)) if _is_plain(value) else ""
        yield from (Turn(place, each) for each in {repr(each): each for each in values if repr(each) != own}.values())
    for name, known in options.items():
        if name not in places:
            yield from (Turn(name, each) for each in known)
    for name, drawn in pool.items():
        if name not in places and not name.isdigit() and name not in options:
            yield from (Turn(name, each) for each in drawn.values())
