"""Compare two observations of one program: eager's and a candidate's. Every difference is one typed divergence.

`kind` strings are part of fingerprints: they name what differs, never where or by how much.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from suites.harness.execution.deaths import LOST_ITS_DEVICE
from suites.harness.observation.facts import ErrorFacts, Spill, TensorFacts
from suites.harness.observation.global_state import by_every_name
from suites.harness.observation.observe import AFTER_BACKWARD, Call, InPlaceProbe, Observation
from suites.harness.observation.walk import BEFORE, Entry, Rest, equal_values
from suites.harness.oracle import numerics
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.messages import headline, raised_kind, same_message_class

#: Characters of a value that a divergence tells.
_LONG = 300
#: How far plain numbers may be apart where values need not be equal to the last bit, whoever computed them.
_NUMBERS_TOLERANCE = 1e-5


@dataclasses.dataclass(frozen=True)
class Rules:
    """How strictly values are compared.

    ``bitwise``: the candidate runs eager's own kernels, so that what the calls return and change is equal to the last
    bit. Otherwise, and for gradients always (a formula traced into a joint graph may pick another order of a matrix
    product), values may differ by rounding; ``reference`` gives an fp64 observation of the same program, for values
    that are not close by default tolerances.
    """

    bitwise: bool
    #: Whether an in-place op on an output must raise where eager's does. AOTAutograd hides multi-output views of one
    #: intermediate from autograd by design, so only clauses about these errors ask for it.
    strict_probe: bool = False
    #: Whether the program is anybody's, and not a clause's of a few operators: see `numerics.close`.
    of_any_program: bool = False
    reference: Callable[[], Observation | None] = lambda: None
    #: The same observation with each operand off by a rounding, for programs that are anybody's.
    rounded: Callable[[], Observation | None] = lambda: None


@dataclasses.dataclass
class Comparison:
    """What a comparison found: the divergences, and the largest fraction of the tolerance that an equal value used."""

    divergences: list[Divergence] = dataclasses.field(default_factory=list)
    tolerance: float = 0.0
    #: The facets that were there to be compared.
    facets: set[str] = dataclasses.field(default_factory=set)


def compare(expected: Observation, seen: Observation, rules: Rules) -> Comparison:
    """Compare all calls of two runs. ``where`` starts with ``call N:`` if there are several calls."""
    comparison = Comparison()
    _compare_compiling(comparison, expected, seen)
    accumulated_alike = True
    whole = not (expected.lost_its_device or seen.lost_its_device)
    for number, (left, right) in enumerate(zip(expected.calls, seen.calls, strict=whole)):
        prefix = f"call {number + 1}: " if len(expected.calls) > 1 else ""
        before = len(comparison.divergences)
        _CallComparison(comparison, left, right, rules, prefix, number).run()
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
        comparison.divergences += _compare_in_place(path, probe, seen.in_place.get(path), rules)
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


def told(value: object) -> str:
    """A value for a reader: of one that is long, such as the state of a generator, its beginning and its length."""
    text = str(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}... ({len(text)} characters)"


def _raised(facet: str, kind: str, where: str, expected: str, seen: ErrorFacts) -> Divergence:
    told_of = (told(expected), told(headline(seen)))
    return Divergence(facet, kind, where, *told_of, silent=False, raised_in=seen.raised_in, stack=seen.stack)


class _CallComparison:
    def __init__(
        self, comparison: Comparison, expected: Call, seen: Call, rules: Rules, prefix: str, number: int
    ) -> None:
        self.comparison, self.rules, self.prefix, self.number = comparison, rules, prefix, number
        self.expected, self.seen = expected, seen

    def differs(
        self, facet: str, kind: str, where: str, expected: object, seen: object, *, silent: bool = True
    ) -> None:
        self.comparison.divergences.append(
            Divergence(facet, kind, self.prefix + where, told(expected), told(seen), silent)
        )

    def raises(self, kind: str, where: str, expected: str, seen: ErrorFacts) -> None:
        """The candidate raises, and eager does not, or something else."""
        self.comparison.divergences.append(_raised("error", kind, self.prefix + where, expected, seen))

    def run(self) -> None:
        expected, seen, facets = self.expected, self.seen, self.comparison.facets
        facets.add("error")
        if expected.error is not None or seen.error is not None:
            self._errors("the call", expected.error, seen.error)
            if expected.error is not None and seen.error is not None:
                facets.add("state")
                self._state()
            return
        facets.update(("structure", "mutation", "state", "random"))
        self._structure()
        for path, facts in expected.tensors.items():
            if path in seen.tensors and _same_kind(expected.entries, seen.entries, path):
                self._tensor(path, facts, seen.tensors[path])
        self._aliasing()
        self._spills()
        self._state()
        self._named("random", "generator advanced differently", expected.random, seen.random)
        self._gradients()
        self._after_backward()
        self._writes()
        self._overwritten()

    def _errors(self, where: str, expected: ErrorFacts | None, seen: ErrorFacts | None) -> None:
        if expected is None and seen is not None:
            self.raises(raised_kind(seen), where, "no error", seen)
        elif expected is not None and seen is None:
            self.differs("error", "missing error", where, headline(expected), "no error")
        elif expected is not None and seen is not None and not same_message_class(expected, seen):
            self.raises("another error", where, headline(expected), seen)

    def _structure(self) -> None:
        expected, seen = self.expected.entries, self.seen.entries
        skipped: list[str] = []
        for path in [*expected, *(path for path in seen if path not in expected)]:
            if any(path.startswith(parent) for parent in skipped) or path.endswith("._base"):
                continue
            left, right = expected.get(path), seen.get(path)
            if left is not None and right is not None and self._entries_equal(path, left, right):
                continue
            skipped += [f"{path}.", f"{path}["]
            if path.endswith(BEFORE) and (left is None or right is None):
                kept, put = "the tensor that was there", "another tensor"
                kind, told_of = ("identity lost", (kept, put)) if left is None else ("identity invented", (put, kept))
                self.differs("mutation", kind, path.removesuffix(BEFORE), *told_of)
                continue
            facet = "autograd" if path.endswith(".grad") else "structure" if path.startswith("out") else "mutation"
            kind, facet = _structure_kind(left, right, facet)
            if left is not None and right is not None and left.kind == right.kind == "rest":
                self.differs(facet, kind, path, *self._told_of_rest(path, left.detail, right.detail))
                continue
            self.differs(facet, kind, path, left or "nothing", right or "nothing")

    def _entries_equal(self, path: str, left: Entry, right: Entry) -> bool:
        if left.kind != right.kind or left.type != right.type:
            return False
        if left.kind == "rest":
            return not self._rest_differs(path, left.detail, right.detail)
        if left.kind != "value":
            return bool(left.detail == right.detail)
        if equal_values(left.detail, right.detail, 0.0 if self.rules.bitwise else _NUMBERS_TOLERANCE):
            return True
        return not self.rules.bitwise and self._rounds(path, left.detail, right.detail)

    def _rest_differs(self, path: str, left: Rest, right: Rest) -> list[int]:
        def equal(one: Any, other: Any, place: int) -> bool:
            if type(one) is not type(other):
                return False
            if equal_values(one, other, 0.0 if self.rules.bitwise else _NUMBERS_TOLERANCE):
                return True
            return not self.rules.bitwise and self._rounds(path, one, other, place)

        return left.differing(right, equal)

    def _told_of_rest(self, path: str, left: Rest, right: Rest) -> Iterator[str]:
        """The first element of each that differs."""
        places = self._rest_differs(path, left, right)
        for rest, count in ((left, ""), (right, f", {len(places)} of {len(left.items)} differ")):
            place = places[0] - rest.start
            yield f"{rest.items[place]!r} at [{places[0]}]{count}" if place < len(rest.items) else str(rest)

    def _rounds(self, path: str, left: Any, right: Any, place: int | None = None) -> bool:
        """Whether a kernel computed two plain numbers, which are as near to each other as kernels come.

        What Python computes is the same in double precision, and with other roundings. ``place`` is that in a `Rest`.
        """
        if not isinstance(left, (float, complex, np.inexact)) or not isinstance(right, type(left)):
            return False
        if isinstance(left, np.generic):  # Of an array, which in eager no kernel of torch's computes.
            return bool(np.isclose(right, left, rtol=_NUMBERS_TOLERANCE, atol=_NUMBERS_TOLERANCE))
        exact = self._reference_number(self.rules.reference(), path, type(left), place)
        again = exact is not None
        rounded = self._reference_number(self.rules.rounded(), path, type(left), place) if again else None
        return exact is not None and numerics.close_numbers(
            complex(left), complex(right), exact, exact if rounded is None else rounded
        )

    def _reference_number(self, reference: Observation | None, path: str, kind: type, place: int | None) -> Any:
        call = self._call_of(reference)
        entry = {**call.entries, **call.after_backward}.get(path) if call is not None else None
        found = entry.detail if isinstance(entry, Entry) else None
        if isinstance(found, Rest):
            found = found.items[place] if place is not None and place < len(found.items) else None
        return found if isinstance(found, kind) else None

    def _tensor(self, path: str, left: TensorFacts, right: TensorFacts) -> None:
        is_output = path.startswith("out")
        self.comparison.facets.update(("value", "dtype", "shape", "device", "layout", "autograd"))
        if not self._metadata(path, left, right, None if is_output else "mutation"):
            return
        changed = path in self.expected.changed or path in self.seen.changed
        if is_output:
            self._values("value", "value differs", path, left.value, right.value)
        elif changed and path.endswith(".grad"):
            self._values("autograd", "accumulated gradient differs", path, left.value, right.value)
        elif changed and path.endswith(".get_state()"):
            self._values("random", "generator advanced differently", path, left.value, right.value)
        elif changed:
            kind = (
                "mutation lost"
                if path in self.expected.changed and path not in self.seen.changed
                else "mutated by mistake"
                if path not in self.expected.changed
                else "mutated to another value"
            )
            self._values("mutation", kind, path, left.value, right.value)
        if path not in self.expected.inner:
            self._autograd_metadata(path, left, right)

    def _metadata(self, path: str, left: TensorFacts, right: TensorFacts, facet: str | None) -> bool:
        """Compare what is not data. With ``facet`` all of it counts as that one. False: values cannot be compared."""
        comparable = True
        for name, kind in (("dtype", "dtype differs"), ("shape", "shape differs"), ("device", "device differs")):
            if getattr(left, name) != getattr(right, name):
                self.differs(facet or name, kind, path, getattr(left, name), getattr(right, name))
                comparable = comparable and name == "device"
        if left.layout != right.layout:
            self.differs(facet or "layout", "layout differs", path, left.layout, right.layout)
        elif comparable and not same_strides(left, right):
            self.differs(
                facet or "layout", "strides differ", path, f"strides {left.strides}", f"strides {right.strides}"
            )
        if facet == "mutation" and left.storage_bytes != right.storage_bytes:
            self.differs(
                facet, "storage size differs", path, f"{left.storage_bytes} bytes", f"{right.storage_bytes} bytes"
            )
        return comparable

    def _autograd_metadata(self, path: str, left: TensorFacts, right: TensorFacts) -> None:
        for name in ("requires_grad", "is_leaf", "inference"):
            if getattr(left, name) != getattr(right, name):
                kind = {"requires_grad": "requires_grad", "is_leaf": "is_leaf", "inference": "is_inference"}[name]
                self.differs("autograd", f"{kind} differs", path, getattr(left, name), getattr(right, name))

    def _values(self, facet: str, kind: str, path: str, left: torch.Tensor | None, right: torch.Tensor | None) -> None:
        if left is None or right is None:
            if (left is None) != (right is None):
                self.differs(facet, "unreadable", path, _readable(left), _readable(right))
            return
        if left.dtype != right.dtype or left.shape != right.shape:
            return  # Already reported as metadata.
        by_backward = facet == "autograd" or path.endswith(AFTER_BACKWARD)
        self._numbers(facet, kind, path, left, right, lambda call: _held(call, facet, path), by_backward)

    def _numbers(
        self,
        facet: str,
        kind: str,
        path: str,
        left: torch.Tensor,
        right: torch.Tensor,
        held: Callable[[Call], torch.Tensor | None],
        by_backward: bool = False,
    ) -> None:
        """Compare numbers of one dtype and shape; ``held`` finds them in a call of the reference."""
        closeness = numerics.bitwise(left, right)
        if not closeness.equal and (not self.rules.bitwise or by_backward):
            reference: torch.Tensor | None = None
            loose = self.rules.of_any_program
            closeness = numerics.close(left, right, None, of_any_program=loose)
            if not closeness.equal:
                reference = self._reference_value(self.rules.reference(), held)
                closeness = numerics.close(left, right, reference, of_any_program=loose)
            if not closeness.equal and loose and reference is not None:
                rounded = self._reference_value(self.rules.rounded(), held)
                closeness = numerics.close(left, right, reference, of_any_program=True, rounded=rounded)
        if closeness.equal:
            self.comparison.tolerance = max(self.comparison.tolerance, closeness.used)
        else:
            self.differs(facet, kind, path, closeness.expected, closeness.seen)

    def _call_of(self, reference: Observation | None) -> Call | None:
        """The reference's call of this number, if it came so far."""
        return reference.calls[self.number] if reference is not None and self.number < len(reference.calls) else None

    def _reference_value(
        self, reference: Observation | None, held: Callable[[Call], torch.Tensor | None]
    ) -> torch.Tensor | None:
        call = self._call_of(reference)
        value = held(call) if call is not None else None
        return value if value is not None and (value.dtype.is_floating_point or value.dtype.is_complex) else None

    def _aliasing(self) -> None:
        expected, seen = self.expected, self.seen
        self.comparison.facets.add("alias")
        common = [path for path in expected.storage if path in seen.storage]
        for index, path in enumerate(common):
            for other in common[:index]:
                together = expected.storage[path] == expected.storage[other]
                now = seen.storage[path] == seen.storage[other]
                if together != now and _first_of_pair(expected, seen, path, other):
                    kind = "aliasing lost" if together else "aliased by mistake"
                    relation = ("shares storage with", "has a storage apart from")
                    self.differs(
                        "alias",
                        kind,
                        path,
                        f"{relation[0 if together else 1]} {other}",
                        f"{relation[0 if now else 1]} {other}",
                    )
        for path in common:
            self._offset(path, expected.tensors[path], seen.tensors[path])
            self._base(path, expected.tensors[path], seen.tensors[path])

    def _offset(self, path: str, left: TensorFacts, right: TensorFacts) -> None:
        if left.offset == right.offset or left.offset is None or right.offset is None:
            return
        shared = sum(first == self.expected.storage[path] for first in self.expected.storage.values()) > 1
        # Where in its own memory a tensor of nobody else's begins is the backend's affair, but for a fresh one: it
        # begins at its beginning.
        if shared or (left.offset == 0 and left.storage_bytes != right.storage_bytes):
            facet = "alias" if path.startswith("out") else "mutation"
            self.differs(facet, "storage offset differs", path, f"offset {left.offset}", f"offset {right.offset}")

    def _base(self, path: str, left: TensorFacts, right: TensorFacts) -> None:
        if not path.startswith("out") or left.base == right.base:
            return
        argument = any(base is not None and not base.startswith(("out", "<")) for base in (left.base, right.base))
        if not (argument or left.requires_grad or right.requires_grad):
            return  # Between outputs that autograd does not know of, sharing memory is all there is to see.
        # Views of intermediates may come with another base, or none: the base is not in the caller's sight.
        if left.base not in (None, "<another>"):
            self.differs("alias", "base differs", path, f"a view of {left.base}", _view(right.base))
        elif left.base is None and right.base not in (None, "<another>"):
            self.differs("alias", "base differs", path, _view(None), f"a view of {right.base}")

    def _spills(self) -> None:
        kind = "storage outside of the view changed differently"
        for path in {**self.expected.spilled, **self.seen.spilled}:
            left, right = self.expected.spilled.get(path), self.seen.spilled.get(path)
            if left is None or right is None or not torch.equal(left.places, right.places):
                self.differs("mutation", kind, path, _changed_places(left), _changed_places(right))
            elif left.values.dtype == right.values.dtype:
                self._numbers("mutation", kind, path, left.values, right.values, lambda call: _spilled(call, path))

    def _named(self, facet: str, kind: str, expected: dict, seen: dict) -> None:
        for name, value in expected.items():
            if name in seen and seen[name] != value:
                self.differs(facet, f"{name} {kind}", name, value, seen[name])

    def _state(self) -> None:
        expected, seen = self.expected, self.seen
        self._named("state", "left changed", *by_every_name(expected.global_state, seen.global_state))
        if expected.backward_ran and seen.backward_ran:
            after = by_every_name(expected.state_after_backward, seen.state_after_backward)
            self._named("state", "left changed by backward", *after)

    def _overwritten(self) -> None:
        if self.number:
            self.comparison.facets.add("reuse")
        for path in sorted(self.expected.overwritten ^ self.seen.overwritten):
            by_candidate = path in self.seen.overwritten
            changed, kept = f"changed by call {self.number + 1}", "left alone by later calls"
            self.differs(
                "reuse",
                "an earlier call's output overwritten" if by_candidate else "an earlier call's output not updated",
                f"{path} of call {self.number}",
                kept if by_candidate else changed,
                changed if by_candidate else kept,
            )

    def _gradients(self) -> None:
        expected, seen = self.expected, self.seen
        if expected.backward_ran or seen.backward_ran:
            self.comparison.facets.add("autograd")
        if expected.backward_error is not None or seen.backward_error is not None:
            if expected.backward_ran and seen.backward_ran:
                self._errors("backward", expected.backward_error, seen.backward_error)
            return
        for name, left in expected.gradients.items():
            right = seen.gradients.get(name)
            where = f"gradient of {name}"
            if left is None or right is None:
                if (left is None) != (right is None):
                    kind = "gradient lost" if right is None else "gradient invented"
                    self.differs("autograd", kind, where, _present(left), _present(right))
                continue
            before = len(self.comparison.divergences)
            for attribute in ("type", "dtype", "shape", "device", "layout"):
                if getattr(left, attribute) != getattr(right, attribute):
                    self.differs(
                        "autograd",
                        f"gradient's {attribute} differs",
                        where,
                        getattr(left, attribute),
                        getattr(right, attribute),
                    )
            if len(self.comparison.divergences) == before and not same_strides(left, right):
                self.differs("autograd", "gradient's strides differ", where, left.strides, right.strides)
            self._gradient_value(name, where, left, right)

    def _gradient_value(self, name: str, where: str, left: TensorFacts, right: TensorFacts) -> None:
        before = len(self.comparison.divergences)
        self._values("autograd", "gradient's value differs", name, left.value, right.value)
        self.comparison.divergences[before:] = [
            dataclasses.replace(divergence, where=self.prefix + where)
            for divergence in self.comparison.divergences[before:]
        ]

    def _after_backward(self) -> None:
        """What backward wrote to: inputs, state (a list that hooks append to) and the cotangents handed to it."""
        expected, seen = self.expected, self.seen
        if expected.backward_error is not None or seen.backward_error is not None:
            return
        for path in {**expected.after_backward, **seen.after_backward}:
            left, right = expected.after_backward.get(path), seen.after_backward.get(path)
            if isinstance(left, TensorFacts) and isinstance(right, TensorFacts):
                if self._metadata(path, left, right, "mutation"):
                    self._values("mutation", "mutated in backward to another value", path, left.value, right.value)
            elif (path in expected.after_backward) != (path in seen.after_backward):
                lost = path in expected.after_backward
                kind = "mutation in backward lost" if lost else "mutated in backward by mistake"
                facts = left if lost else right
                self.differs("mutation", kind, path, *(("a change", "none") if lost else ("no change", _shown(facts))))
            elif left is not right and not (
                isinstance(left, Entry) and isinstance(right, Entry) and self._entries_equal(path, left, right)
            ):
                self.differs("mutation", "contents differ after backward", path, _shown(left), _shown(right))

    def _writes(self) -> None:
        if any(divergence.facet in ("alias", "structure") for divergence in self.comparison.divergences):
            return  # Who shares memory with whom already differs; what writes do follows from it.
        if self.expected.writes or self.seen.writes:
            self.comparison.facets.add("probe")
        for target, left in self.expected.writes.items():
            right = self.seen.writes.get(target)
            if right is None or left == right or isinstance(left, str):
                # A write that eager refuses (memory that overlaps itself) is not one a caller can rely on.
                continue
            if isinstance(right, str):
                self.differs("probe", "write refused", f"write to {target}", "goes through", right, silent=False)
                continue
            gone, new = sorted(left - right), sorted(right - left)
            known = [path for path in new if path in self.expected.tensors]
            if gone or known:
                self.differs(
                    "probe",
                    "write seen by others" if known else "write not seen",
                    f"write to {target}",
                    f"changes {', '.join(sorted(left)) or 'nothing'}",
                    f"changes {', '.join(sorted(right)) or 'nothing'}",
                )


def _compare_in_place(
    path: str, expected: InPlaceProbe, seen: InPlaceProbe | None, rules: Rules
) -> Iterator[Divergence]:
    where = f"in-place op on {path} after the call"
    if seen is None:
        return
    if (expected.error is None) != (seen.error is None):
        loud = expected.error is None
        if not loud and not rules.strict_probe:
            return
        kind = "in-place op on an output raises" if loud else "in-place op on an output does not raise"
        if seen.error is not None:
            yield _raised("probe", kind, where, "no error", seen.error)
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
        yield _raised("probe", "backward after an in-place op raises", where, "no error", seen.backward_error)
        return
    for name, left in expected.gradients.items():
        right = seen.gradients.get(name)
        gradient = f"gradient of {name}, {where}"
        if (left is None) != (right is None):
            yield Divergence(
                "probe", "gradient after an in-place op lost or invented", gradient, _present(left), _present(right)
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


def _held(call: Call, facet: str, path: str) -> torch.Tensor | None:
    facts = (call.gradients if facet == "autograd" else {**call.tensors, **call.after_backward}).get(path)
    return facts.value if isinstance(facts, TensorFacts) else None


def _spilled(call: Call, path: str) -> torch.Tensor | None:
    spill = call.spilled.get(path)
    return spill.values if spill is not None else None


def _changed_places(spill: Spill | None) -> str:
    if spill is None:
        return "no element of its storage changed outside of the view"
    places = spill.places[:_LONG].tolist()
    return f"{spill.places.numel()} elements of its storage changed outside of the view: {places}"


def _after_in_place(reference: Observation | None, path: str, name: str) -> torch.Tensor | None:
    """What a gradient is in double precision after the in-place op, if it was found."""
    probe = reference.in_place.get(path) if reference is not None else None
    facts = probe.gradients.get(name) if probe is not None else None
    return facts.value if facts is not None else None


def same_strides(left: TensorFacts, right: TensorFacts) -> bool:
    """Equal on dimensions larger than 1; a tensor without elements has no strides to speak of."""
    if left.strides is None or right.strides is None or left.shape != right.shape or 0 in left.shape:
        return left.strides == right.strides or left.shape != right.shape or 0 in left.shape
    return all(size <= 1 or a == b for size, a, b in zip(left.shape, left.strides, right.strides, strict=True))


def _same_kind(expected: dict[str, Entry], seen: dict[str, Entry], path: str) -> bool:
    """Whether both are tensors; a hidden base may be in sight for one run and be an argument's own for the other."""
    return path in expected and path in seen and expected[path].kind == seen[path].kind == "tensor"


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


def _first_of_pair(expected: Call, seen: Call, path: str, other: str) -> bool:
    """Report each pair of storages once: with the first member of the other's group in either run."""
    firsts = {expected.storage[path], seen.storage[path], expected.storage[other], seen.storage[other]}
    return other in firsts


def _view(base: str | None) -> str:
    return "no view" if base is None else "a view of another tensor" if base == "<another>" else f"a view of {base}"


def _readable(value: torch.Tensor | None) -> str:
    return "memory that can be read" if value is not None else "memory that cannot be read"


def _shown(facts: TensorFacts | Entry | None) -> str:
    if isinstance(facts, TensorFacts):
        return f"a {facts.dtype} tensor of shape {list(facts.shape)}"
    return str(facts) if facts is not None else "nothing"


def _present(facts: TensorFacts | None) -> str:
    return "no gradient" if facts is None else f"a gradient of shape {list(facts.shape)}"
