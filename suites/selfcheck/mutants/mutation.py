"""Mutants of what happens to the arguments."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness import torch_internals

from .making import Run, Snapshot, graph, overwrite, program, tensors_in


@graph("mutation", "value")
def drops_the_copy_back(run: Run) -> Run:
    """What the program wrote to its arguments does not reach the caller."""

    def wrong(*args: Any) -> Any:
        before = Snapshot.of(args)
        outputs = run(*args)
        for tensor, old in list(before.changed()):
            overwrite(tensor, old)
        return outputs

    return wrong


@graph("mutation")
def copies_back_to_the_wrong_argument(run: Run) -> Run:
    """What the program wrote to one argument arrives in another one of the same shape and dtype."""

    def wrong(*args: Any) -> Any:
        before = Snapshot.of(args)
        outputs = run(*args)
        for tensor, old in list(before.changed())[:1]:
            twins = [t for t in before.tensors if t is not tensor and (t.shape, t.dtype) == (old.shape, old.dtype)]
            for twin in twins[:1]:
                new = tensor.detach().clone()
                overwrite(tensor, old)
                overwrite(twin, new)
        return outputs

    return wrong


@graph("mutation", "value")
def mutates_twice(run: Run) -> Run:
    """Every change of an argument is made twice, as when a program is run once to warm up and once for good."""

    def wrong(*args: Any) -> Any:
        state = torch.get_rng_state()
        before = Snapshot.of(args)
        outputs = run(*args)
        if not list(before.changed()):
            return outputs
        torch.set_rng_state(state)
        return run(*args)

    return wrong


@graph("mutation")
def mutates_what_is_only_read(run: Run) -> Run:
    """An argument that the program only reads is used as scratch space."""

    def wrong(*args: Any) -> Any:
        before = Snapshot.of(args)
        outputs = run(*args)
        changed = {id(tensor) for tensor, _ in before.changed()}
        unread = [tensor for tensor in before.tensors if id(tensor) not in changed and tensor.dtype.is_floating_point]
        for tensor in unread[:1]:
            overwrite(tensor, tensor.detach() + 1)
        return outputs

    return wrong


@graph("mutation")
def writes_outside_of_the_view(run: Run) -> Run:
    """Writing to an argument that is a view also writes to the elements of its storage between the view's own."""

    def wrong(*args: Any) -> Any:
        before = Snapshot.of(args)
        outputs = run(*args)
        for tensor, _ in list(before.changed()):
            _write_around(tensor.detach())
        return outputs

    return wrong


def _write_around(view: torch.Tensor) -> None:
    with torch.no_grad():
        flat = torch.empty(0, dtype=view.dtype, device=view.device)
        flat.set_(view.untyped_storage())
        outside = torch.ones(flat.shape, dtype=torch.bool, device=view.device)
        outside.as_strided(view.shape, view.stride(), view.storage_offset()).fill_(False)
        flat[outside] = 99


@graph("mutation")
def undoes_resizing(run: Run) -> Run:
    """An argument whose storage the program resized has its old size again after the call."""

    def wrong(*args: Any) -> Any:
        tensors = [tensor for tensor in tensors_in(args) if tensor.layout == torch.strided]
        sizes = [_storage_bytes(tensor) for tensor in tensors]
        outputs = run(*args)
        for tensor, size in zip(tensors, sizes, strict=True):
            if size is not None and _storage_bytes(tensor) != size:
                tensor.untyped_storage().resize_(size)
        return outputs

    return wrong


def _storage_bytes(tensor: torch.Tensor) -> int | None:
    try:
        return tensor.untyped_storage().nbytes()
    except (RuntimeError, NotImplementedError):
        return None


@program("mutation")
def drops_the_mutation_of_containers(run: Run) -> Run:
    """Lists and dicts among the arguments are after the call what they were before it."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        found = list(_containers((args, kwargs)))
        copies = [item.copy() for item in found]
        outputs = run(*args, **kwargs)
        for item, copied in zip(found, copies, strict=True):
            item.clear()
            item.extend(copied) if isinstance(item, list) else item.update(copied)
        return outputs

    return wrong


def _containers(value: Any) -> Any:
    if isinstance(value, (list, dict)):
        yield value
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _containers(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _containers(item)


@graph("error", "autograd")
def hides_mutations_from_autograd(run: Run) -> Run:
    """A mutation does not count: a result that saved the old value is differentiated with the new one."""

    def wrong(*args: Any) -> Any:
        tensors = [tensor for tensor in tensors_in(args) if not tensor.is_inference()]
        versions = [torch_internals.version(tensor) for tensor in tensors]
        outputs = run(*args)
        for tensor, version in zip(tensors, versions, strict=True):
            torch_internals.set_version(tensor, version)
        return outputs

    return wrong


@program("mutation", "autograd")
def drops_the_mutation_of_metadata(run: Run) -> Run:
    """An argument has the sizes, strides and offset that it had before the call."""
    return keeping_geometry(run)


@program("mutation", "alias")
def drops_a_new_storage(run: Run) -> Run:
    """An argument that the program gave another storage has its old one after the call."""
    return keeping_storages(run)


@program("autograd")
def drops_the_mutation_of_requires_grad(run: Run) -> Run:
    """An argument requires grad after the call if it did before it, whatever the program said."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        tensors = tensors_in((args, kwargs))
        before = [tensor.requires_grad for tensor in tensors]
        outputs = run(*args, **kwargs)
        for tensor, flag in zip(tensors, before, strict=True):
            if tensor.requires_grad != flag and tensor.is_leaf:
                tensor.requires_grad_(flag)
        return outputs

    return wrong


# Shared with the mutants of AOTAutograd alone.


def keeping_geometry(run: Run) -> Run:
    """``run``, after which sizes, strides and offsets of the arguments are what they were."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        tensors = [tensor for tensor in tensors_in((args, kwargs)) if tensor.layout == torch.strided]
        before = [tensor.detach() for tensor in tensors]
        outputs = run(*args, **kwargs)
        for tensor, old in zip(tensors, before, strict=True):
            geometry = old.shape, old.stride(), old.storage_offset()
            if (tensor.shape, tensor.stride(), tensor.storage_offset()) != geometry:
                tensor.data = tensor.detach().as_strided(*geometry)
        return outputs

    return wrong


def keeping_storages(run: Run) -> Run:
    """``run``, after which the arguments have the storages that they had."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        tensors = [tensor for tensor in tensors_in((args, kwargs)) if tensor.layout == torch.strided]
        before = [tensor.detach() for tensor in tensors]
        keys = [torch_internals.storage_key(tensor) for tensor in tensors]
        outputs = run(*args, **kwargs)
        for tensor, old, key in zip(tensors, before, keys, strict=True):
            if torch_internals.storage_key(tensor) != key:
                tensor.data = old
        return outputs

    return wrong
