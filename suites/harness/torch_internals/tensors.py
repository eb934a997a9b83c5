"""What tensors, subclasses and modes keep to themselves: storages, bases, versions, hooks, marks."""

from __future__ import annotations

import contextlib
from collections.abc import MutableMapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.testing._internal.two_tensor import TwoTensor, TwoTensorMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    is_traceable_wrapper_subclass,
    return_and_correct_aliasing,
)

__all__ = [
    "FakeTensor",
    "FakeTensorMode",
    "TorchDispatchMode",
    "TwoTensor",
    "TwoTensorMode",
    "is_traceable_wrapper_subclass",
    "pytree",
    "return_and_correct_aliasing",
]


def without_torch_function() -> contextlib.AbstractContextManager[Any]:
    """Looking at a tensor is not an event of the program: a subclass's ``__torch_function__`` does not hear of it."""
    guard: contextlib.AbstractContextManager[Any] = torch._C.DisableTorchFunctionSubclass()
    return guard


def storage_key(tensor: torch.Tensor) -> int | None:
    """What identifies a tensor's storage while it is alive; None where it has none (sparse, wrapper subclasses)."""
    if is_traceable_wrapper_subclass(tensor) or tensor.is_meta or tensor.is_quantized or isinstance(tensor, FakeTensor):
        return None
    try:
        return tensor.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError, AttributeError):
        return None


def accumulated_variable(node: Any) -> torch.Tensor | None:
    """The leaf that an ``AccumulateGrad`` node feeds; None for any other node."""
    return getattr(node, "variable", None)


def dispatch_mode_depth() -> int:
    """How many ``TorchDispatchMode``s are active."""
    from torch._ops import _len_torch_dispatch_stack_pre_dispatch

    return torch._C._len_torch_dispatch_stack() + _len_torch_dispatch_stack_pre_dispatch()


def function_mode_depth() -> int:
    """How many ``TorchFunctionMode``s are active."""
    return torch._C._len_torch_function_stack()


def views_are_replayed() -> bool:
    """Whether autograd makes views again by their own operators after a write, and not by ``as_strided``."""
    return torch._C._is_view_replay_enabled()


def replay_views(replay: bool) -> None:
    """Have autograd make views again by their own operators, or not."""
    torch._C._set_view_replay_enabled(replay)


def fills_uninitialized_memory() -> bool:
    """Whether deterministic mode fills fresh memory; the module's attribute is a property that stubs do not know."""
    return bool(getattr(torch.utils.deterministic, "fill_uninitialized_memory"))  # noqa: B009


def fill_uninitialized_memory(fill: bool) -> None:
    """Have deterministic mode fill fresh memory, or not."""
    setattr(torch.utils.deterministic, "fill_uninitialized_memory", fill)  # noqa: B010


def mark_dynamic(tensor: torch.Tensor, dim: int, **bounds: int) -> torch.Tensor:
    """``tensor``, with that dimension symbolic in what is compiled for it; ``bounds`` are ``min`` and ``max``."""
    torch._dynamo.mark_dynamic(tensor, dim, **bounds)
    return tensor


def maybe_mark_dynamic(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """``tensor``, with that dimension symbolic in what is compiled for it, unless that asks for its size."""
    torch._dynamo.maybe_mark_dynamic(tensor, dim)
    return tensor


def mark_static(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """``tensor``, with that dimension a constant in what is compiled for it, also under ``dynamic=True``."""
    torch._dynamo.mark_static(tensor, dim)
    return tensor


def mark_unbacked(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """``tensor``, with that dimension of a size that nothing compiled for it may ask for."""
    torch._dynamo.decorators.mark_unbacked(tensor, dim)
    return tensor


def view_base(tensor: torch.Tensor) -> torch.Tensor | None:
    """The tensor that this one is a view of, as autograd has it; None if it is no view."""
    return tensor._base


def is_view(tensor: torch.Tensor) -> bool:
    """Whether autograd has the tensor as a view."""
    return bool(tensor._is_view())


def version(tensor: torch.Tensor) -> int:
    """The tensor's version counter, by which autograd notices mutations. Inference tensors raise `RuntimeError`."""
    return int(tensor._version)


def set_version(tensor: torch.Tensor, version: int) -> None:
    """Set a tensor's version counter."""
    # A list of tensors since 2.6; there is no public way back, only torch.autograd.graph.increment_version.
    torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))


def tensor_hooks(tensor: torch.Tensor) -> list[MutableMapping[int, Any]]:
    """The hooks on a tensor's gradient, and after its accumulation (2.1), in tables that may be changed."""
    tables = (tensor._backward_hooks, getattr(tensor, "_post_accumulate_grad_hooks", None))
    return [table for table in tables if table]


def forget_module_hooks(module: torch.nn.Module) -> None:
    """Take all forward and backward hooks off a module."""
    module._forward_hooks.clear()
    module._backward_hooks.clear()


def wrapper_subclass(cls: type, shape: Any, **geometry: Any) -> Any:
    """A tensor of class ``cls`` without memory of its own, of that geometry."""
    return torch.Tensor._make_wrapper_subclass(cls, shape, **geometry)


def is_jagged(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a nested one in the jagged layout."""
    return is_traceable_wrapper_subclass(tensor) and hasattr(tensor, "_values") and hasattr(tensor, "_offsets")


def set_jagged_values(tensor: Any, values: torch.Tensor) -> None:
    """Replace the values of all components of a jagged tensor."""
    tensor._values = values
