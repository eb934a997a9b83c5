"""Calls of a program for which only some guards are kept: what the filter leaves is still told apart."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from suites.harness import Check, built, clause, leaf, tensor

#: What a filter is: it says of each guard whether it is kept.
Filter = Callable[[Sequence[Any]], Sequence[bool]]

#: The filters that torch offers and that keep guards on tensors.
KEEPING_TENSORS: dict[str, Filter] = {
    "tensors_alone": torch.compiler.keep_tensor_guards_unsafe,
    "portable": torch.compiler.keep_portable_guards_unsafe,
    "no_globals": torch.compiler.skip_guard_on_globals_unsafe,
    "no_modules": torch.compiler.skip_guard_on_all_nn_modules_unsafe,
    "no_modules_of_torch": torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe,
}
#: Of these, those that keep guards on the caller's modes.
KEEPING_MODES = [name for name in KEEPING_TENSORS if name != "tensors_alone"]

#: A global that the programs read.
FACTOR = 2.0


class _Scaled(torch.nn.Module):
    """A layer, and a number of the module's own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)
        self.by = 3.0

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.layer(a).sin() * self.by * FACTOR


@pytest.mark.parametrize("name", KEEPING_TENSORS)
@clause("reuse.guard-filters", modes="train")
def test_tensors_are_told_apart(check: Check, name: str) -> None:
    """Under each filter that keeps guards on tensors, calls of other sizes and dtypes get what they need, once each."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * FACTOR).sin() + b

    kinds = [(3, torch.float32), (3, torch.float64), (3, torch.float32), (3, torch.float64)]
    calls = [(leaf(size, dtype=dtype), tensor(2, size, dtype=dtype)) for size, dtype in kinds]
    options = {"guard_filter_fn": KEEPING_TENSORS[name]}
    check(program, calls=calls, options=options).gradient(0, 1).recompiled(1)


@pytest.mark.parametrize("name", KEEPING_MODES)
@clause("reuse.guard-filters", "reuse.modes", modes="train")
def test_modes_of_the_caller_are_told_apart(check: Check, name: str) -> None:
    """Under each filter that keeps guards on the caller's modes, calls with gradients and without are told apart."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * FACTOR

    modes: list[Any] = [torch.enable_grad, torch.no_grad, torch.enable_grad]
    hooks = [lambda program, mode=mode: mode() for mode in modes]
    options = {"guard_filter_fn": KEEPING_TENSORS[name]}
    result = check(program, calls=[(leaf(3),)] * 3, before=hooks, probe=False, options=options)
    flags = [call.tensors["out"].requires_grad for call in result.expected.calls]
    result.gradient(0).recompiled(1).happened(flags == [True, False, True], "a call that records nothing")


@clause("reuse.guard-filters", "reuse.modes", modes="train")
@pytest.mark.parametrize("name", ["no_globals", "no_modules_of_torch"])
def test_attributes_of_a_module_are_told_apart(check: Check, name: str) -> None:
    """Under filters that leave out globals, or torch's own modules, a number of the caller's module is guarded."""

    def scaled(by: float) -> Callable[[Any], None]:
        return lambda module: setattr(module, "by", by)

    hooks = [scaled(by) for by in (3.0, 5.0, 3.0, 5.0)]
    options = {"guard_filter_fn": KEEPING_TENSORS[name]}
    result = check(built(_Scaled), calls=[(tensor(2, 3),)] * 4, before=hooks, probe=False, options=options)
    result.gradient(0).recompiled(1)


@clause("reuse.guard-filters", modes="train")
def test_calls_that_differ_in_nothing_without_any_guard(check: Check) -> None:
    """Without any guard, calls that differ in numbers alone run what was compiled for the first, and are right."""
    options = {"guard_filter_fn": torch.compiler.skip_all_guards_unsafe}
    check(built(_Scaled), calls=[(tensor(2, 3),)] * 3, options=options).gradient(0).recompiled(0)


@clause("reuse.guard-filters")
def test_filter_is_asked_for_each_guard(check: Check) -> None:
    """A filter of the caller's own is told of a global and of an argument, and a kept guard alone compiles anew."""
    told: list[tuple[str, bool]] = []

    def chosen(entries: Sequence[Any]) -> list[bool]:
        told.extend((entry.name, entry.is_global) for entry in entries if entry.has_value)
        return ["number" not in entry.name for entry in entries]

    def program(a: torch.Tensor, kind: str, number: str) -> torch.Tensor:
        return (a.sin() if kind == "sine" else a.cos()) * FACTOR * len(number)

    with check.compiled(program, options={"guard_filter_fn": chosen}) as compiled:
        a, graphs = torch.tensor([0.5, -1.0, 2.0]), list[int]()
        for kind, number in (("sine", "two"), ("sine", "three"), ("cosine", "two")):
            output = compiled(a, kind, number)
            graphs.append(compiled.graphs)
    check.demand("reuse", "graphs after each call", [1, 1, 2], graphs)
    check.demand("value", "of the last call", True, torch.allclose(output, program(a, "cosine", "two")))
    names = {name for name, is_global in told if not is_global}
    asked = any("kind" in name for name in names) and any("number" in name for name in names)
    check.demand("reuse", "the filter is asked for both arguments", True, asked)
    check.demand("reuse", "and for a global", True, any(is_global for _, is_global in told))
