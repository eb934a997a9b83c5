"""What a clause is written with: the `clause` mark, and `Check`, which the ``check`` fixture hands it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from golden.capture import Graph as CapturedGraph
from golden.capture import Graphs, NoSuchGraph, Recorder
from golden.expectation import NoGraph

from .backends import Backend, How, resolve
from .ledger import Divergence
from .observe import Call, Circumstances, Observation, TensorFacts
from .oracle import Runner, Subject, Verdict, examine, forked, in_process, of_file
from .programs import BeforeCall, ClauseProgram, FileProgram
from .ranks import examine_on_ranks, on_ranks
from .specs import INPUTS, MODES, SHAPES, BuiltSpec, Variant
from .walk import walk

#: Where a clause applies: through Dynamo, to AOTAutograd alone, or to both.
DYNAMO, AOT_FUNCTION, ANY = "dynamo", "aot_function", "any"
#: The names under which AOTAutograd alone runs.
AOT_FUNCTIONS = ("aot_function", "aot_function_keep_mutations")


@dataclasses.dataclass(frozen=True)
class Between:
    """A layer that is like its neighbours, the backends on either side, but for what it does in ``modes``."""

    neighbours: frozenset[str]
    modes: frozenset[str]


#: The partitioner and the decompositions are seen in training; input mutations that a graph keeps, without gradients.
BETWEEN = {
    "aot_eager_decomp_partition": Between(frozenset({"aot_eager", "inductor"}), frozenset({"train"})),
    "aot_function_keep_mutations": Between(
        frozenset({"aot_function", "aot_eager"}), frozenset({"no_grad", "inference"})
    ),
}


@dataclasses.dataclass(frozen=True)
class Scope:
    """Where a clause applies and what it covers. The first of each axis is the primary variant."""

    covers: tuple[str, ...] = ()
    modes: tuple[str, ...] = ("train", "no_grad")
    shapes: tuple[str, ...] = ("static", "dynamic")
    inputs: tuple[str, ...] = ("plain",)
    entry: str = DYNAMO
    fullgraph: bool = True
    isolated: bool = False
    golden: str = ""
    on: tuple[str, ...] = ()
    ranks: int = 1

    def variants(self, profile: str) -> list[Variant]:
        """``smoke``: the primary variant; ``default``: it and each other value of one axis; ``full``: all of them."""
        every = [Variant(*axes) for axes in itertools.product(self.modes, self.shapes, self.inputs)]
        primary = every[0]
        if profile == "smoke":
            return [primary]
        if profile == "full":
            return every
        return [variant for variant in every if _axes_apart(primary, variant) <= 1]

    def backends(self, chosen: Sequence[str], *, by_default: bool) -> list[str]:
        """The chosen backends that the clause applies to; by default AOTAutograd alone too, where it does."""
        if self.on:
            return [name for name in self.on if by_default or name in chosen]
        names = [name for name in chosen if resolve(name).dynamo == (self.entry != AOT_FUNCTION)]
        if self.entry == ANY:
            names = list(chosen)
        if by_default and self.entry != DYNAMO:
            names += [name for name in AOT_FUNCTIONS if name not in names]
        return names

    def cells(self, chosen: Sequence[str], profile: str, *, by_default: bool) -> list[tuple[str, Variant]]:
        """The backends and variants of the clause's cells.

        Where no backend was asked for, the default profile runs a layer between two others on one variant, of a mode in
        which it has something of its own to do: whatever else it does, its neighbours show too. A clause about several
        ranks leaves that layer out altogether, since each of its runs is several. The home of a clause's goldens stays.
        """
        names = self.backends(chosen, by_default=by_default)
        variants = self.variants(profile)
        cells = []
        for name in names:
            layer = BETWEEN.get(name) if by_default and profile == "default" else None
            if layer is not None and layer.neighbours <= set(names):
                own = [v for v in variants if v.mode in layer.modes or (name, v) == self.golden_home]
                cells += [(name, variant) for variant in own[: 1 if self.ranks == 1 else 0]]
            else:
                cells += [(name, variant) for variant in variants]
        return cells

    @property
    def golden_home(self) -> tuple[str, Variant]:
        """The backend and variant of the cell that the clause's goldens belong to."""
        backend = self.golden or (self.on[0] if self.on else None)
        backend = backend or ("aot_function" if self.entry == AOT_FUNCTION else "aot_eager")
        return backend, self.variants("smoke")[0]


def _axes_apart(left: Variant, right: Variant) -> int:
    return sum(a != b for a, b in zip(dataclasses.astuple(left), dataclasses.astuple(right), strict=True))


def clause(
    *covers: str,
    modes: Sequence[str] = ("train", "no_grad"),
    shapes: Sequence[str] = ("static", "dynamic"),
    inputs: Sequence[str] = ("plain",),
    entry: str = DYNAMO,
    fullgraph: bool = True,
    isolated: bool = False,
    golden: str = "",
    on: Sequence[str] = (),
    ranks: int = 1,
) -> pytest.MarkDecorator:
    """Mark a test as a clause: the lines of the behaviour map it covers and the variants in which it must hold.

    ``entry`` is `DYNAMO`, `AOT_FUNCTION` (a contract of AOTAutograd that Dynamo refuses) or `ANY`. ``fullgraph``: a
    graph break is a failure. ``isolated``: every run in a process of its own, for programs known to crash or hang.
    ``golden``: the backend whose graphs the goldens are, where it is not ``aot_eager`` (or ``aot_function``).
    ``on``: the only backends that the clause is about (a mode of Inductor, make_fx); on others it has no cell.
    ``ranks``: the program runs on so many processes of one process group at once; claims are about rank 0.
    """
    for values, known in ((modes, MODES), (shapes, SHAPES), (inputs, INPUTS)):
        for value in values:
            if value not in known:
                raise ValueError(f"clause: {value!r} is none of {', '.join(known)}")
    scope = Scope(
        tuple(covers), tuple(modes), tuple(shapes), tuple(inputs), entry, fullgraph, isolated, golden, tuple(on), ranks
    )
    return pytest.mark.clause(scope)


class CellEnded(Exception):
    """The cell has come to something other than a pass. ``outcome`` is one of the ledger's."""

    outcome = "error"


class Diverged(CellEnded):
    """The candidate differs from eager."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("\n".join(map(_described, verdict.divergences)) or verdict.detail)
        self.outcome = verdict.outcome


def _described(item: Divergence) -> str:
    return (
        f"{'silent' if item.silent else 'loud'} {item.facet}: {item.kind}\n"
        f"    where     {item.where}\n    expected  {item.expected}\n    seen      {item.seen}\n"
        f"    layer     {item.layer}"
    )


class NotHappened(CellEnded):
    """The cell passed, but what the clause is about did not happen: vacuous."""

    outcome = "vacuous"


class NotSupported(CellEnded):
    """The backend, or this environment, says that it cannot run the cell."""

    outcome = "unsupported"


class Rejected(CellEnded):
    """The clause's own program is at fault: eager leaves it undefined, or it cannot be built."""

    outcome = "error"


class Check:
    """Runs the clause's program for one cell. Call it once a test; what it returns proves that the clause happened."""

    def __init__(
        self,
        backend: Backend,
        variant: Variant,
        scope: Scope,
        *,
        device: str = "cpu",
        time_limit: float = 120.0,
        reason_not_to_run: str | None = None,
    ) -> None:
        self.backend, self.variant, self.scope = backend, variant, scope
        self.device, self.time_limit = device, time_limit
        self.reason_not_to_run = reason_not_to_run
        self.verdict: Verdict | None = None
        self.claims = 0

    def __call__(
        self,
        program: Callable[..., Any] | BuiltSpec,
        *inputs: Any,
        calls: Sequence[tuple[Any, ...]] | None = None,
        before: Sequence[BeforeCall | None] = (),
        backward: bool = True,
        backward_twice: bool = False,
        strict_probe: bool = False,
        probe: bool = True,
        in_parts: bool = False,
        config: Mapping[str, Any] | None = None,
    ) -> Result:
        """Compare ``program`` on the specs ``inputs`` with eager, in every facet. Returns what was observed.

        Without ``calls``, two calls are made, with the same specs and other data. With it, one call each of the one
        compiled program. ``before`` are hooks, one a call, or None: a hook is handed the program (the run's own copy of
        the function, or its module) and changes what the call will find: an attribute, a global, a default. What it
        returns, if anything, is a context manager that is entered for the call: a grad mode, an autocast. A hook says
        all of the state that its call needs, since calls are also made alone. ``backward_twice`` runs backward a second
        time through the same graph; ``strict_probe`` demands that an in-place op on an output raise where eager's does.
        ``program`` may be `built`, for a module.
        ``in_parts``: the program is not compiled as a whole; it is handed what compiles as its first argument, and
        calls that on the parts that are to be (on eager's run it gets each part back).
        ``config`` are settings of torch's compiler, by name: ``{"inductor.memory_planning": True}``.

        Raises `CellEnded` unless the cell passes.
        """
        if self.verdict is not None:
            raise Rejected("a clause calls check once: one program, one verdict (and demands after it)")
        if self.reason_not_to_run:
            raise NotSupported(self.reason_not_to_run)
        scripts = tuple(calls) if calls is not None else (tuple(inputs), tuple(inputs))
        circumstances = Circumstances(self.variant.mode, backward, backward_twice, probe)
        dynamic = True if self.variant.shapes == "dynamic" else None
        recorder = Recorder() if self.holds_goldens and not self.scope.isolated else None
        subject = Subject(
            ClauseProgram(program, scripts, self.variant, self.device, tuple(before)),
            circumstances,
            How(dynamic, self.scope.fullgraph, backward_twice, tuple((config or {}).items())),
            strict_probe=strict_probe,
            in_parts=in_parts,
            recorder=recorder,
        )
        return self._result(subject)

    def file(self, path: Path) -> Result:
        """Compare the program of a file, as ``parity check`` takes it, with eager. The file says how it is called.

        Raises `CellEnded` unless the cell passes.
        """
        if self.reason_not_to_run:
            raise NotSupported(self.reason_not_to_run)
        program = FileProgram(path, self.device)
        return self._result(of_file(program, program.settings()))

    def _result(self, subject: Subject) -> Result:
        self.verdict = verdict = self._examined(subject)
        if verdict.outcome == "skip":
            raise Rejected(verdict.detail)
        if verdict.outcome == "error":
            raise Rejected(verdict.detail)
        if verdict.outcome == "unsupported":
            raise NotSupported(verdict.detail)
        if verdict.outcome == "vacuous":
            raise NotHappened(verdict.detail)
        if verdict.outcome != "pass":
            raise Diverged(verdict)
        return Result(self, verdict, subject.recorder.graphs() if subject.recorder is not None else None)

    def demand(self, facet: str, where: str, expected: object, seen: object) -> None:
        """What the contract says of something that no observation of a call holds: a count, a predicate, a text.

        Needs no program: a clause about a table of torch's own demands and never calls. A demand is a claim, too.

        Raises `CellEnded` with a divergence of ``facet`` if ``seen`` is not equal to ``expected``.
        """
        self.claims += 1
        if self.verdict is None:
            self.verdict = Verdict("pass")
        verdict = self.verdict
        verdict.facets.setdefault(facet, "same")
        if expected == seen:
            return
        kind = f"{where}: not what the contract says"
        divergence = Divergence(facet, kind, where, str(expected), str(seen), layer=self.backend.name)
        verdict.divergences.append(divergence)
        verdict.facets[facet], verdict.outcome = "differs", "fail"
        verdict.detail = f"{facet}: {kind}: expected {expected}, seen {seen}"
        raise Diverged(verdict)

    def _examined(self, subject: Subject) -> Verdict:
        runner = self.runner(subject)
        if self.scope.ranks > 1:
            return examine_on_ranks(subject, self.backend, runner, self.scope.ranks)
        return examine(subject, self.backend, runner)

    def runner(self, subject: Subject) -> Runner:
        """How the cell's runs are made: in this process, each in one of its own, or on several ranks."""
        if self.scope.ranks > 1:
            return on_ranks(subject, self.scope.ranks, self.time_limit)
        return forked(subject, self.time_limit) if self.scope.isolated else in_process(subject)

    @property
    def holds_goldens(self) -> bool:
        """Whether this is the cell that the clause's goldens belong to."""
        return (self.backend.name, self.variant) == self.scope.golden_home


class Result:
    """What was observed. Each method proves, on eager's own run, that the clause's behaviour happened.

    A claim that does not hold makes the cell vacuous: the candidate agreed with an eager that did not do the thing.
    Arguments count from 0; outputs are named by their path, ``out`` for a single one, ``out[0]`` for the first.
    """

    def __init__(self, check: Check, verdict: Verdict, graphs: Graphs | None) -> None:
        assert verdict.expected is not None, "a passing verdict has both observations"
        assert verdict.seen is not None, "a passing verdict has both observations"
        self._check = check
        self._graphs = graphs
        self.expected: Observation = verdict.expected
        self.seen: Observation = verdict.seen
        self.verdict = verdict

    # Claims

    def happened(self, condition: bool | None, what: str) -> Result:
        """Any claim: ``what`` completes "but ... did not happen"."""
        self._check.claims += 1
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
                self._check.claims += 1
        return self

    def gradient(self, *leaves: int) -> Result:
        """Gradients arrived at these leaves (counted in the order of the inputs). Trivial outside of training."""
        for leaf in leaves:
            arrived = list(self.call.gradients.values())
            if self.training:
                self.happened(leaf < len(arrived) and arrived[leaf] is not None, f"a gradient of leaf {leaf}")
            else:
                self._check.claims += 1
        return self

    def no_gradient(self, *leaves: int) -> Result:
        """No gradient arrived at these leaves."""
        for leaf in leaves:
            arrived = list(self.call.gradients.values())
            self.happened(not self.training or arrived[leaf] is None, f"leaf {leaf} staying without a gradient")
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

    def raised(self, message: str) -> Result:
        """Eager raised in every call, with this text in the message."""
        return self.happened(
            all(call.error is not None and message in call.error.message for call in self.expected.calls),
            f"an error that says {message!r}",
        )

    def raised_in_place(self, path: str, message: str) -> Result:
        """An in-place op on this output after the call raised, with this text. Trivial outside of training."""
        if not self.training:
            self._check.claims += 1
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

    def demand(self, facet: str, where: str, expected: object, seen: object) -> Result:
        """`Check.demand`, after the program ran: about the candidate, where the other claims are about eager."""
        self._check.demand(facet, where, expected, seen)
        return self

    def recompiled(self, times: int) -> Result:
        """Exactly this many graphs were compiled after the first call. About the candidate, not about eager."""
        seen = self.verdict.engagement.recompilations if self._check.backend.dynamo else times
        return self.demand("reuse", "graphs compiled after the first call", times, seen)

    # What was observed

    @property
    def training(self) -> bool:
        """Whether gradients were compared in this cell."""
        return self._check.variant.mode == "train"

    @property
    def call(self) -> Call:
        """Eager's first call."""
        return self.expected.calls[0]

    def facts(self, path: str) -> TensorFacts:
        """Eager's facts of a tensor after the first call."""
        entry = self.call.entries.get(path)
        if entry is not None and entry.kind == "same":
            return self.facts(entry.detail)
        if path not in self.call.tensors:
            raise Rejected(f"no tensor {path} in the observation; there are {', '.join(self.call.tensors)}")
        return self.call.tensors[path]

    def value(self, path: str) -> torch.Tensor:
        """What a tensor held after eager's first call. Raises `Rejected` for a tensor whose memory cannot be read."""
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
            raise Rejected(f"no tensor {path} with a storage; there are {', '.join(self.call.storage)}")
        return self.call.storage[inner]

    # Goldens

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
            backend, variant = self._check.scope.golden_home
            return NoGraph(stage, f"[{backend}-{variant}]")
        try:
            return self._graphs.one(stage)
        except NoSuchGraph as error:
            raise NotHappened(str(error)) from None


def _argument(argument: int | str) -> str:
    return f"arg[{argument}]" if isinstance(argument, int) else argument
