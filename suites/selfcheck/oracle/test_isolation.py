"""A process of its own: what comes back of a crash, a hang, an error and a value."""

from __future__ import annotations

import errno
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suites.harness.execution.children import Child
from suites.harness.execution.deaths import FRAMES, signal_name
from suites.harness.execution.isolation import NO_RESULT, Crashed, Finished, Forked, Raised, TimedOut, run_forked
from suites.harness.execution.runners import forked
from suites.harness.observation.facts import ErrorFacts
from suites.harness.oracle.runs import Aborted, Run
from suites.selfcheck.leftovers import gone


def _segfault() -> None:
    print("the last words", flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def _raise() -> None:
    raise ValueError("first line\nsecond line")


def _unpicklable() -> Any:
    return lambda: None


def test_value_comes_back() -> None:
    assert run_forked(lambda: {"answer": [42]}, 30) == Finished({"answer": [42]})


def test_large_value_comes_back() -> None:
    outcome = run_forked(lambda: b"x" * 3_000_000, 30)
    assert isinstance(outcome, Finished)
    assert len(outcome.value) == 3_000_000


def test_error_comes_back_as_one_line() -> None:
    outcome = run_forked(_raise, 30)
    assert isinstance(outcome, Raised)
    assert outcome.message == "ValueError: first line"
    assert "in _raise" in outcome.traceback


class _Speechless(Exception):
    def __str__(self) -> str:
        raise LookupError("no words")


def _raise_speechless() -> None:
    raise _Speechless


def test_error_that_cannot_say_what_it_is_comes_back_as_one() -> None:
    said = "_Speechless: <no message: its own __str__ raises LookupError>"
    outcome = run_forked(_raise_speechless, 30)
    assert isinstance(outcome, Raised)
    assert outcome.message == said
    child = Child(lambda _: _raise_speechless())
    answered = child.ask(None, 30)
    child.end()
    assert isinstance(answered, Raised)
    assert answered.message == said
    facts = ErrorFacts.of(_Speechless())
    assert f"{facts.type}: {facts.message}" == said


def test_signal_is_named_and_last_words_and_innermost_frames_are_kept() -> None:
    outcome = run_forked(_segfault, 30)
    assert isinstance(outcome, Crashed)
    words, reason, innermost, *_ = outcome.output.splitlines()
    assert (outcome.how, words, reason) == ("SIGSEGV", "the last words", "Segmentation fault")
    assert innermost.startswith("File ")
    assert innermost.endswith(" in _segfault")


@pytest.mark.parametrize(
    ("leave", "status"), [(lambda: os._exit(3), 3), (lambda: os._exit(0), 0), (lambda: sys.exit(5), 1)]
)
def test_leaving_without_a_result_is_a_crash(leave: Callable[[], Any], status: int) -> None:
    outcome = run_forked(leave, 30)
    assert isinstance(outcome, Crashed)
    assert outcome.how == f"exit status {status}"


def test_value_that_cannot_travel_is_not_lost_silently() -> None:
    assert not isinstance(run_forked(_unpicklable, 30), Finished)


class _Full:
    """A stream that keeps what it is given, and cannot be rid of it."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _replace_streams(stream: Any) -> None:
    sys.stdout = sys.stderr = stream


@pytest.mark.parametrize(
    "spoil",
    [lambda: sys.stdout.close(), lambda: _replace_streams(None), lambda: _replace_streams(_Full())],
    ids=["closed", "none", "full"],
)
def test_fork_ends_there_whatever_a_program_has_made_of_its_streams(spoil: Callable[[], None], tmp_path: Path) -> None:
    def program() -> int:
        spoil()
        return 42

    parent = os.getpid()
    try:
        outcome = run_forked(program, 30)
    finally:
        if os.getpid() != parent:
            (tmp_path / "escaped").touch()
            os._exit(1)
    assert outcome == Finished(42)
    assert not (tmp_path / "escaped").exists()


def _hangs() -> None:
    print("the last words", flush=True)
    time.sleep(600)


@pytest.mark.parametrize(("told", "threads"), [(None, 1), ("3", 3)])
def test_no_pool_of_compilers_where_inductors_settings_were_read_before(told: str | None, threads: int) -> None:
    others = {name: value for name, value in os.environ.items() if name != "TORCHINDUCTOR_COMPILE_THREADS"}
    program = (
        "import torch._inductor.config as config; from suites.harness.execution.isolation import one_thread; "
        "one_thread(); print(config.compile_threads)"
    )
    environment = others if told is None else {**others, "TORCHINDUCTOR_COMPILE_THREADS": told}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(threads)]


def test_hang_ends_at_the_limit_and_says_where_it_was() -> None:
    started = time.monotonic()
    outcome = run_forked(_hangs, 0.5)
    assert isinstance(outcome, TimedOut)
    words, innermost, *others = outcome.output.splitlines()
    assert (outcome.seconds, words, innermost.endswith(" in _hangs")) == (0.5, "the last words", True)
    assert len(others) < FRAMES
    assert time.monotonic() - started < 10


def test_child_that_hangs_says_where_it_was() -> None:
    outcome = Child(lambda _: _hangs()).ask(None, 0.5)
    assert isinstance(outcome, TimedOut)
    innermost, *others = (line for line in outcome.output.splitlines() if line.startswith("File "))
    assert (innermost.endswith(" in _hangs"), len(others) < FRAMES) == (True, True)


def test_hang_is_told_with_its_stack_which_is_no_part_of_the_fingerprint() -> None:
    class Hangs:
        def make(self, run: Run) -> None:
            _hangs()

    lost = forked(Hangs(), 0.5)(Run())  # type: ignore[arg-type]
    assert isinstance(lost, Aborted)
    difference = lost.divergence("inductor")
    assert difference.fingerprint == f"inductor:timeout:{NO_RESULT}"
    how, limit, words, innermost, *_ = difference.seen.splitlines()
    assert (how, limit, words) == (NO_RESULT, "limit 0.5 s", "the last words")
    assert innermost.endswith(" in _hangs")


def test_hang_that_tells_nothing_costs_a_second() -> None:
    def deaf() -> None:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        time.sleep(600)

    started = time.monotonic()
    assert run_forked(deaf, 0.5) == TimedOut(0.5, "")
    assert time.monotonic() - started < 10


def test_hang_that_ignores_signals_ends_too() -> None:
    def stubborn() -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(1)

    assert isinstance(run_forked(stubborn, 0.5), TimedOut)


def test_grandchildren_go_with_a_hang(tmp_path: Path) -> None:
    note = tmp_path / "pid"

    def parent() -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        note.write_text(str(child.pid))
        time.sleep(600)

    assert isinstance(run_forked(parent, 2), TimedOut)
    assert gone(int(note.read_text()))


def test_grandchild_that_holds_the_pipe_does_not_hold_the_result() -> None:
    def parent() -> int:
        # A helper process that outlives its parent inherits every open descriptor, the pipe's end among them.
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
        return 7

    assert run_forked(parent, 3) == Finished(7)


def test_state_of_the_child_stays_there() -> None:
    kept: list[int] = []
    run_forked(lambda: kept.append(1), 30)
    assert kept == []


def test_interrupt_reaches_the_parent_and_ends_the_child() -> None:
    seen: list[int] = []

    def parent() -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, lambda *_: parent())
    # An exception that arrives within a callback of the garbage collector (Hypothesis has one) is dropped.
    gc.disable()
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    read, write = os.pipe()
    try:

        def child() -> None:
            os.write(write, str(os.getpid()).encode())
            time.sleep(600)

        with pytest.raises(KeyboardInterrupt):
            run_forked(child, 60)
        seen.append(int(os.read(read, 20)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        gc.enable()
        os.close(read)
        os.close(write)
    assert gone(seen[0])


def test_unknown_signal_has_a_name_too() -> None:
    assert (signal_name(11), signal_name(99)) == ("SIGSEGV", "signal 99")


def test_result_is_not_lost_where_the_end_is_seen_before_it() -> None:
    with Forked(lambda: 7) as forked:
        forked._status = os.waitpid(forked._child, 0)[1]  # What a look before the deadline finds on a slow machine.
        assert forked.outcome(time.monotonic()) is None
        assert forked.outcome(time.monotonic() + 30) == Finished(7)


def test_large_result_costs_what_its_size_does() -> None:
    started = time.monotonic()
    assert isinstance(run_forked(lambda: b"x" * 100_000_000, 30), Finished)
    assert time.monotonic() - started < 20


def test_result_that_is_arriving_is_waited_for() -> None:
    value = b"x" * 3_000_000
    with Forked(lambda: value) as forked:
        forked._received += os.read(forked._reading, 1 << 10)
        assert forked.outcome(time.monotonic()) == Finished(value)
