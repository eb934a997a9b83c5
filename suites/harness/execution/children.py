"""A forked process that answers one request after another, until it is ended or dies: what dies there is a result.

Cells run in such children of a worker. The worker itself compiles nothing and touches no device, so that a child which
has crashed, hangs or has lost its CUDA context is replaced by another fork of the same clean process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import traceback
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import IO, Any, NoReturn

from suites.harness.execution import isolation
from suites.harness.execution.deaths import last_words, of_exit
from suites.harness.execution.isolation import Crashed, Finished, Outcome, Raised, TimedOut


class Child:
    """A fork of this process in which ``answer`` is called with each request; requests and answers must pickle.

    The child has a session of its own, so whatever it starts can be ended with it, and it ends with its parent.
    """

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        ours, theirs = Pipe()
        self._connection: Connection = ours
        parent = os.getpid()
        self._process = os.fork()
        if self._process == 0:
            ours.close()
            _serve(answer, theirs, self._output, parent)
        theirs.close()

    @property
    def connection(self) -> Connection:
        """What becomes readable when the child has answered, or has died: for `multiprocessing.connection.wait`."""
        return self._connection

    def ask(self, request: Any, seconds: float) -> Outcome:
        """What ``answer`` returns for ``request``. After anything but `Finished` and `Raised` the child is no more."""
        self.send(request)
        return self.answer() if self._connection.poll(seconds) else self.timed_out(seconds)

    def send(self, request: Any) -> None:
        """Have the child begin with ``request``. That it has died is told by `answer`."""
        with contextlib.suppress(OSError):
            self._connection.send(request)

    def answer(self) -> Outcome:
        """What came of the request: waits for it. After anything but `Finished` and `Raised` the child is no more."""
        try:
            outcome: Outcome = self._connection.recv()
        except (EOFError, OSError):
            return self._died()
        return outcome

    def timed_out(self, seconds: float) -> TimedOut:
        """End the child, which has had its ``seconds``, and say where it was."""
        where = ""
        with contextlib.suppress(ValueError):
            where = isolation.where_it_is(self._process, self._output)
        self.end()
        return TimedOut(seconds, where)

    def end(self) -> None:
        """End the child and whatever it has started."""
        isolation.kill(self._process)
        self._connection.close()

    def _died(self) -> Crashed:
        code = os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        isolation.kill_group(self._process)
        self._connection.close()
        return Crashed(of_exit(code), self._said())

    def _said(self) -> str:
        with contextlib.suppress(ValueError):
            return last_words(isolation.tail(self._output))
        return ""


def _serve(answer: Callable[[Any], Any], connection: Connection, stack: IO[bytes], parent: int) -> NoReturn:
    """What the child does; it never returns. ``stack`` gets its Python stack, as `isolation.tell_where` says."""
    status = 1
    try:
        os.setsid()
        isolation.die_with_parent(parent)
        isolation.forget_all_children()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        isolation.tell_where(stack)
        isolation.own_threads()
        while True:
            request = connection.recv()
            outcome: Outcome
            try:
                outcome = Finished(answer(request))
            except Exception as error:
                outcome = Raised(isolation.one_line(error), traceback.format_exc())
            connection.send(outcome)
    except (EOFError, OSError):
        status = 0  # The parent has gone.
    except BaseException:
        with contextlib.suppress(OSError, ValueError):
            stack.write(traceback.format_exc().encode(errors="backslashreplace"))
    finally:
        os._exit(status)
