"""One run at a time writes a ledger: a lock beside it, which goes with the processes that hold it, however they end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path


class InUse(Exception):
    """Another run writes this ledger. The message is one line that names it."""


@contextlib.contextmanager
def locked(ledger: Path, who: str) -> Iterator[int | None]:
    """Hold the lock of the ledger at that path; its descriptor, for a child that is to hold it too.

    None where this process's parent holds it for both, and where the file system has no locks.

    Raises `InUse` if another process holds it.
    """
    path = ledger.with_name(f".{ledger.name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = _opened_alone(path, ledger)
    if descriptor is None:
        yield None
        return
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()} {who}, since {time.strftime('%H:%M:%S')}".encode(), 0)
        yield descriptor
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _opened_alone(path: Path, ledger: Path) -> int | None:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder, _, who = os.pread(descriptor, 1000, 0).decode(errors="replace").partition(" ")
            os.close(descriptor)
            if holder == str(os.getppid()):
                return None
            raise InUse(f"{ledger} is in use by process {holder or '?'} ({who or 'which has just started'})") from None
        except OSError:
            # No locks here, as on some network file systems: a run without one is better than none.
            os.close(descriptor)
            return None
        # Whoever held it before may have removed the file since it was opened here.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        os.close(descriptor)
