"""Ends a run that cannot begin, with one line: xdist would start other workers in a worker's place for hours."""

from __future__ import annotations

from typing import Any

import pytest

from suites.harness.execution import deaths
from suites.harness.session.processes import DeviceGone

#: Workers in a row that may die before they have collected, in a run that has begun: memory may be short for a while.
_PATIENCE = 3


class Starting:
    """Watches workers from their start to the end of collection. Ends the run by ``pytest.exit``, with exit code 2."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._failed = 0

    def pytest_xdist_node_collection_finished(self, node: Any) -> None:
        """This worker can run cells."""
        self._begun.add(node.gateway.id)
        self._failed = 0

    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """A worker has gone; ``error`` is the text of what ended it, or says that nothing is known."""
        if not error or node.gateway.id in self._begun:
            return
        self._failed += 1
        if not self._begun or self._failed >= _PATIENCE:
            why = _last_line(error) if "Traceback" in str(error) else deaths.of_worker(node.gateway)
            pytest.exit(f"worker {node.gateway.id} cannot start: {why}", returncode=2)

    @pytest.hookimpl(trylast=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """What could not be collected has no cells, and what a worker could not collect, no other can."""
        if report.failed:
            lines = [line.removeprefix("E").strip() for line in str(report.longrepr).splitlines() if line[:2] == "E "]
            pytest.exit(f"collecting {report.nodeid} failed: {(lines or [_last_line(report.longrepr)])[-1]}", 2)

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """xdist hands on a worker's own failure as one of its own, and goes on."""
        if excinfo.traceback[-1].name == "worker_internal_error":
            line = _last_line(excinfo.value).removeprefix("INTERNALERROR> ")
            _, gone, why = line.rpartition(f"{DeviceGone.__name__}: ")
            pytest.exit(why if gone else f"a worker failed: {line}", returncode=3 if gone else 2)


def _last_line(text: object) -> str:
    # xdist hands a worker's error on by an assertion of its own, whose last line pytest adds.
    lines = [line.strip() for line in str(text).splitlines() if line.strip() not in ("", "assert False")]
    return (lines or ["no reason is known"])[-1]
