"""Run a function in a forked process of its own, with a time limit: a crash or a hang is a result, not an end.

Forking is safe while the parent computes with one thread and Inductor's compile pool is off, which `one_thread`
arranges. It is not safe once CUDA is initialised in the parent; the parent of CUDA runs never touches the device.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import IO, Any


@dataclasses.dataclass(frozen=True)
class Finished:
    """The function returned ``value``."""

    value: Any


@dataclasses.dataclass(frozen=True)
class Raised:
    """The function raised: one line, and the traceback as text."""

    message: str
    traceback: str


@dataclasses.dataclass(frozen=True)
class Crashed:
    """The process died, of a signal (by name) or with an exit status. ``output`` is the end of what it said."""

    how: str
    output: str


@dataclasses.dataclass(frozen=True)
class TimedOut:
    """The process was killed after ``seconds``."""

    seconds: float
    output: str


Outcome = Finished | Raised | Crashed | TimedOut


def one_thread() -> None:
    """One thread for tensor operators and none for Inductor's compile pool: call before any operator has run."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("MKL_NUM_THREADS", "1")
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    import torch

    torch.set_num_threads(1)


def run_forked(function: Callable[[], Any], seconds: float, *, quiet: bool = True) -> Outcome:
    """Run ``function`` in a fork and return what came of it; its value must pickle.

    ``quiet`` keeps what it prints out of our streams; the end of it is part of a crash's result.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.close(reading)
            _child(function, writing, output if quiet else None)
        os.close(writing)
        try:
            data, late = _read_all(reading, time.monotonic() + seconds)
        except BaseException:
            _kill(child)
            raise
        finally:
            os.close(reading)
        if late:
            _kill(child)
            return TimedOut(seconds, _tail(output))
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return Crashed(signal_name(os.WTERMSIG(status)), _tail(output))
        if os.WEXITSTATUS(status) or not data:
            return Crashed(f"exit status {os.WEXITSTATUS(status)}", _tail(output))
    outcome: Outcome = pickle.loads(data)
    return outcome


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11, and so on; ``signal N`` for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _child(function: Callable[[], Any], writing: int, output: IO[bytes] | None) -> None:
    """What the forked process does; it never returns."""
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if output is not None:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            # Whoever captured our streams captured objects, not descriptors.
            sys.stdout = sys.stderr = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
        result: Outcome
        try:
            result = Finished(function())
        except Exception as error:
            result = Raised(_one_line(error), traceback.format_exc())
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(result))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _read_all(reading: int, deadline: float) -> tuple[bytes, bool]:
    """Everything the child writes, and whether the deadline passed first."""
    parts: list[bytes] = []
    while True:
        left = deadline - time.monotonic()
        ready = select.select([reading], [], [], max(left, 0))[0] if left > 0 else []
        if not ready:
            return b"".join(parts), True
        part = os.read(reading, 1 << 16)
        if not part:
            return b"".join(parts), False
        parts.append(part)


def _kill(child: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(child, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    os.waitpid(child, 0)


def _tail(output: IO[bytes], size: int = 2000) -> str:
    end = output.seek(0, os.SEEK_END)
    output.seek(max(0, end - size))
    return output.read().decode(errors="replace").strip()


def _one_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}".rstrip(": ")
