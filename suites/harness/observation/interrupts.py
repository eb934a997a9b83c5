"""Telling the user's Ctrl-C from a ``KeyboardInterrupt`` that a program or a backend raises."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Stopped(KeyboardInterrupt):
    """The user stops the run; any other ``BaseException`` of an observed call is the program's or the backend's."""


@contextlib.contextmanager
def interrupts_stop() -> Iterator[None]:
    """Within it SIGINT raises `Stopped` where it would have raised ``KeyboardInterrupt``: in the main thread."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stopped

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
