"""The console that verbs print to."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.live import Live
from rich.text import Text

#: Columns where nobody's terminal says how many there are (a pipe, a log of CI).
PLAIN_WIDTH = 110


def terminal(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal, or `PLAIN_WIDTH` wide where there is none."""
    stream = sys.stderr if stderr else sys.stdout
    narrow = not stream.isatty() and "COLUMNS" not in os.environ
    return Console(file=stream, width=PLAIN_WIDTH if narrow else None)


@contextlib.contextmanager
def doing(console: Console, text: str, *, logged: bool = False) -> Iterator[None]:
    """Say on a terminal what is being done, for as long as the context lasts; ``logged``: elsewhere too, in a line.

    It stands still: a spinner turns in a thread of its own, and what takes long is done in forks.
    """
    if not console.is_terminal:
        if logged:
            console.print(f"{text} ...", highlight=False, markup=False, soft_wrap=True)
            console.file.flush()
        yield
        return
    with Live(Text(f"{text} ...", style="dim"), console=console, auto_refresh=False, transient=True):
        yield
