"""What ``parity check`` takes beside options: files, standard input, ``package.module:attribute``, saved programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from suites.harness.programs.files import Asked, FileProgram

_NAME = r"[^\W\d]\w*"
_DOTTED = rf"{_NAME}(?:\.{_NAME})*"
#: How messages and reports call what comes from standard input.
STANDARD_INPUT = "<stdin>"


def programs(words: Iterable[str], device: str, asked: Asked, folder: Path) -> list[FileProgram]:
    """The programs that words of the command line name; ``-`` is read, and kept in ``folder``.

    Raises `click.UsageError` for a word that names none, and for what is no expression in what is asked for.
    """
    from suites.harness.programs.errors import BadProgram
    from suites.harness.programs.files import named_expression

    try:
        for text in asked.inputs:
            named_expression(text)
    except BadProgram as error:
        raise click.UsageError(str(error)) from None
    found = list(dict.fromkeys(words))
    return [_program(word, device, asked, folder) for word in found]


def _program(word: str, device: str, asked: Asked, folder: Path) -> FileProgram:
    from suites.harness.programs.files import FileProgram
    from suites.harness.programs.targets import ImportedProgram, SavedProgram

    path = Path(word)
    if word == "-":
        path = folder / "stdin.py"
        path.write_bytes(sys.stdin.buffer.read())
        return FileProgram(path, device, asked, STANDARD_INPUT)
    if path.is_dir():
        raise click.UsageError(f"{word}: a folder; name a file in it")
    if path.exists():
        return (SavedProgram if path.suffix == ".pt2" else FileProgram)(path, device, asked)
    in_file = re.fullmatch(r"(.+\.py):([^/\\]+)", word, re.DOTALL)
    in_module = re.fullmatch(rf"({_DOTTED}):(.+)", word, re.DOTALL)
    if in_file and Path(in_file[1]).is_file():
        return ImportedProgram(Path(in_file[1]), device, asked, attribute=_attribute(word, in_file[2]))
    if in_module and not in_file:
        return ImportedProgram(Path(), device, asked, module=in_module[1], attribute=_attribute(word, in_module[2]))
    name = in_file[1] if in_file else word
    hint = "" if path.suffix or in_file or "/" in word else "; a function is named package.module:function"
    raise click.UsageError(f"{name}: no such file{hint}")


def _attribute(word: str, text: str) -> str:
    """A dotted name, or a call of one, as it was written after the colon."""
    valid = re.fullmatch(rf"{_DOTTED}(\(.*\))?", text, re.DOTALL)
    try:
        compile(text, word, "eval")
    except (SyntaxError, ValueError):
        valid = None
    if not valid:
        raise click.UsageError(f"{word}: {text!r} is no name, and no call of one")
    return text
