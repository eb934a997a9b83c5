"""The console that verbs print to."""

from __future__ import annotations

import os
import sys

from rich.console import Console

#: Columns where nobody's terminal says how many there are (a pipe, a log of CI).
PLAIN_WIDTH = 110


def terminal(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal, or `PLAIN_WIDTH` wide where there is none."""
    stream = sys.stderr if stderr else sys.stdout
    narrow = not stream.isatty() and "COLUMNS" not in os.environ
    return Console(file=stream, width=PLAIN_WIDTH if narrow else None)
