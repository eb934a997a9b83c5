"""Parity's own tests: how many run at once, and that what they start can be interrupted."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from xdist.scheduler import WorkStealingScheduling

from suites.harness.execution import environment


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """``-n auto``: one more than for cells, as a fifth of the time is waiting for a process or a time limit."""
    return environment.worker_limit() + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> WorkStealingScheduling | None:
    """Tests of a file stay with one worker, which makes what they share once, until another has nothing left to do."""
    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """A shell starts what runs in the background with interrupts ignored, which children inherit."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
