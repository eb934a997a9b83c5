"""One process's part of a run: clauses become cells, each is run and becomes a record."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from _pytest.runner import runtestprotocol

from golden.bands import default_mode, is_baseline, load_bands
from golden.editing.edits import EditSink
from golden.expectation import GraphChanged, Session, use_session
from suites.harness import torch_internals
from suites.harness.backends.adapters import canonical
from suites.harness.backends.names import DEFAULT
from suites.harness.backends.registry import NoSuchBackend, facts, resolve
from suites.harness.clauses.check import Check
from suites.harness.clauses.endings import CellEnded, NotHappened
from suites.harness.clauses.scope import Scope
from suites.harness.execution import accelerations, collector, environment, ranks
from suites.harness.execution.isolation import NO_RESULT, Crashed, Outcome, TimedOut, leave_cuda_to_forks, one_line
from suites.harness.execution.kernel_queue import KernelQueue
from suites.harness.oracle.examine import FELL_BACK, fell_back
from suites.harness.oracle.runs import Aborted
from suites.harness.planning import choice
from suites.harness.programs.errors import other_release
from suites.harness.results import known_bugs, ledger
from suites.harness.results.answering import Answering
from suites.harness.results.outcomes import Outcome as JudgedOutcome
from suites.harness.session import by_hand, cells, repeating, terminal
from suites.harness.session.arranging import Arranger
from suites.harness.session.narrowing import Narrowing
from suites.harness.session.processes import Answer, CellProcesses, DeviceGone, Room
from suites.harness.session.recording import Recorder


class CellRun:
    """One process's part of a run: parametrizes clauses into cells, runs them and writes their records."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        option = config.option
        if option.device == "cpu":
            # Dynamo saves the state of every generator it can see; with a GPU in sight that initialises CUDA, and a
            # process that has done so cannot be forked for isolated cells.
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        leave_cuda_to_forks()
        given: dict[str, Any] = getattr(config, "workerinput", {})
        self.worker: str = given.get("workerid", "")
        self.plans = bool(given.get("plans"))
        #: How many cells this process has at work at once; 0: xdist has several processes instead.
        self.at_once: int = 0 if self.worker else option.at_once
        self.by_default = not option.backend
        self.backends: list[str] = list(dict.fromkeys(map(canonical, option.backend or DEFAULT)))
        self.narrowing = Narrowing(option.modes, option.clause)
        here = os.getcwd()
        if here not in sys.path:
            sys.path.append(here)
        try:
            for name in self.backends:
                facts(name)
            self.known = known_bugs.load([*known_bugs.default_files(), *map(Path, option.waivers)])
        except (NoSuchBackend, known_bugs.KnownBugsError) as error:
            raise pytest.UsageError(str(error)) from None
        self.recorder = Recorder(config, self.worker, self.known)
        self.golden_mode = option.golden or default_mode(torch.__version__, option.device)
        self.bands = load_bands()
        self.arranger = Arranger.of(option)
        self.checks: dict[str, Check] = {}
        self.whole = False
        self.sessions: dict[str, Session] = {}
        self.sink = EditSink(Path(option.golden_edits), self.worker or "main") if option.golden_edits else None
        #: Whether this process is one that cells run in; a debugger needs them in pytest's own.
        self.inside = bool(option.usepdb)
        #: Whether it is one that the run replaces.
        self.in_child = False
        self.isolated = False
        #: Whether a kernel of the cell that just ran was not built in the quick way of the run.
        self.not_built = False
        #: Whether the cell that just ran failed for want of a device; this process had not used one before.
        self.without_device = False
        #: Whether the cell runs once more, to see whether it fails each time.
        self.repeats = False
        #: CPU seconds of this process and of what it started when the cell began.
        self.began = 0.0
        self.processes = CellProcesses(
            self._run_inside,
            option.cell_timeout,
            self._runs_apart,
            many_deaths=self._warm_up,
            crowds=self._crowds,
            gone=lambda: torch_internals.device_is_gone(option.device),
        )
        #: Why a backend of the run cannot run here, in a line.
        self.reasons: dict[str, str | None] = {}
        self._refused: ValueError | None = None

    @functools.cached_property
    def kernels(self) -> KernelQueue | None:
        """Where kernels are ordered: by the workers of a run, or by the cells that this process has at work."""
        given: dict[str, Any] = getattr(self.config, "workerinput", {})
        if "kernels" in given:
            queue = KernelQueue(Path(given["kernels"]), environment.cores())
            queue.occupy(1)
            return queue
        if not self.at_once or not accelerations.on(accelerations.TOGETHER):
            return None
        folder = tempfile.TemporaryDirectory(prefix="parity-kernels-", ignore_cleanup_errors=True)
        self.config.add_cleanup(folder.cleanup)
        return KernelQueue(Path(folder.name), min(self.at_once, environment.cores()))

    def _room(self, kernels: KernelQueue | None) -> Room:
        waiting = environment.cells_that_wait(self.at_once) if self.config.option.device == "cpu" else 0
        return Room(self.at_once, waiting, kernels) if self.at_once else Room()

    # Cells

    @pytest.hookimpl
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """A cell for each backend and variant that the clause applies to."""
        if "check" not in metafunc.fixturenames:
            return
        scope = cells.scope_of(metafunc.definition)
        option = self.config.option
        profile = choice.drawn_from(option.profile)
        params = self.narrowing.cells(scope, self.backends, profile, by_default=self.by_default, device=option.device)
        metafunc.parametrize("check", params, ids=[f"{name}-{variant}" for name, variant in params], indirect=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Everything that cells need is set up before the first child is forked, and stays."""
        if self._refused is not None:
            raise self._refused
        if self._runs_cells(session.items):
            torch_internals.trace_nothing_for_a_log()
            if any(map(environment.uses_inductor, cells.backends_of(session.items))):
                self._warm_up()
            self.processes.room = self._room(self.kernels)
            self.reasons = {name: environment.why_not(name, self.config.option.device) for name in self.backends}
        collector.freeze_what_stays()
        self.processes.collected(session.items, in_turn=bool(self.at_once))

    def _warm_up(self) -> None:
        """Set up here what each fork would set up that compiles: with Inductor, or layer by layer after a crash."""
        if accelerations.on(accelerations.INSTRUCTIONS):
            torch_internals.pick_vector_instructions()
        if self.config.option.device == "cpu" and accelerations.on(accelerations.WARMED):
            torch_internals.warm_compiler()

    def _runs_cells(self, items: list[pytest.Item]) -> bool:
        here = not self.config.option.collectonly and (self.worker or not self._has_workers())
        return bool(here) and any(map(cells.is_cell, items))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Drop clauses without a cell on the chosen backends, and write the plan."""
        # A family whose clauses have no cell here, such as that of a device, is there all the same.
        collected = {cells.family_of(item) for item in items}
        try:
            others = self.narrowing.of_clauses(items)
        except ValueError as error:
            if self.worker:
                # xdist loses a worker's usage error, and hands on any other. What is raised here comes after it has
                # told the controller of a collection, which may hand out its items when the worker has gone.
                self._refused = error
                return
            raise pytest.UsageError(str(error)) from None
        empty = [item for item in items if cells.is_empty(item) or item in others]
        if self.golden_mode == "record":
            # Every golden belongs to one cell; the others have nothing to record.
            empty = [item for item in items if not cells.holds_goldens(item) or item in others]
        if empty:
            config.hook.pytest_deselected(items=empty)
            without_cell = set(empty)
            items[:] = [item for item in items if item not in without_cell]
        ordered = config.option.collectonly or cells.names_tests(config)
        narrowed = cells.is_narrowed(config) or bool(self.narrowing.left_out(self.backends))
        arranged = self.arranger.arrange(
            items, narrowed=narrowed, whole=not narrowed and collected >= cells.families(), ordered=ordered
        )
        if arranged.dropped:
            config.hook.pytest_deselected(items=arranged.dropped)
        items[:] = arranged.items
        if self._runs_cells(items):
            # The plan tells what was decided, which may take a while yet.
            torch_internals.import_compiler(inductor=any(map(environment.uses_inductor, cells.backends_of(items))))
        first = not self.worker or self.plans or config.option.collectonly
        mine = [cells.describe(item) for item in items if cells.is_cell(item)]
        self.recorder.answering = Answering(frozenset(self.backends), frozenset(cell.id for cell in mine))
        self.whole = cells.is_whole(config, collected) and not self.narrowing.left_out(self.backends)
        told = mine or arranged.configuration or (config.option.collectonly and empty)
        if first and told and (self.worker or not self._has_workers()):
            self.recorder.plan(
                mine,
                self.backends,
                arranged.families,
                golden=self.golden_mode,
                whole=self.whole,
                left_out=self.narrowing.left_out(self.backends),
                part={
                    "left_out_cells": self.narrowing.number(self.backends),
                    "named": cells.is_narrowed(config),
                    "every_family": collected >= cells.families(),
                },
                arranged=arranged.configuration,
                first=arranged.first,
                later=cells.of_later_profiles(empty, config.option.profile),
                elsewhere=cells.on_other_devices(empty, config.option.device),
                of_others=cells.of_other_backends(empty, config.option.profile, config.option.device)
                if self.whole
                else (),
                # Whoever asks for the clauses alone is told of those too that have no cell here.
                others=[cells.describe(item) for item in empty] if config.option.collectonly else [],
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
        if self.isolated or self._is_isolated(item):
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
        if scope.ranks > 1 and (lacking := ranks.why_not(scope.ranks, device)):
            return lacking
        lacking = other_release(scope.torch) or environment.missing_package(scope.needs)
        return lacking or self.reasons.get(backend) or environment.why_not(backend, device)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Run a cell in a child of this process, and hand on what pytest reports there."""
        if self.inside or not cells.is_cell(item):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        try:
            reports = self._reports(item)
        except (OSError, DeviceGone) as error:
            if self.worker:
                raise  # xdist hands it to the controller.
            if isinstance(error, DeviceGone):
                pytest.exit(str(error), returncode=3)
            pytest.exit(f"the run failed: {type(error).__name__}: {error}", returncode=2)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _reports(self, item: pytest.Item) -> list[pytest.TestReport]:
        found, ended = self.processes.reports(item)
        hook = item.config.hook
        reports = [hook.pytest_report_from_serializable(config=item.config, data=data) for data in found]
        told = any(getattr(report, "tells_of_a_death", False) for report in reports)
        if ended is not None and not told:
            reports = [self._lost(item, ended, alone=bool(reports))]
        for report in reports if self.config.option.repeat else ():
            cell = repeating.repeated(report, self.config.option.repeat, lambda: self._once_more(item))
            if cell is not None:
                terminal.apply(report, self.recorder.written(cell))
        return reports

    def _runs_apart(self, item: pytest.Item) -> bool:
        # What runs in processes of its own needs one to fork from that has not touched the device; nor has it run
        # backward, where torch knows GPUs: autograd has threads for them then, and refuses to be forked with them.
        with_threads = self.config.option.device != "cpu" or torch.backends.cuda.is_built()
        return with_threads and (cells.scope_of(item).ranks > 1 or self._is_isolated(item))

    def _crowds(self, item: pytest.Item) -> bool:
        # A GPU is shared by ranks of several cells in slices of time, in which one that waits for its fellow spins;
        # and what is isolated for an assertion on the device stops all that runs there while it is dealt with.
        scope, device = cells.scope_of(item), self.config.option.device
        return device != "cpu" and (scope.is_isolated_on(device) or scope.ranks > 1)

    def _once_more(self, item: pytest.Item) -> JudgedOutcome:
        # The fork knows by it that its run is not the one that is recorded.
        self.repeats = True
        try:
            return repeating.outcome_of(*self.processes.again(item))
        finally:
            self.repeats = False

    def _is_isolated(self, item: pytest.Item) -> bool:
        scope = cells.scope_of(item)
        known = cells.known_to_crash(self.known, cells.describe(item), self.recorder.environment)
        return scope.is_isolated_on(self.config.option.device) or known

    def _lost(self, item: pytest.Item, ended: Outcome, *, alone: bool) -> pytest.TestReport:
        """Write and report the cell that its process ended in. ``alone``: made again by itself, it passes."""
        cell = cells.describe(item).cell()
        outcome, kind, detail = "error", "the cell's result is lost", getattr(ended, "message", "")
        if isinstance(ended, TimedOut):
            outcome, kind, detail = "timeout", NO_RESULT, f"limit {self.config.option.cell_timeout:g} s"
        elif isinstance(ended, Crashed):
            outcome, kind, detail = "crash", ended.how, "after other cells, and not alone" if alone else ""
        if isinstance(ended, (TimedOut, Crashed)):
            aborted = Aborted(outcome, kind, ended.output)
            if why := aborted.not_of_the_backend:
                return self._told(item, cell, "unsupported", why)
            lost = aborted.divergence(cell.backend)
            cell.divergences, cell.facets = [lost], {outcome: "differs"}
            cell.layer, cell.fingerprint = lost.layer, lost.fingerprint
        return self._told(item, cell, outcome, f"{kind}: {detail}".strip(": \n"))

    def _told(self, item: pytest.Item, cell: ledger.Cell, outcome: str, detail: str) -> pytest.TestReport:
        """Write and report a cell that had no reports of its own."""
        judged = self.recorder.write(cell, outcome, detail, 0.0)
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", None, "call")
        if self.config.option.repeat:
            repeating.keep(report, cell, judged)
        terminal.apply(report, judged)
        return report

    def _run_inside(self, item: pytest.Item, isolated: bool) -> Answer:
        """What a child does with a cell: pytest's own protocol, up to the reports."""
        if not self.inside:
            _capture_apart(item.config)
        self.inside = self.in_child = True
        self.isolated, self.not_built, self.began = isolated, False, self._cpu_seconds()
        self.without_device = False
        if self.kernels is not None:
            self.kernels.waited = 0.0
        hook = item.config.hook
        reports = runtestprotocol(item, log=False, nextitem=None)
        if self.not_built:
            # What a clause compiles by hand goes past the oracle, which does this for every other run.
            with accelerations.plain(), torch_internals.fresh_kernel_cache():
                reports = runtestprotocol(item, log=False, nextitem=None)
        found = [hook.pytest_report_to_serializable(config=item.config, report=report) for report in reports]
        return found, torch_internals.device_works() and not self.without_device

    def _cpu_seconds(self) -> float:
        # A kernel that another process built for this one is this one's cost.
        return cells.cpu_seconds() + (self.kernels.owed if self.kernels is not None else 0.0)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
        """Turn what happened into the cell's outcome, write its record, and show what known bugs make of it."""
        report: Any = yield
        ended = call.when == "call" or (call.when == "setup" and call.excinfo is not None)
        if not cells.is_cell(item) or not ended:
            return report
        check = self.checks.pop(item.nodeid, None)
        session = self.sessions.pop(item.nodeid, None)
        outcome, detail = self._outcome(item, call, check, session)
        cell = cells.describe(item).cell()
        if check is not None and check.cell.verdict is not None:
            cells.fill(cell, check.cell.verdict)
        cell.cpu_seconds = self._cpu_seconds() - self.began if self.began else 0.0
        if session is not None:
            cell.goldens = {verdict.golden: verdict.text for verdict in session.verdicts if verdict.text}
        if call.excinfo is not None and not call.excinfo.errisinstance(CellEnded) and accelerations.building():
            self.not_built = torch_internals.not_built(f"{call.excinfo.typename}: {call.excinfo.value}") is not None
        if call.excinfo is not None and outcome not in ("unsupported", "skip"):
            self.without_device = bool(torch_internals.device_is_gone(self.config.option.device))
        keep = not (self.repeats or self._comes_again())
        judged = self.recorder.write(cell, outcome, detail, call.duration, keep=keep)
        if self.config.option.repeat:
            repeating.keep(report, cell, judged)
        report.tells_of_a_death = judged.outcome.against or _tells_of_a_death(cell, check)
        if self.sink is not None and not self.repeats:
            self.sink.outcome(cell.id, judged.outcome.value, detail)
        terminal.apply(report, judged)
        return report

    def _comes_again(self) -> bool:
        """Whether the device was lost, so that the cell is made again: a run that ends before has not run it."""
        lost = self.without_device or (not self.isolated and not torch_internals.device_works())
        return self.in_child and lost

    def _outcome(
        self, item: pytest.Item, call: pytest.CallInfo[None], check: Check | None, session: Session | None
    ) -> tuple[str, str]:
        if call.excinfo is None:
            if check is None or check.cell.verdict is None:
                return "vacuous", "the clause never called check"
            if not check.cell.claims and not (session and session.verdicts):
                return "vacuous", "the clause makes no claim: nothing shows that its behaviour happened"
            if check.cell.ran_by_hand and not check.cell.counter.graphs:
                return "vacuous", "the backend compiled nothing of what the clause had it compile"
            drifted = [verdict for verdict in (session.verdicts if session else []) if not verdict.ok]
            if drifted and self.golden_mode != "record":
                return "changed", f"{drifted[0].golden}: {drifted[0].explanation}"
            if check.cell.fell_back:
                check.cell.verdict.divergences = [fell_back(check.backend.name)]
                return "fallback", FELL_BACK
            return "pass", ""
        error = call.excinfo.value
        if check is not None and error is check.cell.raised_by_hand:
            return by_hand.judged(item, check)
        if isinstance(error, CellEnded):
            detail = (
                check.cell.verdict.detail if check and check.cell.verdict and not isinstance(error, NotHappened) else ""
            )
            return error.outcome, detail or str(error)
        if isinstance(error, GraphChanged):
            return "changed", f"{error.verdict.golden}: {error.explanation}"
        if call.excinfo.errisinstance(pytest.skip.Exception):
            return "skip", str(error)
        return "error", one_line(error)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """A run that came to its own end says so in the ledger."""
        self.processes.end()
        if exitstatus in (0, 1, pytest.ExitCode.NO_TESTS_COLLECTED):  # A shard may have no clause.
            self.recorder.end(int(exitstatus))
        if self.sink is not None:
            self.sink.finish(full_run=exitstatus in (0, 1) and self.whole)
        if self.kernels is not None:
            self.kernels.occupy(0)
        if not self.worker:
            ledger.merge(self.recorder.ledger_path)
            if "triton" in sys.modules:
                gc.unfreeze()  # Its library tells, at length, of what Python has not collected at its end.
        else:
            # pytest collects garbage several times at its end: over all of torch's objects that takes so long that
            # xdist interrupts a worker, which complains.
            gc.freeze()

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """The letter and the word of a cell's outcome."""
        return terminal.status_of(report)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The matrix of backends and families, with silent and loud counted apart."""
        if not self.worker and self.recorder.ledger_path.exists():
            terminal.print_summary(
                terminalreporter,
                self.recorder.ledger_path,
                self.known,
                name_ledger=bool(self.config.option.ledger),
            )


def _capture_apart(config: pytest.Config) -> None:
    """Have this fork capture what is written in files of its own: its parent's are shared with the other forks.

    The objects stay, since loggers hold them; what is exchanged is the file below.
    """
    manager = config.pluginmanager.getplugin("capturemanager")
    capturing = getattr(manager, "_global_capturing", None)
    for stream in (getattr(capturing, "out", None), getattr(capturing, "err", None)):
        captured = getattr(stream, "tmpfile", None)
        with contextlib.suppress(AttributeError, OSError):  # ``--capture=sys`` has no file.
            shared = captured.fileno()  # type: ignore[union-attr]
            with tempfile.TemporaryFile() as own:
                os.dup2(own.fileno(), shared)


def _tells_of_a_death(cell: ledger.Cell, check: Check | None) -> bool:
    """Whether a cell that was made again alone shows what its process died of: in itself, in eager, or in a library
    of kernels that was not whole.
    """
    examined = check.cell.verdict if check is not None else None
    expected = examined.expected if examined is not None else None
    lost = expected is not None and expected.lost_its_device
    return lost or cell.plain_retry or any(item.facet in ("crash", "timeout") for item in cell.divergences)
