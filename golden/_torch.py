"""The private names of torch that this room needs, each in one place.

What moved when (so that a failing import here tells where to look):

- ``functorch.compile`` has been stable since 1.13, and so are its partitioners.
- ``torch._functorch.config.enable_autograd_cache`` (2.5) and ``torch._inductor.config.fx_graph_cache`` (2.2) skip the
  compilers that a capture listens to, so a capture turns both off.
- ``torch._dynamo.backends.common`` looks ``aot_module_simplified`` up in its own namespace (since 2.0): every backend
  built with ``aot_autograd``, Inductor included, comes by it with its compilers as keyword arguments.
- Inductor wraps its compilers in an object with an attribute ``compiler_fn`` (2.6); it must stay that object.
- ``torch._inductor.compile_fx._recursive_post_grad_passes`` (2.3) changes the graph in place;
  ``GraphLowering.save_output_code`` (2.3) is called with the finished wrapper code when it is set.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

__all__ = [
    "CUDA_CALLS",
    "NN_FUNCTIONS",
    "HigherOrderOperator",
    "OpOverload",
    "OpOverloadPacket",
    "caches_off",
    "default_partition",
    "hooked_aot_module",
    "hooked_inductor",
    "inductor_is_loaded",
    "like_compiler",
    "lookup_backend",
    "nop",
    "release",
    "schema_defaults",
    "symbolic_types",
    "values_of",
]

#: Where Inductor's wrapper code finds what it asks of CUDA, and what it does for it.
CUDA_CALLS = "torch._C._cuda"
#: The module of operators that `torch.nn.functional` takes over as they are, and its name.
NN_FUNCTIONS = (torch._C._nn, "torch._C._nn")

symbolic_types: tuple[type, ...] = (torch.SymInt, torch.SymFloat, torch.SymBool)


def release() -> str:
    """The torch release without build tags: ``2.13.0``."""
    return torch.__version__.split("+", 1)[0]


def inductor_is_loaded() -> bool:
    """Whether this process has imported Inductor."""
    return "torch._inductor.compile_fx" in sys.modules


@functools.lru_cache(maxsize=4096)
def schema_defaults(target: OpOverload) -> Mapping[str, Any]:
    """The default of each argument of an operator that has one, by argument name."""
    return {
        argument.name: argument.default_value for argument in target._schema.arguments if argument.has_default_value()
    }


def values_of(tensor: torch.Tensor, limit: int) -> Any:
    """The values of a small real tensor as nested lists; None for a large one and for one without values."""
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.utils._python_dispatch import _disable_current_modes

    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or isinstance(tensor, FakeTensor) or tensor.is_meta:
        return None
    if tensor.numel() > limit or tensor.layout is not torch.strided:
        return None
    with _disable_current_modes():
        return tensor.detach().cpu().tolist()


def nop(module: fx.GraphModule, inputs: Any) -> Callable[..., Any]:
    """The compiler that runs the graph as it is, called with its inputs in a list (the boxed convention)."""
    from functorch.compile import make_boxed_func

    del inputs
    return make_boxed_func(module)


def like_compiler(inner: Callable[..., Any], outer: Callable[..., Any]) -> Callable[..., Any]:
    """Make ``outer``, which calls ``inner``, pass for it where torch tells compilers apart by type or by mark."""
    if hasattr(inner, "compiler_fn"):
        twin = copy.copy(inner)
        twin.compiler_fn = outer
        return twin
    if hasattr(inner, "_is_wrapped_bw_compiler"):
        vars(outer)["_is_wrapped_bw_compiler"] = True
    return outer


def default_partition(*args: Any, **kwargs: Any) -> Any:
    """The partitioner that ``aot_function`` uses unless told otherwise."""
    from functorch.compile import default_partition as real

    return real(*args, **kwargs)


def lookup_backend(name: str) -> Callable[..., Any]:
    """The ``torch.compile`` backend of that name; raises torch's ``InvalidBackend`` for an unknown one."""
    from torch._dynamo.backends.registry import lookup_backend as real

    return real(name)


@contextlib.contextmanager
def hooked_aot_module(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[None]:
    """Let ``change`` rewrite the keyword arguments with which backends call ``aot_module_simplified``."""
    from torch._dynamo.backends import common

    real = common.aot_module_simplified

    def hooked(module: Any, inputs: Any, **options: Any) -> Any:
        return real(module, inputs, **change(options))

    with mock.patch.object(common, "aot_module_simplified", hooked):
        yield


@contextlib.contextmanager
def hooked_inductor(post_grad: Callable[[fx.GraphModule], None], output_code: Callable[[str], None]) -> Iterator[None]:
    """Show each graph after Inductor's post-grad passes, and each finished wrapper code."""
    from torch._inductor import compile_fx
    from torch._inductor.graph import GraphLowering

    real = compile_fx._recursive_post_grad_passes
    depth = 0

    def passes(module: fx.GraphModule, *args: Any, **kwargs: Any) -> None:
        nonlocal depth
        depth += 1
        try:
            real(module, *args, **kwargs)
        finally:
            depth -= 1
        if depth == 0:
            post_grad(module)

    with (
        mock.patch.object(compile_fx, "_recursive_post_grad_passes", passes),
        mock.patch.object(GraphLowering, "save_output_code", staticmethod(output_code)),
    ):
        yield


@contextlib.contextmanager
def caches_off() -> Iterator[None]:
    """Turn the FX graph cache and the AOTAutograd cache off: a hit would skip the compilers under test."""
    import torch._functorch.config as functorch_config

    with contextlib.ExitStack() as stack:
        stack.enter_context(functorch_config.patch(enable_autograd_cache=False))
        if "torch._inductor.config" in sys.modules:
            config = sys.modules["torch._inductor.config"]
            stack.enter_context(config.patch(fx_graph_cache=False, fx_graph_remote_cache=False))
        yield
