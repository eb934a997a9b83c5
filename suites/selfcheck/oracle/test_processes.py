"""Cells in children: what is told of a child that dies or loses its device, and what is made again."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from suites.harness.execution.isolation import Crashed
from suites.harness.session import cells
from suites.harness.session.processes import Answer, CellProcesses


@pytest.fixture(autouse=True)
def _of_torchs_own_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "describe", lambda item: SimpleNamespace(backend="inductor"))


def reports(run: Any, *, apart: bool) -> tuple[list[dict[str, Any]], Any]:
    item: Any = SimpleNamespace(nodeid="a cell")
    children = CellProcesses(run, limit=30.0)
    children.collected([item])
    try:
        return children.reports(item, apart=apart)
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

    item: Any = SimpleNamespace(nodeid="a cell")
    children = CellProcesses(run, limit=30.0)
    children.collected([item])
    together = {children.reports(item, apart=False)[0][0]["process"] for _ in range(3)}
    apart = {children.reports(item, apart=True)[0][0]["process"] for _ in range(2)}
    children.end()
    assert len(together) == 1
    assert len(apart | together) == 3
    assert os.getpid() not in apart | together
