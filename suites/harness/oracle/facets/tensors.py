"""One tensor of a call and its counterpart: dtype, shape, strides, what autograd says of it, and its numbers."""

from __future__ import annotations

import torch

from suites.harness.observation.facts import TensorFacts
from suites.harness.observation.observe import AFTER_BACKWARD, Call
from suites.harness.oracle.facets.pair import Pair


def compare_tensor(pair: Pair, path: str, left: TensorFacts, right: TensorFacts) -> None:
    """A tensor that a call returned or was handed: what is said of it, and, where it may have changed, its numbers."""
    is_output = path.startswith("out")
    pair.comparison.facets.update(("value", "dtype", "shape", "device", "layout", "autograd"))
    if not compare_metadata(pair, path, left, right, None if is_output else "mutation"):
        return
    changed = path in pair.expected.changed or path in pair.seen.changed
    if is_output:
        compare_values(pair, "value", "value differs", path, left.value, right.value)
    elif changed and path.endswith(".grad"):
        compare_values(pair, "autograd", "accumulated gradient differs", path, left.value, right.value)
    elif changed and path.endswith(".get_state()"):
        compare_values(pair, "random", "generator advanced differently", path, left.value, right.value)
    elif changed:
        kind = (
            "mutation lost"
            if path in pair.expected.changed and path not in pair.seen.changed
            else "mutated by mistake"
            if path not in pair.expected.changed
            else "mutated to another value"
        )
        compare_values(pair, "mutation", kind, path, left.value, right.value)
    if path not in pair.expected.inner:
        _autograd_metadata(pair, path, left, right)


def compare_metadata(pair: Pair, path: str, left: TensorFacts, right: TensorFacts, facet: str | None) -> bool:
    """Compare what is not data. With ``facet`` all of it counts as that one. False: values cannot be compared."""
    comparable = True
    for name, kind in (("dtype", "dtype differs"), ("shape", "shape differs"), ("device", "device differs")):
        if getattr(left, name) != getattr(right, name):
            pair.differs(facet or name, kind, path, getattr(left, name), getattr(right, name))
            comparable = comparable and name == "device"
    if left.layout != right.layout:
        pair.differs(facet or "layout", "layout differs", path, left.layout, right.layout)
    elif comparable and not same_strides(left, right):
        pair.differs(facet or "layout", "strides differ", path, f"strides {left.strides}", f"strides {right.strides}")
    if facet == "mutation" and left.storage_bytes != right.storage_bytes:
        pair.differs(facet, "storage size differs", path, f"{left.storage_bytes} bytes", f"{right.storage_bytes} bytes")
    return comparable


def _autograd_metadata(pair: Pair, path: str, left: TensorFacts, right: TensorFacts) -> None:
    for name in ("requires_grad", "is_leaf", "inference"):
        if getattr(left, name) != getattr(right, name):
            kind = {"requires_grad": "requires_grad", "is_leaf": "is_leaf", "inference": "is_inference"}[name]
            pair.differs("autograd", f"{kind} differs", path, getattr(left, name), getattr(right, name))


def compare_values(
    pair: Pair, facet: str, kind: str, path: str, left: torch.Tensor | None, right: torch.Tensor | None
) -> None:
    """The numbers of two tensors, where both can be read; other dtypes and shapes are told elsewhere."""
    if left is None or right is None:
        if (left is None) != (right is None):
            pair.differs(facet, "unreadable", path, _readable(left), _readable(right))
        return
    if left.dtype != right.dtype or left.shape != right.shape:
        return  # Already reported as metadata.
    by_backward = facet == "autograd" or path.endswith(AFTER_BACKWARD)
    pair.numbers(facet, kind, path, left, right, lambda call: _held(call, facet, path), by_backward)


def same_strides(left: TensorFacts, right: TensorFacts) -> bool:
    """Equal on dimensions larger than 1; a tensor without elements has no strides to speak of."""
    if left.strides is None or right.strides is None or left.shape != right.shape or 0 in left.shape:
        return left.strides == right.strides or left.shape != right.shape or 0 in left.shape
    return all(size <= 1 or a == b for size, a, b in zip(left.shape, left.strides, right.strides, strict=True))


def _held(call: Call, facet: str, path: str) -> torch.Tensor | None:
    facts = (call.gradients if facet == "autograd" else {**call.tensors, **call.after_backward}).get(path)
    return facts.value if isinstance(facts, TensorFacts) else None


def _readable(value: torch.Tensor | None) -> str:
    return "memory that can be read" if value is not None else "memory that cannot be read"
