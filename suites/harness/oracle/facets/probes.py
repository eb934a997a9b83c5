"""What a caller can do with what a call returned: write to it, and see who else sees that."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from suites.harness.observation.observe import InPlaceProbe, Observation
from suites.harness.oracle import numerics
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.facets.gradients import present
from suites.harness.oracle.facets.pair import Pair, Rules, raised
from suites.harness.oracle.messages import headline


def compare_writes(pair: Pair) -> None:
    """Which tensors a write to each of them is seen by."""
    if any(divergence.facet in ("alias", "structure") for divergence in pair.comparison.divergences):
        return  # Who shares memory with whom already differs; what writes do follows from it.
    if pair.expected.writes or pair.seen.writes:
        pair.comparison.facets.add("probe")
    for target, left in pair.expected.writes.items():
        right = pair.seen.writes.get(target)
        if right is None or left == right or isinstance(left, str):
            # A write that eager refuses (memory that overlaps itself) is not one a caller can rely on.
            continue
        if isinstance(right, str):
            pair.differs("probe", "write refused", f"write to {target}", "goes through", right, silent=False)
            continue
        gone, new = sorted(left - right), sorted(right - left)
        known = [path for path in new if path in pair.expected.tensors]
        if gone or known:
            pair.differs(
                "probe",
                "write seen by others" if known else "write not seen",
                f"write to {target}",
                f"changes {', '.join(sorted(left)) or 'nothing'}",
                f"changes {', '.join(sorted(right)) or 'nothing'}",
            )


def compare_in_place(
    path: str, expected: InPlaceProbe, seen: InPlaceProbe | None, rules: Rules
) -> Iterator[Divergence]:
    """What an in-place op on an output comes to after the call, and the gradients behind it."""
    where = f"in-place op on {path} after the call"
    if seen is None:
        return
    if (expected.error is None) != (seen.error is None):
        loud = expected.error is None
        if not loud and not rules.strict_probe:
            return
        kind = "in-place op on an output raises" if loud else "in-place op on an output does not raise"
        if seen.error is not None:
            yield raised("probe", kind, where, "no error", seen.error)
        elif expected.error is not None:
            yield Divergence("probe", kind, where, headline(expected.error), "no error")
        return
    if expected.error is not None:
        return
    for name, flag in expected.requires_grad.items():
        if seen.requires_grad.get(name, flag) != flag:
            yield Divergence(
                "probe", "requires_grad differs after an in-place op", f"{name}, {where}", str(flag), str(not flag)
            )
    # Which tensors are saved for backward is the compiler's choice: only what eager allows is promised.
    if expected.backward_error is not None:
        return
    if seen.backward_error is not None:
        yield raised("probe", "backward after an in-place op raises", where, "no error", seen.backward_error)
        return
    for name, left in expected.gradients.items():
        right = seen.gradients.get(name)
        gradient = f"gradient of {name}, {where}"
        if (left is None) != (right is None):
            yield Divergence(
                "probe", "gradient after an in-place op lost or invented", gradient, present(left), present(right)
            )
        elif left is not None and right is not None and left.value is not None and right.value is not None:
            if left.value.shape != right.value.shape or left.value.dtype != right.value.dtype:
                continue
            loose = rules.of_any_program
            closeness = numerics.close(left.value, right.value, left.value, of_any_program=loose)
            if not closeness.equal and (reference := _after_in_place(rules.reference(), path, name)) is not None:
                closeness = numerics.close(left.value, right.value, reference, of_any_program=loose)
            if not closeness.equal:
                yield Divergence(
                    "probe",
                    "gradient's value differs after an in-place op",
                    gradient,
                    closeness.expected,
                    closeness.seen,
                )


def _after_in_place(reference: Observation | None, path: str, name: str) -> torch.Tensor | None:
    """What a gradient is in double precision after the in-place op, if it was found."""
    probe = reference.in_place.get(path) if reference is not None else None
    facts = probe.gradients.get(name) if probe is not None else None
    return facts.value if facts is not None else None
