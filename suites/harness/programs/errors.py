"""What is wrong with a program that cannot be examined."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import torch
from packaging.specifiers import SpecifierSet
from packaging.version import Version


class BadProgram(Exception):
    """A program that cannot be examined; the message is one line that says what is missing or wrong, and where."""


class NotHere(BadProgram):
    """A program that means nothing on this device, or with this torch."""


class OtherRelease(NotHere):
    """A program for other releases of torch than this one."""


def other_release(wanted: str) -> str | None:
    """One line: what is about the releases ``wanted`` (``">=2.13"``) is not about this one; ``None`` if it is."""
    if SpecifierSet(wanted).contains(Version(torch.__version__).base_version, prereleases=True):
        return None
    return f"it is about torch {wanted}, and this is {torch.__version__}"


def awaited(program: Any) -> str:
    """Why a program that has to be awaited cannot be examined; empty for any other."""
    inner = program.forward if isinstance(program, torch.nn.Module) else program
    while isinstance(inner, functools.partial):
        inner = inner.func
    for each in (inner, getattr(type(inner), "__call__", None)):  # noqa: B004
        if inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each):
            return "an async function, which nobody awaits here: give a function that returns what is to be compared"
    return ""


def is_missing(error: ModuleNotFoundError, module: str) -> bool:
    """Whether an import failed for want of the module itself, or of a package that it is in: not of what it imports."""
    return bool(error.name) and (module == error.name or module.startswith(f"{error.name}."))
