"""What the file of a program names. Nothing here imports torch."""

from __future__ import annotations

#: The names that the contract of a program file gives a meaning to.
CONTRACT = frozenset({"program", "inputs", "leaves", "calls", "TRAIN", "DYNAMIC", "CONFIG"})
