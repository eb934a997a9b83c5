"""The stacks of dispatch modes and function modes: entered and left inside a program, also by an exception."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from suites.harness import Check, clause, tensor
from suites.harness.torch_internals import TorchDispatchMode


class _AddsOneToSines(TorchFunctionMode):
    """Every sine is one larger."""

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        return result + 1 if function is torch.sin else result


class _AddsOneToCosines(TorchDispatchMode):
    """Every cosine is one larger."""

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        return result + 1 if function is torch.ops.aten.cos.default else result


@clause("state.mode-stacks")
def test_function_mode_entered_by_the_program(check: Check) -> None:
    """A function mode holds inside of its block and not after it, and is off the stack when the program returns."""

    def program(a: torch.Tensor) -> torch.Tensor:
        with _AddsOneToSines():
            inner = torch.sin(a)
        return inner * 10 + torch.sin(a)

    result = check(program, tensor(3, values=[0.0, 0.0, 0.0]))
    result.happened(bool((result.value("out") == 10).all()), "the mode holding once")


@clause("state.mode-stacks", fullgraph=False)
def test_dispatch_mode_entered_by_the_program(check: Check) -> None:
    """A dispatch mode holds inside of its block and not after it, and is off the stack when the program returns."""

    def moded(a: torch.Tensor) -> torch.Tensor:
        with _AddsOneToCosines():
            return a.cos()

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        return moded(doubled) * 10 + a.cos()

    result = check(program, tensor(3, values=[0.0, 0.0, 0.0]))
    result.happened(bool((result.value("out") == 21).all()), "the mode holding once")


@clause("state.mode-stacks", fullgraph=False)
def test_function_mode_left_by_an_exception(check: Check) -> None:
    """An exception out of a function mode's block, and out of the program, takes the mode off the stack."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        with _AddsOneToSines():
            if doubled.shape[0] == 3:
                raise ValueError("inside the mode")
        return doubled

    result = check(program, tensor(3)).raised("inside the mode")
    result.happened(result.call.global_state["function mode stack"] == 0, "an empty stack")
