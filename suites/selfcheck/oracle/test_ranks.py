"""Programs on several ranks: what comes back, who is named when a rank dies or hangs, and what is left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist

from suites.distributed.models import everyone
from suites.harness import tensor, torch_internals
from suites.harness.backends.backend import CompileOptions
from suites.harness.backends.registry import resolve
from suites.harness.execution.isolation import Crashed, Finished, Raised, TimedOut
from suites.harness.execution.ranks import examine_on_ranks, on_ranks, run_on_ranks, why_not
from suites.harness.observation.observe import CallOptions
from suites.harness.oracle.examine import Examination
from suites.harness.oracle.runs import ProgramError, Subject
from suites.harness.programs.clause_programs import ClauseProgram
from suites.harness.programs.specs import Variant
from suites.selfcheck.mutants import HONEST, PACKAGE

collectives = torch_internals.functional_collectives()


def _sum_of_ranks() -> float:
    total = torch.tensor(float(dist.get_rank() + 1))
    dist.all_reduce(total)
    return float(total)


def test_ranks_need_a_gpu_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert why_not(4, "cpu") is None
    assert why_not(2, "cuda") == "it needs 2 GPUs, a rank each, and this machine has 1"


def test_value_of_each_rank_comes_back() -> None:
    outcomes = run_on_ranks(lambda: (dist.get_rank(), _sum_of_ranks()), 3, 30)
    assert outcomes == (Finished((0, 6.0)), Finished((1, 6.0)), Finished((2, 6.0)))


def _after(rank: int, step: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> float:
        if dist.get_rank() == rank:
            step()
        return _sum_of_ranks()

    return run


def _fail() -> None:
    raise ValueError("no such data")


def test_rank_that_dies_ends_the_run_at_once() -> None:
    started = time.monotonic()
    outcomes = run_on_ranks(_after(1, lambda: os.kill(os.getpid(), signal.SIGSEGV)), 2, 60)
    assert time.monotonic() - started < 30
    assert isinstance(outcomes[1], Crashed)
    assert outcomes[1].how == "SIGSEGV"
    assert not isinstance(outcomes[0], Finished)


def test_rank_that_raises_ends_the_run_at_once() -> None:
    started = time.monotonic()
    outcomes = run_on_ranks(_after(0, _fail), 2, 60)
    assert time.monotonic() - started < 30
    assert isinstance(outcomes[0], Raised)
    assert outcomes[0].message == "ValueError: no such data"


def test_rank_that_hangs_is_the_one_that_times_out() -> None:
    outcomes = run_on_ranks(_after(1, lambda: time.sleep(600)), 2, 4)
    assert isinstance(outcomes[1], TimedOut)
    assert isinstance(outcomes[0], Raised), "rank 0 gave up waiting before the run was over"


def test_no_rank_is_left_behind(tmp_path: Path) -> None:
    def note_and_hang() -> None:
        (tmp_path / str(dist.get_rank())).write_text(str(os.getpid()))
        time.sleep(600)

    run_on_ranks(note_and_hang, 2, 4)
    for rank in ("0", "1"):
        process = int((tmp_path / rank).read_text())
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


# Examinations --------------------------------------------------------------------------------------------------------


def _program(a: torch.Tensor) -> torch.Tensor:
    return collectives.all_reduce(a * (dist.get_rank() + 1), "sum", everyone()) + 1


def _examine(backend: str, seconds: float = 60, program: Callable[..., Any] = _program, **options: Any) -> Examination:
    subject = Subject(
        ClauseProgram(program, ((tensor(3),), (tensor(3),)), Variant("no_grad")),
        CallOptions("no_grad"),
        CompileOptions(),
        **options,
    )
    return examine_on_ranks(subject, resolve(backend), on_ranks(subject, 2, seconds), 2)


def test_honest_twin_passes() -> None:
    verdict = _examine(HONEST)
    assert (verdict.outcome, verdict.counter.graphs) == ("pass", 1)


def test_difference_on_another_rank_is_found_and_its_rank_named() -> None:
    verdict = _examine(f"{PACKAGE}.ranks:wrong_on_rank_one")
    assert (verdict.outcome, verdict.facets["value"]) == ("fail", "differs")
    assert [item.where for item in verdict.divergences] == ["rank 1: call 1: out"]
    assert verdict.detail.startswith("rank 1: value")


def test_rank_that_dies_fails_its_cell_and_is_named() -> None:
    started = time.monotonic()
    verdict = _examine(f"{PACKAGE}.process:rank_one_dies")
    assert time.monotonic() - started < 60
    assert verdict.outcome == "crash"
    assert [item.kind for item in verdict.divergences] == ["rank 1: SIGKILL"]


def test_rank_that_hangs_fails_its_cell_and_is_named() -> None:
    verdict = _examine(f"{PACKAGE}.process:rank_one_hangs", 8)
    assert verdict.outcome == "timeout"
    assert [item.kind for item in verdict.divergences] == ["rank 1: no result in time"]


def test_stale_parameters_are_found() -> None:
    def program(compile_part: Callable[[Any], Any], a: torch.Tensor) -> torch.Tensor:
        module = torch.nn.Linear(3, 3)
        compiled = compile_part(module)
        compiled(a)
        with torch.no_grad():
            module.weight.mul_(2)
        return torch.as_tensor(compiled(a)) * (dist.get_rank() + 1)

    verdict = _examine(f"{PACKAGE}.ranks:keeps_the_first_parameters", program=program, in_parts=True)
    assert (verdict.outcome, verdict.facets["value"]) == ("fail", "differs")


def test_inputs_that_cannot_be_built_are_one_line_with_the_rank() -> None:
    def build() -> torch.Tensor:
        raise ValueError("no such data")

    from suites.harness import built

    subject = Subject(ClauseProgram(_program, ((built(build),),), Variant("no_grad")), CallOptions("no_grad"))
    with pytest.raises(ProgramError, match=r"^rank 0: ValueError: no such data$"):
        examine_on_ranks(subject, resolve(HONEST), on_ranks(subject, 2, 30), 2)
