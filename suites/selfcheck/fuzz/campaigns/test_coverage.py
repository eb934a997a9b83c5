"""Coverage of torch's modules: measured in forks, merged, and no more than what was run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from suites.fuzz.campaigns import coverage
from suites.fuzz.campaigns.coverage import (
    MODULES,
    NoCoverage,
    measure_importing,
    measured,
    merged,
    modules_of,
    overall,
)
from suites.fuzz.kinds import KINDS
from suites.harness.execution.isolation import Finished, run_forked

pytest.importorskip("coverage", reason="the extra dev brings it")

ONE = ("torch._library.infer_schema",)


def _written() -> None:
    def function(x: torch.Tensor) -> None:
        pass

    function.__annotations__.update(x=torch.Tensor)
    torch.library.infer_schema(function, mutates_args=("x",))


def _spelled() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return x

    function.__annotations__.update(x="torch.Tensor")
    torch.library.infer_schema(function, mutates_args=())


def test_forks_are_merged(tmp_path: Path) -> None:
    def run(work: Callable[[], None], folder: Path) -> None:
        def within() -> None:
            with measured(folder, ONE):
                work()

        assert isinstance(run_forked(within, 60), Finished)

    first, second, both = tmp_path / "first", tmp_path / "second", tmp_path / "both"
    for work, folder in ((_written, first), (_spelled, second)):
        run(work, folder)
        run(work, both)
    alone = [merged(folder, ONE)[0] for folder in (first, second)]
    together = merged(both, ONE)[0]
    assert together.branches == alone[0].branches > 50
    assert max(row.taken for row in alone) < together.taken <= sum(row.taken for row in alone)
    assert 0 < together.percent < 100
    assert together.missed


def test_importing_is_measured_once(tmp_path: Path) -> None:
    """It reaches what no program does: torch makes operators of its own while it is imported."""
    measure_importing(tmp_path, ONE)
    (row,) = merged(tmp_path, ONE)
    assert 0 < row.taken < row.branches
    (data,) = tmp_path.iterdir()
    written = data.stat().st_mtime_ns
    measure_importing(tmp_path, ONE)
    assert data.stat().st_mtime_ns == written


def test_nothing_measured_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(NoCoverage, match="nothing was measured"):
        merged(tmp_path, ONE)


def test_missing_package_is_said_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "coverage", None)
    with pytest.raises(NoCoverage, match="pip install coverage"), measured(tmp_path, ONE):
        pass


def test_every_kind_is_measured_on_something() -> None:
    assert {modules_of(kind) for kind in KINDS} == set(MODULES.values())


def test_importing_that_fails_is_said_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "_IMPORTS", "raise SystemError('no such thing')")
    with pytest.raises(NoCoverage, match="cannot be measured: SystemError: no such thing"):
        measure_importing(tmp_path, ONE)


def test_every_module_is_one_of_torch() -> None:
    for modules in MODULES.values():
        assert set(coverage.files(modules)) == set(modules)
    rows = [coverage.Reached("a", 10, 5), coverage.Reached("b", 30, 5)]
    assert overall(rows).percent == 25
