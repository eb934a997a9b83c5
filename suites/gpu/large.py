"""Cells that take many gigabytes of the GPU: one at a time, whichever process they are in."""

import contextlib
import fcntl
import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch


@contextlib.contextmanager
def much_memory() -> Iterator[None]:
    """No other cell of this machine is in such a context meanwhile; what was taken in it is given back to the GPU."""
    with Path(tempfile.gettempdir(), f"parity-much-memory-{os.getuid()}.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        try:
            yield
        finally:
            gc.collect()
            with contextlib.suppress(RuntimeError):  # What lost its device has given back everything.
                torch.cuda.empty_cache()
