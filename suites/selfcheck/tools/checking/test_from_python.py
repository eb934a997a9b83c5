"""`tools.checking.check`: from Python and notebooks, without a trace in the caller's process."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import torch

from suites import HOME
from suites.harness.backends.registry import resolve
from suites.harness.execution.isolation import Finished, run_forked
from tools import checking, forking
from tools.checking import check

OFF = "suites.selfcheck.mutants.values:one_element_off"
LOSES = "suites.selfcheck.mutants.autograd:loses_one_gradient"
TRAIL: list[int] = []


def leaves_a_trail(a: torch.Tensor) -> torch.Tensor:
    TRAIL.append(1)
    a.mul_(2)
    return a + len(TRAIL)


def test_what_is_equal_is_true_and_says_so() -> None:
    result = check(lambda a: a.sin() + 1, torch.randn(3), backend="aot_eager")
    assert result
    assert result.outcome == "pass"
    assert result.divergences == []
    assert "same  everything that a caller can see is equal" in repr(result)


def test_what_differs_is_false_and_shows_itself() -> None:
    base = torch.randn(4)
    result = check(lambda a, b: (a.mul_(2), b + 1), base, base[1:], backend=OFF)
    assert not result
    assert result.outcome == "fail"
    assert {item.facet for item in result.divergences}
    assert "first at" in repr(result)
    assert "<table>" in result._repr_html_()
    assert "<lambda>" not in result._repr_html_()  # Escaped.


def test_caller_is_left_as_it_was() -> None:
    TRAIL.clear()
    a = torch.randn(3)
    before, seen, drawn = a.clone(), torch.get_rng_state(), random.getstate()
    compiled = torch.compile(lambda b: b + 1, backend="eager")
    compiled(a)
    threads = torch.get_num_threads()
    assert check(leaves_a_trail, a, backend="aot_eager")
    assert torch.equal(a, before)
    assert torch.equal(torch.get_rng_state(), seen)
    assert random.getstate() == drawn
    assert TRAIL == []
    assert torch.get_num_threads() == threads
    with torch.compiler.set_stance("fail_on_recompile"):
        compiled(a)


def test_caller_who_cannot_fork_keeps_arguments_generators_and_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_can_fork", lambda: False)
    net, a = torch.nn.BatchNorm1d(3), torch.randn(2, 3)
    before, seen, drawn = a.clone(), torch.get_rng_state(), random.getstate()
    program = lambda b: net(b.mul_(2)) + torch.rand(3)
    assert check(program, a, backend="aot_eager", train=True)
    assert not check(program, a, backend=OFF)
    assert torch.equal(a, before)
    assert torch.equal(torch.get_rng_state(), seen)
    assert random.getstate() == drawn
    assert net.num_batches_tracked == 0
    assert net.weight.grad is None


def test_module_is_compared_with_gradients() -> None:
    net = torch.nn.Linear(3, 2)
    assert check(net, torch.ones(1, 3), backend="aot_eager", train=True)
    lost = check(net, torch.ones(1, 3), backend=LOSES, train=True)
    assert any("weight" in item.where or "bias" in item.where for item in lost.divergences), lost
    assert net.weight.grad is None


def test_gradients_that_nothing_requires_are_told() -> None:
    result = check(torch.sin, torch.ones(3), backend="aot_eager", train=True)
    assert "no gradient was compared" in repr(result)


def test_inputs_are_made_where_they_cannot_be_copied() -> None:
    history = torch.ones(3, requires_grad=True) * 2
    with pytest.raises(ValueError, match=r"cannot be copied: .*; pass inputs="):
        check(torch.sin, history, backend="aot_eager")
    make = lambda: (torch.ones(3, requires_grad=True) * 2,)
    assert check(lambda a: a.mul_(2), inputs=make, backend="aot_eager", train=True)


def test_what_cannot_be_checked_raises() -> None:
    async def program(a: torch.Tensor) -> torch.Tensor:
        return a

    with pytest.raises(TypeError, match="program: an async function, which nobody awaits here"):
        check(program, torch.ones(3), backend="aot_eager")
    with pytest.raises(TypeError, match="int cannot be called"):
        check(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no backend 'inductr'"):
        check(torch.sin, torch.ones(1), backend="inductr")


class Engine:
    """A backend that is an object."""

    def __call__(self, module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        return lambda *args: [out * 0 for out in module.forward(*args)]


def compile_graph(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    forward: Callable[..., Any] = module.forward
    return forward


compile_graph.parity_bitwise = True  # type: ignore[attr-defined]


def test_backend_may_be_a_callable() -> None:
    for backend, name, outcome in ((compile_graph, "compile_graph", "pass"), (Engine(), "Engine", "fail")):
        result = check(lambda a: a + 1, torch.randn(3), backend=backend)
        assert (result.backend, result.outcome) == (f"{__name__}:{name}", outcome)


def test_what_is_no_backend_is_refused_in_a_line() -> None:
    with pytest.raises(TypeError, match=r"backend= is a name, or a callable .*, and int is neither"):
        check(lambda a: a + 1, torch.randn(3), backend=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="cannot be called as one: its arguments are"):
        check(lambda a: a + 1, torch.randn(3), backend=lambda graph: graph)


def test_what_compiling_imports_is_imported_once() -> None:
    program = """
import sys, torch
from tools.checking import check
assert "torch._dynamo.convert_frame" not in sys.modules
check(lambda a: a + 1, torch.ones(3), backend="eager")
assert "torch._dynamo.convert_frame" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": str(HOME)})


def test_what_differs_alike_is_shown_once() -> None:
    seen = torch.compiler.is_compiling
    result = check(lambda a: [a + number + seen() for number in range(20)], torch.zeros(3), backend="aot_eager")
    assert len(result.divergences) == len(result.to_json()["divergences"]) == 20
    for shown in (repr(result), result._repr_html_()):
        assert shown.count("value differs") == 1
        assert "and 19 more like it" in shown


def test_no_fork_is_made_where_none_can_go_backward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: True)
    assert checking._can_fork()

    def refuses() -> None:
        raise RuntimeError("Unable to handle autograd's threading in combination with fork-based multiprocessing.")

    monkeypatch.setattr(checking, "_go_backward", refuses)
    assert not checking._can_fork()


def test_nothing_goes_backward_before_forks_are_made() -> None:
    """Where torch is built for GPUs, no fork would from then on, and each program that trains would seem to diverge."""

    def primed() -> list[str]:
        taken: list[str] = []
        with (
            mock.patch.object(torch.autograd, "grad", side_effect=lambda *args, **kwargs: taken.append("grad")),
            mock.patch.object(torch.autograd, "backward", side_effect=lambda *args, **kwargs: taken.append("backward")),
        ):
            forking.prime([resolve("aot_eager"), resolve("inductor")])
        return taken

    assert run_forked(primed, 120.0) == Finished([])
