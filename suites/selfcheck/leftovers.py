"""Whether a process that something was to end has gone."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

_POLL_SECONDS = 0.05


def gone(process: int, seconds: float = 5.0) -> bool:
    """Whether a process goes within so many seconds: a signal takes effect after the call that sends it.

    One that is merely an entry which its new parent has not removed has gone.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            os.kill(process, 0)
            # Without the file there is no such file system, or the process went meanwhile: the next signal tells.
            with contextlib.suppress(FileNotFoundError):
                if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                    return True
        except ProcessLookupError:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
