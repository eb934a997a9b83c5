"""A program's own copy of its function for every run, and the data that it reaches besides its arguments."""

from __future__ import annotations

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
    """The data that a program reaches besides its arguments: its module, its closures, its defaults and attributes."""
    if isinstance(function, torch.nn.Module):
        yield "module", function
        return
    if not isinstance(function, types.FunctionType):
        return
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            content = cell.cell_contents
        except ValueError:
            continue
        if is_data(content) and not is_operator(content):
            yield f"closure {name}", content
    for position, default in enumerate(function.__defaults__ or ()):
        if is_data(default) and not is_operator(default):
            yield f"default {position}", default
    for name, item in vars(function).items():
        if is_data(item) and not name.startswith("_"):
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
