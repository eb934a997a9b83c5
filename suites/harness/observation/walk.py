"""Walk everything reachable from a value: its structure as flat, comparable entries, and its tensors by path.

A path reads like the Python that reaches the thing: ``arg[0]``, ``out['loss']``, ``arg[1].cache[2]``. An object seen
a second time is an entry of kind ``same`` that names the first path, so that identity ("this output *is* that input")
is part of the structure and needs no comparison of its own.
"""

from __future__ import annotations

import array
import collections
import contextlib
import dataclasses
import decimal
import enum
import fractions
import functools
import io
import itertools
import math
import numbers
import operator
import random
import types
from collections.abc import Callable, Collection, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

import numpy as np
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from suites.harness.torch_internals import is_traceable_wrapper_subclass

#: What a path ends in, or goes on after, where it is that of a tensor which a call took from its place.
BEFORE = ".<before>"
#: Deeper nesting than this is not followed: a program's own data is shallow, a library's internals are not.
MAX_DEPTH = 24
#: Of longer containers the other elements are one entry, `Rest`, which holds plain data alone.
MAX_ELEMENTS = 4096


@dataclasses.dataclass(frozen=True, eq=False)
class Rest:
    """The elements of a long container from ``start`` on, as plain data: `plain_data`, or the numbers of an array."""

    start: int
    items: tuple[Any, ...] | np.ndarray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rest) and not self.differing(
            other, lambda one, another, _: type(one) is type(another) and equal_values(one, another)
        )

    def __str__(self) -> str:
        return f"{len(self.items)} elements from [{self.start}] on"

    def differing(self, other: Rest, equal: Callable[[Any, Any, int], bool]) -> list[int]:
        """Where two differ, by place in the container; ``equal`` is asked of what is not the same to the last bit."""
        left, right = self.items, other.items
        if len(left) != len(right):
            return [self.start + min(len(left), len(right))]
        places: Collection[int]
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            if left.dtype != right.dtype:
                return [self.start]
            bits = (each.view(np.uint8).reshape(len(left), -1) for each in (left, right))
            places = np.flatnonzero(np.not_equal(*bits).any(axis=1)).tolist()
        else:
            pairs = enumerate(zip(left, right, strict=True))
            places = [at for at, (a, b) in pairs if type(a) is not type(b) or type(a) not in _EXACT or a != b]
        return [self.start + place for place in places if not equal(left[place], right[place], place)]


@dataclasses.dataclass(frozen=True)
class Entry:
    """One node of a value's structure.

    ``kind`` is ``tensor``, ``value`` (compared by equality), ``container`` (``detail`` holds its keys or length),
    ``same`` (``detail`` is the path at which the object was seen first), ``rest`` (``detail`` is a `Rest`) or
    ``opaque`` (compared by type alone).
    """

    kind: str
    type: str
    detail: Any = None

    def __str__(self) -> str:
        if self.kind == "same":
            return f"{self.detail} itself"
        if self.kind == "value":
            return f"{self.detail!r} ({self.type})" if self.type not in ("NoneType", "str") else repr(self.detail)
        if self.kind == "container":
            return f"{self.type} with {self.detail}"
        if self.kind == "rest":
            return str(self.detail)
        return self.type


@dataclasses.dataclass
class Walked:
    """What a walk found: entries and tensors, each by path, in the order of the walk."""

    entries: dict[str, Entry] = dataclasses.field(default_factory=dict)
    tensors: dict[str, torch.Tensor] = dataclasses.field(default_factory=dict)
    #: Paths of tensors that are components of a wrapper subclass: they have no autograd metadata of their own.
    inner: set[str] = dataclasses.field(default_factory=set)
    #: What was not looked at, one line each.
    cut: list[str] = dataclasses.field(default_factory=list)
    _seen: dict[int, str] = dataclasses.field(default_factory=dict)
    #: Objects are kept alive, so that an id is not reused within one walk.
    _alive: list[Any] = dataclasses.field(default_factory=list)


def type_name(value: object) -> str:
    """The name by which reports call a type; torch's and builtin types without their module."""
    kind = type(value)
    if kind.__module__ in ("builtins", "torch", "torch.nn.parameter", "collections", "numpy"):
        return kind.__name__
    return kind.__qualname__.rpartition("<locals>.")[2]


def walk(roots: Mapping[str, object], into: Walked | None = None) -> Walked:
    """Walk ``roots`` (path prefix -> value). With ``into``, go on with what an earlier walk has seen."""
    walked = into if into is not None else Walked()
    for path, value in roots.items():
        _visit(walked, path, value, 0)
    return walked


_VALUES = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    torch.SymInt,
    torch.SymFloat,
    torch.SymBool,
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
)
#: What is only asked in a loop of events.
_NOBODY_ASKS = (types.CoroutineType, types.AsyncGeneratorType)
#: Objects that hold data and show no attributes.
_HOLDERS = (
    bytearray,
    array.array,
    io.StringIO,
    io.BytesIO,
    random.Random,
    np.random.Generator,
    decimal.Decimal,
    fractions.Fraction,
)
_OPAQUE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    type,
    types.GeneratorType,
    *_NOBODY_ASKS,
    torch.autograd.graph.Node,
)


def _visit(walked: Walked, path: str, value: Any, depth: int) -> None:
    if isinstance(value, torch.Tensor):
        _visit_tensor(walked, path, value, depth)
        return
    if isinstance(value, enum.Enum):
        # A member that was not made as its class makes them has no name.
        walked.entries[path] = Entry("value", type_name(value), getattr(value, "_name_", None))
        return
    if value is None or isinstance(value, (*_VALUES, np.generic, range, slice)):
        walked.entries[path] = Entry("value", type_name(value), _primitive(value))
        return
    if isinstance(value, Iterator) and path.startswith("out"):
        # Lazy results are part of the output: what they yield, when the caller asks. An argument's must not be asked.
        value = [type_name(value), *itertools.islice(value, MAX_ELEMENTS - 1)]
        if len(value) == MAX_ELEMENTS:
            walked.cut.append(f"{path}: of what it yields the first {MAX_ELEMENTS - 1} were compared")
    if isinstance(value, types.FunctionType) and path.startswith("out"):
        walked.entries[path] = Entry("opaque", value.__qualname__)
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):
                _visit(walked, f"{path}.<closure {name}>", cell.cell_contents, depth + 1)
        return
    if isinstance(value, _OPAQUE) or depth > MAX_DEPTH:
        name = getattr(value, "__qualname__", None) or type_name(value)
        walked.entries[path] = Entry("opaque", str(name))
        if isinstance(value, _NOBODY_ASKS):
            walked.cut.append(f"{path}: nobody awaits it here")
        elif not isinstance(value, _OPAQUE):
            walked.cut.append(f"{path}: nested deeper than {MAX_DEPTH}, compared by type alone")
        return
    mutable = not isinstance(value, (tuple, frozenset))
    if mutable:
        first = walked._seen.setdefault(id(value), path)
        walked._alive.append(value)
        if first != path:
            walked.entries[path] = Entry("same", type_name(value), first)
            return
    _visit_container(walked, path, value, depth)


def _visit_tensor(walked: Walked, path: str, value: torch.Tensor, depth: int) -> None:
    first = walked._seen.setdefault(id(value), path)
    walked._alive.append(value)
    if first != path:
        walked.entries[path] = Entry("same", type_name(value), first)
        return
    walked.entries[path] = Entry("tensor", type_name(value))
    walked.tensors[path] = value
    _visit_attributes(walked, path, value, depth)
    if is_traceable_wrapper_subclass(value):
        names, context = value.__tensor_flatten__()
        walked.entries[f"{path}.<metadata>"] = Entry("value", type_name(context), _plain(context))
        for name in names:
            inner_path = f"{path}.{name}"
            _visit(walked, inner_path, getattr(value, name), depth + 1)
            walked.inner.add(inner_path)


def _visit_attributes(walked: Walked, path: str, value: torch.Tensor, depth: int) -> None:
    """What hangs on a tensor: its gradient, and attributes that the program's author gave it."""
    if is_leaf(value) and value.grad is not None:
        _visit(walked, f"{path}.grad", value.grad, depth + 1)
    if is_traceable_wrapper_subclass(value):
        return
    for name, item in vars(value).items():
        if not name.startswith("_"):
            _visit(walked, f"{path}.{name}", item, depth + 1)


def _content(value: Any) -> str | bytes:
    """What an object holds that shows no attributes, as a value."""
    if isinstance(value, (io.StringIO, io.BytesIO)):
        held: str | bytes = value.getvalue()
        return held
    if isinstance(value, (np.random.Generator, numbers.Number)):
        return repr(value.bit_generator.state if isinstance(value, np.random.Generator) else value)
    if isinstance(value, random.Random):
        return array.array("Q", value.getstate()[1]).tobytes()
    return bytes(value)


def is_leaf(tensor: torch.Tensor) -> bool | None:
    """Whether a tensor is a leaf; None where autograd refuses to say.

    A view taken under no_grad whose base was then written to has a history that nobody may ask for.
    """
    try:
        return tensor.is_leaf
    except RuntimeError:
        return None


def _primitive(value: Any) -> Any:
    """The value without a class of the program's own, so that an observation can leave its process."""
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return str(value)
    plain: tuple[Callable[[Any], Any], ...] = (bool, int, float, complex, str, bytes)
    for base in plain:
        if isinstance(value, base) and not isinstance(value, np.generic):  # type: ignore[arg-type]
            return base(value)
    return value


def _plain(value: Any) -> Any:
    """A subclass's flatten context as something that compares by value."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, _VALUES):
        return value
    return type_name(value)


def _visit_container(walked: Walked, path: str, value: Any, depth: int) -> None:
    if isinstance(value, functools.partial):
        # Looking for a __dict__ would make one, and another call of functools.partial would see it.
        walked.entries[path] = Entry("container", type_name(value), f"{len(value.args)} bound arguments")
        _visit(walked, f"{path}.func", value.func, depth + 1)
        _visit(walked, f"{path}.args", value.args, depth + 1)
        _visit(walked, f"{path}.keywords", value.keywords, depth + 1)
        return
    if isinstance(value, _HOLDERS):
        walked.entries[path] = Entry("value", type_name(value), _content(value))
        return
    if isinstance(value, np.ndarray):
        walked.entries[path] = Entry("container", type_name(value), f"dtype {value.dtype}, shape {value.shape}")
        for index, item in enumerate(itertools.islice(value.flat, MAX_ELEMENTS)):
            _visit(walked, f"{path}.flat[{index}]", item, depth + 1)
        if value.size > MAX_ELEMENTS:
            flat = value.reshape(-1)[MAX_ELEMENTS:]
            items = tuple(flat) if value.dtype.hasobject else flat.copy()
            _visit_rest(walked, f"{path}.flat", items, depth)
        return
    if isinstance(value, Mapping):
        keys = _keys(value)
        walked.entries[path] = Entry("container", type_name(value), f"keys [{', '.join(keys)}]")
        items = list(value.values())
        for key, item in zip(keys[:MAX_ELEMENTS], items, strict=False):
            _visit(walked, f"{path}[{key}]", item, depth + 1)
        _visit_rest(walked, f"{path}.values()", tuple(items[MAX_ELEMENTS:]), depth)
        if isinstance(value, collections.defaultdict):
            _visit(walked, f"{path}.default_factory", value.default_factory, depth + 1)
    elif isinstance(value, (list, tuple, collections.deque, KeysView, ValuesView, ItemsView)):
        walked.entries[path] = Entry("container", type_name(value), f"{len(value)} elements")
        names = getattr(value, "_fields", None)
        for index, item in enumerate(itertools.islice(value, MAX_ELEMENTS)):
            step = f".{names[index]}" if names and index < len(names) else f"[{index}]"
            _visit(walked, path + step, item, depth + 1)
        _visit_rest(walked, path, tuple(itertools.islice(value, MAX_ELEMENTS, None)), depth)
    elif isinstance(value, (set, frozenset)):
        members = sorted(_key(item) for item in value)
        walked.entries[path] = Entry("container", type_name(value), f"members {{{', '.join(members)}}}")
        for index, item in enumerate(_in_order(walked, value)):
            _visit(walked, f"{path}.<member {index}>", item, depth + 1)
    elif isinstance(value, Iterator) and type(value).__module__ in ("builtins", "itertools", "_collections"):
        _visit_iterator(walked, path, value, depth)
    elif isinstance(value, StorageWeakRef):
        walked.entries[path] = Entry("opaque", type_name(value))  # What it holds is an address.
    elif isinstance(value, torch.Generator):
        walked.entries[path] = Entry("opaque", "Generator")
        _visit(walked, f"{path}.get_state()", value.get_state(), depth + 1)
    else:
        _visit_object(walked, path, value, depth)
        return
    # A subclass of a container may carry attributes of its own.
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict) and attributes and not hasattr(value, "_fields"):
        for name, item in sorted(attributes.items()):
            _visit(walked, f"{path}.{name}", item, depth + 1)


def _visit_rest(walked: Walked, path: str, items: tuple[Any, ...] | np.ndarray, depth: int) -> None:
    """The elements of a long container that have no entries of their own."""
    if not len(items):
        return
    if isinstance(items, tuple):
        items = tuple(plain_data(item, depth + 1) for item in items)
        strange = sum(map(_is_strange, items))
        if strange:
            told = f"{strange} of {len(items)} elements were compared by type alone"
            walked.cut.append(f"{path}[{MAX_ELEMENTS}:]: {told}")
    walked.entries[f"{path}[{MAX_ELEMENTS}:]"] = Entry("rest", "Rest", Rest(MAX_ELEMENTS, items))


@dataclasses.dataclass(frozen=True)
class _Strange:
    """What is no plain data, by its type."""

    type: str


def _is_strange(item: object) -> bool:
    return isinstance(item, _Strange) or (isinstance(item, tuple) and any(map(_is_strange, item)))


def plain_data(value: Any, depth: int = 0) -> Any:
    """A value as it compares: numbers, texts and None as they are, what else is plain as a tuple with its type first.

    What holds anything that is not plain, or is nested too deep, is told by its type there.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, enum.Enum):
        return type_name(value), getattr(value, "_name_", None)
    if isinstance(value, (*_VALUES, np.generic, range, slice)):
        return type_name(value), _primitive(value)
    if depth <= MAX_DEPTH and not getattr(value, "__dict__", None):
        if isinstance(value, Mapping):
            return type_name(value), *_keys(value), *(plain_data(item, depth + 1) for item in value.values())
        if isinstance(value, (list, tuple, collections.deque)):
            return type_name(value), *(plain_data(item, depth + 1) for item in value)
        if isinstance(value, (set, frozenset)) and all(map(_is_plain, value)):
            return type_name(value), *sorted(map(_key, value))
    return _Strange(type_name(value))


#: What is equal where Python says so.
_EXACT = frozenset({bool, int, str, bytes, type(None)})
_AS_THEY_ARE = _EXACT | {float, complex}


def _visit_iterator(walked: Walked, path: str, value: Iterator[Any], depth: int) -> None:
    """How far an iterator is, without asking it for anything."""
    if isinstance(value, (enumerate, filter, map, zip)):
        walked.entries[path] = Entry("container", type_name(value), "iterators")
        _visit(walked, f"{path}.<of>", value.__reduce__()[1], depth + 1)
    else:
        left = repr(value) if isinstance(value, itertools.count) else f"{operator.length_hint(value, -1)} left"
        walked.entries[path] = Entry("container", type_name(value), left)


def _in_order(walked: Walked, members: Collection[Any]) -> list[torch.Tensor]:
    """The tensors of a set, whose own order is chance: those seen already by path, others by what they hold."""
    from suites.harness.observation.facts import snapshot  # Which walks no further, and needs this module.

    def place(tensor: torch.Tensor) -> tuple[Any, ...]:
        first = walked._seen.get(id(tensor))
        if first is not None:
            return (0, first)
        value = snapshot(tensor)
        held: list[Any] = [] if value is None else value.flatten().tolist()
        # Another kernel rounds otherwise, which is not to exchange two of which one number is the same.
        return (1, str(tensor.dtype), tuple(tensor.shape), [f"{number:.3g}" for number in held], list(map(str, held)))

    return sorted((member for member in members if isinstance(member, torch.Tensor)), key=place)


def _visit_object(walked: Walked, path: str, value: Any, depth: int) -> None:
    if isinstance(value, torch.nn.Module):
        attributes = dict(_module_attributes(value))
    else:
        attributes = dict(_object_attributes(value))
    walked.entries[path] = Entry("container", type_name(value), f"attributes [{', '.join(attributes)}]")
    for name, item in attributes.items():
        _visit(walked, f"{path}.{name}", item, depth + 1)


#: What nn.Module keeps about itself; hooks are functions, and compiled calls are how we run it.
_MODULE_INTERNALS = frozenset(
    name for name in vars(torch.nn.Module()) if name not in ("training", "_parameters", "_buffers", "_modules")
) | {"_compiled_call_impl", "_is_full_backward_hook", "_is_torch_compile"}


def _module_attributes(module: torch.nn.Module) -> Iterator[tuple[str, object]]:
    for name, item in vars(module).items():
        if name in ("_parameters", "_buffers", "_modules"):
            yield from item.items()
        elif name not in _MODULE_INTERNALS:
            yield name, item


def _object_attributes(value: object) -> Iterator[tuple[str, object]]:
    slots = [name for cls in type(value).__mro__ for name in _slots(cls)]
    for name in slots:
        if hasattr(value, name):
            yield name, getattr(value, name)
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict):
        yield from attributes.items()


def _slots(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    slots = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in slots if name not in ("__dict__", "__weakref__"))


def _keys(mapping: Mapping[Any, Any]) -> list[str]:
    """The keys as text; of several objects of a type, the second is ``Type#2``, and so on."""
    count: collections.Counter[str] = collections.Counter()
    return [_key(key, count) for key in mapping]


def _key(key: object, count: collections.Counter[str] | None = None) -> str:
    if _is_plain(key):
        return repr(key)
    if isinstance(key, enum.Enum):
        return str(key)
    if isinstance(key, tuple):
        inside = [_key(item, count) for item in key]
        return f"({', '.join(inside)}{',' if len(inside) == 1 else ''})"
    name = type_name(key)
    if count is None:
        return name
    count[name] += 1
    return name if count[name] == 1 else f"{name}#{count[name]}"


def _is_plain(key: object) -> bool:
    """Whether what a key prints says all of it, and says it again in another run."""
    return key is None or isinstance(key, _VALUES) or (isinstance(key, tuple) and all(map(_is_plain, key)))


def equal_values(expected: object, seen: object, tolerance: float = 0.0) -> bool:
    """Whether two plain values of the same type are equal: NaN equals NaN, and the sign of zero counts.

    With a ``tolerance``, floats may differ by that relative error, and zero by nothing.
    """
    if isinstance(expected, complex) and isinstance(seen, complex):
        return equal_values(expected.real, seen.real, tolerance) and equal_values(expected.imag, seen.imag, tolerance)
    if isinstance(expected, (float, np.floating)) and isinstance(seen, (float, np.floating)):
        expected, seen = float(expected), float(seen)
        if math.isnan(expected) or math.isnan(seen):
            return math.isnan(expected) and math.isnan(seen)
        if expected == seen:
            return math.copysign(1, expected) == math.copysign(1, seen)
        return math.isclose(expected, seen, rel_tol=tolerance)
    if isinstance(expected, tuple) and isinstance(seen, tuple):
        return len(expected) == len(seen) and all(
            type(one) is type(other) and equal_values(one, other, tolerance)
            for one, other in zip(expected, seen, strict=True)
        )
    try:
        return bool(expected == seen)
    except Exception:
        return False
