"""Run a function in a forked process of its own, with a time limit: a crash or a hang is a result, not an end.

Forking is safe while the parent computes with one thread and Inductor's compile pool is off, which `one_thread`
arranges. It is not safe once CUDA is initialised in the parent; the parent of CUDA runs never touches the device.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import faulthandler
import io
import os
import select
import signal
import struct
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from typing import IO, Any, NoReturn

from suites.harness.execution.deaths import last_words, of_exit


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
    """The process was killed after ``seconds``. ``output`` is the end of what it said, and where in Python it was."""

    seconds: float
    output: str

    @property
    def told(self) -> str:
        """The limit, and the output below it."""
        return f"limit {self.seconds:g} s\n{self.output}".strip()


Outcome = Finished | Raised | Crashed | TimedOut

#: The result comes with its length before it.
_LENGTH = struct.Struct("!Q")
_POLL_SECONDS = 0.2
#: Bytes that are asked of the pipe at once.
_PART_BYTES = 1 << 20
#: Seconds without a byte after which a result that has begun to arrive, and is late, is not waited for.
_SILENCE_SECONDS = 10.0
#: Has a child write where it is. Python's own handlers, and those of a program, do not see it.
_TELL_STACK = signal.SIGUSR1
#: Seconds that a child may take to do so, and between two looks at what it has written.
_STACK_SECONDS, _LOOK_SECONDS = 1.0, 0.01
#: The kind of a divergence that is a time limit: how long that was differs from verb to verb.
NO_RESULT = "no result in time"


def one_thread() -> None:
    """One thread for tensor operators and none for Inductor's compile pool: call before any operator has run."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("MKL_NUM_THREADS", "1")
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    import torch

    from suites.harness.torch_internals import read_compile_threads_again

    torch.set_num_threads(1)
    read_compile_threads_again()


def leave_cuda_to_forks() -> None:
    """Have this process count devices otherwise than by CUDA's own calls: they are the end of forks that use it."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")


def own_threads() -> None:
    """Give this fork a thread pool of its own; call before it starts a thread.

    torch replaces the pool that came with the fork when it is next asked for. The threads of autograd, one a device,
    all ask as they start: of two at once, one finds none, and ends the process ("Invalid thread pool!").
    """
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(torch.get_num_threads())


#: Forked processes that have not ended, for whoever has to end this one.
_alive: set[int] = set()


def forget_all_children() -> None:
    """Call it in a fork: the children are its parent's."""
    _alive.clear()


def end_children() -> None:
    """Kill every forked process that has not ended: this one is about to go."""
    for child in list(_alive):
        kill_group(child)


def die_with_parent(parent: int) -> None:
    """End this process when its parent, that process, goes, or now if it has gone."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    else:
        threading.Thread(target=_end_without, args=(parent,), daemon=True).start()


def _end_without(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    end_children()
    os._exit(1)


def run_forked(function: Callable[[], Any], seconds: float) -> Outcome:
    """Run ``function`` in a fork and return what came of it; its value must pickle.

    What it prints stays out of our streams; the end of it is part of a crash's result.
    """
    with Forked(function) as forked:
        return forked.outcome(time.monotonic() + seconds) or forked.timed_out(seconds)


class Forked:
    """A function that runs in a fork, for as long as the context lasts; see `run_forked`."""

    def __init__(self, function: Callable[[], Any]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._reading, writing = os.pipe()
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._received = bytearray()
        self._status: int | None = None
        self._drained = False
        self._ended = False
        parent = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            os.close(self._reading)
            _child(function, writing, self._output, parent)
        _alive.add(self._child)
        os.close(writing)

    def __enter__(self) -> Forked:
        return self

    def __exit__(self, *error: object) -> None:
        if not self._ended:
            kill(self._child)
        _alive.discard(self._child)
        os.close(self._reading)
        self._output.close()

    def outcome(self, deadline: float) -> Outcome | None:
        """What came of the function; None if nothing has by ``deadline``, a time of the monotonic clock.

        The deadline is the function's: a result that is arriving by then is waited for, however large it is.
        """
        data = self._collected(deadline)
        if data is None and not self._drained:
            return None
        self._ended = True
        status = _reaped(self._child) if self._status is None else self._status
        kill_group(self._child)
        code = os.waitstatus_to_exitcode(status)
        if code < 0 or data is None:
            return Crashed(of_exit(code), last_words(tail(self._output)))
        return _unpacked(data)

    def timed_out(self, seconds: float) -> TimedOut:
        """End the process, which has had its ``seconds``, and say where it was."""
        where = where_it_is(self._child, self._output)
        kill(self._child)
        self._ended = True
        return TimedOut(seconds, where)

    def _collected(self, deadline: float) -> memoryview | None:
        """The child's whole result; None if it ended without one (the pipe is drained then) or is late.

        Neither waits for the end of the stream: a process that the child started may hold the pipe open after it.
        That the child has ended is no reason to leave what it wrote before: the pipe is looked at once more.
        """
        heard = time.monotonic()
        while (now := time.monotonic()) < deadline or (self._received and now < heard + _SILENCE_SECONDS):
            wait = min(_POLL_SECONDS, deadline - now) if now < deadline else _POLL_SECONDS
            if select.select([self._reading], [], [], wait)[0]:
                part = os.read(self._reading, _PART_BYTES)
                self._received += part
                heard = time.monotonic()
                if len(self._received) >= _LENGTH.size:
                    size = _LENGTH.unpack_from(self._received)[0]
                    if len(self._received) >= _LENGTH.size + size:
                        return memoryview(self._received)[_LENGTH.size :]
                if not part:
                    self._status = _reaped(self._child) if self._status is None else self._status
                    self._drained = True
                    return None
            elif self._status is not None:
                self._drained = True
                return None
            else:
                ended, code = os.waitpid(self._child, os.WNOHANG)
                self._status = code if ended else None
        return None


def _packed(result: Outcome) -> memoryview:
    """The result as bytes, in torch's own format: plain pickling knows no storage of the wider unsigned dtypes."""
    import torch

    buffer = io.BytesIO()
    torch.save(result, buffer)
    return buffer.getbuffer()


def _unpacked(data: memoryview) -> Outcome:
    import torch

    try:
        outcome: Outcome = torch.load(io.BytesIO(data), weights_only=False)
    except Exception as error:
        return Raised(f"the result cannot be brought back: {one_line(error)}", traceback.format_exc())
    return outcome


def _child(function: Callable[[], Any], writing: int, output: IO[bytes], parent: int) -> None:
    """What the forked process does; it never returns, whatever the function has done to the process."""
    status = 1
    try:
        os.setsid()
        forget_all_children()
        die_with_parent(parent)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        tell_where(output)
        # Whoever captured our streams captured objects, not descriptors.
        sys.stdout = sys.stderr = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
        own_threads()
        result: Outcome
        try:
            result = Finished(function())
        except Exception as error:
            result = Raised(one_line(error), traceback.format_exc())
        with os.fdopen(writing, "wb") as pipe:
            data = _packed(result)
            pipe.write(_LENGTH.pack(len(data)))
            pipe.write(data)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        _leave(status)


def _leave(status: int) -> NoReturn:
    """End this fork, with what it has printed as far as that can be written: the stack above is its parent's."""
    try:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # It may be closed, its disk full, or no stream at all.
                stream.flush()
    finally:
        os._exit(status)


def tell_where(output: IO[bytes]) -> None:
    """Have this process write its Python stack there as it dies of a fault, and where `where_it_is` asks for it."""
    faulthandler.enable(output, all_threads=False)
    faulthandler.register(_TELL_STACK, output, all_threads=False)


def where_it_is(child: int, output: IO[bytes]) -> str:
    """The end of what a child said, with the innermost frames of its stack; without them if it does not tell in time.

    The child called `tell_where`, and is about to be ended: one that has not come to that ends of it.
    """
    before = size = os.fstat(output.fileno()).st_size
    deadline = time.monotonic() + _STACK_SECONDS
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, _TELL_STACK)
    while time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)
        last, size = size, os.fstat(output.fileno()).st_size
        if before < last == size:
            break
    return last_words(tail(output))


def _reaped(child: int) -> int:
    return os.waitpid(child, 0)[1]


def kill(child: int) -> None:
    """End a process that this one has started, with everything that it started itself, and reap it."""
    kill_group(child)
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def kill_group(child: int) -> None:
    """End whatever the child started and left running."""
    try:
        os.killpg(child, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def tail(output: IO[bytes], size: int = 1 << 14) -> str:
    """The last ``size`` bytes of a file, as text."""
    end = output.seek(0, os.SEEK_END)
    output.seek(max(0, end - size))
    return output.read().decode(errors="replace").strip()


def message_of(error: BaseException) -> str:
    """What an exception says of itself; what stands for it where its own code for that raises, in its place."""
    try:
        return str(error)
    except Exception as another:
        return f"<no message: its own __str__ raises {type(another).__name__}>"


def one_line(error: BaseException) -> str:
    """An exception's type and the first line of its message."""
    text = message_of(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}".rstrip(": ")
