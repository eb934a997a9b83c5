"""What a call returns and leaves in its arguments, as a tree: which entries there are, and the values of plain ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from suites.harness.observation.observe import Observation
from suites.harness.observation.walk import BEFORE, Entry, Rest, equal_values
from suites.harness.oracle import numerics
from suites.harness.oracle.facets.pair import Pair

#: How far plain numbers may be apart where values need not be equal to the last bit, whoever computed them.
_NUMBERS_TOLERANCE = 1e-5


def compare_structure(pair: Pair) -> None:
    """Entries that one alone has, and those that are not equal; what is within such a one is not asked."""
    expected, seen = pair.expected.entries, pair.seen.entries
    skipped: list[str] = []
    for path in [*expected, *(path for path in seen if path not in expected)]:
        if any(path.startswith(parent) for parent in skipped) or path.endswith("._base"):
            continue
        left, right = expected.get(path), seen.get(path)
        if left is not None and right is not None and entries_equal(pair, path, left, right):
            continue
        skipped += [f"{path}.", f"{path}["]
        if path.endswith(BEFORE) and (left is None or right is None):
            kept, put = "the tensor that was there", "another tensor"
            kind, told_of = ("identity lost", (kept, put)) if left is None else ("identity invented", (put, kept))
            pair.differs("mutation", kind, path.removesuffix(BEFORE), *told_of)
            continue
        facet = "autograd" if path.endswith(".grad") else "structure" if path.startswith("out") else "mutation"
        kind, facet = _structure_kind(left, right, facet)
        if left is not None and right is not None and left.kind == right.kind == "rest":
            pair.differs(facet, kind, path, *_told_of_rest(pair, path, left.detail, right.detail))
            continue
        pair.differs(facet, kind, path, left or "nothing", right or "nothing")


def entries_equal(pair: Pair, path: str, left: Entry, right: Entry) -> bool:
    """Whether two entries are of one kind and hold the same: by identity, by value, or, computed by kernels, nearly."""
    if left.kind != right.kind or left.type != right.type:
        return False
    if left.kind == "rest":
        return not _rest_differs(pair, path, left.detail, right.detail)
    if left.kind != "value":
        return bool(left.detail == right.detail)
    if equal_values(left.detail, right.detail, 0.0 if pair.rules.bitwise else _NUMBERS_TOLERANCE):
        return True
    return not pair.rules.bitwise and _rounds(pair, path, left.detail, right.detail)


def _rest_differs(pair: Pair, path: str, left: Rest, right: Rest) -> list[int]:
    def equal(one: Any, other: Any, place: int) -> bool:
        if type(one) is not type(other):
            return False
        if equal_values(one, other, 0.0 if pair.rules.bitwise else _NUMBERS_TOLERANCE):
            return True
        return not pair.rules.bitwise and _rounds(pair, path, one, other, place)

    return left.differing(right, equal)


def _told_of_rest(pair: Pair, path: str, left: Rest, right: Rest) -> Iterator[str]:
    """The first element of each that differs."""
    places = _rest_differs(pair, path, left, right)
    for rest, count in ((left, ""), (right, f", {len(places)} of {len(left.items)} differ")):
        place = places[0] - rest.start
        yield f"{rest.items[place]!r} at [{places[0]}]{count}" if place < len(rest.items) else str(rest)


def _rounds(pair: Pair, path: str, left: Any, right: Any, place: int | None = None) -> bool:
    """Whether a kernel computed two plain numbers, which are as near to each other as kernels come.

    What Python computes is the same in double precision, and with other roundings. ``place`` is that in a `Rest`.
    """
    if not isinstance(left, (float, complex, np.inexact)) or not isinstance(right, type(left)):
        return False
    if isinstance(left, np.generic):  # Of an array, which in eager no kernel of torch's computes.
        return bool(np.isclose(right, left, rtol=_NUMBERS_TOLERANCE, atol=_NUMBERS_TOLERANCE))
    exact = _reference_number(pair, pair.rules.reference(), path, type(left), place)
    again = exact is not None
    rounded = _reference_number(pair, pair.rules.rounded(), path, type(left), place) if again else None
    return exact is not None and numerics.close_numbers(
        complex(left), complex(right), exact, exact if rounded is None else rounded
    )


def _reference_number(pair: Pair, reference: Observation | None, path: str, kind: type, place: int | None) -> Any:
    call = pair.call_of(reference)
    entry = {**call.entries, **call.after_backward}.get(path) if call is not None else None
    found = entry.detail if isinstance(entry, Entry) else None
    if isinstance(found, Rest):
        found = found.items[place] if place is not None and place < len(found.items) else None
    return found if isinstance(found, kind) else None


def _structure_kind(left: Entry | None, right: Entry | None, facet: str) -> tuple[str, str]:
    if left is None or right is None:
        return ("missing" if right is None else "extra", facet)
    if (left.kind == "same") != (right.kind == "same"):
        tensors = {left.kind, right.kind} == {"same", "tensor"}
        kind = "identity lost" if left.kind == "same" else "identity invented"
        return kind, "alias" if tensors and facet == "structure" else facet
    if left.kind == right.kind == "same":
        return "identity differs", facet
    if left.kind != right.kind or left.type != right.type:
        return "type differs", facet
    if left.kind in ("value", "rest"):
        return "value differs", facet
    return "contents differ", facet
