"""Record the graphs that a compilation hands on, stage by stage.

A `Recorder` listens to a compilation that somebody else runs, so the graph that is recorded is the graph that ran. It
renders the canonical text at once: a later stage may change the graph in place, as Inductor's post-grad passes do.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from torch import fx

from golden import _torch
from golden.expectation import GoldenResult, expect_text
from golden.graphs import inductor
from golden.graphs.text import graph_text

#: Every stage, in the order in which a compilation reaches it. `wrapper` is the skeleton of the code that Inductor
#: writes around its kernels.
STAGES = ("dynamo", "joint", "forward", "backward", "post_grad", "wrapper")


class NoSuchGraph(LookupError):
    """The compilation did not come by the stage that was asked for."""


@dataclasses.dataclass(frozen=True)
class Graph:
    """One graph at one stage: its canonical text and a copy that later passes do not touch.

    ``graph`` is None for the stage `wrapper`, which is code and not a graph.
    """

    stage: str
    text: str
    graph: fx.Graph | None = None

    @property
    def targets(self) -> tuple[str, ...]:
        """What the nodes call, in order: ``torch.ops.aten.mul.Tensor``; empty for the stage `wrapper`."""
        from golden.graphs.text import target_text

        nodes = self.graph.nodes if self.graph is not None else ()
        calls = ("call_function", "call_method", "call_module")
        return tuple(
            node.target if isinstance(node.target, str) else target_text(node.target)
            for node in nodes
            if node.op in calls
        )

    def expect(self, literal: str) -> GoldenResult:
        """Compare with the golden at the call site, as the cell's `Session` says.

        Raises `GraphChanged` in strict mode when the graph means something else or its nodes come in another order.
        """
        return expect_text(self.stage, self.text, literal, depth=2)


@dataclasses.dataclass(frozen=True)
class Graphs:
    """The graphs of one compilation, in the order in which they were recorded."""

    recorded: tuple[Graph, ...]

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of which there is at least one graph."""
        return tuple(stage for stage in STAGES if self.all(stage))

    def all(self, stage: str) -> tuple[Graph, ...]:
        """Every graph of a stage (graph breaks and recompilations make several), in order."""
        return tuple(graph for graph in self.recorded if graph.stage == stage)

    def one(self, stage: str) -> Graph:
        """The first graph of a stage; raises `NoSuchGraph`, which names the stages that there are."""
        found = self.all(stage)
        if not found:
            there = ", ".join(self.stages) or "nothing (was anything compiled?)"
            raise NoSuchGraph(f"no {stage} graph was captured; captured: {there}{_hint(stage)}")
        return found[0]

    @property
    def dynamo(self) -> Graph:
        """The graph that Dynamo hands to a backend."""
        return self.one("dynamo")

    @property
    def joint(self) -> Graph:
        """AOTAutograd's joint graph of forward and backward, before the partitioner."""
        return self.one("joint")

    @property
    def forward(self) -> Graph:
        """The forward graph after partitioning, or the inference graph."""
        return self.one("forward")

    @property
    def backward(self) -> Graph:
        """The backward graph after partitioning."""
        return self.one("backward")

    @property
    def post_grad(self) -> Graph:
        """Inductor's graph after its post-grad passes."""
        return self.one("post_grad")

    @property
    def wrapper(self) -> Graph:
        """The skeleton of Inductor's wrapper code: allocations, reuses, kernel calls."""
        return self.one("wrapper")


def _hint(stage: str) -> str:
    if stage in ("joint", "backward"):
        return " (a joint and a backward graph need an input that requires grad, and backward must be called)"
    if stage in ("post_grad", "wrapper"):
        return ' (this stage is Inductor\'s: capture with backend="inductor")'
    return ""


def _detached(module: fx.GraphModule) -> fx.Graph:
    copy = fx.Graph(owning_module=module)
    output = copy.graph_copy(module.graph, {}, return_output_node=True)
    if output is not None:
        value, original = cast(tuple[Any, fx.Node], output)
        copy.output(value).meta = dict(original.meta)
    return copy


class Recorder:
    """Listens to compilations and keeps their graphs."""

    def __init__(self) -> None:
        self._recorded: list[Graph] = []

    def graphs(self) -> Graphs:
        """The graphs recorded so far."""
        return Graphs(tuple(self._recorded))

    def clear(self) -> None:
        """Forget what was recorded."""
        self._recorded.clear()

    def record(self, stage: str, module: fx.GraphModule) -> None:
        """Keep a graph under a stage, as it is now."""
        if stage not in STAGES:
            raise ValueError(f"unknown stage {stage!r}: expected one of {', '.join(STAGES)}")
        self._recorded.append(Graph(stage, graph_text(module), _detached(module)))

    def record_text(self, stage: str, text: str) -> None:
        """Keep a text that is not a graph (the stage `wrapper`)."""
        self._recorded.append(Graph(stage, text))

    def compiler(self, stage: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        """A compiler that records what it is handed and lets ``inner`` do the work."""

        def compile_and_record(module: fx.GraphModule, inputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
            self.record(stage, module)
            # A backward may be compiled long after `listening` has ended: what it needs is set up here as well.
            with _torch.caches_off(), inductor.listening(self):
                return inner(module, inputs, *args, **kwargs)

        return _torch.like_compiler(inner, compile_and_record)

    def partitioner(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        """A partitioner that records the joint graph before ``inner`` splits it."""

        def partition_and_record(joint: fx.GraphModule, *args: Any, **kwargs: Any) -> Any:
            self.record("joint", joint)
            return inner(joint, *args, **kwargs)

        return partition_and_record

    def hooks(
        self,
        *,
        fw_compiler: Callable[..., Any] | None = None,
        bw_compiler: Callable[..., Any] | None = None,
        inference_compiler: Callable[..., Any] | None = None,
        partition_fn: Callable[..., Any] | None = None,
    ) -> dict[str, Callable[..., Any]]:
        """Keyword arguments for ``aot_function`` and its kin: the given compilers (default: run the graph), listening.

        Defaults are those of ``aot_function``: the inference compiler is the forward one, so is the backward one, and
        the partitioner is the default one.
        """
        forward = fw_compiler or _torch.nop
        return {
            "fw_compiler": self.compiler("forward", forward),
            "bw_compiler": self.compiler("backward", bw_compiler or forward),
            "inference_compiler": self.compiler("forward", inference_compiler or forward),
            "partition_fn": self.partitioner(partition_fn or _torch.default_partition),
        }

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Record every AOT compilation of a ``torch.compile`` backend that starts inside the context.

        The FX graph cache and the AOTAutograd cache are off meanwhile. Backward graphs that are compiled after the
        context has ended are recorded too: their compiler was wrapped when the forward was compiled.
        """
        with _torch.caches_off(), _torch.hooked_aot_module(self._hooked):
            yield

    def _hooked(self, options: dict[str, Any]) -> dict[str, Any]:
        wrapped = dict(options)
        for name, stage in (("fw_compiler", "forward"), ("bw_compiler", "backward"), ("inference_compiler", "forward")):
            if wrapped.get(name) is not None:
                wrapped[name] = self.compiler(stage, wrapped[name])
        wrapped["partition_fn"] = self.partitioner(wrapped.get("partition_fn") or _torch.default_partition)
        return wrapped

    def backend(self, backend: str | Callable[..., Any]) -> Callable[..., Any]:
        """A ``torch.compile`` backend that records Dynamo's graph, then has ``backend`` compile it while listening."""
        compile_graph = _torch.lookup_backend(backend) if isinstance(backend, str) else backend

        def record_and_compile(module: fx.GraphModule, inputs: list[Any], **kwargs: Any) -> Any:
            self.record("dynamo", module)
            with self.listening():
                return compile_graph(module, inputs, **kwargs)

        return record_and_compile
