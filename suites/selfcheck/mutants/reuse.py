"""Mutants of the second call: guards that do not hold, memory and results that outlive their call."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import CompileCounter, CompileOptions
from suites.harness.backends.registry import resolve

from .making import Run, Snapshot, compiler, graph, overwrite, program, replace_fresh


@compiler("reuse")
def ignores_every_guard(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """What was compiled for the first call is run for every later one, whatever its inputs."""
    return _with_guards(function, options, counter, lambda entry: False)


@compiler("reuse")
def ignores_guards_on_tensors(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """Sizes, strides, dtypes of tensors, and whether two arguments are one, are not guarded on."""
    return _with_guards(function, options, counter, lambda entry: entry.guard_type not in ("TENSOR_MATCH", "SHAPE_ENV"))


@compiler("reuse")
def ignores_guards_on_values(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """Python values that a program was specialised on, and the modes that it runs in, are not guarded on."""
    return _with_guards(
        function, options, counter, lambda entry: entry.guard_type in ("TENSOR_MATCH", "SHAPE_ENV", "DUPLICATE_INPUT")
    )


def _with_guards(function: Run, options: CompileOptions, counter: CompileCounter, keep: Callable[[Any], bool]) -> Run:
    def chosen(entries: Sequence[Any]) -> list[bool]:
        return [keep(entry) for entry in entries]

    torch_internals.reset()
    backend = counter.counted(torch_internals.lookup_backend("aot_eager"))
    filters: Any = {"guard_filter_fn": chosen}
    compiled: Run = torch.compile(
        function, backend=backend, dynamic=options.dynamic, fullgraph=options.fullgraph, options=filters
    )
    return compiled


@graph("reuse")
def repeats_the_first_result(run: Run) -> Run:
    """Later calls return the values of the first."""

    first: dict[int, torch.Tensor] = {}

    def wrong(*args: Any) -> Any:
        place = -1

        def earlier(data: torch.Tensor) -> torch.Tensor | None:
            nonlocal place
            place += 1
            kept = first.setdefault(place, data.clone())
            return kept.clone() if (kept.shape, kept.dtype) == (data.shape, data.dtype) else None

        return replace_fresh(args, run(*args), earlier)

    return wrong


@graph("reuse")
def keeps_a_constant(run: Run) -> Run:
    """A result that does not depend on the arguments is computed once and handed out on every call."""

    constants: dict[int, torch.Tensor] = {}
    given: dict[int, torch.Tensor] = {}

    def wrong(*args: Any) -> Any:
        place = -1

        def constant(data: torch.Tensor) -> torch.Tensor | None:
            nonlocal place
            place += 1
            first = given.setdefault(place, data.clone())
            if (first.shape, first.dtype) != (data.shape, data.dtype) or not torch.equal(first, data):
                return None
            return constants.setdefault(place, data)

        return replace_fresh(args, run(*args), constant)

    return wrong


@graph("reuse")
def reuses_its_output_buffers(run: Run) -> Run:
    """Every call writes its results into the same memory, so that a later call overwrites what an earlier one gave."""

    buffers: dict[tuple[Any, ...], torch.Tensor] = {}

    def wrong(*args: Any) -> Any:
        place = -1

        def reused(data: torch.Tensor) -> torch.Tensor | None:
            nonlocal place
            place += 1
            if data.layout != torch.strided:
                return None
            buffer = buffers.setdefault((place, data.dtype, data.shape, data.stride()), torch.empty_like(data))
            return buffer.copy_(data)

        return replace_fresh(args, run(*args), reused)

    return wrong


@compiler("reuse")
def compiles_every_call(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """Nothing that was compiled is ever used again."""
    run = resolve("aot_eager").compile(function, options, counter)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        torch_internals.reset()
        return run(*args, **kwargs)

    return wrong


@program("reuse")
def mutates_only_in_the_first_call(run: Run) -> Run:
    """The second and later calls leave their arguments as they were."""

    calls = 0

    def wrong(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        before = Snapshot.of((args, kwargs))
        outputs = run(*args, **kwargs)
        for tensor, old in list(before.changed()) if calls > 1 else ():
            overwrite(tensor, old)
        return outputs

    return wrong


@compiler("reuse")
def ignores_guards_on_sizes(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """What a program assumed of symbolic sizes, that two are equal or that one is below a bound, is not guarded on."""
    return _with_guards(function, options, counter, lambda entry: entry.guard_type != "SHAPE_ENV")


@compiler("reuse")
def ignores_guards_on_modes(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """The modes that a program was compiled in, gradients, autocast, the default dtype, are not guarded on."""
    return _with_guards(
        function,
        options,
        counter,
        lambda entry: entry.guard_type not in ("GRAD_MODE", "GLOBAL_STATE", "TORCH_FUNCTION_STATE", "DEFAULT_DEVICE"),
    )


@compiler("reuse")
def compiles_every_size(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """No size becomes symbolic: each new one is compiled for itself."""
    return resolve("aot_eager").compile(function, dataclasses.replace(options, dynamic=False), counter)


@graph("structure", "reuse")
def repeats_the_first_sizes(run: Run) -> Run:
    """Numbers that a graph returns, symbolic sizes among them, are those of its first call."""

    first: dict[int, int] = {}

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        repeated = [
            first.setdefault(place, value) if type(value) is int else value for place, value in enumerate(outputs)
        ]
        return type(outputs)(repeated)

    return wrong


@compiler("value", "structure", "shape", "reuse", "error", "autograd")
def divides_towards_zero(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """Quotients and remainders of negative sizes are C's, rounded towards zero, and not Python's."""
    of_c = {operator.floordiv: _quotient, operator.mod: _remainder}

    def wrong(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
        for node in module.graph.nodes:
            node.target = of_c.get(node.target, node.target)
        module.recompile()
        return module.forward

    torch_internals.reset()
    compiled: Run = torch.compile(
        function, backend=counter.counted(wrong), dynamic=options.dynamic, fullgraph=options.fullgraph
    )
    return compiled


def _quotient(left: int, right: int) -> int:
    return left // right if (left < 0) == (right < 0) else -(-left // right)


def _remainder(left: int, right: int) -> int:
    return left - _quotient(left, right) * right
