"""Workers that wait for kernels: orders gather while others keep the cores busy, and none is lost with its worker."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from suites.harness.execution import kernel_queue
from suites.harness.execution.isolation import Crashed, Finished, Forked
from suites.harness.execution.kernel_queue import KernelQueue
from suites.harness.execution.kernels import Built
from suites.harness.torch_internals import CppBuild


def _build(folder: Path, name: str) -> CppBuild:
    return CppBuild("a command", str(folder / f"{name}.cpp"), str(folder / f"{name}.so"))


def _build_all(builds: Sequence[CppBuild], *, built: Built) -> int:
    """A compiler that takes its time, half a second a kernel as it says, and tells how many were built together."""
    time.sleep(0.1)
    built(builds, 0.5 * len(builds))
    for build in builds:
        Path(build.target).write_text(str(len(builds)))
    return len(builds)


def _build_none(builds: Sequence[CppBuild], *, built: Built) -> int:
    return 0


def _workers(folder: Path, queue: KernelQueue, count: int) -> list[Forked]:
    """Processes that order a kernel each, the lowest number first, and tell what they owe if it came, or else None.

    All orders are there before any is taken: until then this process and its parent are at work, too.
    """

    def work(number: int) -> float | None:
        queue.occupy(1)
        build = _build(folder, str(number))
        queue.order(build, f"{number}-{os.getpid()}-0")
        queue.occupy(0)
        return queue.owed if Path(build.target).exists() else None

    queue.occupy(1)
    other = queue.folder / f"{os.getppid()}-0.at-work"
    other.touch()
    workers = []
    for number in range(count):
        workers.append(Forked(functools.partial(work, number)))
        while len(list(queue.folder.glob(f"{number}-*"))) == 0:
            time.sleep(0.01)
    time.sleep(0.2)
    assert len(list(queue.folder.glob("*.order"))) == count, "two are at work and order nothing: the core stays busy"
    other.unlink()
    queue.occupy(0)
    return workers


def _came(workers: Sequence[Forked]) -> list[object]:
    """What each worker tells; what ended it, if it died."""
    came: list[object] = []
    for worker in workers:
        with worker:
            outcome = worker.outcome(time.monotonic() + 30.0)
            came.append(outcome.value if isinstance(outcome, Finished) else outcome)
    return came


@pytest.fixture
def queue(tmp_path: Path) -> KernelQueue:
    folder = tmp_path / "orders"
    folder.mkdir()
    return KernelQueue(folder, cores=1)


def _left(queue: KernelQueue) -> list[str]:
    return [path.name for path in queue.folder.iterdir() if not path.name.endswith(".at-work")]


def test_orders_gather_until_a_core_would_idle(
    tmp_path: Path, queue: KernelQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_queue, "build_together", _build_all)
    monkeypatch.setattr(kernel_queue, "_PATIENCE", 60.0)
    # The first builds for all, and each owes it a quarter.
    assert _came(_workers(tmp_path, queue, 4)) == [-1.5, 0.5, 0.5, 0.5]
    assert [(tmp_path / f"{number}.so").read_text() for number in range(4)] == ["4"] * 4
    assert _left(queue) == []


def test_order_that_comes_alone_waits_for_those_that_a_compiler_will_set_free(queue: KernelQueue) -> None:
    queue.cores = 2
    for name in ("1", "2"):
        (queue.folder / f"{name}-{os.getpid()}-0.{os.getppid()}.taken").touch()
    assert queue._share(1) == 0
    assert queue._share(2) == 2, "two are company for each other"
    (queue.folder / f"2-{os.getpid()}-0.{os.getppid()}.taken").unlink()
    for busy in (os.getpid(), os.getppid()):
        (queue.folder / f"{busy}-0.at-work").touch()
    assert queue._share(1) == 1, "that compiler sets nobody else free"


def test_cores_that_idle_share_the_orders(queue: KernelQueue) -> None:
    queue.cores = 4
    assert queue._share(6) == 2, "all four cores build"
    assert queue._share(3) == 1
    assert queue._share(200) == 20
    (queue.folder / f"1-{os.getpid()}-0.{os.getppid()}.taken").touch()
    (queue.folder / f"2-{os.getpid()}-0.{os.getppid()}.taken").touch()
    assert queue._share(1) == 1, "cores are to spare: it waits for nobody's company"


def test_what_is_not_built_together_is_left_to_inductor(
    tmp_path: Path, queue: KernelQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_queue, "build_together", _build_none)
    assert _came(_workers(tmp_path, queue, 3)) == [None] * 3
    assert _left(queue) == []


def test_patience_ends_where_others_only_seem_busy(
    tmp_path: Path, queue: KernelQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_queue, "build_together", _build_all)
    monkeypatch.setattr(kernel_queue, "_PATIENCE", 0.3)
    queue.occupy(1)
    for busy in (os.getppid(), 1):
        (queue.folder / f"{busy}-0.at-work").touch()
    started = time.monotonic()
    queue.order(_build(tmp_path, "alone"), f"1-{os.getpid()}-0")
    assert time.monotonic() - started > 0.3
    assert (tmp_path / "alone.so").read_text() == "1"


def test_cell_that_has_waited_for_long_waits_no_more(
    tmp_path: Path, queue: KernelQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for company nor for those who came before, whose kernels are built with its own."""
    monkeypatch.setattr(kernel_queue, "build_together", _build_all)
    monkeypatch.setattr(kernel_queue, "_PATIENCE", 60.0)
    monkeypatch.setattr(kernel_queue, "_PATIENCE_OF_A_CELL", 60.0)
    for busy in (os.getppid(), 1):
        (queue.folder / f"{busy}-0.at-work").touch()
    earlier = json.dumps(dataclasses.asdict(_build(tmp_path, "earlier")))
    (queue.folder / f"0-{os.getppid()}-0.order").write_text(earlier)
    queue.waited = 59.9
    queue.order(_build(tmp_path, "late"), f"1-{os.getpid()}-0")
    assert [(tmp_path / f"{name}.so").read_text() for name in ("earlier", "late")] == ["2", "2"]
    assert queue.waited > 60.0


def test_what_a_dead_worker_had_taken_is_given_up(
    tmp_path: Path, queue: KernelQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_queue, "build_together", lambda builds, built: os._exit(3))
    dead, other = _came(_workers(tmp_path, queue, 2))
    assert isinstance(dead, Crashed)
    assert other is None


def test_what_a_dead_worker_had_ordered_holds_nobody_up(
    tmp_path: Path, queue: KernelQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it count as one that is at work."""
    monkeypatch.setattr(kernel_queue, "build_together", _build_all)
    monkeypatch.setattr(kernel_queue, "_PATIENCE", 60.0)

    def dies() -> None:
        queue.occupy(1)
        order = json.dumps(dataclasses.asdict(_build(tmp_path, "unwanted")))
        (queue.folder / f"0-{os.getpid()}-0.order").write_text(order)
        os._exit(3)

    with Forked(dies) as dead:
        dead.outcome(time.monotonic() + 30.0)
    queue.occupy(1)
    build = _build(tmp_path, "wanted")
    queue.order(build, f"1-{os.getpid()}-0")
    assert Path(build.target).exists()
