"""Exit codes, and the two exceptions that carry them out of any verb."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import click

CONFORMANT = 0
NOT_CONFORMANT = 1
FAULT = 2
CANNOT_RUN = 3


class Fault(click.ClickException):
    """Wrong usage, or a fault of Parity's own. The message is one line: what was expected, what was seen."""

    exit_code = FAULT

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message to standard error."""
        click.echo(f"parity: {self.format_message()}", file=file, err=file is None)


@contextlib.contextmanager
def writing(place: Path) -> Iterator[None]:
    """Within it, what cannot be written (no permission, no space, no folder) is a `Fault` that names the file.

    ``place`` is named where the system does not say which file it was.
    """
    try:
        yield
    except OSError as error:
        raise Fault(f"cannot write {error.filename or place}: {error.strerror or error}") from None


def write(file: Path, text: str) -> None:
    """Write a text, in a folder that is made where there is none; what UTF-8 has no letter for is a `?`.

    Raises `Fault` as `writing` does.
    """
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="replace")


def no_such_backend(error: Exception) -> Fault:
    """What a verb ends with: a fault where a name is misspelt, else what the environment cannot run."""
    from suites.harness.backends.adapters import WrongUse

    return Fault(str(error)) if isinstance(error, WrongUse) else CannotRun(str(error))


class CannotRun(Fault):
    """The environment cannot run what was asked for. The message names what is missing and what to type."""

    exit_code = CANNOT_RUN
