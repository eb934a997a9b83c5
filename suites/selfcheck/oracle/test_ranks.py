"""Programs on several ranks: what comes back, who is named when a rank dies or hangs, and what is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.distributed.tensor
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard

from suites.distributed.models import everyone
from suites.harness import tensor, torch_internals
from suites.harness.backends.backend import CompileOptions
from suites.harness.backends.registry import resolve
from suites.harness.execution import accelerations
from suites.harness.execution.isolation import Crashed, Finished, Raised, TimedOut
from suites.harness.execution.ranks import examine_on_ranks, on_ranks, run_on_ranks, why_not
from suites.harness.observation.observe import CallOptions
from suites.harness.oracle.examine import Examination
from suites.harness.oracle.runs import ProgramError, Subject
from suites.harness.programs.clause_programs import ClauseProgram
from suites.harness.programs.specs import Variant
from suites.selfcheck.leftovers import gone
from suites.selfcheck.mutants import HONEST, PACKAGE
from suites.selfcheck.mutants.ranks import is_rank_one

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


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _hang() -> None:
    time.sleep(600)


ENDINGS = pytest.mark.parametrize("ending", [_fail, _die, _hang])


@ENDINGS
def test_nothing_that_a_rank_has_started_is_left_behind(tmp_path: Path, ending: Callable[[], Any]) -> None:
    def start_and_end() -> None:
        started = subprocess.Popen(["sleep", "600"])
        (tmp_path / str(dist.get_rank())).write_text(str(started.pid))
        dist.barrier()  # Where one has ended the other is stopped, whether it has started anything or not.
        ending()

    run_on_ranks(start_and_end, 2, 6)
    for rank in ("0", "1"):
        assert gone(int((tmp_path / rank).read_text()))


@ENDINGS
def test_next_run_is_right(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ending: Callable[[], Any]) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run_on_ranks(_after(1, ending), 2, 4)
    assert not list(tmp_path.iterdir()), "where the ranks met is gone"
    assert run_on_ranks(_sum_of_ranks, 2, 30) == (Finished(3.0), Finished(3.0))


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="sockets are listed on Linux alone")
@ENDINGS
def test_no_port_is_left_open(tmp_path: Path, ending: Callable[[], Any]) -> None:
    def note_and_end() -> None:
        _sum_of_ranks()
        (tmp_path / str(dist.get_rank())).write_text("\n".join(_own_sockets() & _tcp_sockets()))
        ending()

    run_on_ranks(note_and_end, 2, 6)
    noted = {line for rank in ("0", "1") for line in (tmp_path / rank).read_text().split()}
    assert noted, "gloo listens for the other ranks"
    assert not noted & _tcp_sockets()


def _own_sockets() -> set[str]:
    """The numbers of this process's sockets."""
    links = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            links.append(os.readlink(descriptor))
    return {link[len("socket:[") : -1] for link in links if link.startswith("socket:[")}


def _tcp_sockets() -> set[str]:
    """The numbers of the TCP sockets of this machine that some process has."""
    tables = [Path("/proc/self/net") / name for name in ("tcp", "tcp6")]
    lines = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    return {line[9] for line in lines} - {"0"}


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


def rank_one_raises(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    """Rank 1 raises before it comes to the collective; rank 0 waits for it."""
    return _refuse if is_rank_one() else module.forward


def rank_one_does_not_compile(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    """Rank 1 cannot compile its graph; rank 0 waits for it."""
    return _refuse() if is_rank_one() else module.forward


def rank_one_sends_nothing(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    """Rank 1 compiles a graph without the collective of rank 0's."""
    return _without_collective if is_rank_one() else module.forward


def rank_one_gathers(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    """Rank 1 compiles a graph with another collective, of another size, than rank 0's."""
    return _with_another_collective if is_rank_one() else module.forward


def _refuse(*args: Any) -> Any:
    raise ValueError("no kernel for this sum")


def _without_collective(*args: Any) -> Any:
    return (next(arg for arg in args if isinstance(arg, torch.Tensor)) * 2,)


def _with_another_collective(*args: Any) -> Any:
    given = next(arg for arg in args if isinstance(arg, torch.Tensor))
    return (collectives.all_gather_tensor(torch.cat([given] * 50), 0, everyone())[:3] + 1,)


@pytest.mark.parametrize("backend", ["rank_one_raises", "rank_one_does_not_compile"])
def test_rank_that_raises_fails_its_cell_with_its_words(backend: str) -> None:
    verdict = _examine(f"{__name__}:{backend}", 20)
    assert verdict.outcome == "fail"
    assert verdict.detail.startswith("rank 1: error")
    assert "no kernel for this sum" in verdict.detail
    assert "rank 1" in verdict.divergences[0].where
    assert _examine(HONEST).outcome == "pass"


@pytest.mark.parametrize("backend", ["rank_one_sends_nothing", "rank_one_gathers"])
def test_ranks_that_compile_other_collectives_are_no_hang(backend: str) -> None:
    verdict = _examine(f"{__name__}:{backend}", 8)
    assert verdict.outcome == "fail", "the rank that waits in vain gives up by itself"
    assert not {"crash", "timeout"} & verdict.facets.keys()
    assert any("rank 0" in item.where for item in verdict.divergences)


def test_collectives_in_another_order_are_found() -> None:
    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        total = collectives.all_reduce(a * (dist.get_rank() + 1), "sum", everyone())
        other = collectives.all_reduce(a + 10, "sum", everyone())
        return total + 1, other + 1

    verdict = _examine(f"{PACKAGE}.ranks:exchanges_two_collectives", program=program)
    assert (verdict.outcome, verdict.facets["value"]) == ("fail", "differs")
    assert _examine(f"{PACKAGE}.ranks:exchanges_two_collectives").outcome == "pass", "one collective has no order"


@pytest.mark.parametrize("kind", ["sum", "list of sums", "rows"])
def test_lost_wait_is_found(kind: str) -> None:
    def program(a: torch.Tensor) -> torch.Tensor:
        mine = a * (dist.get_rank() + 1)
        if kind == "sum":
            return collectives.all_reduce(mine, "sum", everyone()) + 1
        if kind == "rows":
            return collectives.wait_tensor(collectives.all_gather_tensor(mine, 0, everyone())) + 1
        return collectives.all_reduce_coalesced([a, mine], "sum", everyone())[1] + 1

    verdict = _examine(f"{PACKAGE}.ranks:loses_a_wait", program=program)
    assert (verdict.outcome, verdict.facets["value"]) == ("fail", "differs")


def test_lost_wait_leaves_a_program_without_collectives_alone() -> None:
    assert _examine(f"{PACKAGE}.ranks:loses_a_wait", program=lambda a: a * 2).outcome == "pass"


def test_collectives_beside_products_are_told_of_all_ranks() -> None:
    def compiled() -> str | None:
        a = torch.ones(2, 2)
        with torch_internals.compiler_settings(torch_internals.MICRO_PIPELINED):
            torch.compile(lambda a: collectives.all_gather_tensor(a, 0, everyone()) @ a, fullgraph=True)(a)
        return os.environ.get("TORCH_SYMM_MEM_DISABLE_MULTICAST")

    with torch_internals.collectives_after_micro_pipelining() as found:
        assert found() == set()
        assert run_on_ranks(compiled, 2, 120) == (Finished("1"), Finished("1"))
        assert found() == {"all_gather_into_tensor"}, "without memory that ranks share nothing is fused"


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


# Runs that share their processes --------------------------------------------------------------------------------------


@pytest.fixture
def sharing(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Sets whether eager's runs share their processes."""
    on = accelerations.on

    def set_to(shared: bool) -> None:
        monkeypatch.setattr(accelerations, "on", lambda way: shared if way == accelerations.RANKS else on(way))

    return set_to


_calls: list[int] = []


def _sums_what_nobody_wrote(a: torch.Tensor) -> torch.Tensor:
    return collectives.all_reduce(torch.empty_like(a), "sum", everyone()) + a


def _counts_in_its_process(a: torch.Tensor) -> torch.Tensor:
    _calls.append(1)
    return collectives.all_reduce(a * len(_calls), "sum", everyone()) + 1


def _draws_over_a_mesh(a: torch.Tensor) -> torch.Tensor:
    mesh = init_device_mesh(a.device.type, (dist.get_world_size(),))
    drawn = torch.distributed.tensor.rand(4, 3, device_mesh=mesh, placements=[Shard(0)])
    return torch.as_tensor(drawn.to_local()) + a


def _raises_on_rank_one(a: torch.Tensor) -> torch.Tensor:
    if dist.get_rank() == 1:
        raise ValueError("not here")
    return collectives.all_reduce(a, "sum", everyone()) + 1


@pytest.mark.parametrize("program", [_program, _sums_what_nobody_wrote, _counts_in_its_process, _draws_over_a_mesh])
@pytest.mark.parametrize("backend", ["eager", f"{PACKAGE}.ranks:wrong_on_rank_one"])
def test_verdict_is_the_same_whether_runs_share_processes(
    sharing: Callable[[bool], None], program: Callable[..., Any], backend: str
) -> None:
    verdicts = []
    for shared in (False, True):
        sharing(shared)
        _calls.clear()
        verdict = _examine(backend, program=program)
        verdicts.append((verdict.outcome, verdict.facets, verdict.detail, verdict.divergences, verdict.counter.graphs))
    assert verdicts[0] == verdicts[1]


def test_rank_that_raises_in_eager_too_is_the_same_when_runs_share_processes(sharing: Callable[[bool], None]) -> None:
    verdicts = []
    for shared in (False, True):
        sharing(shared)
        verdicts.append(_examine("eager", 8, _raises_on_rank_one).outcome)
    assert verdicts[0] == verdicts[1]


def test_eagers_runs_take_one_process_group_and_a_compiled_run_its_own(
    sharing: Callable[[bool], None], tmp_path: Path
) -> None:
    def program(a: torch.Tensor) -> torch.Tensor:
        (tmp_path / str(os.getpid())).touch()
        return _program(a)

    groups = []
    for shared in (False, True):
        sharing(shared)
        assert _examine(HONEST, program=program).outcome == "pass"
        groups.append(len(list(tmp_path.iterdir())) // 2)
        for path in tmp_path.iterdir():
            path.unlink()
    assert groups == [3, 2]
