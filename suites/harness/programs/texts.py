"""Programs that are written as text, and what they are called with."""

from __future__ import annotations

import linecache
import types
import zlib

import torch


def module_of_text(name: str, about: str, source: str) -> types.ModuleType:
    """A module made afresh of its text. ``name`` is its own, and ``about`` what a traceback says of its file.

    Raises what executing the text raises.
    """
    # Dynamo knows a function by its file and line: other text is another file.
    file = f"<{name} of {about}, {zlib.crc32(source.encode()):08x}>"
    module = types.ModuleType(name)
    # Where Dynamo, and a traceback, look for the text of a function.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec", dont_inherit=True), vars(module))
    return module


def three_numbers(device: str, *, upcast: bool) -> torch.Tensor:
    """A tensor of three numbers in single precision, or with ``upcast`` in double, for programs that ask for Python."""
    dtype = torch.float64 if upcast else torch.float32
    return torch.tensor([0.5, -1.25, 3.0], dtype=dtype, device=device)
