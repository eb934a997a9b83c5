"""Where an error was raised: the places in a backend, of all those that its stack goes through."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import suites
from suites.harness.execution import environment
from suites.harness.observation import owners

#: As many places are told.
_TOLD = 3

_OURS = str(Path(suites.__file__).parent) + os.sep
_HARNESS = str(Path(__file__).parents[1]) + os.sep
#: Where the harness calls what has no frame of a program below it: a backend that compiles, and backward.
_NO_PROGRAM = tuple(_HARNESS + place for place in ("backends/backend.py", "observation/gradients.py"))


class _Frame(NamedTuple):
    file: str
    line: int
    function: str

    @property
    def is_torchs(self) -> bool:
        return owners.is_torchs(self.file)

    @property
    def is_elses(self) -> bool:
        """Whether it is of no library: torch, Parity, Python itself, and code without a file are."""
        of_a_library = owners.is_pythons(self.file) or self.is_torchs
        return not (of_a_library or self.file.startswith((_OURS, "<frozen", "<eval_with_key>")))

    def __str__(self) -> str:
        return f"{_short(self.file)}:{self.line} {self.function}"


def raised_in(error: BaseException) -> str:
    """The innermost places outside of torch in which an error was raised, in a line; torch's innermost where none is.

    ``engine.py:12 lower, from engine.py:40 compile_graph``. Frames of the program itself are none of a backend's.
    """
    innermost: list[_Frame] = []
    for each in _chain(error):
        frames = list(_frames(each.__traceback__))
        innermost = innermost or [frame for frame in frames if frame.is_torchs][-1:]
        if found := _of_the_backend(frames):
            return ", from ".join(map(str, reversed(found[-_TOLD:])))
    return ", from ".join(map(str, innermost))


def whole(error: BaseException) -> str:
    """The stack of an error with those of its causes, where the environment asks for whole stacks; else nothing."""
    if not environment.asks_for_stacks():
        return ""
    chain = list(_chain(error))
    return "\n".join("".join(traceback.format_exception(each, chain=False)).rstrip() for each in chain)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """What an error was raised from, the first cause first."""
    chain = [error]
    while (cause := chain[-1].__cause__ or getattr(chain[-1], "inner_exception", None)) is not None:
        if not isinstance(cause, BaseException) or cause in chain:
            break
        chain.append(cause)
    return reversed(chain)


def _frames(stack: TracebackType | None) -> Iterator[_Frame]:
    for frame, line in traceback.walk_tb(stack):
        yield _Frame(frame.f_code.co_filename, line, frame.f_code.co_name)


def _of_the_backend(frames: list[_Frame]) -> list[_Frame]:
    """The frames of neither torch nor Python nor Parity, without those of the file that the program is from."""
    ours = [place for place, frame in enumerate(frames) if frame.file.startswith(_OURS)]
    last = frames[ours[-1]].file if ours else ""
    below = frames[ours[-1] + 1 :] if ours else frames
    found = [frame for frame in below if frame.is_elses]
    if not found or not last.startswith(_HARNESS) or last in _NO_PROGRAM:
        return found
    # A backend may stand in the program's own file, below what leads from the one to the other.
    program = below.index(found[0])
    bridge = next((place for place in range(program, len(below)) if below[place].is_torchs), program)
    return [frame for frame in found if frame.file != found[0].file] or [
        frame for frame in below[bridge:] if frame.is_elses
    ]


def _short(file: str) -> str:
    """A file's path below the current folder, or below where packages are installed."""
    for folder in (str(Path.cwd()) + os.sep, *owners.INSTALLED):
        if file.startswith(folder):
            return file.removeprefix(folder)
    return file
