"""Inputs and modules in double precision, for the run that judges the others' distance."""

from __future__ import annotations

import copy
import dataclasses
import gc
import types
from collections.abc import Iterable
from typing import Any

import torch

from suites.harness import torch_internals

# Double precision -----------------------------------------------------------------------------------------------------


class Upcaster:
    """Casts every floating-point tensor in a value to double precision, keeping leaves, views and shared storages.

    A tensor that has a history keeps it through a differentiable cast, so that gradients reach the leaves behind it.
    """

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._storages: dict[int, torch.Tensor] = {}
        self._alive: list[Any] = []

    def __call__(self, value: Any) -> Any:
        """The value in double precision; containers with tensors and objects are copied, anything else is itself."""
        if id(value) in self._done:
            return self._done[id(value)]
        result = self._cast(value)
        self._done[id(value)] = result
        self._alive.append(value)
        return result

    def _cast(self, value: Any) -> Any:
        if isinstance(value, torch.nn.Module):
            return value.double()
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self(item) for item in value))
        if type(value) in (list, tuple):
            items = [self(item) for item in value]
            return value if _same(items, value) else type(value)(items)
        if type(value) is dict:
            named = {key: self(item) for key, item in value.items()}
            return value if _same(named.values(), value.values()) else named
        if isinstance(value, types.MappingProxyType):
            [shown] = gc.get_referents(value)
            return types.MappingProxyType(self(shown))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            copied = copy.copy(value)
            for field in dataclasses.fields(value):
                object.__setattr__(copied, field.name, self(getattr(value, field.name)))
            return copied
        return value

    def _tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex) or tensor.layout != torch.strided:
            return tensor
        wide = torch.complex128 if tensor.dtype.is_complex else torch.float64
        if tensor.requires_grad and not tensor.is_leaf:
            base = torch_internals.view_base(tensor)
            if base is None:
                return tensor.to(wide) if tensor.dtype != wide else tensor.clone()
            return self(base).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        key = torch_internals.storage_key(tensor)
        if key is None:
            return tensor
        with torch.no_grad():
            if key not in self._storages:
                flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
                flat.set_(tensor.untyped_storage())
                self._storages[key] = flat.to(wide, copy=True)
            cast = self._storages[key].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        # Taken under no_grad of a plain tensor: a leaf as far as autograd can see, if it is detached.
        return cast.detach().requires_grad_(tensor.requires_grad)


def _same(left: Iterable[Any], right: Iterable[Any]) -> bool:
    return all(one is other for one, other in zip(left, right, strict=True))
