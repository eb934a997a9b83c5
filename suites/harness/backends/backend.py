"""A backend: how a program is compiled with it, and how much of the program was."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from golden.graphs.capture import Recorder
from suites.harness import torch_internals
from suites.harness.backends.names import reference_backends
from suites.harness.programs.specs import MODES


@dataclasses.dataclass
class CompileCounter:
    """How much a backend compiled: counted where graphs are handed to it, so that a fallback to eager shows as zero."""

    graphs: int = 0
    nodes: int = 0
    compile_seconds: float = 0.0
    #: The number of graphs compiled up to the end of each call.
    graphs_by_call: list[int] = dataclasses.field(default_factory=list)
    #: Keeps the graphs of every stage as they pass by; None where no golden is compared.
    recorder: Recorder | None = None
    #: Puts something around what the backend made of a graph; None in every run that is compared.
    around: Callable[[torch.fx.GraphModule, Callable[..., Any]], Callable[..., Any]] | None = None
    #: How often the backend's engine executed something while it compiled nothing, by its own count; None where it
    #: does not count.
    executions: int | None = None
    #: That count, while it is read.
    _count: Callable[[], int] | None = None

    def add(self, other: CompileCounter) -> None:
        """Count what another one counted, too."""
        self.graphs += other.graphs
        self.nodes += other.nodes
        self.compile_seconds += other.compile_seconds
        if other.executions is not None:
            self.executions = (self.executions or 0) + other.executions

    def call_ended(self) -> None:
        """Note that one call of the script is over."""
        self.graphs_by_call.append(self.graphs)

    @property
    def recompilations(self) -> int:
        """Graphs compiled after the first call."""
        return self.graphs_by_call[-1] - self.graphs_by_call[0] if self.graphs_by_call else 0

    def took(self, module: torch.fx.GraphModule, stage: str = "") -> None:
        """Note a graph that was compiled; with ``stage``, keep it for the goldens of that stage."""
        self.graphs += 1
        self.nodes += sum(node.op not in ("placeholder", "output", "get_attr") for node in module.graph.nodes)
        if stage and self.recorder is not None:
            self.recorder.record(stage, module)

    def counted(self, compiler: Callable[..., Any]) -> Callable[..., Any]:
        """``compiler``, with each graph that it is handed counted and timed. What it returns is touched by no run that
        is compared."""
        compiler = self.recorder.backend(compiler) if self.recorder is not None else compiler

        @functools.wraps(compiler, updated=())
        def count(module: torch.fx.GraphModule, example_inputs: list[Any], **options: Any) -> Any:
            self.took(module)
            started = time.perf_counter()
            try:
                with self._uncounted():
                    compiled = compiler(module, example_inputs, **options)
            finally:
                self.compile_seconds += time.perf_counter() - started
            return self.around(module, compiled) if self.around is not None else compiled

        return count

    @contextlib.contextmanager
    def counting(self, count: Callable[[], int] | None) -> Iterator[None]:
        """Count what the backend's engine executes meanwhile, if anything counts that, and not what compiling does."""
        if count is None:
            yield
            return
        self.executions, self._count = -count(), count
        try:
            yield
        finally:
            self.executions, self._count = self.executions + count(), None

    @contextlib.contextmanager
    def _uncounted(self) -> Iterator[None]:
        """What rises meanwhile is no execution of the program: an engine may try or time what it makes."""
        count, self._count = self._count, None  # What is compiled within is compiling, too.
        before = count() if count is not None else 0
        try:
            yield
        finally:
            if count is not None and self.executions is not None:
                self.executions, self._count = self.executions - (count() - before), count


#: The option of torch.compile that Dynamo keeps for itself.
GUARD_FILTER = "guard_filter_fn"


@dataclasses.dataclass(frozen=True)
class CompileOptions:
    """How a program is compiled: ``dynamic`` is torch.compile's (None: as it comes), ``fullgraph`` too.

    ``config``: settings of torch's compiler, by name (``inductor.memory_planning``), that hold while the program is
    compiled and called. ``mode`` and ``options`` are torch.compile's: a ``guard_filter_fn`` is Dynamo's, and so for
    every backend that programs reach through it; the mode and all other options are Inductor's. ``more``: arguments of
    torch.compile that are Dynamo's own, by name.
    """

    dynamic: bool | None = None
    fullgraph: bool = False
    backward_twice: bool = False
    config: tuple[tuple[str, Any], ...] = ()
    mode: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    more: tuple[tuple[str, Any], ...] = ()

    @property
    def of_dynamo(self) -> dict[str, Any] | None:
        """Those of ``options`` that Dynamo keeps for itself: None without any."""
        return {name: value for name, value in self.options if name == GUARD_FILTER} or None

    @property
    def of_inductor(self) -> dict[str, Any]:
        """Those of ``options`` that Inductor is handed."""
        return {name: value for name, value in self.options if name != GUARD_FILTER}


@dataclasses.dataclass(frozen=True)
class Backend:
    """A resolved backend.

    ``bitwise``: it runs eager's own kernels, so its values are equal to the last bit. ``dynamo``: programs reach it
    through torch.compile; else through AOTAutograd alone. ``config``: the settings of torch's compiler, by name, that
    comparing it with eager needs; without any, it runs under those that a user has. ``runs_torch``: what executes its
    graphs is torch, by design: its operators or its compiler's kernels. Of any other a pass says that something was
    executed by the backend itself: ``executed`` is its own count of that, for this process so far, if it has one.
    """

    name: str
    compile: Callable[[Callable[..., Any], CompileOptions, CompileCounter], Callable[..., Any]]
    bitwise: bool = False
    dynamo: bool = True
    needs_compiler: bool = False
    version: str = ""
    config: tuple[tuple[str, Any], ...] = ()
    runs_torch: bool = True
    executed: Callable[[], int] | None = None
    #: The function of the engine, ``module:function``, each call of which is an execution.
    engine_call: str = ""
    #: The grad modes that it claims to support.
    modes: tuple[str, ...] = MODES

    @property
    def references(self) -> tuple[str, ...]:
        """The lower layers that the candidate's divergences are looked for in, topmost first."""
        return reference_backends(self.name) if self.dynamo else ()

    def settings(self, options: CompileOptions) -> contextlib.AbstractContextManager[None]:
        """The configuration under which programs are compiled and called; what ``options`` says wins.

        A backward that runs twice forbids donated buffers.
        """
        twice = {"functorch.donated_buffer": False} if options.backward_twice else {}
        return torch_internals.compiler_settings({**dict(self.config), **twice, **dict(options.config)})


#: `Backend.config` of Inductor, of its modes and of what takes its decompositions.
DRAWS_AS_EAGER = tuple(torch_internals.EAGERS_RANDOM_KERNELS.items())
