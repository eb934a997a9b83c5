"""What is known of a process that died, or was ended: how, and where in Python it was."""

from __future__ import annotations

import re
import signal
import subprocess
from typing import Any

#: Of what a process said, this many lines, the last ones.
_LINES = 20
#: Of a stack, this many frames, the innermost first: the others are those of whoever ran the program.
FRAMES = 6
#: Seconds that a worker whose pipe is closed may take to be gone: the kernel may be writing its core.
_PATIENCE = 20.0
_FATAL = "Fatal Python error: "
#: A frame of the function that runs a graph's kernels: the file has the name of its text, in a folder named after it.
_INDUCTORS_CALL = re.compile(r'File ".*/(\w\w)/c\1[a-z2-7]{40,}\.py", line \d+ in call$')
#: What faulthandler writes before the stack of a process that was asked for it.
_ASKED = "Stack (most recent call first):\n"
UNKNOWN = "the worker died"
#: Of a process that is there and can compute nothing on its GPU any more.
LOST_ITS_DEVICE = "lost its device"


def in_a_kernel(words: str) -> bool:
    """Whether a process died, by its `last_words`, in what the code that Inductor writes for a graph calls."""
    frames = [line for line in words.splitlines() if line.startswith("File ")]
    return bool(frames) and _INDUCTORS_CALL.match(frames[0]) is not None


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11, and so on; ``signal N`` for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def of_exit(code: int) -> str:
    """How a process ended: a signal's name for a negative code, as subprocess gives it, or ``exit status N``."""
    return signal_name(-code) if code < 0 else f"exit status {code}"


def of_worker(gateway: Any) -> str:
    """How the process behind an execnet gateway died: a signal's name, or ``exit status N``.

    `UNKNOWN` where the process is not this one's child, or is not gone after all.
    """
    process = getattr(getattr(gateway, "_io", None), "popen", None)
    if not isinstance(process, subprocess.Popen):
        return UNKNOWN
    try:
        return of_exit(process.wait(_PATIENCE))
    except subprocess.TimeoutExpired:
        return UNKNOWN


def last_words(text: str) -> str:
    """The end of what a process said and, where faulthandler wrote one, the innermost frames of its stack."""
    said, died, fatal = text.rpartition(_FATAL)
    reason, _, stack = fatal.partition("\n")
    if not died:
        said, asked, stack = text.rpartition(_ASKED)
        said, reason, stack = (said, "", stack) if asked else (text, "", "")
    frames = [line.strip() for line in stack.splitlines() if line.startswith("  File ")]
    return "\n".join([*said.strip().splitlines()[-_LINES:], *filter(None, [reason]), *frames[:FRAMES]])
