"""What a run writes to the error stream: an engine's own words, which no exception holds."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys

from suites.harness.execution.deaths import last_words

#: Bytes of the stream's end that are looked at.
_LOOKED_AT = 1 << 14
_STDERR = 2
#: A line of torch's own log without a message, as is left where the message went elsewhere.
_EMPTY_LINE = re.compile(r"^[VDIWEC]\d{4} [^\]]*\](\s*\[[\d/_]+\])?\s*$\n?", re.MULTILINE)


class ErrorStream:
    """The error stream from here on. Only where it goes to a file, as that of a cell does, can it be read again."""

    def __init__(self) -> None:
        self._begin = _length()

    def said(self) -> str:
        """The last lines that were written meanwhile, by whatever wrote them; empty where that cannot be told."""
        end = _length()
        if self._begin is None or end is None or end <= self._begin:
            return ""
        begin = max(self._begin, end - _LOOKED_AT)
        with contextlib.suppress(OSError):  # A file that was opened for writing alone.
            text = os.pread(_STDERR, end - begin, begin).decode(errors="replace")
            return last_words(_EMPTY_LINE.sub("", text))
        return ""


def _length() -> int | None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
        told = os.fstat(_STDERR)
        return told.st_size if stat.S_ISREG(told.st_mode) else None
    return None
