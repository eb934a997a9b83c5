"""What only the controller of workers does: tell them where to write, and see to it that each cell has a record."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suites.harness.execution import accelerations, deaths
from suites.harness.oracle.runs import Aborted
from suites.harness.results import ledger
from suites.harness.session import terminal
from suites.harness.session.cells import Description
from suites.harness.session.recording import Recorder
from suites.harness.session.scheduling import FirstOneAtATime


class Controller:
    """Tells workers where to write, records what crashed them, and in the end what has no record."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._planner: str | None = None
        self._kernels = tempfile.TemporaryDirectory(prefix="parity-kernels-", ignore_cleanup_errors=True)

    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker whose it is, where the ledger is, and where the kernels of several are ordered."""
        node.workerinput["controller"] = os.getpid()
        # One worker writes the plan; another does if that one dies before it has.
        if self._planner is None:
            self._planner = node.gateway.id
            node.workerinput["plans"] = True
        node.workerinput["ledger"] = str(self.recorder.ledger_path)
        if len(self.recorder.config.option.tx or ()) > 1 and accelerations.on(accelerations.TOGETHER):
            node.workerinput["kernels"] = self._kernels.name

    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> FirstOneAtATime | None:
        """What is to be told first is handed out first, where xdist's default distribution was asked for."""
        return FirstOneAtATime(config, log, self._first) if config.getvalue("dist") == "load" else None

    def _first(self) -> int:
        plans = (record for record in _written(self.recorder.ledger_path) if record["kind"] == "plan")
        return next((plan.get("first", 0) for plan in plans), 0)

    def pytest_testnodedown(self, node: Any) -> None:
        """A worker has gone."""
        if node.gateway.id == self._planner and not any(
            record["kind"] == "plan" for record in _written(self.recorder.ledger_path)
        ):
            self._planner = None

    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """The worker died in this cell: that is the cell's outcome. Its record says so, and the run goes on."""
        planned = self.planned.get(crashitem)
        if planned is None:
            return
        cell = recorded(self.recorder.ledger_path).get(planned.id)
        if cell is None:
            cell = planned.cell()
            lost = Aborted("crash", deaths.of_worker(report.node.gateway)).divergence(cell.backend)
            cell.divergences, cell.facets = [lost], {"crash": "differs"}
            cell.layer, cell.fingerprint = lost.layer, lost.fingerprint
            self.recorder.write(cell, "crash", f"the worker died: {lost.kind}", 0.0)
        report.when = "call"
        terminal.apply(report, self.recorder.judged(cell))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Give each planned cell that has no record one that says so; not where the user stopped the run."""
        stopped = exitstatus == pytest.ExitCode.INTERRUPTED or session.shouldfail or session.shouldstop
        if session.config.option.collectonly or stopped:
            return
        there = recorded(self.recorder.ledger_path)
        missing = [planned for planned in self.planned.values() if planned.id not in there]
        for planned in missing:
            self.recorder.write(planned.cell(), "error", ledger.NOT_RUN, 0.0)
        if missing and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @functools.cached_property
    def planned(self) -> dict[str, Description]:
        """pytest's name of each planned cell -> the cell: from the ledger, which has the plan before anything runs."""
        found: dict[str, Description] = {}
        clauses: dict[str, dict[str, Any]] = {}
        for record in _written(self.recorder.ledger_path):
            if record["kind"] == "clause":
                clauses[record["id"]] = record
            elif record["kind"] == "plan":
                for nodeid, cell in record["nodeids"].items():
                    clause = clauses.get(cell["clause"], {})
                    found[nodeid] = Description(**cell, nodeid=nodeid, sentence=clause.get("sentence", ""))
        return found


def _written(path: Path) -> Iterator[dict[str, Any]]:
    """What the workers of the run with ledger ``path`` have written so far, torn lines left out."""
    for part in ledger.worker_files(path):
        yield from filter(None, ledger.records(part))


def recorded(path: Path) -> dict[str, ledger.Cell]:
    """The cells that the workers of the run with ledger ``path`` have written a record of, by id."""
    return {record["id"]: ledger.Cell.from_json(record) for record in _written(path) if record["kind"] == "cell"}
