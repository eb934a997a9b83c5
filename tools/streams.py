"""Standard output and error as a command line needs them: no reader, and no encoding, makes a verb fail."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

#: What could not be written, and why, since `make_patient`: one line each.
_lost: list[str] = []


class _Descriptor(io.FileIO):
    """A descriptor whose reader may leave (`parity list | head`), or whose disk may be full.

    What comes after that goes nowhere; that a disk is full is told by `lost`.
    """

    def write(self, data: Any) -> int:
        """Write, as far as somebody reads it."""
        try:
            return super().write(data) or 0
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                names = {1: "standard output", 2: "standard error"}
                _lost.append(f"cannot write {names.get(self.fileno(), self.fileno())}: {error.strerror or error}")
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return len(data)


def lost() -> str:
    """Why something that was to be seen was not written, in a line; empty if all was, or its reader had left."""
    sys.stdout.flush()
    sys.stderr.flush()
    return _lost[0] if _lost else ""


def make_patient() -> None:
    """Have this process's standard streams outlive their readers, and show as `?` what they cannot encode.

    A verb's exit code is then its own, and no traceback of an encoder hides a verdict. A stream that was closed before
    this process began (``parity gate >&-``) has no reader from the start.
    """
    _take_free_descriptors()
    streams = (sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = (_nowhere() if stream is None else _patient(stream) for stream in streams)


def _take_free_descriptors() -> None:
    """Have nothing that is opened later take the place of a standard stream, which children would write to."""
    while (taken := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(taken)


def _nowhere() -> Any:
    return open(os.devnull, "w", encoding="utf-8")


def _patient(stream: Any) -> Any:
    stream.flush()
    descriptor = _Descriptor(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(descriptor),
        encoding=stream.encoding,
        errors="replace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
