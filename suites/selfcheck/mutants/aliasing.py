"""Mutants of who shares memory with whom, and of who is whom."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.torch_internals import pytree

from .making import (
    Run,
    fresh,
    graph,
    map_tensors,
    program,
    rehoused,
    replace_fresh,
    share_memory,
    storages,
    tensors_in,
)


@graph("alias", "probe")
def clones_aliasing_outputs(run: Run) -> Run:
    """An output that shares memory with an argument comes back as a copy."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        shared = storages(tensors_in(args))
        return map_tensors(
            lambda tensor: tensor.clone() if torch_internals.storage_key(tensor) in shared else tensor, outputs
        )

    return wrong


@graph("alias", "probe")
def clones_sibling_outputs(run: Run) -> Run:
    """Outputs that share memory with each other, and with no argument, come back as copies."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        shared = storages(tensors_in(args))
        own = {id(tensor) for tensor in fresh(args, outputs)}

        def apart(tensor: torch.Tensor) -> torch.Tensor:
            key = torch_internals.storage_key(tensor)
            return tensor.clone() if key is not None and key not in shared and id(tensor) not in own else tensor

        return map_tensors(apart, outputs)

    return wrong


@graph("alias", "value")
def view_at_the_wrong_offset(run: Run) -> Run:
    """An output that is a view of an argument begins one element too late, where that fits its memory."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        shared = storages(tensors_in(args))
        return map_tensors(
            lambda tensor: _one_later(tensor) if torch_internals.storage_key(tensor) in shared else tensor, outputs
        )

    return wrong


def _one_later(view: torch.Tensor) -> torch.Tensor:
    last = view.storage_offset() + sum((n - 1) * s for n, s in zip(view.shape, view.stride(), strict=True))
    if (last + 2) * view.element_size() > view.untyped_storage().nbytes():
        return view
    return view.as_strided(view.shape, view.stride(), view.storage_offset() + 1)


@graph("alias")
def packs_outputs_in_one_buffer(run: Run) -> Run:
    """Fresh outputs of one dtype are laid side by side in one storage, as a memory planner lays buffers."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        packed = [tensor for tensor in fresh(args, outputs) if tensor.is_contiguous() and tensor.numel()]
        packed = [tensor for tensor in packed if tensor.dtype == packed[0].dtype]
        if len(packed) < 2:
            return outputs
        buffer = torch.cat([tensor.detach().flatten() for tensor in packed])
        parts = buffer.split([tensor.numel() for tensor in packed])
        homes = {id(tensor): part.view(tensor.shape) for tensor, part in zip(packed, parts, strict=True)}
        return map_tensors(lambda t: rehoused(t, homes[id(t)]) if id(t) in homes else t, outputs)

    return wrong


@graph("alias", "probe")
def returns_one_buffer_for_equal_outputs(run: Run) -> Run:
    """Two outputs of equal value share one buffer, as after common-subexpression elimination without a clone."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        kept: list[torch.Tensor] = []

        def merge(data: torch.Tensor) -> torch.Tensor | None:
            twin = next((other for other in kept if _same(other, data)), None)
            kept.append(data)
            return twin

        return replace_fresh(args, outputs, merge)

    return wrong


def _same(left: torch.Tensor, right: torch.Tensor) -> bool:
    alike = left.dtype == right.dtype and left.shape == right.shape and left.stride() == right.stride()
    return alike and left.layout == torch.strided and torch.equal(left, right)


@graph("alias", "probe", "mutation")
def returns_the_argument_for_its_copy(run: Run) -> Run:
    """An output that equals an argument shares its memory: the clone in the program was taken for a no-op."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        given = [tensor for tensor in tensors_in(args) if tensor.layout == torch.strided]
        return replace_fresh(
            args, outputs, lambda data: next((other.detach() for other in given if _same(other.detach(), data)), None)
        )

    return wrong


@program("alias", "structure")
def forgets_which_output_is_an_argument(run: Run) -> Run:
    """An output that is an argument comes back as another tensor object on the same memory."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        given = {id(tensor) for tensor in tensors_in((args, kwargs))}
        return map_tensors(lambda tensor: tensor[...] if id(tensor) in given else tensor, outputs)

    return wrong


@program("alias", "structure")
def forgets_that_two_outputs_are_one(run: Run) -> Run:
    """One tensor returned twice comes back as two objects on one memory."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        given = {id(tensor) for tensor in tensors_in((args, kwargs))}
        seen: set[int] = set()

        def apart(tensor: torch.Tensor) -> torch.Tensor:
            if id(tensor) in seen and id(tensor) not in given:
                return tensor[...]
            seen.add(id(tensor))
            return tensor

        return map_tensors(apart, outputs)

    return wrong


@graph("alias")
def loses_the_base(run: Run) -> Run:
    """An output that is a view of an argument keeps its memory but is no view in autograd's eyes."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        given = tensors_in(args)

        def plain(tensor: torch.Tensor) -> torch.Tensor:
            view = tensor.layout == torch.strided and any(share_memory(tensor, other) for other in given)
            return _SameMemory.apply(tensor) if view and not tensor.is_inference() else tensor

        return pytree.tree_map_only(torch.Tensor, plain, outputs)

    return wrong


class _SameMemory(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor) -> torch.Tensor:
        flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        return flat.set_(tensor.untyped_storage(), tensor.storage_offset(), tensor.shape, tensor.stride())

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient
