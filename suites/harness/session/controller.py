"""What only the controller of workers does: hand them the ledger's path, and record what crashed them."""

from __future__ import annotations

import tempfile
from typing import Any

from suites.harness.execution import accelerations
from suites.harness.results import ledger
from suites.harness.session import cells, terminal
from suites.harness.session.recording import Recorder


class Controller:
    """What only the controller of workers does: hand them the ledger's path, and record what crashed them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._kernels = tempfile.TemporaryDirectory(prefix="parity-kernels-", ignore_cleanup_errors=True)

    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker where the ledger is, and where the kernels of several are ordered."""
        node.workerinput["ledger"] = str(self.recorder.ledger_path)
        if len(self.recorder.config.option.tx or ()) > 1 and accelerations.on(accelerations.TOGETHER):
            node.workerinput["kernels"] = self._kernels.name

    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """The worker died in this cell: that is the cell's outcome. Its record says so, and the run goes on."""
        written = self._written(crashitem)
        if written is None:
            described = cells.from_nodeid(crashitem)
            if described is None:
                return
            cell = described.cell()
            kind = "the worker died"
            cell.divergences = [ledger.Divergence("crash", kind, "the cell", "a result", kind, False, cell.backend)]
            outcome = self.recorder.write(cell, "crash", kind, 0.0)
            written = cell
            written.outcome = outcome
        report.when = "call"
        terminal.apply(report, written.outcome, written.detail or "crash", written)

    def _written(self, nodeid: str) -> ledger.Cell | None:
        described = cells.from_nodeid(nodeid)
        for part in ledger.worker_files(self.recorder.ledger_path):
            for record in ledger.records(part):
                if record and record["kind"] == "cell" and described and record["id"] == described.id:
                    return ledger.Cell.from_json(record)
        return None
