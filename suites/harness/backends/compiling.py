"""The ways from a program to what a backend made of it: torch.compile, AOTAutograd alone, compilers without guards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from golden.graphs.capture import Recorder
from suites.harness import torch_internals
from suites.harness.backends.backend import CompileCounter, CompileOptions


def through_dynamo(make_compiler: Callable[[CompileOptions], Callable[..., Any]]) -> Callable[..., Callable[..., Any]]:
    """torch.compile with the backend that ``make_compiler`` returns; every graph that it is handed is counted."""

    def compile_program(
        program: Callable[..., Any], options: CompileOptions, counter: CompileCounter
    ) -> Callable[..., Any]:
        compiler = counter.counted(make_compiler(options))
        return torch.compile(
            program,
            backend=compiler,
            dynamic=options.dynamic,
            fullgraph=options.fullgraph,
            options=options.of_dynamo,
            **dict(options.more),
        )

    return compile_program


def through_aot_autograd(*, keep_input_mutations: bool, **aot_options: Any) -> Callable[..., Callable[..., Any]]:
    """AOTAutograd without Dynamo. ``aot_options`` are more of aot_function's own."""

    def compile_program(
        program: Callable[..., Any], options: CompileOptions, counter: CompileCounter
    ) -> Callable[..., Any]:
        kinds: list[type] = []

        def traced(*args: Any, **kwargs: Any) -> Any:
            output = program(*args, **kwargs)
            kinds.append(type(output))
            return output

        def compile_for(*args: Any, **kwargs: Any) -> Callable[..., Any]:
            recorder = counter.recorder or Recorder()
            counter.recorder = None
            return torch_internals.aot_function(
                traced,
                dynamic=bool(options.dynamic),
                keep_input_mutations=keep_input_mutations,
                **aot_options,
                **recorder.hooks(fw_compiler=counter.counted(_forward_of)),
            )

        compiled = once_a_kind(compile_for)

        def run(*args: Any, **kwargs: Any) -> Any:
            output = compiled(*args, **kwargs)
            # aot_function hands back a flat tuple as a list; that is its convention, not a divergence.
            return tuple(output) if kinds and kinds[-1] is tuple and isinstance(output, list) else output

        return run

    return compile_program


def once_a_kind(compile_for: Callable[..., Callable[..., Any]], *, sizes: bool = True) -> Callable[..., Any]:
    """What runs the program that ``compile_for`` makes of the first arguments of each kind.

    For compilers without guards: what they made is good for the kind of arguments that they saw, so each new kind gets
    a compilation of its own, as their caller would have to see to. ``sizes``: whether other sizes are another kind.
    """
    compiled: dict[Any, Callable[..., Any]] = {}

    def run(*args: Any, **kwargs: Any) -> Any:
        key = _kind(args, kwargs, sizes)
        if key not in compiled:
            compiled[key] = compile_for(*args, **kwargs)
        return compiled[key](*args, **kwargs)

    return run


def _forward_of(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    return module.forward


def _kind(args: tuple[Any, ...], kwargs: dict[str, Any], sizes: bool) -> Any:
    from suites.harness.observation.walk import walk

    walked = walk({"args": args, "kwargs": kwargs})
    tensors = tuple(
        (path, t.dtype, t.requires_grad, t.is_leaf, _layout(t, sizes), torch_internals.storage_key(t) is None)
        for path, t in walked.tensors.items()
    )
    storages: dict[int | None, int] = {}
    groups = tuple(storages.setdefault(torch_internals.storage_key(t), len(storages)) for t in walked.tensors.values())
    values = tuple((path, str(entry)) for path, entry in walked.entries.items() if entry.kind != "tensor")
    return tensors, groups, values, torch.is_grad_enabled(), torch.is_inference_mode_enabled()


def _layout(tensor: torch.Tensor, sizes: bool) -> Any:
    if not sizes:
        return tensor.dim()
    return tensor.shape, (tensor.stride(), tensor.storage_offset()) if tensor.layout == torch.strided else None
