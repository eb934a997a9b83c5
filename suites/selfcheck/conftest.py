"""Parity's own tests: how many run at once."""

from suites.harness.execution import environment


def pytest_xdist_auto_num_workers() -> int:
    """``-n auto``: one more than for cells, as a fifth of the time is waiting for a process or a time limit."""
    return environment.worker_limit() + 1
