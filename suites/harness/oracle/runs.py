"""One run of a program: what is asked for, what comes back, and how it is made in this process."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from golden.graphs.capture import Recorder
from suites.harness import torch_internals
from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions
from suites.harness.execution import accelerations
from suites.harness.execution.isolation import Raised
from suites.harness.observation.observe import CallOptions, ErrorFacts, Observation, Program, observe
from suites.harness.oracle.definedness import (
    AnyInteger,
    AnyPick,
    ExactArithmetic,
    HazardMode,
    RoundedArithmetic,
    with_poison,
    within,
)
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.provenance import EngineCalls, Provenance
from suites.harness.oracle.saying import ErrorStream
from suites.harness.programs.files import FileProgram, FileSettings

#: What is done to a program before it is called.
Compile = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclasses.dataclass(frozen=True)
class Run:
    """One run to make: on ``backend`` (``None``: plain eager Python) in a particular way."""

    backend: Backend | None = None
    #: ``upcast`` (double precision), ``rounded`` (that, with rounding errors made on purpose), ``hazards`` (look at
    #: operands), ``poison`` (poisoned memory), ``deterministic`` (as that is, without the poison), ``casts`` (any
    #: integer for a float that has none), ``picks`` (another one of several equal values), or nothing special.
    special: str = ""
    #: Made to see who executes the graphs: see `provenance`. What it observes is not compared.
    watched: bool = False
    in_place_on: tuple[str, ...] = ()
    only_call: int | None = None
    #: Settings of torch's compiler that the run is made with, by name: `torch_internals.configured`.
    settings: tuple[tuple[str, bool], ...] = ()
    #: With all `accelerations` off, and an empty cache of kernels.
    plain: bool = False

    @property
    def layer(self) -> str | None:
        """The name of the layer that runs; None for plain eager Python."""
        return self.backend.name if self.backend is not None else None


@dataclasses.dataclass(frozen=True)
class Completed:
    """A run that came back."""

    observation: Observation
    counter: CompileCounter
    hazards: tuple[str, ...] = ()
    casts: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    #: The same run on the other ranks, from rank 1 on, of a program that runs on several.
    others: tuple[Completed, ...] = ()
    #: Made the plain way, because a kernel was not built in the way of the run.
    plain: bool = False
    #: The end of what was written to the error stream, where a call of a compiled run raised.
    stderr: str = ""
    #: Whether the backend executed something, of a run that was `watched`; None where that cannot be told.
    by_backend: bool | None = None


@dataclasses.dataclass(frozen=True)
class Aborted:
    """A run whose process did not come back: ``facet`` is ``crash`` or ``timeout``; ``output`` is its last words."""

    facet: str
    how: str
    output: str = ""

    @property
    def not_of_the_backend(self) -> str:
        """Why it says nothing of the backend: a kernel raised, which ends processes here. Empty where it does."""
        return accelerations.current().says_of(self.how, self.output)

    def divergence(self, layer: str = "") -> Divergence:
        """What the loss of a candidate's run is: its kind says how, and what was seen adds the last words."""
        seen = "\n".join(filter(None, (self.how, self.output)))
        return Divergence(self.facet, self.how, "the run", "a result", seen, False, layer)


class Runner(Protocol):
    """Makes runs: in this process, or each in one of its own."""

    def __call__(self, run: Run) -> Completed | Aborted:
        """Make one run. Raises what building the program's inputs raises."""
        ...


@dataclasses.dataclass(frozen=True)
class Subject:
    """What is examined: a program, how it is called and how it is compiled."""

    program: Program
    call_options: CallOptions = dataclasses.field(default_factory=CallOptions)
    options: CompileOptions = dataclasses.field(default_factory=CompileOptions)
    strict_probe: bool = False
    #: Whether the program is known to run eager's own kernels on the layers that keep them. AOTAutograd decomposes some
    #: operators on every backend, so values of an arbitrary program are judged by the fp64 rule on every layer.
    exact: bool = True
    #: The program is not compiled as a whole: it is handed what compiles as its first argument, and says which parts.
    in_parts: bool = False
    #: Keeps the graphs of the first compiled run, for goldens.
    recorder: Recorder | None = None

    def make(self, run: Run) -> Completed:
        """Make a run in this process."""
        if run.plain:
            with accelerations.plain(), torch_internals.fresh_kernel_cache():
                return dataclasses.replace(self.make(dataclasses.replace(run, plain=False)), plain=True)
        if run.backend is not None:
            return self._compiled(run, run.backend)
        if run.special in ("upcast", "rounded"):
            return self._in_double(run)
        return self._searched(run) if run.special else self._eagerly(run)

    # One method a kind of run: their names are how a stack tells which it belongs to.

    def _eagerly(self, run: Run) -> Completed:
        return self._without_backend(run, lambda program: program, self.call_options)

    def _searched(self, run: Run) -> Completed:
        """Eager's run while somebody looks for what it leaves undefined."""
        hazards = HazardMode()
        ways: dict[str, Compile] = {
            "hazards": within(hazards),
            "casts": within(AnyInteger()),
            "picks": within(AnyPick()),
            "poison": with_poison,
            "deterministic": functools.partial(with_poison, filled=False),
        }
        around = ways[run.special]
        made = self._without_backend(run, around, dataclasses.replace(self.call_options, probe=False))
        return dataclasses.replace(
            made, hazards=tuple(hazards.hazards), casts=tuple(hazards.casts), ties=tuple(hazards.ties)
        )

    def _in_double(self, run: Run) -> Completed:
        """Eager's run in double precision."""
        around = within(ExactArithmetic() if run.special == "upcast" else RoundedArithmetic())
        return self._without_backend(run, around, dataclasses.replace(self.call_options, probe=False))

    def _without_backend(self, run: Run, around: Compile, call_options: CallOptions) -> Completed:
        around = _around_parts(around) if self.in_parts else around
        counter = CompileCounter()
        return Completed(self._observe(run, around, call_options, counter), counter)

    def _compiled(self, run: Run, backend: Backend) -> Completed:
        torch_internals.reset()  # Once a run: what was compiled of a part is there for its later calls.
        counter = CompileCounter()
        call_options = dataclasses.replace(self.call_options, probe=False) if run.special else self.call_options
        if self.recorder is not None and not self.recorder.graphs().stages:
            counter.recorder = self.recorder
        watch = Provenance() if run.watched and not backend.engine_call else None
        calls = EngineCalls(backend.engine_call) if run.watched and backend.engine_call else None
        if run.watched:
            call_options = dataclasses.replace(call_options, probe=False)
        if watch is not None:
            counter.around = watch.around
        patched = calls.counted() if calls is not None else contextlib.nullcontext()
        counting = counter.counting(calls.number if calls is not None else backend.executed)
        with backend.settings(self.options), patched, counting:
            compile_program: Compile = lambda program: backend.compile(program, self.options, counter)
            compile_program = _of_parts(compile_program) if self.in_parts else compile_program
            stream = ErrorStream()
            with torch_internals.configured(dict(run.settings)):
                observation = self._observe(run, compile_program, call_options, counter)
            stderr = stream.said() if any(_errors(observation)) else ""
        counter.recorder = counter.around = None  # Graphs stay where they were recorded.
        by_backend = watch.verdict if watch is not None else None
        if calls is not None:
            by_backend = counter.executions is not None and counter.executions > 0
        return Completed(observation, counter, stderr=stderr, by_backend=by_backend)

    def _observe(
        self,
        run: Run,
        compile_program: Compile,
        call_options: CallOptions,
        counter: CompileCounter,
    ) -> Observation:
        return observe(
            self.program,
            compile_program,
            call_options,
            upcast=run.special in ("upcast", "rounded"),
            in_place_on=run.in_place_on,
            only_call=run.only_call,
            after_call=counter.call_ended,
        )


def of_file(program: FileProgram, settings: FileSettings, mode: str = "train") -> Subject:
    """The program of a file, called and compiled as the file asks: anybody's program, so judged without exactness.

    ``mode`` is the grad mode of the calls; gradients are compared in ``train`` alone, where the file asks for it.
    """
    call_options = CallOptions(mode, backward=settings.train)
    return Subject(program, call_options, CompileOptions(dynamic=settings.dynamic, config=settings.config), exact=False)


def _of_parts(compile_part: Compile) -> Compile:
    """Leave the program as it is and hand it what compiles its parts, each once for all calls of a run."""
    made: dict[int, tuple[Callable[..., Any], Callable[..., Any]]] = {}

    def once(part: Callable[..., Any]) -> Callable[..., Any]:
        if id(part) not in made:
            made[id(part)] = part, compile_part(part)  # It stays alive, so that no other gets its id.
        return made[id(part)][1]

    return lambda program: functools.partial(program, once)


def _around_parts(around: Compile) -> Compile:
    """What is done to a whole program, for one that would compile its parts: they stay as they are."""
    return lambda program: around(functools.partial(program, lambda part: part))


def in_process(subject: Subject) -> Runner:
    """Runs made in this process: fast, and a crash is the process's."""
    return subject.make


class Retrying:
    """A runner that makes a run again the plain way where a kernel was not built, or a process with kernels died.

    A library in the cache of kernels may be a torn one, which a process that was killed has left there: that is none of
    the backend's. ``retried`` says that a run came of the plain way.
    """

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.retried = False

    def __call__(self, run: Run) -> Completed | Aborted:
        """Make one run. Raises what the runner raises."""
        made = self.runner(run)
        if isinstance(made, Completed):
            again = not made.plain and accelerations.building() and _not_built(made)
        else:
            has_kernels = run.backend is not None and run.backend.needs_compiler
            again = made.facet == "crash" and accelerations.building() and has_kernels
        if again:
            made = self.runner(dataclasses.replace(run, plain=True))
        self.retried |= isinstance(made, Completed) and (again or made.plain)
        return made


def _not_built(made: Completed) -> bool:
    """Whether a kernel of the run was not built. A library that did not load is thrown away: nobody else is to try."""
    failed = False
    for rank in (made, *made.others):
        for error in _errors(rank.observation):
            found = torch_internals.not_built(f"{error.type}: {error.message}")
            failed |= found is not None
            if found and found["library"] and Path(found["library"]).is_relative_to(torch_internals.kernel_cache()):
                Path(found["library"]).unlink(missing_ok=True)
    return failed


def _errors(observation: Observation) -> Iterator[ErrorFacts]:
    for call in observation.calls:
        yield from filter(None, (call.error, call.backward_error))
    for probe in observation.in_place.values():
        yield from filter(None, (probe.error, probe.backward_error))


class ProgramError(Exception):
    """A run failed outside of the program's calls: its file or its inputs are at fault. The message is one line."""

    def __init__(self, raised: Raised) -> None:
        message = raised.message
        super().__init__(message.removeprefix("BadProgram: "))
        self.traceback = raised.traceback
