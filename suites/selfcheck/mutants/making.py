"""What mutants are made of.

A *fault* takes a right way to run something and returns a wrong one. It meets a program at one of these places:

`graph`
    inside torch.compile, around what aot_eager makes of one graph: a plain ``(graph_module, example_inputs)`` backend;
`backward`
    around one compiled backward graph, whose outputs are the gradients of the forward graph's inputs;
`program`
    around the whole compiled program, where containers, identity and the caller's global_state are in sight;
`alone`
    around what AOTAutograd makes of a program without Dynamo;
`traced`
    around what make_fx makes of a program.

A fault changes one thing where that thing occurs, and leaves every other program alone.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterator
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions
from suites.harness.backends.registry import resolve
from suites.harness.observation.walk import walk
from suites.harness.torch_internals import pytree

Run = Callable[..., Any]
Fault = Callable[[Run], Run]

PACKAGE = "suites.selfcheck.mutants"


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A backend that is wrong on purpose: ``place`` is where it meets the program, ``about`` one sentence.

    ``facets`` are those in which the harness may name what it breaks, the telling one first. ``target`` is a callable
    with torch.compile's backend signature, or a `Backend` where a graph is not where the fault sits.
    """

    name: str
    facets: tuple[str, ...]
    place: str
    about: str
    target: Any
    #: The grad mode in which it is wrong; empty: any.
    mode: str = ""
    #: Of a mutant that meets programs without Dynamo: the backend that is right.
    honest: str = "aot_eager"

    @property
    def backend(self) -> str:
        """The name that ``--backend`` takes."""
        return f"{PACKAGE}.{self.name}"


#: ``module:function`` -> every mutant whose module has been imported.
MADE: dict[str, Mutant] = {}


def _register(
    fault: Callable[..., Any],
    facets: tuple[str, ...],
    place: str,
    target: Any,
    *,
    mode: str = "",
    honest: str = "aot_eager",
) -> Any:
    name = f"{fault.__module__.removeprefix(PACKAGE + '.')}:{fault.__name__}"
    MADE[name] = Mutant(name, facets, place, " ".join((fault.__doc__ or "").split()), target, mode, honest)
    return target


def graph(*facets: str, bitwise: bool = True, mode: str = "", place: str = "graph") -> Callable[[Fault], Any]:
    """Make a Dynamo backend of a fault: right in everything but what it does to each run of a graph.

    ``place`` is ``ranks`` for what only programs on several ranks can meet.
    """

    def decorate(fault: Fault) -> Any:
        @functools.wraps(fault)
        def backend(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
            return fault(torch_internals.lookup_backend("aot_eager")(module, example_inputs))

        backend.fault = fault  # type: ignore[attr-defined]
        backend.parity_bitwise = bitwise  # type: ignore[attr-defined]
        backend.parity_runs_torch = True  # type: ignore[attr-defined]
        return _register(fault, facets, place, backend, mode=mode)

    return decorate


def backward(*facets: str, place: str = "backward") -> Callable[[Fault], Any]:
    """Make a Dynamo backend whose compiled backward graphs are made wrong and whose forward graphs are right.

    ``place`` is ``ranks`` for what is tried on programs on several ranks.
    """

    def decorate(fault: Fault) -> Any:
        def compile_backward(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
            return _boxed(fault(module.forward))

        honest = torch_internals.aot_autograd(
            fw_compiler=lambda module, example_inputs: _boxed(module.forward),
            bw_compiler=compile_backward,
            keep_inference_input_mutations=True,
        )

        @functools.wraps(fault)
        def backend(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
            compiled: Run = honest(module, example_inputs)
            return compiled

        backend.parity_bitwise = True  # type: ignore[attr-defined]
        return _register(fault, facets, place, backend)

    return decorate


def forward_graph(*facets: str, place: str = "graph") -> Callable[[Callable[[torch.fx.GraphModule], Run | None]], Any]:
    """Make a Dynamo backend that edits the forward graphs which AOTAutograd made, or says how they are run.

    ``place`` is as for `graph`.
    """

    def decorate(edit: Callable[[torch.fx.GraphModule], Run | None]) -> Any:
        def compile_forward(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
            run = edit(module)
            module.graph.lint()
            module.recompile()
            return _boxed(run or module.forward)

        honest = torch_internals.aot_autograd(
            fw_compiler=compile_forward,
            bw_compiler=lambda module, example_inputs: _boxed(module.forward),
            keep_inference_input_mutations=True,
        )

        @functools.wraps(edit)
        def backend(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
            compiled: Run = honest(module, example_inputs)
            return compiled

        backend.parity_bitwise = True  # type: ignore[attr-defined]
        return _register(edit, facets, place, backend)

    return decorate


def _boxed(run: Run) -> Run:
    """AOTAutograd hands its compilers' results one list, which it wants emptied."""

    def boxed(args: list[Any]) -> Any:
        taken = list(args)
        args.clear()
        return run(*taken)

    return torch_internals.as_boxed(boxed)


def program(*facets: str) -> Callable[[Fault], Any]:
    """Make a `Backend` whose compiled programs are made wrong as a whole."""
    return functools.partial(_around, "aot_eager", "program", facets)


def alone(*facets: str, honest: str = "aot_function") -> Callable[[Fault], Any]:
    """Make a `Backend` that reaches programs through AOTAutograd without Dynamo, made wrong as a whole.

    ``honest`` is the backend that is right: `set_` of an input needs the one that keeps mutations in the graph.
    """
    return functools.partial(_around, honest, "alone", facets)


def traced(*facets: str, honest: str = "make_fx") -> Callable[[Fault], Any]:
    """Make a `Backend` that reaches programs through make_fx, made wrong as a whole. ``honest`` is the route's name."""
    return functools.partial(_around, honest, "traced", facets)


def lowering(*facets: str) -> Callable[[Fault], Any]:
    """Make a `Backend` that stands on Inductor, made wrong as a whole: for clauses that are about Inductor alone."""
    return functools.partial(_around, "inductor", "lowering", facets)


def lowering_asked(*facets: str) -> Callable[[Callable[[CompileOptions], CompileOptions]], Any]:
    """Make a `Backend` that stands on Inductor, and is asked for something else than the caller asks for."""

    def decorate(change: Callable[[CompileOptions], CompileOptions]) -> Any:
        right = resolve("inductor")

        def compile_program(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
            return right.compile(function, change(options), counter)

        return _register_backend(change, "inductor", "lowering", facets, right, compile_program)

    return decorate


def _around(honest: str, place: str, facets: tuple[str, ...], fault: Fault) -> Any:
    right = resolve(honest)

    def compile_program(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
        return fault(right.compile(function, options, counter))

    return _register_backend(fault, honest, place, facets, right, compile_program)


def _register_backend(
    fault: Callable[..., Any],
    honest: str,
    place: str,
    facets: tuple[str, ...],
    right: Backend,
    compile_program: Callable[[Run, CompileOptions, CompileCounter], Run],
) -> Any:
    name = f"{fault.__module__}:{fault.__name__}"
    backend = Backend(name, compile_program, right.bitwise, right.dynamo, config=right.config)
    return _register(fault, facets, place, backend, honest=honest)


def compiler(*facets: str) -> Callable[[Callable[[Run, CompileOptions, CompileCounter], Run]], Any]:
    """Make a `Backend` of a way to compile a whole program that is wrong in itself."""

    def decorate(compile_program: Callable[[Run, CompileOptions, CompileCounter], Run]) -> Any:
        name = f"{compile_program.__module__}:{compile_program.__name__}"
        return _register(compile_program, facets, "program", Backend(name, compile_program, bitwise=True))

    return decorate


# What faults look at and touch ------------------------------------------------------------------------------------


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Every tensor that can be reached from a value, each once, components of wrapper subclasses included."""
    return list(walk({"value": value}).tensors.values())


def storages(tensors: Collection[torch.Tensor]) -> set[int | None]:
    """What identifies the storages of some tensors."""
    return {torch_internals.storage_key(tensor) for tensor in tensors} - {None}


def share_memory(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether two tensors have one storage."""
    return torch_internals.storage_key(left) in storages([right])


def map_tensors(function: Callable[[torch.Tensor], Any], outputs: Any) -> Any:
    """``outputs`` with each tensor replaced by ``function`` of it."""
    return pytree.tree_map_only(torch.Tensor, function, outputs)


def fresh(args: Any, outputs: Any) -> Iterator[torch.Tensor]:
    """The outputs that have memory of their own: nobody else's, argument or output."""
    before = storages(tensors_in(args))
    found = [value for value in pytree.tree_leaves(outputs) if isinstance(value, torch.Tensor)]
    keys = [torch_internals.storage_key(tensor) for tensor in found]
    for tensor, key in zip(found, keys, strict=True):
        if key is not None and key not in before and keys.count(key) == 1 and not torch_internals.is_view(tensor):
            yield tensor


def replace_fresh(
    args: Any, outputs: Any, function: Callable[[torch.Tensor], torch.Tensor | None], *, limit: int | None = None
) -> Any:
    """``outputs`` with the data of each fresh one replaced by ``function`` of that data, where it gives some.

    The history of an output stays what it was, and so do the tensors that are saved for backward.
    """
    chosen = {id(tensor): tensor for tensor in fresh(args, outputs)}
    replaced = 0

    def replace(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal replaced
        if id(tensor) not in chosen or (limit is not None and replaced >= limit):
            return tensor
        data = function(tensor.detach())
        if data is None:
            return tensor
        replaced += 1
        return rehoused(tensor, data)

    return map_tensors(replace, outputs)


def changing_fresh(run: Run, function: Callable[[torch.Tensor], torch.Tensor | None]) -> Run:
    """``run`` with the data of each fresh output replaced, as `replace_fresh` does."""

    def changed(*args: Any) -> Any:
        return replace_fresh(args, run(*args), function)

    return changed


def rehoused(tensor: torch.Tensor, data: torch.Tensor) -> torch.Tensor:
    """``tensor`` with other memory under it; another object where it has no history to keep."""
    if not tensor.requires_grad:
        return data
    if data.dtype == tensor.dtype and data.shape == tensor.shape:
        tensor.data = data
        return tensor
    # Metadata that the gradient's own would not fit: the copy is part of the history.
    return _Replace.apply(tensor, data)


class _Replace(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, data: torch.Tensor) -> torch.Tensor:
        ctx.like = tensor.shape, tensor.dtype
        return data.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        shape, dtype = ctx.like
        return gradient.to(dtype).reshape(shape), None


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """The arguments' tensors with their values as they were before a call."""

    tensors: tuple[torch.Tensor, ...]
    values: tuple[torch.Tensor, ...]

    @classmethod
    def of(cls, args: Any) -> Snapshot:
        """Copy the value of every dense tensor that can be reached from the arguments."""
        kept = [tensor for tensor in tensors_in(args) if _dense(tensor)]
        return cls(tuple(kept), tuple(tensor.detach().clone() for tensor in kept))

    def changed(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """The tensors whose values the call changed, each with its old value."""
        for tensor, old in zip(self.tensors, self.values, strict=True):
            now = tensor.detach()
            if _dense(tensor) and now.shape == old.shape and not torch.equal(now, old):
                yield tensor, old


def _dense(tensor: torch.Tensor) -> bool:
    key = torch_internals.storage_key(tensor)
    return key is not None and tensor.layout == torch.strided and tensor.untyped_storage().nbytes() > 0


def overwrite(tensor: torch.Tensor, value: torch.Tensor) -> None:
    """Change a tensor's data without autograd or the version counter taking notice."""
    tensor.data.copy_(value)
