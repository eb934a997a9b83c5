"""How torch compiles: Dynamo, AOTAutograd and Inductor, their settings, caches and exports."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import functools
import importlib
import logging
import os
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from suites.harness.execution import accelerations

BASELINE = "2.13.0"
"""The version of torch whose graphs the inline goldens hold."""


def reset() -> None:
    """Forget every compiled program. Without it closures of one code object share guards and recompile limits."""
    torch._dynamo.reset()


def leave_untraced(*functions: types.FunctionType) -> None:
    """Have Dynamo leave the frames of these functions alone, wherever they are called, if it is imported."""
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    for function in functions if dynamo is not None else ():
        # In C until 2.12, handed on by this module; a function of its own since.
        dynamo.skip_code(function.__code__)  # type: ignore[union-attr]


def dynamo_marks() -> dict[str, Callable[[Any], Any]]:
    """What marks a function for Dynamo and changes nothing of what it computes, by name."""
    dynamo: Any = importlib.import_module("torch._dynamo")
    return {
        "nonstrict_trace": dynamo.nonstrict_trace,
        "error_on_graph_break": dynamo.error_on_graph_break(False),
        "no_nested_graph_breaks": dynamo.disable_nested_graph_breaks,
        "dont_skip_tracing": dynamo.dont_skip_tracing,
        "patched_settings": dynamo.patch_dynamo_config(capture_scalar_outputs=True),
    }


def is_traced_whole(function: Callable[..., Any], *args: Any) -> bool:
    """Whether Dynamo makes one graph of a call of ``function``, and leaves nothing of it to the interpreter."""
    dynamo: Any = importlib.import_module("torch._dynamo")
    dynamo.reset()
    told = dynamo.explain(function)(*args)
    return bool(told.graph_count == 1 and not told.graph_break_count)


#: The type of a function that remembers its answers.
REMEMBERING = type(functools.lru_cache(lambda: None))


def forget_what_was_found() -> None:
    """Forget which shapes and dtypes operators were found to give, and what expressions of sizes were found to be.

    The latter by sympy, by each operator of symbolic numbers, and by what expands and decides expressions.
    """
    torch._subclasses.FakeTensorMode.cache_clear()
    importlib.import_module("sympy.core.cache").clear_cache()
    for name in ("torch.fx.experimental.sym_node", "torch.fx.experimental.symbolic_shapes"):
        for remembers in _remembering(importlib.import_module(name)):
            remembers.cache_clear()


def _remembering(module: types.ModuleType) -> Iterator[Any]:
    """The functions of a module that remember their answers, also those that functions and methods have closed over."""
    classes = (each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__)
    left = [*vars(module).values(), *(method for each in classes for method in vars(each).values())]
    seen = set[int]()
    while left:
        each = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, REMEMBERING):
            yield each
        elif isinstance(each, types.FunctionType) and each.__module__ == module.__name__:
            left += [cell.cell_contents for cell in each.__closure__ or () if cell != types.CellType()]


def read_compile_threads_again() -> None:
    """Inductor's settings have what its variable says, also if they were read before that was set.

    Else they would start a pool of compilers that no fork of this process has.
    """
    settings: Any = sys.modules.get("torch._inductor.config")
    if settings is not None:
        settings.compile_threads = int(os.environ["TORCHINDUCTOR_COMPILE_THREADS"])


def inductor_compiler(
    options: dict[str, Any] | None, dynamic: bool | None, mode: str | None = None
) -> Callable[..., Any]:
    """What ``torch.compile(backend="inductor", mode=..., options=...)`` calls with each graph."""
    # The signature grew a fourth, optional parameter (name) in 2.13; the first three are older than 2.11.
    return torch._TorchCompileInductorWrapper(mode, options, dynamic)


def lookup_backend(name: str) -> Callable[..., Any]:
    """The registered backend of that name, entry points included. Raises what torch raises for an unknown one."""
    from torch._dynamo.backends.registry import lookup_backend as lookup

    return lookup(name)


def backend_names() -> list[str]:
    """Every backend that torch lists, experimental and debugging ones too."""
    return list(torch._dynamo.list_backends(exclude_tags=None))


@contextlib.contextmanager
def compiler_settings(config: Mapping[str, Any] | None = None) -> Iterator[None]:
    """The settings under which a program is compiled and run: torch's, `EVERYWHERE`, and ``config``, which wins.

    Raises `ValueError` for a setting in ``config`` that this torch does not have.
    """
    with _guards_not_timed(), configured(settings_everywhere()), configured(config or {}):
        yield


#: What differs from torch's defaults on every backend. The FX graph cache and the AOTAutograd cache are off: they would
#: skip the code under test. An operator that hides an alias is what users see of it, a warning: torch makes it an error
#: by default wherever the environment has ``CI``, and a verdict must not depend on that.
EVERYWHERE = {
    "functorch.enable_autograd_cache": False,
    "functorch.error_on_custom_op_aliasing": False,
    "inductor.fx_graph_cache": False,
}

#: What a comparison with Inductor needs, and with what takes its decompositions: they draw by eager's own kernels, so
#: that equal seeds mean equal streams. Any other backend must run without: its graphs would draw otherwise than a
#: user's do.
EAGERS_RANDOM_KERNELS = {"inductor.fallback_random": True}


def settings_everywhere() -> dict[str, Any]:
    """Those of `EVERYWHERE` that this torch has."""
    return {name: value for name, value in EVERYWHERE.items() if _has_setting(name)}


def told_everywhere() -> dict[str, Any]:
    """All that differs from what a user has wherever a program is compiled, in words where it is no plain setting."""
    return {
        **settings_everywhere(),
        "functorch.donated_buffer": "false where a clause runs backward twice",
    }


def _has_setting(name: str) -> bool:
    place, _, key = name.partition(".")
    return hasattr(importlib.import_module(CONFIGS[place]), key)


#: Where the settings of torch's compiler live, by the word that `configured` knows them by.
CONFIGS = {
    "dynamo": "torch._dynamo.config",
    "functorch": "torch._functorch.config",
    "inductor": "torch._inductor.config",
    "symbols": "torch.fx.experimental._config",
}


@contextlib.contextmanager
def configured(settings: Mapping[str, Any]) -> Iterator[None]:
    """Torch's compiler with these settings: ``{"inductor.memory_planning": True}``.

    Raises `ValueError` for a setting that this torch does not have.
    """
    with contextlib.ExitStack() as stack:
        for name, value in settings.items():
            place, _, key = name.partition(".")
            if place not in CONFIGS:
                raise ValueError(f"setting {name!r}: none of {', '.join(CONFIGS)} comes before the first dot")
            config = importlib.import_module(CONFIGS[place])
            try:
                stack.enter_context(config.patch({key: value}))
            except (AttributeError, KeyError):
                raise ValueError(f"setting {name!r}: torch {torch.__version__} has no such setting") from None
        yield


def _guards_not_timed() -> contextlib.AbstractContextManager[Any]:
    """Dynamo flushes the processor's cache after each compilation to time its guards for a log: a third of a small one.

    The measurement (``profile_guard_manager``, since 2.6) changes nothing of what is compiled.
    """
    import torch._dynamo.guards

    if not hasattr(torch._dynamo.guards, "profile_guard_manager") or not accelerations.on(accelerations.GUARDS):
        return contextlib.nullcontext()
    return mock.patch.object(torch._dynamo.guards, "profile_guard_manager", new=_no_time)


def _no_time(*_: Any) -> float:
    return 0.0


def trace_nothing_for_a_log() -> None:
    """Have torch not write out, as JSON, what it does for a structured log that nobody asked for.

    It does so wherever its trace logger has a handler, and pytest hands one to every logger that does not propagate;
    its own goes with the first event, which the logger above would then print. A log that was asked for
    (``TORCH_TRACE``) is written.
    """
    if accelerations.on(accelerations.LOG) and not os.environ.get("TORCH_TRACE"):
        logger = logging.getLogger("torch.__trace")
        logger.propagate = True
        for handler in tuple(logger.handlers):
            logger.removeHandler(handler)


@dataclasses.dataclass(frozen=True)
class CppBuild:
    """A run of the C++ compiler that Inductor is about to make: ``command``, a line, makes ``target`` of ``source``."""

    command: str
    source: str
    target: str


def announce_cpp_builds(announce: Callable[[CppBuild], None]) -> None:
    """From now on, have this process hand ``announce`` each library that Inductor is about to build of one source.

    Inductor builds none that is there already, so what ``announce`` builds is not built again, and what it leaves is.
    """
    import torch._inductor.codecache as codecache

    # Takes a lock's place and the builders; without it (it came in 2.7) nothing is announced.
    build = getattr(codecache, "_worker_compile_cpp", None)
    if build is None:
        return

    def announced(lock_path: str, builders: Any, *rest: Any) -> Any:
        for builder in builders if len(builders) == 1 else ():
            target, source = builder.get_target_file_path(), getattr(builder, "_sources_args", "")
            if target.endswith(".so") and Path(source).is_file() and not Path(target).exists():
                announce(CppBuild(builder.get_command_line(), source, target))
        return build(lock_path, builders, *rest)

    setattr(codecache, "_worker_compile_cpp", announced)  # noqa: B010


def kernel_cache() -> str:
    """The folder that Inductor keeps kernels in."""
    from torch._inductor.runtime.cache_dir_utils import cache_dir

    return cache_dir()


def fresh_kernel_cache() -> contextlib.AbstractContextManager[Any]:
    """Inductor's caches are empty, and those on disk in a folder that goes with the context."""
    from torch._inductor.utils import fresh_cache

    return fresh_cache()


def pick_vector_instructions() -> str:
    """Have Inductor find out, by building and loading libraries, which vector instructions it may use here.

    As torch names those of its own kernels: ``AVX2``, ``AVX512``, ``DEFAULT`` for none. Torch asks for one set after
    the other, each with a compiler and a Python of its own; here they are asked side by side, and torch remembers.
    """
    from torch._inductor import cpu_vec_isa

    there = cpu_vec_isa.x86_isa_checker()
    asked = [isa for isa in cpu_vec_isa.supported_vec_isa_list if all(flag in there for flag in str(isa).split())]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(bool, asked))
    picked = cpu_vec_isa.pick_vec_isa()
    return str(picked).split()[0].upper() if picked else "DEFAULT"


#: What torch says of a kernel that does not compile, and of a library that does not load.
_NOT_BUILT = re.compile(r"\bCppCompileError\b|\b(?:ImportError|OSError): (?P<library>/\S+\.so)\b")


def not_built(error: str) -> re.Match[str] | None:
    """Where an error, ``type: message``, says that a kernel was not built; its group ``library`` did not load."""
    return _NOT_BUILT.search(error)


def compiler_line(output: str) -> str:
    """The line of a compiler's output that says what fails."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")


def telling_line(error: Exception) -> str:
    """An exception of `torch.compile` in a line: the compiler's own, if it was that which failed."""
    _, built, output = str(error).partition("Output:\n")
    return compiler_line(output) if built else f"{type(error).__name__}: {str(error).strip()}".splitlines()[0]


@contextlib.contextmanager
def around_inductors_code(
    around: Callable[[Any], contextlib.AbstractContextManager[Callable[[Any], None]]],
) -> Iterator[None]:
    """Each call of code that Inductor made is inside of ``around(inputs)``, which is handed what the call returns."""
    module = sys.modules.get("torch._inductor.output_code")
    if module is None:
        yield  # Nothing has been compiled with Inductor.
        return
    call = module.CompiledFxGraph.__call__

    def watched(self: Any, inputs: Any) -> Any:
        with around(inputs) as returned:
            outputs = call(self, inputs)
            returned(outputs)
            return outputs

    with mock.patch.object(module.CompiledFxGraph, "__call__", watched):
        yield


def import_compiler(*, inductor: bool) -> None:
    """Import what compiling imports at its first use, so that forks of this process need not."""
    importlib.import_module("torch._dynamo.convert_frame")
    importlib.import_module("torch._functorch.aot_autograd")
    if inductor:
        importlib.import_module("torch._inductor.compile_fx")
        importlib.import_module("torch._inductor.codegen.cpp")


def warm_compiler() -> None:
    """Have Inductor set up what it sets up at its first use: patterns, tables, and what it imports no sooner.

    Nothing is run backward, and the compiler for C++ is not called: all that its kernels take is their code.
    """
    import_compiler(inductor=True)
    import torch._inductor.codecache as codecache

    x = torch.ones(2, 3, requires_grad=True)
    with contextlib.ExitStack() as around:
        # Outside of a test nothing captures what torch traces for itself.
        around.enter_context(mock.patch.object(logging.getLogger("torch.__trace"), "disabled", True))
        # By more threads, kernels are built ahead.
        around.enter_context(compiler_settings({"inductor.compile_threads": 1}))
        # One without a kernel is compiled to its end, backward included.
        torch.compile(lambda a: a.mm(a.t()), backend="inductor")(x)
        refused = mock.Mock(side_effect=_NotBuiltHere)
        around.enter_context(mock.patch.object(codecache, "_worker_compile_cpp", refused, create=True))
        around.enter_context(contextlib.suppress(Exception))
        torch.compile(_various, backend="inductor")(x, x + 1)
    reset()


class _NotBuiltHere(Exception):
    """What a kernel is answered with that is not to be built."""


def _various(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Operators of each kind that Inductor writes code for: point by point, reductions, indices, pieces, writes."""
    rows = torch.softmax(a.sin() * b + 1, -1)
    written = a.clone()
    written.add_(1)
    pieces = torch.cat([a, b], 1) * 2, (a.t()[1:] + b.t()[1:]).reshape(-1), a[torch.tensor([0, 1])] + b[:2]
    return rows, rows.sum(1), b.amax(0), *pieces, torch.where(a > 0, a, b).double().mean(), written


def wait_for_device() -> None:
    """Wait until the GPU has done what it was told, if this process uses one. Raises what went wrong there."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def device_works() -> bool:
    """Whether this process can still compute on its GPU, if it has begun to: after a device-side assert it cannot."""
    try:
        wait_for_device()
    except RuntimeError:
        return False
    return True


def device_is_gone(device: str) -> str:
    """Why a process that has not used the device yet cannot compute on it, in a line; empty if it can.

    It is used thereafter. A GPU without room is there.
    """
    if device == "cpu" or torch.cuda.is_initialized():
        return ""
    try:
        torch.ones(2, device=device).sum().item()
    except torch.OutOfMemoryError:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    return ""


def aot_function(
    program: Callable[..., Any], *, dynamic: bool, keep_input_mutations: bool, **compilers: Any
) -> Callable[..., Any]:
    """AOTAutograd on a plain function, without Dynamo. ``compilers`` are its compilers and its partitioner."""
    from torch._functorch.aot_autograd import aot_function as trace

    return trace(program, keep_inference_input_mutations=keep_input_mutations, dynamic=dynamic, **compilers)


@contextlib.contextmanager
def compilation_caches(folder: str) -> Iterator[None]:
    """The AOTAutograd cache and the FX graph cache are on and lie in ``folder``; kernels stay where they are."""
    import torch._functorch._aot_autograd.autograd_cache as autograd_cache
    import torch._functorch.config
    import torch._inductor.codecache as codecache
    import torch._inductor.config

    with (
        torch._inductor.config.patch(fx_graph_cache=True, fx_graph_remote_cache=False),
        torch._functorch.config.patch(enable_autograd_cache=True, enable_remote_autograd_cache=False),
        mock.patch.object(autograd_cache, "cache_dir", return_value=folder),
        mock.patch.object(codecache.FxGraphCache, "_get_tmp_dir", return_value=f"{folder}/fxgraph"),
    ):
        yield


def cache_counts() -> dict[str, int]:
    """What the caches counted since `forget_cache_counts`: ``hit``, ``miss``, ``bypass`` and ``saved`` of AOTAutograd's
    and, with ``fx `` before them, those of Inductor's."""
    counters = torch._dynamo.utils.counters
    words = ("hit", "miss", "bypass", "saved")
    counts = {word: counters["aot_autograd"][f"autograd_cache_{word}"] for word in words}
    return counts | {f"fx {word}": counters["inductor"][f"fxgraph_cache_{word}"] for word in words[:3]}


def forget_cache_counts() -> None:
    """Count from zero again."""
    torch._dynamo.utils.counters.clear()


def aot_export_module(module: torch.nn.Module, args: tuple[Any, ...], **options: Any) -> tuple[Any, Any]:
    """AOTAutograd's export of a module: one graph, of forward and backward for ``trace_joint``, and its signature."""
    from torch._functorch.aot_autograd import aot_export_module as export

    graph, signature = export(module, args, **options)
    return graph, signature


def aot_autograd(**compilers: Any) -> Callable[..., Any]:
    """A Dynamo backend of AOTAutograd with these compilers and this partitioner."""
    from torch._dynamo.backends.common import aot_autograd as make

    backend: Callable[..., Any] = make(**compilers)
    return backend


def setting(name: str) -> Any:
    """What a setting of torch's compiler is now: ``functorch.donated_buffer``. Raises `AttributeError` for none."""
    place, _, key = name.partition(".")
    return getattr(importlib.import_module(CONFIGS[place]), key)


def captured_backwards() -> int:
    """How many backwards compiled autograd has captured since the counters were cleared."""
    return int(torch._dynamo.utils.counters["compiled_autograd"]["captures"])


def aot_autograd_clock() -> str:
    """A text that is another whenever AOTAutograd has begun to trace a program since."""
    import torch._functorch.aot_autograd

    return repr(torch._functorch.aot_autograd.AOT_COUNTER)


def core_decompositions() -> Mapping[Any, Callable[..., Any]]:
    """The table to ATen's core operators; `torch.export.default_decompositions` leaves out what export keeps whole."""
    from torch._decomp import core_aten_decompositions

    return core_aten_decompositions()


def torchscript_compilers() -> Any:
    """The module with ``nnc_jit``. Private since functorch was merged (1.13); `functorch.compile` has parts of it."""
    from torch._functorch import compilers

    return compilers


def aot_inductor_packaged(exported: Any, path: str, options: Mapping[str, Any]) -> Callable[..., Any]:
    """An exported program compiled by AOTInductor into a package at ``path``, and loaded from there."""
    package = torch._inductor.aoti_compile_and_package(exported, package_path=path, inductor_configs=dict(options))
    loaded: Callable[..., Any] = torch._inductor.aoti_load_package(package)
    return loaded


def standalone_compile(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Any:
    """The artifact that Inductor makes of a graph which Dynamo is compiling."""
    return torch._inductor.standalone_compile(module, example_inputs, dynamic_shapes="from_tracing_context")


def load_artifact(path: str) -> Any:
    """An artifact of `standalone_compile` that was saved in one file."""
    from torch._inductor import CompiledArtifact

    return CompiledArtifact.load(path=path, format="binary")


@contextlib.contextmanager
def memory_order(order: str) -> Iterator[None]:
    """Let Inductor consider this order alone (``lpmf``, ``bfs``, ``dfs``) beside the one that a graph came in."""
    from torch._inductor import memory

    methods = [getattr(memory, f"topological_sort_{order}")]
    reorder = functools.partial(memory.reorder_for_peak_memory, methods=methods)
    with mock.patch.object(memory, "reorder_for_peak_memory", reorder):
        yield


@contextlib.contextmanager
def verified_candidates(relative: float, absolute: float) -> Iterator[list[object]]:
    """Inductor compares the result of each kernel that it times for a template with the first candidate's.

    What the context gives holds an item a comparison that was made. Kernels are timed anew: no earlier choice counts.
    A candidate further off than ``absolute + relative * size`` of an element makes the compilation raise
    ("Incorrect result from choice").
    """
    from torch._inductor import select_algorithm

    verify, made = select_algorithm.AutotuneArgs.verify, list[object]()

    def counted(self: Any, **tolerances: float) -> None:
        made.append(self)
        verify(self, **tolerances)

    with (
        fresh_kernel_cache(),
        mock.patch.dict(select_algorithm.VERIFY, {"rtol": relative, "atol": absolute}),
        mock.patch.object(select_algorithm.AutotuneArgs, "verify", counted),
    ):
        yield made


@contextlib.contextmanager
def kernel_origins() -> Iterator[dict[str, list[str]]]:
    """The nodes of the graph after Inductor's own passes that each kernel computes, by kernel, of what is compiled.

    Needs ``{"inductor.trace.provenance_tracking_level": 1}``. Kernels are named as in the generated code, with a number
    behind a colon.
    """
    from torch._inductor import debug

    origins: dict[str, list[str]] = {}
    dump = debug.dump_inductor_provenance_info

    def kept(*args: Any, **kwargs: Any) -> Any:
        told = dump(*args, **kwargs)
        origins.update(told.get("cppCodeToPost", {}))
        return told

    with mock.patch.object(debug, "dump_inductor_provenance_info", kept):
        yield origins


def written_codes(codes: list[str]) -> contextlib.AbstractContextManager[Any]:
    """While it lasts the text of each program that Inductor writes, with its kernels, is added to a list."""
    from torch._inductor.graph import GraphLowering

    return mock.patch.object(GraphLowering, "save_output_code", codes.append)


def as_boxed(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that takes its arguments in one list, which it empties, for AOTAutograd."""
    setattr(compiled, "_boxed_call", True)  # noqa: B010
    return compiled
