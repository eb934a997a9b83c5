"""What a tensor and an error look like from outside, as plain data, and snapshots of memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import message_of
from suites.harness.observation import stacks
from suites.harness.observation.walk import is_leaf, type_name
from suites.harness.torch_internals import is_traceable_wrapper_subclass

#: Storages above this are not searched for writes outside of the views that the caller holds. Where one tensor in sight
#: covers all of it there are none.
MAX_STORAGE_BYTES = 1 << 24


@dataclasses.dataclass(frozen=True)
class TensorFacts:
    """One tensor as the caller sees it. ``strides`` and ``offset`` count elements; None where there are none."""

    type: str
    dtype: str
    shape: tuple[int, ...]
    device: str
    strides: tuple[int, ...] | None
    offset: int | None
    layout: str
    requires_grad: bool
    #: None where autograd refuses to say.
    is_leaf: bool | None
    inference: bool
    #: The path of the tensor whose view this is, ``<another>`` if that one is not in sight, None if it is no view.
    base: str | None
    #: Storage size in bytes, None without storage.
    storage_bytes: int | None
    value: torch.Tensor | None


@dataclasses.dataclass(frozen=True)
class ErrorFacts:
    """An exception: its type's name, its message with those of its causes, and where it was raised (`stacks`)."""

    type: str
    message: str
    raised_in: str = dataclasses.field(default="", compare=False)
    #: The whole stack, where the environment asks for it.
    stack: str = dataclasses.field(default="", compare=False)

    @classmethod
    def of(cls, error: BaseException) -> ErrorFacts:
        """Read an exception; the chain of causes is part of the message."""
        messages = [message_of(error)]
        cause = error.__cause__
        while cause is not None and len(messages) < 4:
            messages.append(message_of(cause))
            cause = cause.__cause__
        return cls(type(error).__name__, "\n".join(messages), stacks.raised_in(error), stacks.whole(error))


def tensor_facts(tensor: torch.Tensor, paths: Mapping[int, str] | None = None, *, inner: bool = False) -> TensorFacts:
    """Describe one tensor; ``paths`` (id -> path) names its base where that is in sight."""
    wrapper = is_traceable_wrapper_subclass(tensor)
    strided = tensor.layout == torch.strided
    base: str | None = None
    if not tensor.is_inference() and not inner and not wrapper and torch_internals.view_base(tensor) is not None:
        base = (paths or {}).get(id(torch_internals.view_base(tensor)), "<another>")
    storage_bytes: int | None = None
    if torch_internals.storage_key(tensor) is not None:
        storage_bytes = tensor.untyped_storage().nbytes()
    return TensorFacts(
        type=type_name(tensor),
        dtype=str(tensor.dtype).removeprefix("torch."),
        shape=tuple(map(_whole, tensor.shape)),
        device=str(tensor.device),
        strides=tuple(map(_whole, tensor.stride())) if strided else None,
        offset=int(tensor.storage_offset()) if strided else None,
        layout=str(tensor.layout).removeprefix("torch."),
        requires_grad=False if inner else tensor.requires_grad,
        is_leaf=True if inner else is_leaf(tensor),
        inference=tensor.is_inference(),
        base=base,
        storage_bytes=storage_bytes,
        value=snapshot(tensor),
    )


def _whole(size: int | torch.SymInt) -> int:
    """A size or stride as a number; -1 where it is the ragged one of a jagged nested tensor, which is none."""
    ragged = isinstance(size, torch.SymInt) and size.node.is_nested_int()
    return -1 if ragged else int(size)


def snapshot(tensor: torch.Tensor) -> torch.Tensor | None:
    """A dense snapshot on the CPU; None for wrapper subclasses, whose inner tensors are walked."""
    if is_traceable_wrapper_subclass(tensor):
        return None
    # Inference tensors cannot leave inference mode's rules behind except by a copy made inside it.
    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
        try:
            if storage_too_small(tensor):
                return None
            plain = tensor.int_repr() if tensor.is_quantized else tensor.detach()
            if plain.layout != torch.strided:
                plain = plain.to_dense()
            copied = plain.resolve_conj().resolve_neg().cpu().clone(memory_format=torch.contiguous_format)
        except (RuntimeError, NotImplementedError):
            return None
    return _without_class(copied)


def storage_too_small(tensor: torch.Tensor) -> bool:
    """Whether the storage was resized under the tensor, so that reading it would be out of bounds."""
    if tensor.layout != torch.strided or not tensor.numel() or torch_internals.storage_key(tensor) is None:
        return False
    last = tensor.storage_offset() + sum(
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    return (last + 1) * tensor.element_size() > tensor.untyped_storage().nbytes()


def _without_class(tensor: torch.Tensor) -> torch.Tensor:
    with torch_internals.without_torch_function():
        return tensor.as_subclass(torch.Tensor) if type(tensor) is not torch.Tensor else tensor


def identical(old: torch.Tensor, new: torch.Tensor | None) -> bool:
    """Equal to the last bit, NaNs included; both are contiguous snapshots."""
    if new is None or old.dtype != new.dtype or old.shape != new.shape:
        return False
    with torch.inference_mode():
        return torch.equal(old.reshape(-1).view(torch.uint8), new.reshape(-1).view(torch.uint8))


def another(old: torch.Tensor | None, new: torch.Tensor | None) -> bool:
    """Whether a snapshot is not what it was; None where there was, or is, no memory to be read."""
    return old is not new if old is None or new is None else not identical(old, new)


def addresses(tensor: torch.Tensor) -> range | None:
    """Where a tensor's storage lies in memory; None where that does not tell which others lie there.

    So it is of tensors without a storage, and of memory that may be mapped at two places: a file's, another process's,
    a device's.
    """
    if torch_internals.storage_key(tensor) is None or tensor.device.type != "cpu":
        return None
    storage = tensor.untyped_storage()
    return None if storage.is_shared() else range(storage.data_ptr(), storage.data_ptr() + storage.nbytes())


def may_share(one: range | None, other: range | None) -> bool:
    """Whether a write to the memory at one of two `addresses` may be seen at the other."""
    return one is None or other is None or (one.start < other.stop and other.start < one.stop)


def flat_copy(tensor: torch.Tensor, limit: float = MAX_STORAGE_BYTES) -> torch.Tensor | None:
    """The whole storage as a flat CPU copy in the tensor's dtype; None for one of more than ``limit`` bytes."""
    if torch_internals.storage_key(tensor) is None or tensor.untyped_storage().nbytes() > limit:
        return None
    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
        flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        flat.set_(tensor.untyped_storage())
        return flat.cpu().clone()


def not_searched(tensors: Mapping[str, torch.Tensor]) -> tuple[str, ...]:
    """The storages that are above the limit, and that no one of the tensors covers, a line each."""
    large: dict[int, str] = {}
    covered: set[int] = set()
    for path, tensor in tensors.items():
        key = torch_internals.storage_key(tensor)
        if key is not None and tensor.untyped_storage().nbytes() > MAX_STORAGE_BYTES:
            large.setdefault(key, path)
            if tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes():
                covered.add(key)
    limit = f"memory of over {MAX_STORAGE_BYTES >> 20} MB, compared where a tensor in sight shows it"
    return tuple(f"{path}: {limit}" for key, path in large.items() if key not in covered)


def storage_snapshots(tensors: Mapping[str, torch.Tensor], limit: float = MAX_STORAGE_BYTES) -> dict[int, torch.Tensor]:
    """A flat copy of each storage among ``tensors``, by what identifies it, of ``limit`` bytes at most."""
    snapshots: dict[int, torch.Tensor] = {}
    for tensor in tensors.values():
        key = torch_internals.storage_key(tensor)
        if key is not None and key not in snapshots and (flat := flat_copy(tensor, limit)) is not None:
            snapshots[key] = flat
    return snapshots


@dataclasses.dataclass(frozen=True)
class Spill:
    """Elements of a storage that a call changed outside of every observed tensor: where they lie, and what they are."""

    places: torch.Tensor
    values: torch.Tensor


def spilled(tensors: Mapping[str, torch.Tensor], before: Mapping[int, torch.Tensor]) -> dict[str, Spill]:
    """Elements of the inputs' storages that changed and that no observed tensor covers, by storage."""
    spilled: dict[str, Spill] = {}
    for key, old in before.items():
        members = [(p, t) for p, t in tensors.items() if torch_internals.storage_key(t) == key and t.dtype == old.dtype]
        if not members:
            continue
        new = flat_copy(members[0][1])
        if new is None or new.shape != old.shape or not new.numel():
            continue
        covered = torch.zeros(new.shape, dtype=torch.bool)
        for _, tensor in members:
            if not storage_too_small(tensor):
                covered.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).fill_(True)
        same = (new == old) | (new.isnan() & old.isnan())
        places = (~covered & ~same).nonzero().flatten()
        if places.numel():
            spilled[members[0][0]] = Spill(places, new[places])
    return spilled
