"""Leaves, cotangents and backward: which gradients a caller of the program would see."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.observation.facts import ErrorFacts
from suites.harness.observation.interrupts import Stopped
from suites.harness.observation.walk import BEFORE, Walked, is_leaf
from suites.harness.torch_internals import is_traceable_wrapper_subclass


def find_leaves(named: Mapping[str, torch.Tensor], walked: Walked) -> dict[str, torch.Tensor]:
    """The leaves that gradients arrive at: those named, those among the inputs and state, and those behind them."""
    leaves = dict(named)
    known = {id(tensor) for tensor in leaves.values()}
    for path, tensor in walked.tensors.items():
        if path in walked.inner or not tensor.requires_grad:
            continue
        found = [tensor] if is_leaf(tensor) else list(_history(tensor))
        for position, leaf in enumerate(found):
            if id(leaf) not in known:
                known.add(id(leaf))
                leaves[path if leaf is tensor else f"leaf {position} of {path}"] = leaf
    return leaves


def _history(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    pending: list[Any] = [tensor.grad_fn] if is_leaf(tensor) is False else []
    seen: set[Any] = set()
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = torch_internals.accumulated_variable(node)
        if variable is not None:
            yield variable
        pending.extend(parent for parent, _ in reversed(node.next_functions))


def differentiable_roots(walked: Walked) -> dict[str, torch.Tensor]:
    """What a caller could call backward on: outputs and (mutated) inputs that have a history."""
    return {
        path: tensor
        for path, tensor in walked.tensors.items()
        if path not in walked.inner
        and not path.endswith("._base")
        and BEFORE not in path
        and tensor.requires_grad
        and is_leaf(tensor) is False
    }


def _cotangent(path: str, tensor: torch.Tensor, summed: bool) -> torch.Tensor:
    """A deterministic cotangent for one root: distinct random weights, or what ``sum().backward()`` would hand it."""
    if is_traceable_wrapper_subclass(tensor):
        # Detached: whether the wrapper requires grad may be part of its context, and a cotangent does not.
        names, context = tensor.detach().__tensor_flatten__()
        parts = {name: _cotangent(f"{path}.{name}", getattr(tensor, name), False) for name in names}
        return type(tensor).__tensor_unflatten__(parts, context, tensor.shape, tensor.stride())
    if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        return tensor  # What a subclass keeps beside its data, such as the offsets of a jagged nested tensor.
    if summed:
        return torch.ones((), dtype=tensor.dtype, device=tensor.device).expand(tensor.shape)
    generator = torch.Generator().manual_seed(zlib.crc32(path.encode()))
    weights = torch.randn(tensor.shape, generator=generator).to(device=tensor.device, dtype=tensor.dtype)
    if tensor.dtype.is_complex:
        weights = weights * (1 + 1j)
    return weights


def cotangents_for(roots: Mapping[str, torch.Tensor], summed: bool) -> dict[str, torch.Tensor]:
    """The cotangents that a caller hands to backward, by the path of their root; ones everywhere if ``summed``."""
    return {path: _cotangent(path, tensor, summed) for path, tensor in roots.items()}


def run_backward(
    roots: Mapping[str, torch.Tensor], cotangents: Mapping[str, torch.Tensor], twice: bool
) -> ErrorFacts | None:
    """Run backward from ``roots``, with the cotangents of the same paths; the error, if it raises."""
    given = [cotangents[path] for path in roots]
    try:
        torch.autograd.backward(list(roots.values()), given, retain_graph=twice)
        if twice:
            torch.autograd.backward(list(roots.values()), given)
        torch_internals.wait_for_device()
    except Stopped:
        raise
    except BaseException as error:
        return ErrorFacts.of(error)
    return None
