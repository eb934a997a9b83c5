"""Worker pools: work that ends its worker costs that piece alone; kernels built together are as if built alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from suites.fuzz.campaigns import worker_pool
from suites.fuzz.campaigns.worker_pool import Gone, WorkerPool, width_for
from suites.fuzz.judging import Judgement, judge
from suites.harness.execution.isolation import Raised
from suites.harness.execution.kernels import build_together
from suites.harness.torch_internals import CppBuild
from tools import forking

PROGRAM = """
import torch


def program(a):
    return (a.sin() * {number} + {number}.5).sum(0)


def inputs():
    return (torch.randn(5, 7),)
"""


def _work(task: int) -> int:
    if task == 3:
        os._exit(5)
    if task == 5:
        raise ValueError("five")
    if task == 7:
        time.sleep(60)
    return task * task


@pytest.mark.parametrize("width", [1, 3])
def test_every_task_comes_back_once(width: int) -> None:
    with WorkerPool(_work, 4.0, width) as pool:
        came = dict(pool.run(range(10)))
    assert isinstance(came.pop(3), Gone)
    assert isinstance(came.pop(7), Gone)
    raised = came.pop(5)
    assert isinstance(raised, Raised)
    assert "ValueError: five" in raised.message
    assert came == {task: task * task for task in (0, 1, 2, 4, 6, 8, 9)}


def test_pool_is_used_again_and_left_in_the_middle() -> None:
    with WorkerPool(_work, 4.0, 2) as pool:
        assert next(pool.run([2, 1]))[1] in (4, 1)
        assert sorted(task for task, _ in pool.run([8, 9])) == [8, 9]


def test_worker_makes_room_for_a_fresh_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "WORK_A_WORKER", 4)
    pool: WorkerPool[int, int] = WorkerPool(lambda task: os.getpid(), 10.0)
    with pool:
        processes = [process for _, process in pool.run(range(10))]
    assert len(set(map(str, processes))) == 3
    assert str(os.getpid()) not in set(map(str, processes))


def test_kernels_of_several_programs_are_built_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a pool judges is what each program comes to alone, and the compiler ran for several at once."""
    forking.prime(forking.backends(["inductor"]))
    built: list[int] = []

    def build(builds: list[CppBuild]) -> int:
        built.append(build_together(builds))
        return built[-1]

    monkeypatch.setattr(worker_pool, "build_together", build)
    assert width_for("inductor") > 1
    assert width_for("aot_eager") == 1
    texts = [PROGRAM.format(number=number) for number in range(3)]
    texts.append(texts[0].replace(".sum(0)", ".sum(0).index_copy_(0, torch.tensor([0]), torch.randn(1))"))
    pool: WorkerPool[str, Judgement] = WorkerPool(lambda text: judge(text, "inductor"), 120.0, 4)
    with pool:
        came = dict(pool.run(texts))
    assert all(isinstance(judgement, Judgement) for judgement in came.values())
    assert [came[text].outcome for text in texts[:3]] == ["pass"] * 3  # type: ignore[union-attr]
    assert max(built) >= 3


def test_what_does_not_compile_is_left_to_its_program(tmp_path: Path) -> None:
    entry = "PyMODINIT_FUNC PyInit_kernel(void) { return nullptr; }"
    builds = []
    for number, text in enumerate([f"#include <Python.h>\n{entry}", f"#include <Python.h>\nnonsense\n{entry}"]):
        source, target = tmp_path / f"{number}.cpp", tmp_path / f"{number}.so"
        source.write_text(text)
        builds.append(CppBuild(f"g++ {source} -shared -fPIC -o {target}", str(source), str(target)))
    assert build_together(builds) == 0
    assert build_together(builds[:1]) == 0, "one alone shares nothing"
    assert not list(tmp_path.glob("*.so*"))
