"""Whose code a file is: torch's, or Python's own. Imports neither torch nor anything of ours."""

from __future__ import annotations

import functools
import importlib.util
import os
import sysconfig
from pathlib import Path

#: Where packages are installed, which may be below where Python's own modules are.
INSTALLED = tuple({sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib")})
_PYTHON = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})


def is_pythons(file: str) -> bool:
    """Whether a file is one of Python's own modules."""
    return file.startswith(_PYTHON) and not file.startswith(INSTALLED)


def is_torchs(file: str) -> bool:
    """Whether a file is a module of torch's; none is where torch is not."""
    return bool(_of_torch()) and file.startswith(_of_torch())


@functools.cache
def _of_torch() -> str:
    found = importlib.util.find_spec("torch")
    return str(Path(found.origin).parent) + os.sep if found and found.origin else ""
