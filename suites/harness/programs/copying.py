"""A program's own copy of its function for every run, and the data that it reaches besides its arguments."""

from __future__ import annotations

import contextlib
import copy
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

from suites.harness import torch_internals


def fresh(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same code with defaults and closed-over data of its own, so that runs do not see each other's changes."""
    return _Freshener().function(function)


class _Freshener:
    def __init__(self) -> None:
        self.copies: dict[int, Any] = {}
        self.functions: dict[int, Any] = {}

    def function(self, function: Any) -> Any:
        if isinstance(function, torch.nn.Module):
            return copy.deepcopy(function)
        if not isinstance(function, types.FunctionType):
            return function
        if id(function) in self.functions:
            return self.functions[id(function)]
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        copied = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, None, cells if cells else None
        )
        self.functions[id(function)] = copied
        copied.__defaults__ = self.value(function.__defaults__)
        copied.__kwdefaults__ = self.value(function.__kwdefaults__)
        copied.__dict__.update({name: self.value(item) for name, item in function.__dict__.items()})
        copied.__qualname__ = function.__qualname__
        copied.__module__ = function.__module__
        for cell, original in zip(cells, function.__closure__ or (), strict=True):
            try:
                cell.cell_contents = self.value(original.cell_contents)
            except ValueError:
                continue  # An empty cell: the name is not bound yet.
        return copied

    def value(self, value: Any) -> Any:
        if isinstance(value, types.FunctionType):
            return self.function(value)
        try:
            return copy.deepcopy(value, self.copies)
        except Exception:
            return value  # What cannot be copied (an operator handle, a lock) is shared.


def reachable_state(function: Callable[..., Any]) -> Iterator[tuple[str, object]]:
    """The data that a program reaches besides its arguments: its module, its closures, its defaults and attributes.

    And what the functions and bound methods among those reach, under their names: ``closure log: closure lines``.
    """
    if isinstance(function, torch.nn.Module):
        yield "module", function
    elif isinstance(function, types.FunctionType):
        yield from _reached(function, set())


def _reached(function: types.FunctionType, seen: set[int]) -> Iterator[tuple[str, object]]:
    # Through a decorator of torch's one comes to the program's own functions; its data is none of the program's.
    package = str(function.__globals__.get("__name__")).partition(".")[0]
    own = not seen or package not in ("torch", "contextlib", "functools")
    seen.add(id(function))
    contents = list(_contents(function))
    if own:
        yield from ((name, item) for name, item in contents if is_data(item) and not is_operator(item))
    for name, item in contents:
        if isinstance(item, types.MethodType):
            if own and is_data(item.__self__) and not is_operator(item.__self__):
                yield f"{name}.__self__", item.__self__
            item = item.__func__
        if isinstance(item, types.FunctionType) and id(item) not in seen:
            yield from ((f"{name}: {path}", found) for path, found in _reached(item, seen))


def _contents(function: types.FunctionType) -> Iterator[tuple[str, object]]:
    """What a function's closure, defaults and attributes hold, whatever it is."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # An empty cell: the name is not bound yet.
            yield f"closure {name}", cell.cell_contents
    for position, default in enumerate(function.__defaults__ or ()):
        yield f"default {position}", default
    for name, item in vars(function).items():
        if not name.startswith("_"):
            yield f"program.{name}", item


def is_data(value: object) -> bool:
    """Whether a value is data of a program, and no module, function or class."""
    return not isinstance(
        value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
    )


def is_operator(value: object) -> bool:
    """Whether it is an operator, a type hint or a kernel, and so no data of a program."""
    kind = type(value)
    if isinstance(value, torch.Generator):
        return False
    modules = (*torch_internals.OPERATOR_MODULES, "typing", "triton.")
    return isinstance(value, torch.library.Library) or kind.__module__.startswith(modules)
