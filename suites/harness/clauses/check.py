"""What a clause is written with: the `clause` mark, and `Check`, which the ``check`` fixture hands it."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from golden.graphs.capture import Recorder
from suites.harness import torch_internals
from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions
from suites.harness.clauses.cell import CellInProgress
from suites.harness.clauses.endings import Diverged, NotHappened, NotSupported, Rejected
from suites.harness.clauses.result import Result
from suites.harness.clauses.scope import Scope
from suites.harness.execution.ranks import examine_on_ranks, on_ranks
from suites.harness.execution.runners import forked
from suites.harness.observation.observe import CallOptions, Program
from suites.harness.oracle.examine import Examination, examine
from suites.harness.oracle.runs import Runner, Subject, in_process, of_file
from suites.harness.programs.clause_programs import BeforeCall, ClauseProgram
from suites.harness.programs.errors import NotHere, OtherRelease
from suites.harness.programs.files import FileProgram
from suites.harness.programs.specs import BuiltSpec, Variant
from suites.harness.results.outcomes import Outcome


@dataclasses.dataclass(frozen=True)
class Compiled:
    """A program that was compiled by hand: called like itself. Raises what the program or the backend raises."""

    run: Callable[..., Any]
    counter: CompileCounter
    cell: CellInProgress
    #: AOTAutograd's before the first call: what it is later says whether that traced something.
    clock: str = dataclasses.field(default_factory=torch_internals.aot_autograd_clock)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the compiled program."""
        try:
            output = self.run(*args, **kwargs)
        except Exception as error:
            self.cell.raised_by_hand = error
            raise
        self.cell.ran_by_hand = True
        return output

    @property
    def graphs(self) -> int:
        """How many graphs the backend has compiled for it so far."""
        return self.counter.graphs

    def needs_aot_autograd(self) -> None:
        """Raise `NotSupported` where AOTAutograd has traced nothing of it: its settings and refusals are not asked."""
        if torch_internals.aot_autograd_clock() == self.clock:
            raise NotSupported("about AOTAutograd, through which the backend's graphs do not go")


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
        self.cell = CellInProgress(backend, variant, scope)
        self.backend, self.variant, self.scope = backend, variant, scope
        self.device, self.time_limit = device, time_limit
        self.reason_not_to_run = reason_not_to_run

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
        exact: bool = True,
        config: Mapping[str, Any] | None = None,
        mode: str | None = None,
        options: Mapping[str, Any] | None = None,
        more: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None,
    ) -> Result:
        """Compare ``program`` on the specs ``inputs`` with eager, in every facet. Returns what was observed.

        Without ``calls``, two calls are made, with the same specs and other data. With it, one call each of the one
        compiled program. ``before`` are hooks, one a call, or None: a hook is handed the program (the run's own copy of
        the function, or its module) and changes what the call will find: an attribute, a global, a default. A context
        manager that it returns is entered for the call: a grad mode, an autocast; anything else is ignored. A hook says
        all of the state that its call needs, since calls are also made alone. ``backward_twice`` runs backward a second
        time through the same graph; ``strict_probe`` demands that an in-place op on an output raise where eager's does.
        ``program`` may be `built`, for a module.
        ``in_parts``: the program is not compiled as a whole; it is handed what compiles as its first argument, and
        calls that on the parts that are to be (on eager's run it gets each part back). A part that is the same object
        in each call is compiled once.
        ``exact``: as for `program`; not where Dynamo itself writes an operator as others, which round elsewhere.
        ``config`` are settings of torch's compiler, by name: ``{"inductor.memory_planning": True}``. ``mode`` and
        ``options`` are torch.compile's, in a clause that is about Inductor alone; a ``guard_filter_fn`` in any.
        ``more``: arguments of torch.compile that are Dynamo's own, by name: ``{"recompile_limit": 2}``; or what makes
        them, where only the releases that the clause is about can.

        Raises `CellEnded` unless the cell passes.
        """
        if self.cell.verdict is not None:
            raise Rejected("a clause calls check once: one program, one verdict (and demands after it)")
        self._can_run()
        scripts = tuple(calls) if calls is not None else (tuple(inputs), tuple(inputs))
        call_options = CallOptions(self.variant.mode, backward, backward_twice, probe)
        dynamic = True if self.variant.shapes == "dynamic" else None
        recorder = Recorder() if self.cell.holds_goldens and not self.scope.isolated else None
        subject = Subject(
            ClauseProgram(program, scripts, self.variant, self.device, tuple(before)),
            call_options,
            CompileOptions(
                dynamic,
                self.scope.fullgraph,
                backward_twice,
                tuple((config or {}).items()),
                mode,
                tuple((options or {}).items()),
                tuple(((more() if callable(more) else more) or {}).items()),
            ),
            strict_probe=strict_probe,
            in_parts=in_parts,
            recorder=recorder,
            exact=exact,
        )
        return self._result(subject)

    def file(self, path: Path) -> Result:
        """Compare the program of a file, as ``parity check`` takes it, with eager. The file says how it is called.

        Raises `CellEnded` unless the cell passes.
        """
        self._can_run()
        program = FileProgram(path, self.device)
        try:
            settings = program.settings()
        except OtherRelease as error:
            # Records of runs hold it: where the checkout lies is none of theirs.
            raise NotSupported(str(error).replace(program.told, path.name)) from None
        return self._result(of_file(program, settings))

    def program(
        self,
        program: Program,
        *,
        in_parts: bool = False,
        exact: bool = True,
        config: Mapping[str, Any] | None = None,
    ) -> Result:
        """Compare a program that makes its own inputs, such as one of a table, with eager.

        ``exact``: it runs eager's own kernels on the layers that keep them, so that values are equal to the last bit
        there. ``in_parts`` and ``config`` as for `__call__`. A program that says that it is for another device, or
        another release of torch, is not supported. Raises `CellEnded` unless the cell passes.
        """
        self._can_run()
        dynamic = True if self.variant.shapes == "dynamic" else None
        options = CompileOptions(dynamic, self.scope.fullgraph, config=tuple((config or {}).items()))
        try:
            return self._result(
                Subject(program, CallOptions(self.variant.mode), options, in_parts=in_parts, exact=exact)
            )
        except NotHere as error:
            raise NotSupported(str(error)) from None

    @contextlib.contextmanager
    def compiled(
        self,
        program: Callable[..., Any],
        *,
        dynamic: bool | None = None,
        fullgraph: bool = True,
        config: Mapping[str, Any] | None = None,
        mode: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Iterator[Compiled]:
        """``program``, compiled through the cell's backend, whose settings hold inside of the context.

        For what `__call__` does not do: backward in parts, a sequence of calls with something in between. The clause
        makes the calls, and says with `demand` what must come of them. ``dynamic`` and ``fullgraph`` are
        torch.compile's, ``config``, ``mode`` and ``options`` as for `__call__`. The graphs are counted among the
        cell's.

        Raises `CellEnded` where the backend cannot run.
        """
        self._can_run()
        torch_internals.reset()
        asked = CompileOptions(
            dynamic,
            fullgraph,
            config=tuple((config or {}).items()),
            mode=mode,
            options=tuple((options or {}).items()),
        )
        counter = CompileCounter()
        with self.backend.settings(asked):
            try:
                with counter.counting(self.backend.executed):
                    yield Compiled(self.backend.compile(program, asked, counter), counter, self.cell)
            finally:
                self.cell.counter.add(counter)

    def _can_run(self) -> None:
        if self.reason_not_to_run:
            raise NotSupported(self.reason_not_to_run)

    def _result(self, subject: Subject) -> Result:
        self.cell.verdict = verdict = self._examined(subject)
        if verdict.outcome in (Outcome.SKIP, Outcome.ERROR):
            raise Rejected(verdict.detail)
        if verdict.outcome is Outcome.UNSUPPORTED:
            raise NotSupported(verdict.detail)
        if verdict.outcome is Outcome.VACUOUS:
            raise NotHappened(verdict.detail)
        if verdict.outcome is not Outcome.PASS:
            raise Diverged(verdict)
        return Result(self.cell, verdict, subject.recorder.graphs() if subject.recorder is not None else None)

    def demand(self, facet: str, where: str, expected: object, seen: object) -> None:
        """What the contract says of something that no observation of a call holds: a count, a predicate, a text.

        Needs no program: a clause about a table of torch's own demands and never calls. A demand is a claim, too.

        Raises `CellEnded` with a divergence of ``facet`` if ``seen`` is not equal to ``expected``.
        """
        self.cell.demand(facet, where, expected, seen)

    def _examined(self, subject: Subject) -> Examination:
        runner = self.runner(subject)
        if self.scope.ranks > 1:
            return examine_on_ranks(subject, self.backend, runner, self.scope.ranks)
        return examine(subject, self.backend, runner)

    def runner(self, subject: Subject) -> Runner:
        """How the cell's runs are made: in this process, each in one of its own, or on several ranks."""
        if self.scope.ranks > 1:
            return on_ranks(subject, self.scope.ranks, self.time_limit, self.device)
        return forked(subject, self.time_limit) if self.scope.isolated else in_process(subject)
