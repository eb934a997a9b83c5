"""Compare two observations of one program: eager's and a candidate's. Every difference is one typed divergence.

`kind` strings are part of fingerprints: they name what differs, never where or by how much.
"""

from __future__ import annotations

from suites.harness.execution.deaths import LOST_ITS_DEVICE
from suites.harness.observation.global_state import by_every_name
from suites.harness.observation.observe import Observation
from suites.harness.observation.walk import Entry
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.facets.gradients import compare_after_backward, compare_gradients
from suites.harness.oracle.facets.memory import compare_aliasing, compare_overwritten, compare_spills
from suites.harness.oracle.facets.pair import Comparison, Pair, Rules, told
from suites.harness.oracle.facets.probes import compare_in_place, compare_writes
from suites.harness.oracle.facets.structure import compare_structure
from suites.harness.oracle.facets.tensors import compare_tensor


def compare(expected: Observation, seen: Observation, rules: Rules) -> Comparison:
    """Compare all calls of two runs. ``where`` starts with ``call N:`` if there are several calls."""
    comparison = Comparison()
    _compare_compiling(comparison, expected, seen)
    accumulated_alike = True
    whole = not (expected.lost_its_device or seen.lost_its_device)
    for number, (left, right) in enumerate(zip(expected.calls, seen.calls, strict=whole)):
        prefix = f"call {number + 1}: " if len(expected.calls) > 1 else ""
        before = len(comparison.divergences)
        _compare_call(Pair(comparison, rules, left, right, prefix, number))
        if not accumulated_alike:
            # One backward before this call raised: what its leaves hold since then follows from that.
            found = comparison.divergences[before:]
            comparison.divergences[before:] = [item for item in found if not item.where.endswith(".grad")]
        accumulated_alike &= (left.backward_error is None) == (right.backward_error is None)
    if seen.lost_its_device and not expected.lost_its_device and not comparison.divergences:
        # Both raise, but eager's caller can go on. An error that eager has not is told already.
        comparison.facets.add("crash")
        comparison.divergences.append(
            Divergence("crash", LOST_ITS_DEVICE, "the run", "a device that works", LOST_ITS_DEVICE, False)
        )
    if comparison.divergences:
        # What in-place ops on outputs do after a call that already differs tells nothing more.
        return comparison
    for path, probe in expected.in_place.items():
        comparison.facets.add("probe")
        comparison.divergences += compare_in_place(path, probe, seen.in_place.get(path), rules)
    return comparison


def _compare_compiling(comparison: Comparison, expected: Observation, seen: Observation) -> None:
    """What compiling leaves behind before the first call."""
    pairs = {
        ("state", "left changed by compiling"): by_every_name(expected.compiled_state, seen.compiled_state),
        ("random", "left changed by compiling"): (expected.compiled_random, seen.compiled_random),
    }
    for (facet, kind), (left, right) in pairs.items():
        comparison.divergences += [
            Divergence(facet, f"{name} {kind}", name, told(value), told(right[name]))
            for name, value in left.items()
            if name in right and right[name] != value
        ]


def _compare_call(pair: Pair) -> None:
    """Facet by facet, in the order of what follows from what."""
    expected, seen, facets = pair.expected, pair.seen, pair.comparison.facets
    facets.add("error")
    if expected.error is not None or seen.error is not None:
        pair.errors("the call", expected.error, seen.error)
        if expected.error is not None and seen.error is not None:
            facets.add("state")
            _compare_state(pair)
        return
    facets.update(("structure", "mutation", "state", "random"))
    compare_structure(pair)
    for path, facts in expected.tensors.items():
        if path in seen.tensors and _same_kind(expected.entries, seen.entries, path):
            compare_tensor(pair, path, facts, seen.tensors[path])
    compare_aliasing(pair)
    compare_spills(pair)
    _compare_state(pair)
    pair.named("random", "generator advanced differently", expected.random, seen.random)
    compare_gradients(pair)
    compare_after_backward(pair)
    compare_writes(pair)
    compare_overwritten(pair)


def _compare_state(pair: Pair) -> None:
    expected, seen = pair.expected, pair.seen
    pair.named("state", "left changed", *by_every_name(expected.global_state, seen.global_state))
    if expected.backward_ran and seen.backward_ran:
        after = by_every_name(expected.state_after_backward, seen.state_after_backward)
        pair.named("state", "left changed by backward", *after)


def _same_kind(expected: dict[str, Entry], seen: dict[str, Entry], path: str) -> bool:
    """Whether both are tensors; a hidden base may be in sight for one run and be an argument's own for the other."""
    return path in expected and path in seen and expected[path].kind == seen[path].kind == "tensor"
