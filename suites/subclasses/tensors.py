"""The wrapper subclasses of this family, small enough to be read, and builders of such as torch has.

`Tagged` has constant metadata, `Retagged` coerces tangents of another tag to the expected one, `Standardised` wants
tangents of one standard tag whatever the output's tag was, `Unwrapping` gives plain tensors and coerces itself to one.

What operators make of several tags is the smallest one, so that eager, which coerces nothing, ends with the tags of a
compiled backward wherever the tangent's own tag is larger than those it meets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.torch_internals import TwoTensor, pytree, return_and_correct_aliasing


class Tagged(torch.Tensor):
    """A tensor with a tag, a constant that is part of its metadata. What operators return has the smallest tag."""

    held: torch.Tensor
    tag: int

    @staticmethod
    def __new__(cls, held: torch.Tensor, tag: int) -> Tagged:
        """A wrapper of the geometry of what it holds."""
        return torch_internals.wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=held.device,
            requires_grad=held.requires_grad,
        )

    def __init__(self, held: torch.Tensor, tag: int) -> None:
        self.held, self.tag = held, tag

    def __repr__(self) -> str:  # type: ignore[override]
        return f"{type(self).__name__}({self.held!r}, tag={self.tag})"

    def weighted(self, weight: float) -> torch.Tensor:
        """A method of the class's own, for programs to call."""
        return self.held * (weight + self.tag)

    def __tensor_flatten__(self) -> tuple[list[str], int]:
        return ["held"], self.tag

    @classmethod
    def __tensor_unflatten__(cls, inner: dict[str, torch.Tensor], tag: int, size: Any, stride: Any) -> Tagged:
        return cls(inner["held"], tag)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        kwargs = kwargs or {}
        tag = min(value.tag for value in pytree.tree_leaves((args, kwargs)) if isinstance(value, Tagged))
        inner_args, inner_kwargs = pytree.tree_map_only(Tagged, lambda value: value.held, (args, kwargs))
        result = func(*inner_args, **inner_kwargs)
        wrapped = pytree.tree_map_only(torch.Tensor, lambda value: cls(value, tag), result)
        return return_and_correct_aliasing(func, args, kwargs, wrapped)


class Retagged(Tagged):
    """A `Tagged` that, as a tangent, takes whatever tag is expected of it."""

    def __coerce_same_metadata_as_tangent__(self, expected_tag: int, expected_type: type | None = None) -> Any:
        return Retagged(self.held, expected_tag)


class Standardised(Retagged):
    """A `Retagged` whose tangents are to have the tag `STANDARD`, whatever tag the output has."""

    STANDARD = 90

    def __coerce_tangent_metadata__(self) -> Standardised:
        return Standardised(self.held, self.STANDARD)

    def __coerce_same_metadata_as_tangent__(self, expected_tag: int, expected_type: type | None = None) -> Any:
        return Standardised(self.held, expected_tag)


class Unwrapping(Tagged):
    """A `Tagged` that operators turn into plain tensors, and that coerces itself to one where one is expected."""

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        args, kwargs = pytree.tree_map_only(Unwrapping, lambda value: value.held, (args, kwargs or {}))
        return func(*args, **kwargs)

    def __coerce_same_metadata_as_tangent__(self, expected: Any, expected_type: type | None = None) -> Any:
        return self.held if expected_type is torch.Tensor else None


def two(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """A wrapper that is a leaf, and requires grad where gradients are recorded."""
    return TwoTensor(first, second).requires_grad_(not first.is_inference())


def two_to_write(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """A wrapper with a history, so that it may be mutated in place while gradients are recorded."""
    return two(first, second).clone()


def nested(*parts: torch.Tensor) -> torch.Tensor:
    """A wrapper of two wrappers, of four tensors; a leaf that requires grad."""
    first, second, third, fourth = parts
    return two(TwoTensor(first, second), TwoTensor(third, fourth))


def tagged(kind: type[Tagged], tag: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """A builder of leaves of ``kind`` with that tag."""
    return lambda held: kind(held, tag).requires_grad_(not held.is_inference())
