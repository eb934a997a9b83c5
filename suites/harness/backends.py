"""Backends: how a program is compiled, by name, and how much of it was."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import importlib
import time
from collections.abc import Callable
from typing import Any

import torch

from golden.capture import Recorder

from . import torch_internals

#: The layers of torch's own stack, from the program down. A candidate's ladder is these, then itself.
LADDER = ("eager", "aot_eager", "aot_eager_decomp_partition")

#: The backends that run when none is asked for.
DEFAULT = ("aot_eager", "aot_eager_decomp_partition", "inductor")


class NoSuchBackend(Exception):
    """A backend's name means nothing here, or its module does not import. The message is one line."""


class UnsupportedByBackend(Exception):
    """A backend said that it does not support a program (it raised `NotImplementedError`)."""


@dataclasses.dataclass
class Engagement:
    """How much a backend compiled: counted where graphs are handed to it, so that a fallback to eager shows as zero."""

    graphs: int = 0
    nodes: int = 0
    compile_seconds: float = 0.0
    #: The number of graphs compiled up to the end of each call.
    graphs_by_call: list[int] = dataclasses.field(default_factory=list)
    #: Keeps the graphs of every stage as they pass by; None where no golden is compared.
    recorder: Recorder | None = None

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
        """``compiler``, with each graph that it is handed counted and timed. What it returns is not touched."""
        compiler = self.recorder.backend(compiler) if self.recorder is not None else compiler

        @functools.wraps(compiler, updated=())
        def count(module: torch.fx.GraphModule, example_inputs: list[Any], **options: Any) -> Any:
            self.took(module)
            started = time.perf_counter()
            try:
                return compiler(module, example_inputs, **options)
            finally:
                self.compile_seconds += time.perf_counter() - started

        return count


@dataclasses.dataclass(frozen=True)
class How:
    """How a program is compiled: ``dynamic`` is torch.compile's (None: as it comes), ``fullgraph`` too.

    ``config``: settings of torch's compiler, by name (``inductor.memory_planning``), that hold while the program is
    compiled and called.
    """

    dynamic: bool | None = None
    fullgraph: bool = False
    backward_twice: bool = False
    config: tuple[tuple[str, Any], ...] = ()


@dataclasses.dataclass(frozen=True)
class Backend:
    """A resolved backend.

    ``bitwise``: it runs eager's own kernels, so its values are equal to the last bit. ``dynamo``: programs reach it
    through torch.compile; else through AOTAutograd alone.
    """

    name: str
    compile: Callable[[Callable[..., Any], How, Engagement], Callable[..., Any]]
    bitwise: bool = False
    dynamo: bool = True
    needs_compiler: bool = False
    version: str = ""

    @property
    def ladder(self) -> tuple[str, ...]:
        """The lower layers that the candidate's divergences are looked for in, topmost first."""
        return ladder_of(self.name) if self.dynamo else ()

    def settings(self, how: How) -> contextlib.AbstractContextManager[None]:
        """The configuration under which programs are compiled and called."""
        return torch_internals.compiler_settings(donated_buffers=not how.backward_twice, config=dict(how.config))


def _through_dynamo(make_compiler: Callable[[How], Callable[..., Any]]) -> Callable[..., Callable[..., Any]]:
    def compile_program(program: Callable[..., Any], how: How, engagement: Engagement) -> Callable[..., Any]:
        torch_internals.reset()
        compiler = engagement.counted(make_compiler(how))
        return torch.compile(program, backend=compiler, dynamic=how.dynamic, fullgraph=how.fullgraph)

    return compile_program


def through_aot_autograd(*, keep_input_mutations: bool, **options: Any) -> Callable[..., Callable[..., Any]]:
    """AOTAutograd without Dynamo. ``options`` are more of aot_function's own."""

    def compile_program(program: Callable[..., Any], how: How, engagement: Engagement) -> Callable[..., Any]:
        torch_internals.reset()
        kinds: list[type] = []

        def traced(*args: Any, **kwargs: Any) -> Any:
            output = program(*args, **kwargs)
            kinds.append(type(output))
            return output

        def compile_for(*args: Any, **kwargs: Any) -> Callable[..., Any]:
            recorder = engagement.recorder or Recorder()
            engagement.recorder = None
            return torch_internals.aot_function(
                traced,
                dynamic=bool(how.dynamic),
                keep_input_mutations=keep_input_mutations,
                **options,
                **recorder.hooks(fw_compiler=engagement.counted(_forward_of)),
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
    from .walk import walk

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


def _built_in(name: str) -> Backend | None:
    registered = _through_dynamo(lambda how: torch_internals.lookup_backend(name))
    if name in ("eager", "aot_eager"):
        return Backend(name, registered, bitwise=True, version=torch.__version__)
    if name == "aot_eager_decomp_partition":
        return Backend(name, registered, version=torch.__version__)
    if name in ("aot_function", "aot_function_keep_mutations"):
        keep = name == "aot_function_keep_mutations"
        through = through_aot_autograd(keep_input_mutations=keep)
        return Backend(name, through, bitwise=True, dynamo=False, version=torch.__version__)
    if name in INDUCTOR_MODES:
        options = INDUCTOR_MODES[name]
        compiler = _through_dynamo(lambda how: torch_internals.inductor_compiler(options, how.dynamic))
        return Backend(name, compiler, needs_compiler=True, version=torch.__version__)
    if name in ROUTES:
        return dataclasses.replace(_imported(f"suites.harness.routes.{name}:BACKEND"), name=name)
    return None


#: Ways to compile that do not start at ``torch.compile``: modules of `suites.harness.routes`. Clauses name them.
ROUTES: tuple[str, ...] = (
    "aot_inductor",
    "export",
    "export_joint",
    "functionalize",
    "functionalize_keeping_views",
    "inductor_cached",
    "make_fx",
    "make_fx_decomposed",
    "nnc",
    "without_dead_code",
    "without_functionalization",
    "standalone_compile",
    "standalone_compile_saved",
)

#: Inductor and its named modes: the options that each adds.
INDUCTOR_MODES: dict[str, dict[str, Any] | None] = {
    "inductor": None,
    "inductor_cpp_wrapper": {"cpp_wrapper": True},
    "inductor_fx_wrapper": {"fx_wrapper": True},
}

#: Inductor with other settings: what Inductor does wrong, too, is no fault of the settings.
VARIANTS_OF_INDUCTOR = (*(name for name, options in INDUCTOR_MODES.items() if options), "inductor_cached")

BUILT_IN = (*LADDER, "aot_function", "aot_function_keep_mutations", *INDUCTOR_MODES, *ROUTES)


def ladder_of(name: str) -> tuple[str, ...]:
    """The layers below a backend of that name that programs reach through torch.compile, topmost first."""
    if name in LADDER:
        return LADDER[: LADDER.index(name)]
    return (*LADDER, "inductor") if name in VARIANTS_OF_INDUCTOR else LADDER


@functools.cache
def resolve(name: str) -> Backend:
    """The backend of that name: built in, listed by torch (entry points included) or ``module:attribute``.

    What ``module:attribute`` names is a callable with torch.compile's own signature for backends, or a `Backend`.

    Raises `NoSuchBackend` with one line that says what was looked for and what to type instead.
    """
    found = _built_in(name)
    if found is not None:
        return found
    if ":" in name:
        return _imported(name)
    names = torch_internals.backend_names()
    if name not in names:
        known = [*BUILT_IN, *names]
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(set(known)))}"
        raise NoSuchBackend(f"no backend {name!r}: {hint} A backend of your own is named module:attribute.")
    try:
        torch_internals.lookup_backend(name)
    except Exception as error:
        raise NoSuchBackend(f"backend {name!r} does not load: {_one_line(error)}") from None
    return Backend(name, _through_dynamo(lambda how: torch_internals.lookup_backend(name)))


def _imported(name: str) -> Backend:
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(error.name + ".")):
            raise NoSuchBackend(
                f"backend {name!r}: no module {error.name!r} on sys.path (the current directory is on it)"
            ) from None
        raise NoSuchBackend(f"backend {name!r}: importing {module_name} failed: {_one_line(error)}") from None
    except Exception as error:
        raise NoSuchBackend(f"backend {name!r}: importing {module_name} failed: {_one_line(error)}") from None
    compiler: Any = module
    for part in attribute.split("."):
        compiler = getattr(compiler, part, None)
    if isinstance(compiler, Backend):
        return dataclasses.replace(compiler, name=name)
    if not callable(compiler):
        what = "is not callable" if compiler is not None else "does not exist"
        raise NoSuchBackend(f"backend {name!r}: {module_name}.{attribute} {what}")
    version = str(getattr(module, "__version__", ""))
    bitwise = bool(getattr(compiler, "parity_bitwise", False))
    return Backend(name, _through_dynamo(lambda how: compiler), bitwise=bitwise, version=version)


def _one_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}".rstrip(": ")
