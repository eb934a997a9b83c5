"""The pytest plugin: cells out of clauses, their outcomes, the ledger, crashes and hangs, and the terminal's summary.

Hooks stay thin: what they decide is decided by plain functions of this package that can be tested without pytest.
"""

from __future__ import annotations

import gc
import os
import shlex
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from suites.harness.execution.isolation import one_thread

one_thread()

import pytest  # noqa: E402
import torch  # noqa: E402

from golden import journal  # noqa: E402
from golden import waivers as waiving  # noqa: E402
from golden.bands import default_mode, is_baseline, load_bands  # noqa: E402
from golden.edits import EditSink  # noqa: E402
from golden.expectation import GraphChanged, Session, use_session  # noqa: E402
from suites.harness import torch_internals  # noqa: E402
from suites.harness.backends.registry import DEFAULT, NoSuchBackend, resolve  # noqa: E402
from suites.harness.clauses.check import Check  # noqa: E402
from suites.harness.clauses.endings import CellEnded, NotHappened  # noqa: E402
from suites.harness.clauses.scope import Scope  # noqa: E402
from suites.harness.execution import collector, environment  # noqa: E402
from suites.harness.execution.kernel_queue import KernelQueue  # noqa: E402
from suites.harness.execution.watchdog import Watchdog  # noqa: E402
from suites.harness.oracle.divergence import FACETS  # noqa: E402
from suites.harness.results import ledger  # noqa: E402
from suites.harness.session import cells  # noqa: E402

PROFILES = ("smoke", "default", "full")
GOLDEN_MODES = ("strict", "drift", "off", "record")

#: How the terminal shows each outcome: letter, word, colour.
_SHOWN = {
    "pass": (".", "PASS", "green"),
    "fail": ("F", "DIVERGED", "red"),
    "inherited": ("i", "INHERITED", "cyan"),
    "xfail": ("x", "WAIVED", "yellow"),
    "xpass": ("X", "WAIVED BUT PASSES", "red"),
    "changed": ("g", "GRAPH CHANGED", "yellow"),
    "vacuous": ("v", "VACUOUS", "red"),
    "unsupported": ("u", "UNSUPPORTED", "yellow"),
    "crash": ("C", "CRASHED", "red"),
    "timeout": ("T", "TIMED OUT", "red"),
    "error": ("E", "ERROR", "red"),
    "skip": ("s", "SKIPPED", "yellow"),
}
#: Outcomes that make a pytest run fail.
_FAILING = frozenset({"fail", "xpass", "vacuous", "crash", "timeout", "error"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the design's command line that concern a run of the suites."""
    group = parser.getgroup("parity", "Parity: conformance of torch.compile backends")
    group.addoption(
        "--backend",
        action="append",
        metavar="NAME",
        help="backend to run on: a name that torch lists, or "
        f"module:attribute (repeatable; default: {', '.join(DEFAULT)})",
    )
    group.addoption("--device", default="cpu", choices=("cpu", "cuda"), help="device of all tensors")
    group.addoption("--profile", default="default", choices=PROFILES, help="how many variants of each clause run")
    group.addoption("--waivers", action="append", default=[], metavar="FILE", help="more waivers (repeatable)")
    group.addoption("--ledger", metavar="FILE", help="where the record of every cell is written")
    group.addoption(
        "--golden",
        choices=GOLDEN_MODES,
        help=f"what a changed graph means (default: strict on torch {torch_internals.BASELINE}, drift on any other)",
    )
    group.addoption("--golden-edits", metavar="DIR", help="where --golden record writes pending edits")
    group.addoption("--max-examples", type=int, metavar="N", help="examples of each property")
    group.addoption("--cell-timeout", type=float, default=300.0, metavar="SECONDS", help="time limit of one cell")


def pytest_configure(config: pytest.Config) -> None:
    """Read what the run needs once, so that a mistake in an option is one line before anything runs."""
    config.addinivalue_line("markers", "clause(scope): a clause of the contract; see suites.harness.clause")
    if not hasattr(config, "workerinput"):
        # A regeneration that was killed half way is finished, or undone, before anything is read.
        journal.recover(config.rootpath)
        environment.link_quickly()
    if getattr(config.option, "log_level", "") is None:
        # What torch traces for itself, line by line without a text, would bury what a failing cell says.
        config.option.log_level = "WARNING"
    torch_internals.trace_nothing_for_a_log()
    run = CellRun(config)
    config.pluginmanager.register(run, "parity-cells")
    if not hasattr(config, "workerinput") and config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Controller(run), "parity-controller")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run cells in a worker even without -n: a crash is then the outcome of its cell and not the end of the run."""
    option = config.option
    alone = getattr(option, "numprocesses", 0) is None and not getattr(option, "tx", None)
    if alone and not option.usepdb and not option.collectonly and "PYTEST_XDIST_WORKER" not in os.environ:
        option.numprocesses = 1
    if getattr(option, "maxworkerrestart", "") is None:
        option.maxworkerrestart = "1000"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """``-n auto``: as many workers as cores and memory allow."""
    backends = config.option.backend or DEFAULT
    return environment.worker_limit(kernels="inductor" in backends and cells.is_whole(config))


class CellRun:
    """One process's part of a run: parametrizes clauses into cells, runs them and writes their records."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        option = config.option
        if option.device == "cpu":
            # Dynamo saves the state of every generator it can see; with a GPU in sight that initialises CUDA, and a
            # process that has done so cannot be forked for isolated cells.
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        given: dict[str, Any] = getattr(config, "workerinput", {})
        self.worker: str = given.get("workerid", "")
        self.kernels = KernelQueue(Path(given["kernels"]), environment.cores()) if "kernels" in given else None
        if self.kernels is not None:
            self.kernels.join()
        self.by_default = not option.backend
        self.backends: list[str] = list(dict.fromkeys(option.backend or DEFAULT))
        here = os.getcwd()
        if here not in sys.path:
            sys.path.append(here)
        try:
            for name in self.backends:
                resolve(name)
            files = [*waiving.default_files(), *map(Path, option.waivers)]
            self.waivers = waiving.load(files, facets=(*FACETS, "*"))
        except (NoSuchBackend, waiving.WaiverError) as error:
            raise pytest.UsageError(str(error)) from None
        self.ledger_path = self._ledger_path()
        part = self.ledger_path.with_name(f"{self.ledger_path.name}.{self.worker or 'main'}")
        self.part = part
        self._writer: ledger.Writer | None = None
        self.golden_mode = option.golden or default_mode(torch.__version__)
        self.bands = load_bands()
        self.checks: dict[str, Check] = {}
        self.whole = False
        self.sessions: dict[str, Session] = {}
        self.sink = EditSink(Path(option.golden_edits), self.worker or "main") if option.golden_edits else None
        self.watchdog = Watchdog(option.cell_timeout, self._hung)
        self.reasons = {name: environment.why_not(name, option.device) for name in self.backends}

    def _ledger_path(self) -> Path:
        given = getattr(self.config, "workerinput", {}).get("ledger") or self.config.option.ledger
        if given:
            return Path(given).absolute()
        return Path(tempfile.mkdtemp(prefix="parity-")) / "ledger.jsonl"

    @property
    def writer(self) -> ledger.Writer:
        """This process's ledger file, opened at the first record."""
        if self._writer is None:
            self._writer = ledger.Writer(self.part)
        return self._writer

    # Cells

    @pytest.hookimpl
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """A cell for each backend and variant that the clause applies to."""
        if "check" not in metafunc.fixturenames:
            return
        scope = cells.scope_of(metafunc.definition)
        params = scope.cells(self.backends, self.config.option.profile, by_default=self.by_default)
        metafunc.parametrize("check", params, ids=[f"{name}-{variant}" for name, variant in params], indirect=True)

    def pytest_collection_finish(self) -> None:
        """All modules are imported: they stay."""
        collector.freeze_what_stays()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Drop clauses without a cell on the chosen backends, and write the plan."""
        empty = [item for item in items if cells.is_empty(item)]
        if self.golden_mode == "record":
            # Every golden belongs to one cell; the others have nothing to record.
            empty = [item for item in items if not cells.holds_goldens(item)]
        if empty:
            config.hook.pytest_deselected(items=empty)
            items[:] = [item for item in items if item not in set(empty)]
        first = self.worker in ("", "gw0") or config.option.collectonly
        mine = [item for item in items if cells.is_cell(item)]
        families = {cells.family_of(item) for item in mine}
        self.whole = cells.is_whole(config, families)
        if first and mine and (self.worker or not self._has_workers()):
            self._write_plan([cells.describe(item) for item in mine], families)

    def _write_plan(self, mine: Sequence[cells.Description], families: set[str]) -> None:
        """The ledger's first records: where and how cells run, their clauses, and which of them."""
        option = self.config.option
        configuration = {
            "device": option.device,
            "profile": option.profile,
            "max_examples": option.max_examples,
            "cell_timeout": option.cell_timeout,
            "golden": self.golden_mode,
            "waivers": [str(Path(file).absolute()) for file in option.waivers],
            "families": sorted(families),
            "whole": self.whole,
        }
        versions = {name: resolve(name).version for name in self.backends}
        header = environment.header(option.device)
        self.writer.write(
            {
                **header,
                "kind": "header",
                "schema": ledger.SCHEMA_VERSION,
                "backends": versions,
                "configuration": configuration,
            }
        )
        for description in {cell.clause: cell for cell in mine}.values():
            self.writer.write(description.clause_record())
        self.writer.write(
            {"kind": "plan", "cells": [cell.id for cell in mine], "nodeids": {cell.nodeid: cell.id for cell in mine}}
        )

    def _has_workers(self) -> bool:
        return bool(getattr(self.config.option, "tx", None))

    @pytest.fixture
    def check(self, request: pytest.FixtureRequest) -> Iterator[Check]:
        """The cell's `Check`: call it with a program and the specs of its inputs."""
        name, variant = request.param
        item = request.node
        description = cells.describe(item)
        scope = cells.scope_of(item)
        if cells.known_to_crash(self.waivers, description):
            scope = cells.isolated(scope)
        check = Check(
            resolve(name),
            variant,
            scope,
            device=self.config.option.device,
            # An isolated cell makes several runs, of which one alone may be long: what the first hangs for is lost.
            time_limit=self.config.option.cell_timeout / 2,
            reason_not_to_run=self._reason_not_to_run(name, scope),
        )
        self.checks[item.nodeid] = check
        if self.kernels is not None and check.backend.needs_compiler:
            self.kernels.listen()
        session = Session(
            mode=self.golden_mode,
            cell=description.id,
            clause=description.clause,
            sink=self.sink,
            root=Path(str(self.config.rootpath)),
            param_indices=dict(item.callspec.indices),
            variant=str(variant),
            bands=self.bands,
            torch=torch.__version__,
            baseline=is_baseline(torch.__version__),
        )
        self.sessions[item.nodeid] = session
        with use_session(session):
            yield check

    def _reason_not_to_run(self, backend: str, scope: Scope) -> str | None:
        device = self.config.option.device
        if (scope.isolated or scope.ranks > 1) and device != "cpu":
            return f"isolated cells fork, and a process that has used {device} cannot be forked"
        return self.reasons.get(backend) or environment.why_not(backend, device)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Keep the time of each cell."""
        if not cells.is_cell(item):
            return (yield)
        with self.watchdog.watching(item):
            return (yield)

    def _hung(self, item: pytest.Item, seconds: float) -> None:
        """The cell is over its limit and its worker is about to go: write down why."""
        cell = cells.describe(item).cell()
        cell.divergences = [
            ledger.Divergence(
                "timeout", f"no result in {seconds:g} s", "the cell", "a result", "none", False, cell.backend
            )
        ]
        self._write(cell, "timeout", cell.divergences[0].kind, seconds)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
        """Turn what happened into the cell's outcome, judge it by the waivers, and write its record."""
        report = yield
        ended = call.when == "call" or (call.when == "setup" and call.excinfo is not None)
        if not cells.is_cell(item) or not ended:
            return report
        check = self.checks.pop(item.nodeid, None)
        session = self.sessions.pop(item.nodeid, None)
        outcome, detail = self._outcome(call, check, session)
        cell = cells.describe(item).cell()
        if check is not None and check.verdict is not None:
            cells.fill(cell, check.verdict)
        if session is not None:
            cell.goldens = {verdict.golden: verdict.text for verdict in session.verdicts if verdict.text}
        outcome = self._write(cell, outcome, detail, call.duration)
        if self.sink is not None:
            self.sink.outcome(cell.id, outcome, detail)
        _apply(report, outcome, detail, cell)
        return report

    def _outcome(self, call: pytest.CallInfo[None], check: Check | None, session: Session | None) -> tuple[str, str]:
        if call.excinfo is None:
            if check is None or check.verdict is None:
                return "vacuous", "the clause never called check"
            if not check.claims and not (session and session.verdicts):
                return "vacuous", "the clause makes no claim: nothing shows that its behaviour happened"
            drifted = [verdict for verdict in (session.verdicts if session else []) if not verdict.ok]
            if drifted and self.golden_mode != "record":
                return "changed", f"{drifted[0].golden}: {drifted[0].explanation}"
            return "pass", ""
        error = call.excinfo.value
        if isinstance(error, CellEnded):
            detail = check.verdict.detail if check and check.verdict and not isinstance(error, NotHappened) else ""
            return error.outcome, detail or str(error)
        if isinstance(error, GraphChanged):
            return "changed", f"{error.verdict.golden}: {error.explanation}"
        if call.excinfo.errisinstance(pytest.skip.Exception):
            return "skip", str(error)
        return "error", f"{type(error).__name__}: {error}".splitlines()[0]

    def _write(self, cell: ledger.Cell, outcome: str, detail: str, seconds: float) -> str:
        waived, ids = waiving.judge(
            outcome,
            self.waivers,
            cell.clause,
            cell.backend,
            cell.variant,
            cell.divergences,
            torch.__version__,
        )
        cell.outcome, cell.waivers, cell.detail, cell.seconds = waived, ids, detail, seconds
        cell.worker, cell.memory_mib = self.worker, cells.peak_memory_mib()
        cell.reproduce = self._command(cell)
        if waived == "pass":
            cell.program = ""
        self.writer.write(cell.to_json())
        return waived

    def _command(self, cell: ledger.Cell) -> str:
        option = self.config.option
        root, here = self.config.rootpath, Path.cwd()
        at_home = root == here
        words = ["pytest", cell.nodeid if at_home else f"{root}/{cell.nodeid}"]
        words += [] if at_home else ["-p", "suites.harness.plugin"]
        words += ["--backend", cell.backend, "--profile", option.profile]
        if option.device != "cpu":
            words += ["--device", option.device]
        return " ".join(shlex.quote(str(word)) for word in words)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """A run that came to its own end says so in the ledger."""
        if self._writer is not None and exitstatus in (0, 1):
            self._writer.write({"kind": "end", "worker": self.worker, "exitstatus": int(exitstatus)})
        if self.sink is not None:
            self.sink.finish(full_run=exitstatus in (0, 1) and self.whole)
        if self.kernels is not None:
            self.kernels.leave()
        if not self.worker:
            ledger.merge(self.ledger_path)
        else:
            # pytest collects garbage several times at its end: over all of torch's objects that takes so long that
            # xdist interrupts a worker, which complains.
            gc.freeze()

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """The letter and the word of a cell's outcome."""
        outcome = getattr(report, "parity_outcome", None)
        if outcome is None or (report.when != "call" and outcome not in _FAILING | {"unsupported", "skip"}):
            return None
        letter, word, colour = _SHOWN[outcome]
        category = {"pass": "passed", "xfail": "xfailed", "xpass": "xpassed", "skip": "skipped"}.get(outcome, outcome)
        if outcome in _FAILING:
            category = "failed"
        return category, letter, (word, {colour: True})

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The matrix of backends and families, with silent and loud counted apart."""
        if self.worker or not self.ledger_path.exists():
            return
        read = ledger.read([self.ledger_path])
        if not read.cells:
            return
        from rich.console import Console

        from suites.harness.results import summary

        terminalreporter.section("parity")
        console = Console(
            file=terminalreporter._tw._file, force_terminal=terminalreporter._tw.hasmarkup, soft_wrap=False
        )
        console.print(summary.render(read, limit=10))
        if self.config.option.ledger:
            console.print(f"ledger: {self.ledger_path}", soft_wrap=True, highlight=False)


class Controller:
    """What only the controller of workers does: hand them the ledger's path, and record what crashed them."""

    def __init__(self, run: CellRun) -> None:
        self.run = run
        self._kernels = tempfile.TemporaryDirectory(prefix="parity-kernels-", ignore_cleanup_errors=True)

    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker where the ledger is, and where the kernels of several are ordered."""
        node.workerinput["ledger"] = str(self.run.ledger_path)
        if len(self.run.config.option.tx or ()) > 1:
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
            outcome = self.run._write(cell, "crash", kind, 0.0)
            written = cell
            written.outcome = outcome
        report.when = "call"
        _apply(report, written.outcome, written.detail or "crash", written)

    def _written(self, nodeid: str) -> ledger.Cell | None:
        described = cells.from_nodeid(nodeid)
        for part in ledger.worker_files(self.run.ledger_path):
            for record in ledger.records(part):
                if record and record["kind"] == "cell" and described and record["id"] == described.id:
                    return ledger.Cell.from_json(record)
        return None


def _apply(report: Any, outcome: str, detail: str, cell: ledger.Cell) -> None:
    """Make pytest's report say what the cell came to."""
    report.parity_outcome = outcome
    if outcome in _FAILING or outcome == "changed":
        strict = outcome != "changed" or report.outcome == "failed"
        report.outcome = "failed" if strict else "passed"
        if strict:
            report.longrepr = _long(outcome, detail, cell)
    elif outcome == "pass":
        report.outcome = "passed"
    else:
        report.outcome = "skipped"
        reason = f"{outcome}: {detail}" + (f" [waiver {', '.join(cell.waivers)}]" if cell.waivers else "")
        if outcome in ("xfail", "inherited"):
            report.wasxfail = reason
        report.longrepr = (str(cell.clause), 0, reason)


def _long(outcome: str, detail: str, cell: ledger.Cell) -> str:
    """What a person needs to see of a failing cell."""
    lines = [f"{cell.id}", f"  {cell.sentence}" if cell.sentence else "", f"  {_SHOWN[outcome][1]}: {detail}"]
    for item in cell.divergences:
        lines += [
            f"  {'silent' if item.silent else 'loud'} {item.facet}: {item.kind} ({item.where})",
            f"    expected  {item.expected}",
            f"    seen      {item.seen}",
            f"    first at  {item.layer}    fingerprint {item.fingerprint}",
        ]
    if cell.program:
        lines += ["", textwrap.indent(cell.program, "  | ")]
    lines.append(f"  again: {cell.reproduce}")
    return "\n".join(line for line in lines if line is not None)
