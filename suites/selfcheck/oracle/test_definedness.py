"""What eager leaves undefined is found, and what it defines is not rejected."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from suites.harness import tensor
from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions
from suites.harness.backends.registry import resolve
from suites.harness.observation.observe import CallOptions
from suites.harness.oracle.definedness import AnyPick, HazardMode, poisoned_memory
from suites.harness.oracle.examine import Examination, examine
from suites.harness.oracle.runs import Subject
from suites.harness.programs.clause_programs import ClauseProgram
from suites.harness.programs.specs import Variant


def _hazards(program: Callable[[], Any]) -> list[str]:
    mode = HazardMode()
    with mode:
        program()
    return mode.hazards


def _self_overlapping() -> torch.Tensor:
    return torch.zeros(6).as_strided((3, 3), (1, 1))


@pytest.mark.parametrize(
    ("program", "hazard"),
    [
        (lambda: _self_overlapping().copy_(torch.rand(3, 3)), "overlaps itself"),
        (lambda: _self_overlapping().add_(1), "overlaps itself"),
        (lambda: torch.zeros(3).scatter_(0, torch.tensor([1, 1]), torch.tensor([1.0, 2.0])), "duplicate indices"),
        (lambda: torch.zeros(3).scatter(0, torch.tensor([1, 1]), torch.tensor([1.0, 2.0])), "duplicate indices"),
        (lambda: torch.zeros(3).index_copy_(0, torch.tensor([0, 0]), torch.rand(2)), "duplicate indices"),
        (lambda: torch.zeros(3).put_(torch.tensor([0, 0]), torch.rand(2)), "duplicate indices"),
        (lambda: torch.zeros(3).index_put_((torch.tensor([2, 2]),), torch.rand(2)), "duplicate indices"),
        (lambda: torch.zeros(3).index_put_((torch.tensor([2, -1]),), torch.rand(2)), "duplicate indices"),
        (lambda: torch.tensor([1e20]).to(torch.int32), "out of range"),
        (lambda: torch.tensor([float("nan")]).long(), "out of range"),
        (lambda: torch.zeros(1, dtype=torch.uint8).copy_(torch.tensor([-1.0])), "out of range"),
    ],
)
def test_hazard_is_found(program: Callable[[], Any], hazard: str) -> None:
    found = _hazards(program)
    assert len(found) == 1, found
    assert hazard in found[0]


@pytest.mark.parametrize(
    ("program", "ties"),
    [
        (lambda: torch.tensor([1.0, 1.0]).argmax(), ["argmax"]),
        (lambda: torch.tensor([1.0, 1.0, 0.0]).max(0), ["max"]),
        (lambda: torch.tensor([1.0, 1.0, 0.0]).topk(1), ["topk"]),
        (lambda: torch.tensor([[1.0, 2.0], [1.0, 1.0]]).argmin(1), ["argmin"]),
        (lambda: torch.tensor([[1.0, 2.0], [1.0, 3.0]]).argmin(1), []),
        (lambda: torch.tensor([1.0, 1.0, 2.0]).argmax(), []),
        (lambda: torch.tensor([1.0, 1.0, 0.0]).max(), []),
        (lambda: torch.tensor([3.0, 1.0, 2.0]).sort(), []),
        (lambda: torch.tensor([1.0, 2.0, 1.0]).sort(), ["sort"]),
        (lambda: torch.tensor([1.0, 2.0, 1.0]).argsort(descending=True), ["sort"]),
        (lambda: torch.tensor([1.0, 2.0, 1.0]).sort(stable=True), []),
        (lambda: torch.tensor([1.0, 2.0, 1.0]).argsort(stable=True), []),
        (lambda: torch.tensor([1.0, 2.0, 1.0]).sort(stable=False), ["sort"]),
        (lambda: torch.tensor([[1.0, 2.0], [1.0, 2.0]]).sort(), []),
        (lambda: torch.tensor([[1.0, 2.0], [1.0, 2.0]]).sort(dim=1, stable=False), []),
        (lambda: torch.tensor([[1.0, 2.0], [1.0, 2.0]]).sort(dim=0, stable=False), ["sort"]),
        (lambda: torch.ops.aten.max.dim(torch.eye(2), dim=0), []),
        (lambda: torch.tensor([3.0, 1.0, 1.0]).topk(1), []),
        (lambda: torch.tensor([3.0, 1.0, 1.0]).topk(2), ["topk"]),
        (lambda: torch.tensor([1.0, 1.0, 3.0]).kthvalue(3), []),
        (lambda: torch.tensor([1.0, 1.0, 3.0]).median(0), ["median"]),
        (lambda: torch.tensor([1.0, 1.0, 3.0]).median(), []),
        (lambda: torch.tensor([1.0, 1.0, 3.0]).mode(), ["mode"]),
        (lambda: torch.tensor([1.0, 2.0, 1.0]).cummax(0), []),
        (lambda: torch.tensor([1.0, 2.0, 2.0]).cummax(0), ["cummax"]),
        (lambda: torch.tensor([2.0, float("nan"), 3.0]).cummin(0), []),
        (lambda: torch.tensor([1.0, 1.0]).argmax(keepdim=True), ["argmax"]),
        (lambda: torch.eye(2).argmax(), ["argmax"]),
    ],
)
def test_ties_are_noted_apart(program: Callable[[], Any], ties: list[str]) -> None:
    """A tie makes a program undefined only where its divergences are numbers, so it is not a hazard by itself."""
    with HazardMode() as mode:
        program()
    assert mode.ties == ties
    assert mode.hazards == []


@pytest.mark.parametrize(
    "program",
    [
        lambda a: a.sort(),
        lambda a: a.sort(dim=0, descending=True),
        lambda a: a.topk(3),
        lambda a: a.max(1),
        lambda a: a.min(0, keepdim=True),
        lambda a: a.argmax(),
        lambda a: a.argmin(1),
        lambda a: a.kthvalue(2),
        lambda a: a.mode(1),
        lambda a: a.cummax(1),
        lambda a: a.cummin(0),
    ],
)
def test_another_pick_is_another_index_of_the_same_values(program: Callable[[torch.Tensor], Any]) -> None:
    a = torch.tensor([[1.0, 2, 2, 1, 2], [3, 2, 3, 1, 1], [1, 2, 3, 1, 2]])
    expected = program(a)
    with AnyPick():
        seen = program(a)
    *values, indices = (expected,) if isinstance(expected, torch.Tensor) else expected
    *same, others = (seen,) if isinstance(seen, torch.Tensor) else seen
    assert not torch.equal(indices, others)
    assert all(map(torch.equal, values, same))
    flat = a.flatten()
    if not values:
        assert torch.equal(flat[indices], flat[others]) or torch.equal(
            a.gather(1, indices[:, None]), a.gather(1, others[:, None])
        )


@pytest.mark.parametrize(
    "program",
    [
        lambda: torch.zeros(3).expand(2, 3).fill_(1),
        lambda: torch.zeros(3).expand(2, 3).zero_(),
        lambda: torch.zeros(2, 3).t().copy_(torch.rand(3, 2)),
        lambda: torch.zeros(4).as_strided((2, 2), (2, 1)).copy_(torch.rand(2, 2)),
        lambda: torch.zeros(3).expand(2, 3) + 1,
        lambda: torch.zeros(3).scatter_(0, torch.tensor([0, 2]), torch.tensor([1.0, 2.0])),
        lambda: torch.zeros(2, 2).scatter_(0, torch.tensor([[0, 0]]), torch.rand(1, 2)),
        lambda: torch.zeros(3).scatter_(0, torch.tensor([1, 1]), 5.0),
        lambda: torch.zeros(3).scatter_add_(0, torch.tensor([1, 1]), torch.tensor([1.0, 2.0])),
        lambda: torch.zeros(3).index_put_((torch.tensor([2, 2]),), torch.rand(2), accumulate=True),
        lambda: torch.zeros(3).index_put_((torch.tensor([2, 2]),), torch.tensor(1.0)),
        lambda: torch.zeros(3).index_put_((torch.tensor([True, False, True]),), torch.rand(2)),
        lambda: torch.zeros(3, 3).index_put_((torch.tensor([0, 0]), torch.tensor([0, 1])), torch.rand(2)),
        lambda: torch.zeros(3).index_copy_(0, torch.tensor([0, 2]), torch.rand(2)),
        lambda: torch.tensor([1e9, -3.7]).to(torch.int32),
        lambda: torch.tensor([300.0]).to(torch.int16),
        lambda: torch.tensor([float("nan")]).to(torch.bool),
        lambda: torch.tensor([1e300], dtype=torch.float64).float(),
        lambda: torch.tensor([1.0, 2.0]).argmax(),
        lambda: torch.tensor([1.0, 2.0, 2.0]).sum(),
        lambda: torch.empty(0).to(torch.int32),
        lambda: torch.tensor([3.0, 1.0, 2.0]).sort(),
    ],
)
def test_defined_program_is_not_rejected(program: Callable[[], Any]) -> None:
    assert _hazards(program) == []


def test_poison_shows_in_fresh_memory_and_goes_again() -> None:
    before = torch.are_deterministic_algorithms_enabled()
    with poisoned_memory():
        assert torch.empty(4).isnan().all()
    assert torch.are_deterministic_algorithms_enabled() == before


def _examined(program: Callable[..., Any]) -> Examination:
    specs = (tensor(4, grad=False),)
    subject = Subject(ClauseProgram(program, (specs, specs), Variant("no_grad")), CallOptions("no_grad"))
    return examine(subject, resolve("aot_eager"))


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        # Garbage may differ from run to run by itself; where it happens not to, poison shows it.
        (lambda a: torch.empty_like(a), ""),
        (lambda a: a.new_empty(4) + a, ""),
        (lambda a: torch.zeros(6).as_strided((3, 3), (1, 1)).copy_(a[:3]), "writes through a view that overlaps"),
        (lambda a: (a * 1e30).to(torch.int32), "a float out of range"),
        (lambda a: (a[0] * 1e30).int().item(), "a float out of range"),
        (lambda a: torch.where(a > 0, 1, (a / 0).long()), "a float out of range"),
        (lambda a: a.new_zeros(4, dtype=torch.uint8).copy_(a / 0), "a float out of range"),
    ],
)
def test_undefined_program_is_rejected_with_its_reason(program: Callable[..., Any], reason: str) -> None:
    verdict = _examined(program)
    assert verdict.outcome == "skip"
    assert "undefined" in verdict.detail
    assert reason in verdict.detail


@pytest.mark.parametrize(
    "program",
    [
        lambda a: torch.where(a > 9, (a / 0).long(), 2),
        lambda a: a.new_zeros(4, dtype=torch.uint8).copy_(a / 0).to(a.dtype) * 0 + a,
        lambda a: (a / 0).to(torch.int8)[:0].sum() + a,
    ],
)
def test_number_out_of_range_that_is_left_aside_is_not_undefined(program: Callable[..., Any]) -> None:
    assert _examined(program).outcome == "pass"


def test_reading_fresh_memory_is_undefined_whatever_lies_there() -> None:
    # Poison shows it where what lies there is the same in every run; else the runs disagree.
    verdict = _examined(lambda a: torch.empty(0, 4).sum(0) + torch.empty(4).mul(0).add(a))
    assert verdict.outcome == "skip"
    assert "reads memory that nothing has written" in verdict.detail or "disagrees with itself" in verdict.detail


def test_number_of_a_deterministic_algorithm_is_not_of_fresh_memory() -> None:
    def rounded(a: torch.Tensor) -> torch.Tensor:
        return a.bfloat16().float() if torch.are_deterministic_algorithms_enabled() else a + 0

    assert _examined(rounded).outcome == "pass"
    verdict = _examined(lambda a: rounded(a) + torch.empty(4).mul(0))
    assert verdict.outcome == "skip"
    assert "nothing has written" in verdict.detail or "disagrees with itself" in verdict.detail


def test_memory_that_is_written_before_it_is_read_is_defined() -> None:
    assert _examined(lambda a: torch.empty_like(a).copy_(a) + 1).outcome == "pass"


_COUNTER = itertools.count()


def _counted(a: torch.Tensor) -> torch.Tensor:
    return a + next(_COUNTER)


def test_program_whose_eager_run_is_never_the_same_is_rejected() -> None:
    assert "disagrees with itself" in _examined(_counted).detail


def test_what_a_module_does_when_it_is_first_imported_is_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("import os, random, numpy", "os.environ['SET'] = 'once'", "random.random()", "numpy.random.rand()")
    (tmp_path / "imported_once.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)

    def program(a: torch.Tensor) -> torch.Tensor:
        importlib.import_module("imported_once")
        # A number that is left aside is none the less.
        return torch.where(a > 9, (a / 0).long(), 2)

    verdict = _examined(program)
    assert (verdict.outcome, verdict.divergences) == ("pass", []), verdict.detail
    assert "imported_once" in sys.modules


def test_variable_that_a_compiled_program_alone_sets_is_compared() -> None:
    def compiled(program: Callable[..., Any], options: CompileOptions, counter: CompileCounter) -> Callable[..., Any]:
        def call(a: torch.Tensor) -> Any:
            os.environ["SET_BY_A_BACKEND"] = "always"
            return program(a)

        counter.graphs += 1
        return call

    subject = Subject(ClauseProgram(lambda a: a + 1, ((tensor(4),),), Variant("no_grad")), CallOptions("no_grad"))
    verdict = examine(subject, Backend("mine", compiled, bitwise=True))
    assert [item.kind for item in verdict.divergences] == ["environment variable SET_BY_A_BACKEND left changed"]


def _with_a_tie(program: Callable[..., Any], wrong: Callable[[Any], Any]) -> tuple[str, list[str]]:
    """What comes of a candidate that returns what ``wrong`` makes of the outputs."""

    def compiled(program: Callable[..., Any], options: CompileOptions, counter: CompileCounter) -> Callable[..., Any]:
        counter.graphs += 1
        return lambda *args: wrong(program(*args))

    specs = (tensor(4, values=[2.0, 1.0, 2.0, 0.0]), tensor(4))
    subject = Subject(ClauseProgram(program, (specs,), Variant("no_grad")), CallOptions("no_grad"))
    verdict = examine(subject, Backend("mine", compiled, bitwise=True))
    return verdict.outcome, [item.where for item in verdict.divergences]


def _reversed(out: Any) -> Any:
    """Of two equal numbers the other one."""
    (values, _), other = out
    return torch.return_types.sort((values, torch.tensor([3, 1, 2, 0]))), other


def _zeros(out: Any) -> Any:
    return out[0], torch.zeros_like(out[1])


@pytest.mark.parametrize(
    ("stable", "wrong", "outcome", "where"),
    [
        (False, _reversed, "skip", []),
        (True, _reversed, "fail", ["out[0][1]"]),
        (False, _zeros, "fail", ["out[1]"]),
        (True, _zeros, "fail", ["out[1]"]),
        (False, lambda out: _zeros(_reversed(out)), "fail", ["out[1]"]),
        (False, lambda out: out, "pass", []),
    ],
)
def test_tie_excuses_what_another_pick_moves_and_nothing_else(
    stable: bool, wrong: Callable[[Any], Any], outcome: str, where: list[str]
) -> None:
    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        return torch.sort(a, stable=stable), b.sin()

    assert _with_a_tie(program, wrong) == (outcome, where)
