"""Parity's own tests: how many run at once, which take turns, and that what they start can be interrupted.

Some confirm at length what a change seldom touches. In CI they take turns: ``--turn NUMBER`` runs those whose turn
that is, and without it all run::

    @pytest.mark.in_turn(0, 3)    # with --turn 3 and --turn 6, and not with --turn 4
"""

from __future__ import annotations

import signal
from typing import Any

import pytest
from xdist.scheduler import WorkStealingScheduling

from suites.harness.execution import environment


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--turn", type=int, metavar="NUMBER", help="of the tests that take turns run those whose turn this is, not all"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "in_turn(index, of): with --turn NUMBER only where NUMBER % of is index")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    turn = config.getoption("turn", None)  # There is none where a run is asked for the folder above.
    if turn is None:
        return
    mine: list[pytest.Item] = []
    waiting: list[pytest.Item] = []
    for item in items:
        runs = all(_is_its_turn(turn, *mark.args) for mark in item.iter_markers("in_turn"))
        (mine if runs else waiting).append(item)
    config.hook.pytest_deselected(items=waiting)
    items[:] = mine


def _is_its_turn(turn: int, index: int, of: int) -> bool:
    return turn % of == index


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
