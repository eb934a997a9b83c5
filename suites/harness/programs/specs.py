"""Input specs: what a clause says about its inputs, and how they become real tensors, afresh for every run.

A spec is a value. `tensor`, `leaf`, `view_of`, `built` and `module` make them; containers of specs, Python values and
``None`` are specs of themselves. The same spec object in two places becomes the same tensor object in both.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from suites.harness import torch_internals

MODES = ("train", "no_grad", "inference")
SHAPES = ("static", "dynamic")
INPUTS = ("plain", "strided", "subclass")


def modes(text: str) -> tuple[str, ...]:
    """The grad modes of a text like ``no_grad,inference``, in their usual order.

    Raises `ValueError` with a line for a word that is none, or no word at all.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in MODES:
            raise ValueError(f"{word!r} is none of {', '.join(MODES)}")
    if not words:
        raise ValueError(f"no mode is named; there are {', '.join(MODES)}")
    return tuple(mode for mode in MODES if mode in words)


@dataclasses.dataclass(frozen=True)
class Variant:
    """The call_options of a run. Its text, ``train-static-plain``, is part of the cell's id."""

    mode: str = "train"
    shapes: str = "static"
    inputs: str = "plain"

    def __str__(self) -> str:
        return f"{self.mode}-{self.shapes}-{self.inputs}"

    @classmethod
    def parse(cls, text: str) -> Variant:
        """Read ``mode-shapes-inputs``. Raises ``ValueError`` naming the part that is none."""
        parts = text.split("-")
        for part, known in zip(parts, (MODES, SHAPES, INPUTS), strict=True):
            if part not in known:
                raise ValueError(f"variant {text!r}: {part!r} is none of {', '.join(known)}")
        return cls(*parts)


@dataclasses.dataclass(frozen=True, eq=False)
class TensorSpec:
    """A tensor: ``shape`` in elements, ``strides`` in elements (contiguous if None), ``offset`` in elements.

    ``role`` says how it meets autograd in a training variant: ``input`` (requires grad, but is not a leaf: it may be
    mutated in place), ``leaf`` (a leaf that requires grad) or ``constant`` (never requires grad). Dtypes that have no
    gradient are constants whatever the role. ``values``, row by row, replaces random data.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float32
    role: str = "input"
    strides: tuple[int, ...] | None = None
    offset: int = 0
    values: tuple[Any, ...] | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class ViewSpec:
    """A view: ``view`` applied to the tensor that ``base`` becomes. Views of one base share its storage."""

    base: TensorSpec | ViewSpec
    view: Callable[[torch.Tensor], torch.Tensor]


@dataclasses.dataclass(frozen=True, eq=False)
class BuiltSpec:
    """Whatever ``build`` returns, called afresh for each run with the specs it names, built."""

    build: Callable[..., Any]
    parts: tuple[Any, ...] = ()


def tensor(
    *shape: int,
    dtype: torch.dtype = torch.float32,
    grad: bool = True,
    strides: Sequence[int] | None = None,
    offset: int = 0,
    values: Sequence[Any] | None = None,
) -> TensorSpec:
    """A tensor of ``shape``. It requires grad in training variants unless ``grad`` is False, and is not a leaf then.

    ``strides`` and ``offset`` count elements. ``values`` gives the data, nested as ``torch.tensor`` takes it.
    """
    return TensorSpec(
        tuple(shape),
        dtype,
        "input" if grad else "constant",
        tuple(strides) if strides is not None else None,
        offset,
        tuple(values) if values is not None else None,
    )


def leaf(*shape: int, dtype: torch.dtype = torch.float32, values: Sequence[Any] | None = None) -> TensorSpec:
    """A leaf: in training variants it requires grad and has no history, as a parameter does."""
    return TensorSpec(tuple(shape), dtype, "leaf", None, 0, tuple(values) if values is not None else None)


def view_of(base: TensorSpec | ViewSpec, view: Callable[[torch.Tensor], torch.Tensor]) -> ViewSpec:
    """``view`` of what ``base`` becomes; pass ``base`` itself too to hand the program both."""
    return ViewSpec(base, view)


def built(build: Callable[..., Any], *parts: Any) -> BuiltSpec:
    """What ``build(*parts)`` returns: a container class, an object with tensors in it, a tensor of another kind."""
    return BuiltSpec(build, parts)


class Builder:
    """Builds the inputs of one run: one per run, so that tensors are shared within a run and never across runs."""

    def __init__(self, variant: Variant, *, seed: int = 0, device: str = "cpu", upcast: bool = False) -> None:
        self.variant = variant
        self.device = device
        self.upcast = upcast
        #: Where gradients arrive, by a name for reports, in the order of building.
        self.leaves: dict[str, torch.Tensor] = {}
        # Apart from the stream that the program draws from: what `normal_` draws must not be what lies there already.
        self._generator = torch.Generator().manual_seed(1_000_003 + seed)
        self._done: dict[int, Any] = {}
        self._alive: list[Any] = []

    def build(self, spec: Any) -> Any:
        """The real value of a spec, or of a container of specs; anything else is itself."""
        if isinstance(spec, (TensorSpec, ViewSpec, BuiltSpec)):
            if id(spec) not in self._done:
                self._done[id(spec)] = self._build(spec)
                self._alive.append(spec)
            return self._done[id(spec)]
        if isinstance(spec, tuple) and hasattr(spec, "_fields"):
            return type(spec)(*(self.build(item) for item in spec))
        if isinstance(spec, (list, tuple)):
            return type(spec)(self.build(item) for item in spec)
        if isinstance(spec, Mapping):
            return type(spec)((key, self.build(item)) for key, item in spec.items())  # type: ignore[call-arg]
        return spec

    def _build(self, spec: TensorSpec | ViewSpec | BuiltSpec) -> Any:
        if isinstance(spec, TensorSpec):
            return self._tensor(spec)
        if isinstance(spec, ViewSpec):
            return spec.view(self.build(spec.base))
        value = spec.build(*(self.build(part) for part in spec.parts))
        if isinstance(value, torch.nn.Module):
            value = value.to(self.device)
            return value.double() if self.upcast else value
        return value

    def _tensor(self, spec: TensorSpec) -> torch.Tensor:
        data = self._data(spec)
        differentiable = data.dtype.is_floating_point or data.dtype.is_complex
        requires_grad = spec.role != "constant" and differentiable
        if self.variant.mode == "inference":
            # Built inside inference mode: such tensors never require grad.
            requires_grad = False
        storage_leaf = self._storage(spec, data)
        if self.variant.inputs == "subclass" and differentiable:
            return self._wrapped(spec, storage_leaf, requires_grad)
        if not requires_grad:
            return self._shaped(spec, storage_leaf)
        name = f"leaf[{len(self.leaves)}]"
        if spec.role == "leaf" and storage_leaf.shape == spec.shape and not spec.offset and spec.strides is None:
            self.leaves[name] = storage_leaf.requires_grad_()
            return storage_leaf
        if spec.role == "leaf":
            self.leaves[name] = self._shaped(spec, storage_leaf).detach().requires_grad_()
            return self.leaves[name]
        self.leaves[name] = storage_leaf.requires_grad_()
        return self._shaped(spec, storage_leaf.clone())

    def _data(self, spec: TensorSpec) -> torch.Tensor:
        """Contiguous values, drawn on the CPU in float32 so that every run sees the same numbers."""
        dtype = spec.dtype
        if spec.values is not None:
            # Made where it stays: a copy to a device would be no view, as these numbers in another shape are.
            data = torch.tensor(spec.values, dtype=dtype, device=self.device).reshape(spec.shape)
        elif dtype == torch.bool:
            data = torch.rand(spec.shape, generator=self._generator) < 0.5
        elif dtype.is_complex:
            data = torch.randn(spec.shape, generator=self._generator, dtype=torch.complex64).to(dtype)
        elif dtype.is_floating_point:
            data = torch.randn(spec.shape, generator=self._generator).to(dtype)
        else:
            data = torch.randint(0, 8, spec.shape, generator=self._generator).to(dtype)
        if self.upcast and dtype.is_floating_point:
            data = data.double()
        elif self.upcast and dtype.is_complex:
            data = data.to(torch.complex128)
        return data.to(self.device)

    def _strides(self, spec: TensorSpec) -> tuple[tuple[int, ...], int] | None:
        """The strides and the offset that the variant asks for; None for a plain contiguous tensor."""
        if spec.strides is not None or spec.offset:
            return spec.strides or _contiguous(spec.shape), spec.offset
        if self.variant.inputs == "strided" and spec.shape:
            return tuple(2 * stride for stride in _contiguous(spec.shape)), 1
        return None

    def _storage(self, spec: TensorSpec, data: torch.Tensor) -> torch.Tensor:
        """The data laid out in its storage: itself if contiguous, else a flat tensor that the view is taken of."""
        layout = self._strides(spec)
        if layout is None:
            return data
        strides, offset = layout
        size = offset + 1 + sum((size - 1) * stride for size, stride in zip(spec.shape, strides, strict=True) if size)
        flat = torch.arange(size, device=data.device).remainder(7).to(data.dtype)
        flat.as_strided(spec.shape, strides, offset).copy_(data)
        return flat

    def _shaped(self, spec: TensorSpec, storage: torch.Tensor) -> torch.Tensor:
        layout = self._strides(spec)
        return storage if layout is None else storage.as_strided(spec.shape, *layout)

    def _wrapped(self, spec: TensorSpec, storage: torch.Tensor, requires_grad: bool) -> torch.Tensor:
        """A wrapper subclass with two inner tensors, the second one other data of the same layout."""
        first = self._shaped(spec, storage)
        wrapped = torch_internals.TwoTensor(first, self._shaped(spec, storage * 2))
        if not requires_grad:
            return wrapped
        wrapped.requires_grad_()
        self.leaves[f"leaf[{len(self.leaves)}]"] = wrapped
        return wrapped if spec.role == "leaf" else wrapped.clone()


def _contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    strides: list[int] = []
    running = 1
    for size in reversed(shape):
        strides.append(running)
        running *= max(size, 1)
    return tuple(reversed(strides))
