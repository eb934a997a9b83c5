"""Runs pytest on the families in a process group of its own, so that it can be watched, interrupted and cleaned up."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any, TypeAlias

from tools.launch import pytest_environment

Process: TypeAlias = "subprocess.Popen[bytes]"

#: Seconds that an interrupted pytest has to write down what it knows.
GRACE = 25.0
_TICK = 0.2


class Interrupted(Exception):
    """The user stopped the run; pytest has been stopped and what it had written is on disk."""


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Within it SIGINT, SIGTERM and SIGHUP raise `KeyboardInterrupt`, even where the shell had SIGINT ignored."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    previous: dict[int, Any] = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def run(command: Sequence[str], log: Path) -> int:
    """Run pytest with its output in ``log``; its exit code. Raises `Interrupted` as `watch` does."""
    with started(command, log) as process:
        return watch(process)


@contextlib.contextmanager
def started(
    command: Sequence[str],
    log: Path,
    *,
    descriptors: Sequence[int] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Process]:
    """Start pytest with its output in ``log`` and ``variables`` in its environment.

    It inherits the ``descriptors``: locks that it is to hold for as long as it lives, and what it is to read. No
    process of the run is left when the context ends.
    """
    with log.open("wb") as output, interruptible():
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**pytest_environment(), **variables},
            start_new_session=True,
            pass_fds=descriptors,
        )
        try:
            yield process
        finally:
            _kill_group(process)


def watch(
    process: Process, tick: Callable[[], None] = lambda: None, stopping: Callable[[], None] = lambda: None
) -> int:
    """Wait for its end, calling ``tick`` several times a second; its exit code.

    ``stopping`` is called once when the user asks to stop.

    Raises `Interrupted` on Ctrl-C, after pytest has had `GRACE` seconds to flush. A second Ctrl-C ends the wait.
    """
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(_TICK)
            tick()
    except KeyboardInterrupt:
        stopping()
        _ask_to_stop(process)
        raise Interrupted from None


def _ask_to_stop(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(KeyboardInterrupt, subprocess.TimeoutExpired, ProcessLookupError):
        os.kill(process.pid, signal.SIGINT)
        process.wait(GRACE)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # The group's leader may be gone while workers or compilers that it started are not.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)


def reason_to_exit(log: Path) -> str:
    """The line with which the plugin ended a run that could not begin; empty if it did not."""
    pattern = r"^(?:!* ?_pytest\.outcomes\.Exit: (.*?)(?: !+)?|(?:Exit|ERROR): (.*))$"
    found = re.findall(pattern, tail(log, 400), re.MULTILINE)
    return next(filter(None, found[-1])) if found else ""


def tail(log: Path, lines: int = 20) -> str:
    """The end of pytest's output."""
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except OSError:
        return ""
