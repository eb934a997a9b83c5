"""Mutants of calls of custom operators: what one kind of argument, or one result, comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import torch_internals

from .making import PACKAGE, Run, _register

#: Does a call of an operator wrongly.
Replacement = Callable[..., Any]


def calls(*facets: str) -> Callable[[Replacement], Any]:
    """Make a Dynamo backend in which every call of an operator that is not torch's own is made by ``replacement``.

    ``replacement`` takes the operator and its arguments, in the order of the schema, and does with them what it likes.
    """

    def decorate(replacement: Replacement) -> Any:
        def backend(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
            for node in module.graph.nodes:
                operator = _custom(node.target)
                if operator is not None:
                    node.args, node.target = (operator, *node.args), replacement
            module.recompile()
            compiled: Run = torch_internals.lookup_backend("aot_eager")(module, example_inputs)
            return compiled

        backend.__name__, backend.__doc__, backend.__module__ = (
            replacement.__name__,
            replacement.__doc__,
            replacement.__module__,
        )
        backend.parity_bitwise = True  # type: ignore[attr-defined]
        return _register(replacement, facets, "graph", backend)

    return decorate


def _custom(target: Any) -> Any:
    """The operator that a node calls; None if it is torch's own or no operator."""
    overload = getattr(target, "default", None) if isinstance(target, torch_internals.OpOverloadPacket) else target
    if not isinstance(overload, torch_internals.OpOverload) or overload.namespace in ("aten", "prims", "prim", "_c10d"):
        return None
    return overload


def _with(operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], change: Callable[[Any, Any], Any]) -> Any:
    """Call the operator with each argument changed by ``change``, which is told its declaration."""
    declared = torch_internals.schema(operator).arguments
    changed = [change(argument, value) for argument, value in zip(declared, args, strict=False)]
    by_name = {argument.name: argument for argument in declared}
    return operator(*changed, **{name: change(by_name[name], value) for name, value in kwargs.items()})


@calls("value", "mutation", "autograd")
def forgets_optional_tensors(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """None is passed for a tensor that may be None."""
    return _with(operator, args, kwargs, lambda argument, value: None if str(argument.type) == _OPTIONAL else value)


@calls("value", "mutation", "autograd")
def reverses_lists(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """A list of tensors is passed from its end to its beginning."""
    return _with(operator, args, kwargs, lambda argument, value: value[::-1] if _is_list(value) else value)


@calls("value", "autograd")
def spoils_second_results(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """The second tensor that an operator returns is one more than it should be."""
    result = operator(*args, **kwargs)
    if not isinstance(result, (tuple, list)) or len(result) < 2 or not isinstance(result[1], torch.Tensor):
        return result
    return type(result)([result[0], result[1] + 1, *result[2:]])


@calls("value", "mutation")
def copies_what_is_passed_twice(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """A tensor that is passed a second time in one call is a copy the second time: what is written to it is lost."""
    seen: list[torch.Tensor] = []

    def copied(value: Any) -> Any:
        if _is_list(value):
            return [copied(item) for item in value]
        if not isinstance(value, torch.Tensor):
            return value
        if any(value is item for item in seen):
            return value.clone()
        seen.append(value)
        return value

    return _with(operator, args, kwargs, lambda argument, value: copied(value))


#: How torch spells the type of an argument that is a tensor or None.
_OPTIONAL = "Optional[Tensor]"


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value)


NAMES = tuple(
    f"{PACKAGE}.schemas:{replacement}"
    for replacement in (
        "forgets_optional_tensors",
        "reverses_lists",
        "spoils_second_results",
        "copies_what_is_passed_twice",
    )
)
"""Their names as backends."""
