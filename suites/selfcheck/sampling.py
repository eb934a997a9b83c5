"""Which of many a run tries, where all would take too long: the same ones in every run, or one part after another."""

from __future__ import annotations

import zlib


def one_in(number: int, name: str, part: int = 0) -> bool:
    """Whether what is called ``name`` is in a part of ``number``, counted from 0."""
    return zlib.crc32(name.encode()) % number == part
