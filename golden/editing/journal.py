"""Change several files so that the tree is either old or new, whenever the process dies.

The new contents are written beside a journal, below one folder at the root. Writing ``journal.json`` (one rename) is
the moment that decides: before it the files are as they were, and what lies in the folder is thrown away; after it the
files are new as soon as each has been renamed into its place, and whoever comes next finishes what is left (`recover`
is called by every command that records or compares goldens).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

#: The folder below the root; listed in .gitignore.
FOLDER = ".golden-journal"


class CannotCommit(OSError):
    """Nothing was changed; the message says why in one line."""


@dataclasses.dataclass(frozen=True)
class Recovery:
    """What was found of an interrupted change: files that were finished, files that somebody changed meanwhile."""

    finished: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()


def commit(root: Path, contents: Mapping[Path, bytes | None], expected: Mapping[Path, bytes | None]) -> None:
    """Give every file its new content, all or none; None removes a file.

    ``expected``: what each file must hold now (None: it must not exist). Raises `CannotCommit` before anything has
    changed: another command is at it, a file has changed, or a file is on another file system.
    """
    folder = root / FOLDER
    with _Lock(root):
        recover(root, locked=True)
        folder.mkdir()
        try:
            entries = [
                _prepared(folder, number, path.resolve(), content, expected[path])
                for number, (path, content) in enumerate(contents.items())
            ]
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        _write(folder / "journal.tmp", json.dumps(entries).encode())
        os.replace(folder / "journal.tmp", folder / "journal.json")
        left_alone = _finish(folder, entries).left_alone
    if left_alone:
        raise CannotCommit(f"{', '.join(left_alone)} changed at the last moment and was left alone; record again")


def recover(root: Path, *, locked: bool = False) -> Recovery:
    """Finish or throw away what an interrupted `commit` left; costs one look at the disk when there is nothing."""
    folder = root / FOLDER
    if not folder.exists():
        return Recovery()
    if not locked:
        try:
            with _Lock(root):
                return recover(root, locked=True)
        except CannotCommit:
            return Recovery()  # whoever holds the lock finishes it
    journal = folder / "journal.json"
    if journal.exists():
        return _finish(folder, json.loads(journal.read_bytes()))
    shutil.rmtree(folder, ignore_errors=True)
    return Recovery()


def _digest(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()


def _current(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _prepared(
    folder: Path, number: int, path: Path, content: bytes | None, expected: bytes | None
) -> dict[str, str | None]:
    if _current(path) != expected:
        raise CannotCommit(f"{path} has changed since the goldens were recorded; nothing was changed, record again")
    new = None
    if content is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if os.stat(folder).st_dev != os.stat(path.parent).st_dev:
            raise CannotCommit(f"{path} is on another file system than {folder.parent}; nothing was changed")
        new = f"{number}.new"
        _write(folder / new, content)
        if path.exists():
            shutil.copymode(path, folder / new)
            _outdate(folder / new, path)
    return {"path": str(path), "new": new, "old": _digest(expected), "result": _digest(content)}


def _outdate(new: Path, old: Path) -> None:
    """Let the new file be a whole second younger: byte code is told stale by seconds and size."""
    moment = max(time.time(), old.stat().st_mtime + 1)
    os.utime(new, (moment, moment))


def _finish(folder: Path, entries: list[dict[str, str | None]]) -> Recovery:
    finished, left_alone = [], []
    for entry in entries:
        path = Path(str(entry["path"]))
        now = _digest(_current(path))
        if now == entry["result"]:
            continue
        if now != entry["old"]:
            left_alone.append(str(path))
        elif entry["new"] is None:
            path.unlink()
            finished.append(str(path))
        else:
            os.replace(folder / str(entry["new"]), path)
            finished.append(str(path))
    (folder / "journal.json").unlink()
    shutil.rmtree(folder, ignore_errors=True)
    return Recovery(tuple(finished), tuple(left_alone))


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


class _Lock:
    """One change at a time below a root; the lock dies with its process and leaves no file."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._handle = -1

    def __enter__(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows: renames are the only protection
            return
        self._handle = os.open(self._root, os.O_RDONLY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._handle)
            raise CannotCommit(
                f"another command is changing goldens below {self._root}; wait for it to end, then try again"
            ) from None

    def __exit__(self, *_: object) -> None:
        if self._handle >= 0:
            os.close(self._handle)
