"""The pytest plugin: cells out of clauses, their outcomes, the ledger, crashes and hangs, and the terminal's summary.

Hooks stay thin: what they decide is decided by plain functions of this package that can be tested without pytest.
"""

from __future__ import annotations

import os

from suites.harness.execution.isolation import die_with_parent, one_thread

one_thread()

import pytest  # noqa: E402

from golden.editing import journal  # noqa: E402
from suites.harness.backends.names import DEFAULT  # noqa: E402
from suites.harness.execution import accelerations, environment  # noqa: E402
from suites.harness.session import cells, narrowing, options, recording  # noqa: E402
from suites.harness.session.cell_run import CellRun  # noqa: E402
from suites.harness.session.controller import Controller  # noqa: E402
from suites.harness.session.starting import Starting  # noqa: E402

#: Whether `parity gate` decides meanwhile what the run does for speed: it has set the ledger aside, too.
_STARTED_EARLY = accelerations.expect()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the design's command line that concern a run of the suites."""
    options.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read what the run needs once, so that a mistake in an option is one line before anything runs."""
    config.addinivalue_line("markers", "clause(scope): a clause of the contract; see suites.harness.clause")
    options.refuse_to_accept_in_workers(config)
    if config.option.max_examples:
        options.use_examples(config.option.max_examples)
    if getattr(config, "workerinput", {}).get("controller") == os.getppid():
        die_with_parent(os.getppid())
    if not hasattr(config, "workerinput"):
        if not _STARTED_EARLY:
            narrowing.refuse_unknown_clauses(config)
            recording.hold_ledger(config)
        # A regeneration that was killed half way is finished, or undone, before anything is read.
        journal.recover(config.rootpath)
        if not _STARTED_EARLY and not config.option.collectonly and not config.option.help:
            accelerations.decide(config.option.backend or DEFAULT, plain=config.option.plain)
    if getattr(config.option, "log_level", "") is None:
        # What torch traces for itself, line by line without a text, would bury what a failing cell says.
        config.option.log_level = "WARNING"
    run = CellRun(config)
    config.pluginmanager.register(run, "parity-cells")
    if not hasattr(config, "workerinput") and config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Controller(run.recorder), "parity-controller")
        apart = getattr(config.option, "tx", None) or config.option.at_once
        if apart and not config.option.continue_on_collection_errors:
            config.pluginmanager.register(Starting(), "parity-starting")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Lines, if something that the run would do for speed does not work here, or errors of kernels end processes."""
    return [f"parity: {line}" for line in accelerations.current().lines]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Without -n, run cells as the gate does, one at a time; and Parity's own tests in a worker, which a crash ends.

    A worker would import all that this process has once more, before its first cell.
    """
    option = config.option
    if option.at_once:
        if getattr(option, "numprocesses", 0) or getattr(option, "tx", None):
            raise pytest.UsageError("--at-once and -n are two ways to do the same: give one of them")
        option.numprocesses = 0
    alone = getattr(option, "numprocesses", 0) is None and not getattr(option, "tx", None)
    if alone and not option.usepdb and not option.collectonly and "PYTEST_XDIST_WORKER" not in os.environ:
        own_tests = not cells.has_families(config)
        option.numprocesses, option.at_once = (1, 0) if own_tests else (0, 1)
    if getattr(option, "maxworkerrestart", "") is None:
        option.maxworkerrestart = "1000"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """``-n auto``: as many workers as cores and memory allow."""
    backends = config.option.backend or DEFAULT
    kernels = "inductor" in backends and cells.has_families(config) and cells.is_whole(config)
    return environment.worker_limit(config.option.device, kernels=kernels)
