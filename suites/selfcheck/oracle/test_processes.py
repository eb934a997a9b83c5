"""Cells in children: what is told of a child that dies or loses its device, and what is made again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from suites.harness.execution.isolation import Crashed, TimedOut
from suites.harness.execution.kernel_queue import KernelQueue
from suites.harness.session import processes
from suites.harness.session.processes import Answer, CellProcesses, Room


@pytest.fixture(autouse=True)
def _cells_of_torchs_own_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of the module itself: the run that this test is part of asks it, too."""
    described = SimpleNamespace(describe=lambda item: SimpleNamespace(backend="inductor"), is_cell=lambda item: True)
    monkeypatch.setattr(processes, "cells", described)


def item_named(name: str) -> Any:
    return SimpleNamespace(nodeid=name)


def reports(run: Any, *, apart: bool) -> tuple[list[dict[str, Any]], Any]:
    item = item_named("a cell")
    children = CellProcesses(run, limit=30.0, apart=lambda item: apart)
    children.collected([item])
    try:
        return children.reports(item)
    finally:
        children.end()


def told(isolated: bool) -> list[dict[str, Any]]:
    return [{"isolated": isolated, "process": os.getpid()}]


@pytest.mark.parametrize("apart", [True, False])
def test_cell_that_loses_its_device_is_made_again_isolated_and_told(apart: bool) -> None:
    def run(item: pytest.Item, isolated: bool) -> Answer:
        return told(isolated), isolated

    found, ended = reports(run, apart=apart)
    assert [each["isolated"] for each in found] == [True]
    assert ended == Crashed("lost its device", "")


@pytest.mark.parametrize("there_at", [2, None])
def test_device_that_no_process_gets_to_ends_the_run(
    there_at: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process that is asked says so, unless one comes to it later: then the cell is told as any other is."""
    monkeypatch.setattr(processes, "PAUSES", (0.0, 0.0))

    def gone() -> str:
        looks = tmp_path / "looks"
        with looks.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return "" if len(looks.read_text().splitlines()) == there_at else "No CUDA GPUs are available"

    children = CellProcesses(lambda item, isolated: (told(isolated), False), limit=30.0, gone=gone)
    item = item_named("a cell")
    children.collected([item])
    if there_at:
        assert children.reports(item)[1] == Crashed("lost its device", "")
    else:
        with pytest.raises(processes.DeviceGone, match=r"^the device is gone: No CUDA GPUs are available$"):
            children.reports(item)
    children.end()
    looked = (tmp_path / "looks").read_text().split()
    assert len(looked) == len(set(looked)) == (there_at or 3)


@pytest.mark.parametrize("apart", [True, False])
def test_cell_that_dies_is_made_again_isolated(apart: bool, tmp_path: Path) -> None:
    def run(item: pytest.Item, isolated: bool) -> Answer:
        if not isolated:
            os.abort()
        return told(isolated), True

    found, ended = reports(run, apart=apart)
    assert [each["isolated"] for each in found] == [True]
    assert isinstance(ended, Crashed)
    assert ended.how == "SIGABRT"


def test_cells_share_a_child_unless_they_are_apart() -> None:
    def run(item: pytest.Item, isolated: bool) -> Answer:
        return told(isolated), True

    ids = ["a", "b", "c", "apart 1", "apart 2"]
    items = [item_named(each) for each in ids]
    children = CellProcesses(run, limit=30.0, apart=lambda item: item.nodeid.startswith("apart"))
    children.collected(items)
    ran_in = [children.reports(item)[0][0]["process"] for item in items]
    children.end()
    assert len(set(ran_in[:3])) == 1
    assert len(set(ran_in)) == 3
    assert os.getpid() not in ran_in


@pytest.fixture
def in_turn() -> Any:
    """Run cells of these names in turn, with so much room; what each came to, and the processes, which have ended."""

    def run(names: Sequence[str], answer: Any, room: Room, limit: float = 30.0) -> dict[str, Any]:
        items = [item_named(name) for name in names]
        children = CellProcesses(answer, limit, room=room, crowds=lambda item: item.nodeid.startswith("crowds"))
        children.collected(items, in_turn=True)
        try:
            return {item.nodeid: children.reports(item) for item in items}
        finally:
            children.end()

    return run


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def test_cells_run_beside_each_other_and_are_told_in_their_turn(tmp_path: Path, in_turn: Any) -> None:
    """Each of two waits for the other, and the third for one of them to have ended."""

    def run(item: pytest.Item, isolated: bool) -> Answer:
        (tmp_path / item.nodeid).touch()
        if item.nodeid == "c":
            assert (tmp_path / "b.ended").exists()
        else:
            _until(lambda: (tmp_path / ("b" if item.nodeid == "a" else "a")).exists())
        if item.nodeid == "a":
            _until(lambda: (tmp_path / "c").exists())
        (tmp_path / f"{item.nodeid}.ended").touch()
        return [{"cell": item.nodeid, "process": os.getpid()}], True

    came = in_turn("abc", run, Room(2))
    assert {name: found[0]["cell"] for name, (found, ended) in came.items()} == {name: name for name in "abc"}
    assert [ended for _, ended in came.values()] == [None] * 3
    ran_in = {name: found[0]["process"] for name, (found, _) in came.items()}
    assert ran_in["c"] == ran_in["b"] != ran_in["a"]


def test_cells_that_crowd_the_device_let_others_by(tmp_path: Path, in_turn: Any) -> None:
    """One of them runs at a time; meanwhile those that come later do, and each is told in its turn all the same."""

    def run(item: pytest.Item, isolated: bool) -> Answer:
        crowding = tmp_path / "crowding"
        if item.nodeid.startswith("crowds"):
            crowding.touch(exist_ok=False)
            if item.nodeid == "crowds 1":
                _until(lambda: (tmp_path / "b").exists())
            crowding.unlink()
        (tmp_path / item.nodeid).touch()
        return [{"before": sorted(path.name for path in tmp_path.iterdir())}], True

    came = in_turn(["crowds 1", "crowds 2", "crowds 3", "a", "b"], run, Room(3, crowding=1))
    assert [ended for _, ended in came.values()] == [None] * 5
    assert {"a", "b"} <= set(came["crowds 1"][0][0]["before"])


def test_cell_that_dies_and_one_that_hangs_end_no_other(in_turn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "GRACE_SECONDS", 1.0)

    def run(item: pytest.Item, isolated: bool) -> Answer:
        if item.nodeid == "hangs":
            time.sleep(60.0)
        if item.nodeid == "dies":
            os.abort()
        time.sleep(0.2)
        return [{"cell": item.nodeid}], True

    came = in_turn(["hangs", "dies", "a", "b"], run, Room(3), 1.0)
    assert [came[name] for name in "ab"] == [([{"cell": name}], None) for name in "ab"]
    assert isinstance(came["hangs"][1], TimedOut)
    assert isinstance(came["dies"][1], Crashed)


def test_cells_of_a_backend_that_dies_again_and_again_are_isolated_from_the_start(tmp_path: Path) -> None:
    def run(item: pytest.Item, isolated: bool) -> Answer:
        dies = item.nodeid.startswith("dies")
        with (tmp_path / item.nodeid).open("a") as file:
            file.write("isolated " if isolated else "shared ")
        if dies and not isolated:
            os.abort()
        return [{"tells_of_a_death": dies}], True

    names = ["dies 1", "dies 2", "dies 3", "dies 4", "lives 1", "lives 2", "dies 5"]
    prepared: list[int] = []
    children = CellProcesses(run, limit=30.0, many_deaths=lambda: prepared.append(os.getpid()))
    children.collected([item_named(name) for name in names], in_turn=True)
    for name in names:
        children.reports(item_named(name))
    children.end()
    assert prepared == [os.getpid()]
    twice, once, shared = "shared isolated ", "isolated ", "shared "
    made = {name: (tmp_path / name).read_text() for name in names}
    assert made == dict(zip(names, [twice, twice, twice, once, once, shared, twice], strict=True))


@pytest.mark.parametrize(("waiting", "more"), [(0, False), (1, True)])
def test_cell_that_waits_for_a_kernel_makes_room_for_another(tmp_path: Path, waiting: int, more: bool) -> None:
    room = Room(2, 3, KernelQueue(tmp_path, cores=2))
    for number in range(waiting):
        (tmp_path / f"{number}-{os.getpid()}-0.order").touch()
    assert room.has_more(1)
    assert room.has_more(2) is more
    assert not room.has_more(3), "only as many as wait"
    assert not Room(2, 3).has_more(2), "where no kernels are ordered nobody waits"


def test_no_more_cells_are_begun_than_there_is_memory_for(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}-{os.getpid() if number % 2 else os.getppid()}-0.order").touch()
    room = Room(2, 3, KernelQueue(tmp_path, cores=2))
    assert room.most == 5
    assert not room.has_more(5)
