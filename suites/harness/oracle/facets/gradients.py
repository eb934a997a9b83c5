"""What backward comes to: the gradients of leaves, and what it wrote to."""

from __future__ import annotations

import dataclasses

from suites.harness.observation.facts import TensorFacts
from suites.harness.observation.walk import Entry
from suites.harness.oracle.facets.pair import Pair
from suites.harness.oracle.facets.structure import entries_equal
from suites.harness.oracle.facets.tensors import compare_metadata, compare_values, same_strides


def compare_gradients(pair: Pair) -> None:
    """Whether backward raises, and of each leaf its gradient: that it is there, what it is, and its numbers."""
    expected, seen = pair.expected, pair.seen
    if expected.backward_ran or seen.backward_ran:
        pair.comparison.facets.add("autograd")
    if expected.backward_error is not None or seen.backward_error is not None:
        if expected.backward_ran and seen.backward_ran:
            pair.errors("backward", expected.backward_error, seen.backward_error)
        return
    for name, left in expected.gradients.items():
        right = seen.gradients.get(name)
        where = f"gradient of {name}"
        if left is None or right is None:
            if (left is None) != (right is None):
                kind = "gradient lost" if right is None else "gradient invented"
                pair.differs("autograd", kind, where, present(left), present(right))
            continue
        before = len(pair.comparison.divergences)
        for attribute in ("type", "dtype", "shape", "device", "layout"):
            if getattr(left, attribute) != getattr(right, attribute):
                pair.differs(
                    "autograd",
                    f"gradient's {attribute} differs",
                    where,
                    getattr(left, attribute),
                    getattr(right, attribute),
                )
        if len(pair.comparison.divergences) == before and not same_strides(left, right):
            pair.differs("autograd", "gradient's strides differ", where, left.strides, right.strides)
        _gradient_value(pair, name, where, left, right)


def _gradient_value(pair: Pair, name: str, where: str, left: TensorFacts, right: TensorFacts) -> None:
    before = len(pair.comparison.divergences)
    compare_values(pair, "autograd", "gradient's value differs", name, left.value, right.value)
    pair.comparison.divergences[before:] = [
        dataclasses.replace(divergence, where=pair.prefix + where)
        for divergence in pair.comparison.divergences[before:]
    ]


def compare_after_backward(pair: Pair) -> None:
    """What backward wrote to: inputs, state (a list that hooks append to) and the cotangents handed to it."""
    expected, seen = pair.expected, pair.seen
    if expected.backward_error is not None or seen.backward_error is not None:
        return
    for path in {**expected.after_backward, **seen.after_backward}:
        left, right = expected.after_backward.get(path), seen.after_backward.get(path)
        if isinstance(left, TensorFacts) and isinstance(right, TensorFacts):
            if compare_metadata(pair, path, left, right, "mutation"):
                compare_values(pair, "mutation", "mutated in backward to another value", path, left.value, right.value)
        elif (path in expected.after_backward) != (path in seen.after_backward):
            lost = path in expected.after_backward
            kind = "mutation in backward lost" if lost else "mutated in backward by mistake"
            facts = left if lost else right
            pair.differs("mutation", kind, path, *(("a change", "none") if lost else ("no change", _shown(facts))))
        elif left is not right and not (
            isinstance(left, Entry) and isinstance(right, Entry) and entries_equal(pair, path, left, right)
        ):
            pair.differs("mutation", "contents differ after backward", path, _shown(left), _shown(right))


def _shown(facts: TensorFacts | Entry | None) -> str:
    if isinstance(facts, TensorFacts):
        return f"a {facts.dtype} tensor of shape {list(facts.shape)}"
    return str(facts) if facts is not None else "nothing"


def present(facts: TensorFacts | None) -> str:
    """A gradient, or that there is none, for a reader."""
    return "no gradient" if facts is None else f"a gradient of shape {list(facts.shape)}"
