"""What was observed in a cell, and the claims that a clause makes about it."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch

from golden.expectation import VALUES, NoGraph, Values
from golden.graphs.capture import Graph as CapturedGraph
from golden.graphs.capture import Graphs, NoSuchGraph
from suites.harness.clauses.cell import CellInProgress
from suites.harness.clauses.endings import NotHappened, Rejected
from suites.harness.clauses.values import did_something, text_of_call
from suites.harness.observation.facts import ErrorFacts
from suites.harness.observation.observe import Call, Observation, TensorFacts
from suites.harness.observation.walk import walk
from suites.harness.oracle.examine import Examination
from suites.harness.oracle.messages import headline


class Result:
    """What was observed. Each method proves, on eager's own run, that the clause's behaviour happened.

    A claim that does not hold makes the cell vacuous: the candidate agreed with an eager that did not do the thing.
    Claims are about the first call; `in_call` gives those about another one. Arguments and calls count from 0; outputs
    are named by their path, ``out`` for a single one, ``out[0]`` for the first.
    """

    def __init__(self, cell: CellInProgress, verdict: Examination, graphs: Graphs | None) -> None:
        assert verdict.expected is not None, "a passing verdict has both observations"
        assert verdict.seen is not None, "a passing verdict has both observations"
        self._cell = cell
        self._graphs = graphs
        self.expected: Observation = verdict.expected
        self.seen: Observation = verdict.seen
        self.verdict = verdict
        self._number: int | None = None

    # Claims

    def in_call(self, number: int) -> Result:
        """The same claims about another call of the script: ``result.in_call(1).mutated(0)``."""
        if not -len(self.expected.calls) <= number < len(self.expected.calls):
            raise Rejected(f"no call {number}: there are {len(self.expected.calls)}")
        other = copy.copy(self)
        other._number = number
        return other

    def happened(self, condition: bool | None, what: str) -> Result:
        """Any claim: ``what`` completes "but ... did not happen"."""
        self._cell.claims += 1
        if not condition:
            raise NotHappened(f"the cell passed, but this did not happen in eager: {what}")
        return self

    def mutated(self, *arguments: int | str) -> Result:
        """The call changed the values of these arguments (by number, or by path)."""
        for argument in arguments:
            path = _argument(argument)
            changed = any(name == path or name.startswith(f"{path}.") for name in self.call.changed)
            self.happened(changed, f"a change of {path}")
        return self

    def unchanged(self, *arguments: int | str) -> Result:
        """The call left the values of these arguments as they were."""
        for argument in arguments:
            path = _argument(argument)
            self.happened(path not in self.call.changed, f"{path} staying as it was")
        return self

    def mutated_in_backward(self, *arguments: int | str) -> Result:
        """Backward changed these (arguments by number, else by path): proof that the backward meant really ran."""
        for argument in arguments:
            path = _argument(argument)
            changed = any(name.startswith((f"{path} ", f"{path}.", f"{path}[")) for name in self.call.after_backward)
            self.happened(not self.training or changed, f"a change of {path} in backward")
        return self

    def aliases(self, left: str | int, right: str | int) -> Result:
        """Two tensors share their storage, or are one object."""
        left, right = _argument(left), _argument(right)
        return self.happened(self._storage(left) == self._storage(right), f"{left} sharing memory with {right}")

    def distinct(self, left: str | int, right: str | int) -> Result:
        """Two tensors have storages of their own."""
        left, right = _argument(left), _argument(right)
        return self.happened(self._storage(left) != self._storage(right), f"{left} having memory apart from {right}")

    def same_object(self, left: str | int, right: str | int) -> Result:
        """The first *is* the second: an output that is an argument, an output returned twice."""
        left, right = _argument(left), _argument(right)
        entry = self.call.entries.get(left)
        return self.happened(
            entry is not None and entry.kind == "same" and entry.detail == right, f"{left} being {right} itself"
        )

    def requires_grad(self, *paths: str | int) -> Result:
        """These tensors require grad after the call. Holds trivially outside of training variants."""
        return self._flag(paths, "requires_grad", True)

    def no_grad(self, *paths: str | int) -> Result:
        """These tensors do not require grad after the call."""
        return self._flag(paths, "requires_grad", False)

    def _flag(self, paths: Sequence[str | int], name: str, value: bool) -> Result:
        for path in map(_argument, paths):
            if self.training or not value:
                self.happened(getattr(self.facts(path), name) == value, f"{path} having {name}={value}")
            else:
                self._cell.claims += 1
        return self

    def gradient(self, *leaves: int) -> Result:
        """Gradients arrived at these leaves (counted in the order of the inputs), and what the call returned or wrote
        is differentiable: arguments that are have gradients whatever it did. Trivial outside of training.
        """
        for leaf in leaves:
            arrived = list(self.call.gradients.values())
            if self.training:
                got = leaf < len(arrived) and arrived[leaf] is not None
                self.happened(got and self._differentiable(), f"a gradient of leaf {leaf} through what the call did")
            else:
                self._cell.claims += 1
        return self

    def _differentiable(self) -> bool:
        """Whether anything that the call returned or changed requires grad, or the call itself left a gradient."""
        call = self.call
        entries = call.entries.items()
        returned = {entry.detail for path, entry in entries if path.startswith("out") and entry.kind == "same"}
        made = (path for path in call.tensors if path.startswith("out") or path in returned or path in call.changed)
        return any(call.tensors[path].requires_grad or path.endswith(".grad") for path in made)

    def sparse_gradient(self, *leaves: int) -> Result:
        """Gradients arrived at these leaves, and are sparse."""
        for leaf in leaves:
            arrived = list(self.call.gradients.values())
            facts = arrived[leaf] if leaf < len(arrived) else None
            self.happened(facts is not None and facts.layout == "sparse_coo", f"a sparse gradient of leaf {leaf}")
        return self

    def no_gradient(self, *leaves: int) -> Result:
        """No gradient arrived at these leaves."""
        for leaf in leaves:
            arrived = list(self.call.gradients.values())
            stays = not self.training or (leaf < len(arrived) and arrived[leaf] is None)
            self.happened(stays, f"leaf {leaf} staying without a gradient")
        return self

    def shape(self, path: str | int, *sizes: int) -> Result:
        """A tensor has this shape after the call."""
        facts = self.facts(_argument(path))
        return self.happened(facts.shape == sizes, f"{path} having shape {list(sizes)}, not {list(facts.shape)}")

    def strides(self, path: str | int, *strides: int) -> Result:
        """A tensor has these strides after the call."""
        facts = self.facts(_argument(path))
        return self.happened(facts.strides == strides, f"{path} having strides {strides}, not {facts.strides}")

    def storage_bytes(self, path: str | int, size: int) -> Result:
        """A tensor's storage has this many bytes after the call."""
        facts = self.facts(_argument(path))
        return self.happened(facts.storage_bytes == size, f"{path}'s storage having {size} bytes")

    def raised(self, message: str = "") -> Result:
        """Eager raised with this text in the message: in every call, or in that of `in_call`."""
        calls = self.expected.calls if self._number is None else [self.call]
        return self.happened(
            all(call.error is not None and _says(call.error, message) for call in calls),
            f"an error that says {message!r}" if message else "an error",
        )

    def raised_in_place(self, path: str, message: str) -> Result:
        """An in-place op on this output after the call raised, with this text. Trivial outside of training."""
        if not self.training:
            self._cell.claims += 1
            return self
        probe = self.expected.in_place.get(path)
        error = probe.error if probe is not None else None
        return self.happened(
            error is not None and message in error.message,
            f"an error of an in-place op on {path} that says {message!r}",
        )

    def holds(self, path: str | int, value: object) -> Result:
        """A Python value after the call is this one, to the type, the order and the number of everything in it."""
        path = _argument(path)
        wanted = walk({path: value}).entries
        found = {name: self.call.entries.get(name) for name in wanted}
        return self.happened(found == wanted, f"{path} being {value!r}, but {found}")

    def drew_random(self) -> Result:
        """The call advanced a random generator."""
        return self.happened(self.call.drew_random, "a random draw")

    def computed(self) -> Result:
        """No call and no backward raised, and some call did what a program that returns zeros would not.

        It returned something else or an argument, wrote or drew.
        """
        for call in self.expected.calls:
            if raised := call.error or call.backward_error:
                raise NotHappened(f"the cell passed, but eager raised {headline(raised)}, where a result is claimed")
        return self.computed_or_raised()

    def computed_or_raised(self) -> Result:
        """As `computed`, or some call raised: for programs that nobody has looked at one by one."""
        return self.happened(
            any(map(did_something, self.expected.calls)), "a result that is not zero, a write, an error"
        )

    def demand(self, facet: str, where: str, expected: object, seen: object) -> Result:
        """`Check.demand`, after the program ran: about the candidate, where the other claims are about eager."""
        self._cell.demand(facet, where, expected, seen)
        return self

    def recompiled(self, times: int) -> Result:
        """Exactly this many graphs were compiled after the first call. About the candidate, not about eager."""
        seen = self.verdict.counter.recompilations if self._cell.backend.dynamo else times
        return self.demand("reuse", "graphs compiled after the first call", times, seen)

    def recompiled_at_most(self, times: int) -> Result:
        """No more graphs than this were compiled after the first call. About the candidate, not about eager.

        For calls that only a guard of AOTAutograd's tells apart: a backend that runs Dynamo's graphs as they are needs
        no other graph for them, and that a call which needs one got it shows in what the call does.
        """
        seen = self.verdict.counter.recompilations if self._cell.backend.dynamo else times
        within = f"{times} at most"
        return self.demand("reuse", "graphs compiled after the first call", within, within if seen <= times else seen)

    # What was observed

    @property
    def training(self) -> bool:
        """Whether gradients were compared in this cell."""
        return self._cell.variant.mode == "train"

    @property
    def call(self) -> Call:
        """Eager's first call, or that of `in_call`."""
        return self.expected.calls[self._number or 0]

    def facts(self, path: str) -> TensorFacts:
        """Eager's facts of a tensor after the call."""
        entry = self.call.entries.get(path)
        if entry is not None and entry.kind == "same":
            return self.facts(entry.detail)
        if path not in self.call.tensors:
            raise self._missing(f"no tensor {path} in the observation; there are {', '.join(self.call.tensors)}")
        return self.call.tensors[path]

    def value(self, path: str) -> torch.Tensor:
        """What a tensor held after eager's call. Raises `Rejected` for a tensor whose memory cannot be read."""
        value = self.facts(path).value
        if value is None:
            raise Rejected(f"the memory of {path} cannot be read")
        return value

    def _storage(self, path: str) -> str:
        entry = self.call.entries.get(path)
        if entry is not None and entry.kind == "same":
            return self._storage(entry.detail)
        inner = next(
            (name for name in self.call.tensors if name in self.call.inner and name.startswith(f"{path}.")), path
        )
        if inner not in self.call.storage:
            raise self._missing(f"no tensor {path} with a storage; there are {', '.join(self.call.storage)}")
        return self.call.storage[inner]

    def _missing(self, what: str) -> Rejected:
        """A claim about what is not there: the reason may be that eager raised, where the clause expected a result."""
        raised = self.call.error
        return Rejected(f"eager raised {headline(raised)}; {what}" if raised is not None else what)

    # Goldens

    def values(self, *paths: str | int) -> Values | NoGraph:
        """Eager's values at these paths after the call, to ``expect``: the proof that the clause's numbers appeared.

        They are eager's whatever the backend, and compared in each cell of the variant that they were written down in.
        Without paths: the outputs, and the arguments and state that the call changed. Raises `Rejected` for a path that
        holds none, and where there is nothing to show.
        """
        if not self._cell.holds_values:
            return self._elsewhere(VALUES)
        try:
            text = text_of_call(self.call, tuple(map(_argument, paths)))
        except LookupError as error:
            raise self._missing(str(error)) from None
        if not text:
            raise Rejected("the call returned no value and changed none: there is nothing to expect")
        return Values(text)

    def _elsewhere(self, stage: str) -> NoGraph:
        backend, variant = self._cell.scope.golden_home
        return NoGraph(stage, f"[{backend}-{variant}]")

    @property
    def forward(self) -> CapturedGraph | NoGraph:
        """AOTAutograd's forward graph, as the backend's compiler was handed it."""
        return self._graph("forward")

    @property
    def backward(self) -> CapturedGraph | NoGraph:
        """AOTAutograd's backward graph, after partitioning."""
        return self._graph("backward")

    @property
    def joint(self) -> CapturedGraph | NoGraph:
        """AOTAutograd's joint graph, before partitioning."""
        return self._graph("joint")

    @property
    def post_grad(self) -> CapturedGraph | NoGraph:
        """Inductor's graph after its own passes. Its home is a cell of ``inductor``: ``golden="inductor"``."""
        return self._graph("post_grad")

    @property
    def wrapper(self) -> CapturedGraph | NoGraph:
        """The skeleton of Inductor's wrapper code: allocations, reuses, kernel calls."""
        return self._graph("wrapper")

    def _graph(self, stage: str) -> CapturedGraph | NoGraph:
        if self._graphs is None:
            return self._elsewhere(stage)
        try:
            return self._graphs.one(stage)
        except NoSuchGraph as error:
            raise NotHappened(str(error)) from None


def _argument(argument: int | str) -> str:
    return f"arg[{argument}]" if isinstance(argument, int) else argument


def _says(error: ErrorFacts, message: str) -> bool:
    """Whether an error says so. Where a kernel of a GPU has failed its assertion, that is all that anybody is told."""
    return message in error.message or "device-side assert triggered" in error.message
