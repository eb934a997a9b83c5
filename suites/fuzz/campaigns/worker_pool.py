"""A pool of forked workers that are used again and again; several wait while their kernels are compiled together.

One worker runs at a time, so a pool keeps one core busy whatever its width. A worker whose program needs a kernel of
Inductor's says so and waits; when no worker can go on, what all of them wait for is compiled in one go (`kernels`), and
each goes on as if the kernel had been in the cache. Every program is lowered and judged alone and in the ordinary way:
nothing is batched but the run of the C++ compiler.

What the pieces of work of one worker share is the process: what one leaves behind could hide what is wrong with a later
one, or look like it. So a divergence counts only if it is there again in a fork of its own, and campaigns judge some of
the other programs again as well, and say how often that came to something else.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Generic, TypeVar

from suites.harness import torch_internals
from suites.harness.backends.registry import resolve
from suites.harness.execution import accelerations
from suites.harness.execution.isolation import Forked, Raised, end_children
from suites.harness.execution.kernels import announce_builds, build_together
from suites.harness.torch_internals import CppBuild

T = TypeVar("T")
R = TypeVar("R")

#: Workers of a pool whose backend compiles C++. Measured: a kernel costs the compiler 0.68 s alone, 0.14 s as one of
#: eight and 0.09 s as one of sixteen; a worker that waits holds some 50 MiB.
WIDTH = 12
#: Pieces of work after which a worker makes room for a fresh one, and after which kernels are thrown away.
WORK_A_WORKER = 48


class Gone:
    """What comes of work that its worker did not come back from, or not in time."""


def width_for(backend: str, device: str = "cpu") -> int:
    """How many workers are worth having: more than one where there are kernels to wait for, built together.

    On a GPU kernels are Triton's, which each worker compiles by itself, and a worker holds half a GiB of its memory.
    """
    if device != "cpu":
        return 1
    return WIDTH if resolve(backend).needs_compiler and accelerations.on(accelerations.TOGETHER) else 1


class WorkerPool(Generic[T, R]):
    """Workers that do ``work``, while the context lasts. Tasks and results are sent between processes.

    A task may take ``seconds`` of running; waiting for kernels does not count.
    """

    def __init__(self, work: Callable[[T], R], seconds: float, width: int = 1) -> None:
        self._work, self._seconds, self._width = work, seconds, width
        self._workers: list[_Worker[T, R]] = []

    def __enter__(self) -> WorkerPool[T, R]:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def run(self, tasks: Iterable[T]) -> Iterator[tuple[T, R | Raised | Gone]]:
        """Do the tasks, each asked for when a worker is free for it, and give what came of them as they are done.

        `Raised` is what work came to that raised; `Gone` what ended its worker or took too long. An iteration that is
        left before its end ends the workers that were at it.
        """
        waiting, more = iter(tasks), True
        try:
            while True:
                while more and (free := self._free()) is not None:
                    for task in waiting:
                        free.take(task)
                        break
                    else:
                        more = False
                    if free.can_go_on:
                        break
                runnable = next((worker for worker in self._workers if worker.can_go_on), None)
                if runnable is None:
                    if not _compile_for(self._workers):
                        return
                    continue
                answer = runnable.go_on(self._seconds)
                if isinstance(answer, CppBuild):
                    continue
                task = runnable.task
                if isinstance(answer, Gone) or runnable.done >= WORK_A_WORKER:
                    self._workers.remove(runnable)
                    runnable.end()
                yield task, answer
        finally:
            for worker in [worker for worker in self._workers if worker.busy]:
                self._workers.remove(worker)
                worker.end()

    def _free(self) -> _Worker[T, R] | None:
        free = next((worker for worker in self._workers if not worker.busy), None)
        if free is None and len(self._workers) < self._width:
            free = _Worker(self._work)
            self._workers.append(free)
        return free


def _compile_for(workers: list[_Worker[T, R]]) -> bool:
    """Compile what workers wait for, and let them go on. What cannot be compiled together, each compiles for itself."""
    waiting = [worker for worker in workers if worker.build is not None]
    build_together([worker.build for worker in waiting if worker.build is not None])
    for worker in waiting:
        worker.can_go_on = True
    return bool(waiting)


class _Worker(Generic[T, R]):
    """A fork that does a task at a time; the parent's side of it."""

    task: T

    def __init__(self, work: Callable[[T], R]) -> None:
        self._connection, theirs = Pipe()
        self._kernels = tempfile.TemporaryDirectory(prefix="parity-kernels-")
        mine = self._connection
        self._forked = Forked(lambda: _serve(theirs, mine, work, self._kernels.name))
        theirs.close()
        self.busy = self.can_go_on = False
        self.build: CppBuild | None = None
        self.done = 0
        self._spent = 0.0

    def take(self, task: T) -> None:
        """Give it a task."""
        self.task = task
        self.busy = self.can_go_on = True
        self._spent = 0.0
        self._send(task)

    def go_on(self, seconds: float) -> R | Raised | Gone | CppBuild:
        """Let it run until it is done with its task or needs a kernel."""
        if self.build is not None:
            self.build = None
            self._send(None)
        self.can_go_on = False
        started = time.monotonic()
        answer: R | Raised | Gone | CppBuild
        try:
            there = self._connection.poll(max(seconds - self._spent, 0.0))
            answer = self._connection.recv() if there else Gone()
        except (EOFError, OSError):
            answer = Gone()
        self._spent += time.monotonic() - started
        if isinstance(answer, CppBuild):
            self.build = answer
        else:
            self.busy = False
            self.done += 1
        return answer

    def end(self) -> None:
        """End the process, whatever it does."""
        self._connection.close()
        self._forked.__exit__()
        self._kernels.cleanup()

    def _send(self, value: object) -> None:
        with contextlib.suppress(OSError):  # A worker that has died is noticed when it is to go on.
            self._connection.send(value)


def _serve(connection: Connection, theirs: Connection, work: Callable[[T], R], folder: str) -> None:
    """The worker's side: do what comes until the parent is gone. Kernels lie in ``folder``, not in the user's cache."""
    theirs.close()

    def announce(build: CppBuild) -> None:
        connection.send(build)
        connection.recv()

    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
    # Triton's own default, and not a folder of Inductor's: what workers compile of one source is compiled once.
    os.environ.setdefault("TRITON_CACHE_DIR", str(Path.home() / ".triton" / "cache"))
    announce_builds(announce)
    with contextlib.suppress(EOFError):
        while True:
            task = connection.recv()
            try:
                done = work(task)
                if not torch_internals.device_works():
                    os._exit(1)  # Whatever came next would be told of this program's failed assertion.
                connection.send(done)
            except Exception as error:
                end_children()
                connection.send(Raised(f"{type(error).__name__}: {error}", traceback.format_exc()))
