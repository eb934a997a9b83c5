"""What happens after the call: write to one tensor and see which others change."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch

from suites.harness import torch_internals
from suites.harness.observation.facts import addresses, identical, may_share, snapshot, storage_snapshots
from suites.harness.observation.walk import Walked

#: Tensors written to, one after another, to see who else changes.
MAX_PROBES = 12
#: What is written to floats. A later call that writes the same to the same memory would not be seen, so that it is no
#: number that programs often compute; every float holds it, those of eight bits included.
_RARE = 2.0**-5


def probe_writes(walked: Walked) -> tuple[dict[str, frozenset[str] | str], tuple[str, ...]]:
    """Write to each tensor in turn and see which others change: aliasing as the caller meets it.

    With it comes a line where there were too many tensors.
    """
    seen = {path: snapshot(tensor) for path, tensor in walked.tensors.items()}
    seen = {path: value for path, value in seen.items() if value is not None}
    targets = [
        path for path, tensor in walked.tensors.items() if path in seen and tensor.numel() and not tensor.is_quantized
    ]
    # Outputs first: if there are too many tensors, a shared output is what a caller trips over.
    targets.sort(key=lambda path: not path.startswith("out"))
    # Fresh outputs keep what is written: a compiled program that hands out one constant on every call shows by it.
    lasting = {path: tensor for path, tensor in walked.tensors.items() if not path.startswith("out")}
    kept = storage_snapshots(lasting)
    written = {path: lasting[path] for path in targets[:MAX_PROBES] if path in lasting}
    large = {path: tensor for path, tensor in written.items() if torch_internals.storage_key(tensor) not in kept}
    kept |= storage_snapshots(large, math.inf)
    # A write is seen in the memory that it goes to: nobody is looked at who cannot lie there.
    places = {path: addresses(walked.tensors[path]) for path in seen}
    effects: dict[str, frozenset[str] | str] = {}
    for target in targets[:MAX_PROBES]:
        error = _write(walked.tensors[target])
        changed = set()
        for path, old in list(seen.items()):
            if not may_share(places[target], places[path]):
                continue
            new = snapshot(walked.tensors[path])
            if old is not None and not identical(old, new):
                changed.add(path)
                seen[path] = new
        effects[target] = error or frozenset(changed)
    restore_storages(lasting, kept)
    told = f"{MAX_PROBES} of {len(targets)} tensors were written to, to see which others change"
    return effects, (told,) if len(targets) > MAX_PROBES else ()


def restore_storages(tensors: Mapping[str, torch.Tensor], kept: Mapping[int, torch.Tensor]) -> None:
    """Put back what probing wrote: a module's parameters and a program's globals live on into the next call."""
    for tensor in tensors.values():
        old = kept.get(torch_internals.storage_key(tensor) or 0)
        if old is None or old.dtype != tensor.dtype:
            continue
        with torch.inference_mode():
            flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
            flat.set_(tensor.untyped_storage())
            flat.copy_(old)


def _write(tensor: torch.Tensor) -> str | None:
    try:
        with torch.inference_mode():
            plain = tensor.detach()
            if plain.dtype == torch.bool:
                plain.logical_not_()
            elif plain.dtype.is_floating_point or plain.dtype.is_complex:
                # A NaN, an infinity or a large number would hide the write; every element must change.
                others = torch.where(plain == _RARE, torch.full_like(plain, 2 * _RARE), torch.full_like(plain, _RARE))
                plain.copy_(others)
            else:
                plain.bitwise_xor_(1)
    except RuntimeError as error:
        return type(error).__name__
    return None
