"""Operators: their schemas, their effects, and those that torch keeps in private places."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch._ops import OpOverload, OpOverloadPacket

__all__ = ["OPERATOR_MODULES", "OpOverload", "OpOverloadPacket"]

#: Modules whose objects stand for operators.
OPERATOR_MODULES = ("torch._ops", "torch._library", "torch.library", "torch._C")


def can_auto_functionalize(operator: Any) -> bool:
    """Whether torch wraps calls of this mutable operator in ``auto_functionalized``, by its own predicate."""
    from torch._higher_order_ops.auto_functionalize import can_auto_functionalize as predicate

    return bool(predicate(operator))


def register_fsdp_operators() -> None:
    """Have ``torch.ops.fsdp`` hold its operators. Raises `ImportError` where torch is built without distributed."""
    importlib.import_module("torch.distributed.fsdp._fully_shard._fsdp_collectives")
    importlib.import_module("torch.distributed.fsdp._fully_shard._fsdp_param")


def register_ordered_effect(operator: str) -> None:
    """Have calls of an operator (``namespace::name``) keep their order by a token that is threaded through them."""
    from torch._higher_order_ops.effects import _EffectType, _register_effectful_op

    # Since 2.12 there is torch.library._register_effectful_op too, as private as this one.
    _register_effectful_op(operator, _EffectType.ORDERED)


def schema(operator: Any) -> Any:
    """What an operator declares of its arguments and returns."""
    return operator._schema


def to_copy() -> Any:
    """The operator that conversions become in a graph."""
    return torch.ops.aten._to_copy.default


def grad_mode_switch() -> Callable[[bool], None]:
    """What a graph of Dynamo's calls where the program switches gradients on or off."""
    return torch._C._set_grad_enabled


def scans() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``associative_scan`` and ``scan``."""
    from torch._higher_order_ops import associative_scan, scan

    return associative_scan, scan


def mapped() -> Callable[..., Any]:
    """``map``: a function of each row."""
    from torch._higher_order_ops import map as map_rows

    return map_rows


def functional_collectives() -> Any:
    """The module of collectives that return what they gather. Raises `ImportError` without distributed."""
    return importlib.import_module("torch.distributed._functional_collectives")


def fake_store() -> torch.distributed.Store:
    """A store for the process group that talks to nobody."""
    # Registers the backend "fake", too. Raises `ImportError` without distributed.
    from torch.testing._internal.distributed.fake_pg import FakeStore

    return FakeStore()


def forget_library(library: torch.library.Library) -> None:
    """Take back all that was registered through a library."""
    library._destroy()


def unwrapped_parameters(module: torch.nn.Module) -> torch.nn.Module:
    """The module with each parameter of a wrapper subclass replaced by what it wraps, under a parametrization."""
    # In torch since 2.6; torchao's own helper of that name before.
    from torch._functorch._aot_autograd.subclass_parametrization import unwrap_tensor_subclass_parameters

    return unwrap_tensor_subclass_parameters(module)
