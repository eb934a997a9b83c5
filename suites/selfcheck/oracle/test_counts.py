"""Claims about counts of graphs and about AOTAutograd: they hold for a backend that does what it should, no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from suites.aliasing import test_overlap_guards as overlap_guards
from suites.harness import Check, tensor
from suites.harness.backends.backend import Backend
from suites.harness.backends.compiling import through_dynamo
from suites.harness.backends.registry import resolve
from suites.harness.clauses.endings import Diverged, NotSupported
from suites.harness.clauses.scope import Scope
from suites.harness.programs.specs import Variant


def _check(backend: Backend, mode: str = "no_grad", shapes: str = "static") -> Check:
    return Check(backend, Variant(mode, shapes, "plain"), Scope())


PASS_THROUGH = Backend(
    "pass_through", through_dynamo(lambda options: lambda module, inputs: module.forward), bitwise=True
)


@pytest.mark.parametrize("backend", [resolve("eager"), PASS_THROUGH], ids=lambda backend: backend.name)
def test_backend_without_guards_of_aot_autograds_need_not_compile_again(backend: Backend) -> None:
    overlap_guards.test_disjoint_views_then_overlapping_ones(_check(backend, "train"))
    overlap_guards.test_views_that_overlap_once_they_are_longer(_check(backend, shapes="dynamic"))


def test_guard_on_overlap_compiles_again_once() -> None:
    check = _check(resolve("aot_eager"), shapes="dynamic")
    overlap_guards.test_views_that_overlap_once_they_are_longer(check)
    assert check.cell.verdict is not None
    assert check.cell.verdict.counter.recompilations == 1


def test_more_graphs_than_at_most_are_told() -> None:
    sizes = [(tensor(size),) for size in (3, 4, 5)]
    result = (
        _check(resolve("eager"))(lambda a: a + 1, calls=sizes).recompiled(1).recompiled_at_most(1).recompiled_at_most(2)
    )
    with pytest.raises(Diverged, match="0 at most"):
        result.recompiled_at_most(0)


def test_part_that_is_the_same_in_each_call_is_compiled_once() -> None:
    """A program that compiled its parts anew in each call would never meet a guard of theirs."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return a + 1

    def program(compiled: Callable[..., Any], a: torch.Tensor) -> torch.Tensor:
        return compiled(part)(a) * 2

    check = _check(resolve("eager"))
    check(program, calls=[(tensor(3),)] * 3, in_parts=True).computed()
    assert check.cell.verdict is not None
    assert check.cell.verdict.counter.graphs_by_call == [1, 1, 1]


def test_part_that_is_compiled_after_another_was_called_leaves_that_one_compiled() -> None:
    """A reset between parts would have each part compiled anew in each call."""

    def first(a: torch.Tensor) -> torch.Tensor:
        return a + 1

    def second(a: torch.Tensor) -> torch.Tensor:
        return a * 2

    def program(compiled: Callable[..., Any], a: torch.Tensor) -> torch.Tensor:
        more = compiled(first)(a)
        return compiled(second)(more)

    check = _check(resolve("eager"))
    check(program, calls=[(tensor(3),)] * 3, in_parts=True).computed()
    assert check.cell.verdict is not None
    assert check.cell.verdict.counter.graphs_by_call == [2, 2, 2]


@pytest.mark.parametrize("backend", ["aot_eager", "aot_function"])
def test_backend_of_aot_autograd_is_asked_for_what_that_promises(backend: str) -> None:
    with _check(resolve(backend)).compiled(lambda a: a + 1) as compiled:
        compiled(torch.ones(2))
        compiled.needs_aot_autograd()


def test_backend_without_aot_autograd_is_not_asked_for_what_that_promises() -> None:
    with _check(resolve("eager")).compiled(lambda a: a + 1) as compiled:
        compiled(torch.ones(2))
        with pytest.raises(NotSupported, match="about AOTAutograd"):
            compiled.needs_aot_autograd()


def test_clause_that_calls_by_hand_is_not_run_where_its_backend_cannot() -> None:
    check = Check(resolve("eager"), Variant("no_grad", "static", "plain"), Scope(), reason_not_to_run="no compiler")
    with pytest.raises(NotSupported, match=r"^no compiler$"), check.compiled(lambda a: a + 1):
        pytest.fail("it was compiled")
