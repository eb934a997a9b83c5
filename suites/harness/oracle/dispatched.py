"""Whether torch executed, in whatever thread, all that a graph computes: where a result's memory says nothing of it.

A backend may hand a graph to torch in another thread, which no dispatch mode sees, or copy torch's results into memory
of its own. torch's own execution trace sees each operator, in each thread. What the graph would have torch execute is
counted on fake copies of its arguments and constants: nothing is computed, no tensor is written and nothing is drawn.
Code that Inductor made executes few operators: what it returns is torch's for `provenance`, until it is copied.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ExecutionTraceObserver

from suites.harness import torch_internals
from suites.harness.torch_internals import FakeTensorMode, TorchDispatchMode, pytree

#: Operators that hand out memory which nobody has written yet.
ALLOCATE = frozenset(
    ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_")
)
#: Operators of these namespaces are torch's; those of any other are the backend's, if the graph does not hold them.
TORCHS = frozenset(
    (
        *("aten", "prim", "prims", "rngprims", "quantized", "sparse", "mkldnn", "mkl", "onednn", "inductor"),
        *("c10d", "_c10d_functional", "_c10d_functional_autograd", "c10d_functional", "fsdp", "symm_mem", "profiler"),
    )
)
#: Operators that compute nothing: they copy, or hand out what is there already.
_COPY = frozenset(
    (
        *("copy", "copy_", "clone", "to", "_to_copy", "contiguous", "detach", "detach_", "lift", "lift_fresh"),
        *("lift_fresh_copy", "item", "_local_scalar_dense", "set_", "resolve_conj", "resolve_neg"),
    )
)
_STDERR = 2
#: A line that the trace writes to the error stream about itself.
_OF_THE_TRACE = re.compile(rb"^\[[^\]\n]* execution_trace_observer\.cpp:\d+\] .*\n?", re.MULTILINE)

#: How often operators were executed, by name: ``aten::mul``.
_Counts = collections.Counter[str]


class Question:
    """Whether torch executes all that a graph, or its backward, computes: asked before a call, answered after it.

    Whatever goes wrong meanwhile, the answer is no.
    """

    def __init__(self, module: torch.fx.GraphModule, arguments: Sequence[Any], *, of_backward: bool = False) -> None:
        self._module, self._of_backward = module, of_backward
        self._fakes: Sequence[Any] | None = None
        self._trace = ""
        with contextlib.suppress(Exception):
            self._mode = FakeTensorMode()
            self._fakes = pytree.tree_map_only(torch.Tensor, self._mode.from_tensor, list(arguments))

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Have torch trace what is executed meanwhile, in all threads."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(Exception):
                stack.enter_context(_traced(self._keep))
            yield

    def _keep(self, trace: str) -> None:
        self._trace = trace

    def executed_by_torch(self) -> bool:
        """Whether each operator that computes something was executed as often as the graph has it, and there is one."""
        if not self._trace or self._fakes is None:
            return False
        with contextlib.suppress(Exception):
            asked = self._would_execute(self._fakes)
            return bool(asked) and not asked - _executed(json.loads(self._trace)["nodes"], asked)
        return False

    def _would_execute(self, fakes: Sequence[Any]) -> _Counts:
        counting, graph = _Counting(), _OnFakes(self._module, self._mode)
        # Generators stay where they are, should an operator draw from one all the same.
        with torch.random.fork_rng(devices=[]), self._mode:
            if not self._of_backward:
                with counting:
                    graph.run(*fakes)
                return counting.counts
            with torch.enable_grad():
                outputs = pytree.tree_leaves(graph.run(*fakes))
            roots = [each for each in outputs if isinstance(each, torch.Tensor) and each.requires_grad]
            leaves = [each for each in pytree.tree_leaves(fakes) if isinstance(each, torch.Tensor)]
            cotangents = [torch.ones_like(each) for each in roots]
            with counting:
                # With respect to the copies alone: a parameter that the graph holds gets no gradient.
                torch.autograd.grad(
                    roots, [each for each in leaves if each.requires_grad], cotangents, allow_unused=True
                )
        return counting.counts


class _OnFakes(torch.fx.Interpreter):
    """Runs a graph on fake copies of the tensors that it holds, too. Raises where it holds modules, or other graphs."""

    def __init__(self, module: torch.fx.GraphModule, mode: FakeTensorMode) -> None:
        super().__init__(module)
        self._mode = mode

    def fetch_attr(self, target: str) -> Any:
        """A copy of a tensor."""
        held = super().fetch_attr(target)
        if not isinstance(held, torch.Tensor):
            raise NotImplementedError(target)
        return self._mode.from_tensor(held)

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Unknown: a module writes to what it holds."""
        raise NotImplementedError(target)


class _Counting(TorchDispatchMode):
    """Counts the operators that compute something. One that calls a program is in no trace, and the answer is no."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.counts: _Counts = collections.Counter()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = torch_internals.schema(func).name if isinstance(func, torch_internals.OpOverload) else str(func)
        namespace, _, own = name.rpartition("::")
        if not (getattr(func, "is_view", False) or own in ALLOCATE | _COPY or namespace in ("prim", "profiler")):
            self.counts[name] += 1
        return func(*args, **(kwargs or {}))


def _executed(nodes: Sequence[Mapping[str, Any]], asked: _Counts) -> _Counts:
    """How often each of these was executed: but not as a part of another one, or of an operator of the backend's."""
    by_id = {node["id"]: node for node in nodes}

    def apart(node: Mapping[str, Any]) -> bool:
        parent = by_id.get(node["ctrl_deps"])
        while parent is not None and parent["id"] != parent["ctrl_deps"]:
            if parent["name"] in asked or _is_the_backends(parent):
                return False
            parent = by_id.get(parent["ctrl_deps"])
        return True

    return collections.Counter(node["name"] for node in nodes if node["name"] in asked and apart(node))


def _is_the_backends(node: Mapping[str, Any]) -> bool:
    is_operator = any(each["name"] == "op_schema" and each["value"] for each in node["attrs"])
    return is_operator and node["name"].partition("::")[0] not in TORCHS


@contextlib.contextmanager
def _traced(keep: Callable[[str], None]) -> Iterator[None]:
    """Have ``keep`` handed torch's trace, as text, of what is executed meanwhile, unless one is made already."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        observer = ExecutionTraceObserver().register_callback(str(path))
        try:
            with _without_its_lines():
                observer.start()
            yield
        finally:
            with _without_its_lines():
                observer.unregister_callback()
            with contextlib.suppress(Exception):
                keep(path.read_text(errors="replace"))


@contextlib.contextmanager
def _without_its_lines() -> Iterator[None]:
    """What is written to the error stream meanwhile stays there, except for what the trace says of itself."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
            own = os.dup(_STDERR)
            stack.callback(os.close, own)
            written = stack.enter_context(tempfile.TemporaryFile())
            os.dup2(written.fileno(), _STDERR)
            stack.callback(_put_back, own, written.fileno())
        yield


def _put_back(stream: int, written: int) -> None:
    os.dup2(stream, _STDERR)
    others = _OF_THE_TRACE.sub(b"", os.pread(written, os.fstat(written).st_size, 0))
    while others:
        others = others[os.write(_STDERR, others) :]
