"""Who shares memory with whom after a call, and what was written there beside the tensors that a caller handed in."""

from __future__ import annotations

import torch

from suites.harness.observation.facts import Spill, TensorFacts
from suites.harness.observation.observe import Call
from suites.harness.oracle.facets.pair import LONG, Pair


def compare_aliasing(pair: Pair) -> None:
    """Pairs of tensors that share a storage in one run alone, and where in it and of which base they are views."""
    expected, seen = pair.expected, pair.seen
    pair.comparison.facets.add("alias")
    common = [path for path in expected.storage if path in seen.storage]
    for index, path in enumerate(common):
        for other in common[:index]:
            together = expected.storage[path] == expected.storage[other]
            now = seen.storage[path] == seen.storage[other]
            if together != now and _first_of_pair(expected, seen, path, other):
                kind = "aliasing lost" if together else "aliased by mistake"
                relation = ("shares storage with", "has a storage apart from")
                pair.differs(
                    "alias",
                    kind,
                    path,
                    f"{relation[0 if together else 1]} {other}",
                    f"{relation[0 if now else 1]} {other}",
                )
    for path in common:
        _offset(pair, path, expected.tensors[path], seen.tensors[path])
        _base(pair, path, expected.tensors[path], seen.tensors[path])


def _offset(pair: Pair, path: str, left: TensorFacts, right: TensorFacts) -> None:
    if left.offset == right.offset or left.offset is None or right.offset is None:
        return
    shared = sum(first == pair.expected.storage[path] for first in pair.expected.storage.values()) > 1
    # Where in its own memory a tensor of nobody else's begins is the backend's affair, but for a fresh one: it
    # begins at its beginning.
    if shared or (left.offset == 0 and left.storage_bytes != right.storage_bytes):
        facet = "alias" if path.startswith("out") else "mutation"
        pair.differs(facet, "storage offset differs", path, f"offset {left.offset}", f"offset {right.offset}")


def _base(pair: Pair, path: str, left: TensorFacts, right: TensorFacts) -> None:
    if not path.startswith("out") or left.base == right.base:
        return
    argument = any(base is not None and not base.startswith(("out", "<")) for base in (left.base, right.base))
    if not (argument or left.requires_grad or right.requires_grad):
        return  # Between outputs that autograd does not know of, sharing memory is all there is to see.
    # Views of intermediates may come with another base, or none: the base is not in the caller's sight.
    if left.base not in (None, "<another>"):
        pair.differs("alias", "base differs", path, f"a view of {left.base}", _view(right.base))
    elif left.base is None and right.base not in (None, "<another>"):
        pair.differs("alias", "base differs", path, _view(None), f"a view of {right.base}")


def compare_spills(pair: Pair) -> None:
    """What a call wrote to a storage outside of the view that it was handed."""
    kind = "storage outside of the view changed differently"
    for path in {**pair.expected.spilled, **pair.seen.spilled}:
        left, right = pair.expected.spilled.get(path), pair.seen.spilled.get(path)
        if left is None or right is None or not torch.equal(left.places, right.places):
            pair.differs("mutation", kind, path, _changed_places(left), _changed_places(right))
        elif left.values.dtype == right.values.dtype:
            pair.numbers("mutation", kind, path, left.values, right.values, lambda call: _spilled(call, path))


def compare_overwritten(pair: Pair) -> None:
    """Outputs of the call before that this one changes, in one run alone."""
    if pair.number:
        pair.comparison.facets.add("reuse")
    for path in sorted(pair.expected.overwritten ^ pair.seen.overwritten):
        by_candidate = path in pair.seen.overwritten
        changed, kept = f"changed by call {pair.number + 1}", "left alone by later calls"
        pair.differs(
            "reuse",
            "an earlier call's output overwritten" if by_candidate else "an earlier call's output not updated",
            f"{path} of call {pair.number}",
            kept if by_candidate else changed,
            changed if by_candidate else kept,
        )


def _first_of_pair(expected: Call, seen: Call, path: str, other: str) -> bool:
    """Report each pair of storages once: with the first member of the other's group in either run."""
    firsts = {expected.storage[path], seen.storage[path], expected.storage[other], seen.storage[other]}
    return other in firsts


def _view(base: str | None) -> str:
    return "no view" if base is None else "a view of another tensor" if base == "<another>" else f"a view of {base}"


def _spilled(call: Call, path: str) -> torch.Tensor | None:
    spill = call.spilled.get(path)
    return spill.values if spill is not None else None


def _changed_places(spill: Spill | None) -> str:
    if spill is None:
        return "no element of its storage changed outside of the view"
    places = spill.places[:LONG].tolist()
    return f"{spill.places.numel()} elements of its storage changed outside of the view: {places}"
