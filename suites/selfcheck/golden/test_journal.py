"""A change of several files is old or new, whenever the process dies, and nobody else's edit is lost."""

from __future__ import annotations

import multiprocessing
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from golden.editing import journal
from golden.editing.journal import CannotCommit, commit, recover

OLD = {"a.py": b"old a", "sub/b.py": b"old b", "gone.toml": b"old c"}
NEW: dict[str, bytes | None] = {"a.py": b"new a", "sub/b.py": b"new b", "gone.toml": None, "made/d.toml": b"new d"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, content in OLD.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def change(root: Path) -> None:
    commit(root, {root / name: text for name, text in NEW.items()}, {root / name: OLD.get(name) for name in NEW})


def state(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and journal.FOLDER not in path.parts
    }


AFTER = {name: text for name, text in NEW.items() if text is not None}


def test_all_files_change_and_nothing_is_left(root: Path) -> None:
    os.chmod(root / "a.py", 0o750)
    before = (root / "a.py").stat().st_mtime
    change(root)
    assert state(root) == AFTER
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o750
    assert int((root / "a.py").stat().st_mtime) > int(before), "byte code compiled before must be stale"
    assert not (root / journal.FOLDER).exists()


STEPS = [(os, "replace"), (os, "fsync"), (Path, "unlink"), (Path, "mkdir"), (journal.shutil, "rmtree")]


def _dies(root: Path, owner: Any, name: str, survived: int) -> None:
    """Kill this process at a call of a function that touches the disk, after some calls that went well."""
    real: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def dying(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > survived:
            os._exit(9)
        return real(*args, **kwargs)

    setattr(owner, name, dying)
    change(root)


@pytest.mark.parametrize("owner, name", STEPS, ids=[name for _, name in STEPS])
def test_killed_at_every_step(root: Path, owner: Any, name: str) -> None:
    context = multiprocessing.get_context("fork")
    for survived in range(20):
        process = context.Process(target=_dies, args=(root, owner, name, survived))
        process.start()
        process.join()
        recover(root)
        assert state(root) in (OLD, AFTER), f"killed at call {survived + 1} of {name}"
        assert not (root / journal.FOLDER).exists()
        if process.exitcode == 0:
            return
        for path in (root / "made/d.toml",):
            path.unlink(missing_ok=True)
        for file, content in OLD.items():
            (root / file).write_bytes(content)
    pytest.fail("the change never went through")


def test_a_file_that_has_changed_is_refused_and_nothing_happens(root: Path) -> None:
    (root / "sub/b.py").write_bytes(b"edited")
    with pytest.raises(CannotCommit, match=r"b\.py has changed since"):
        change(root)
    assert state(root) == {**OLD, "sub/b.py": b"edited"}
    assert not (root / journal.FOLDER).exists()


def test_recovery_leaves_a_file_alone_that_was_edited_meanwhile(root: Path) -> None:
    context = multiprocessing.get_context("fork")
    process = context.Process(target=_dies, args=(root, os, "replace", 2))
    process.start()
    process.join()
    assert (root / journal.FOLDER / "journal.json").exists()
    (root / "sub/b.py").write_bytes(b"edited")
    found = recover(root)
    assert found.left_alone == (str(root / "sub/b.py"),)
    assert state(root) == {**AFTER, "sub/b.py": b"edited"}


def test_two_at_once_are_refused(root: Path) -> None:
    with journal._Lock(root), pytest.raises(CannotCommit, match="another command"):
        change(root)
    assert state(root) == OLD


def test_recover_costs_nothing_when_there_is_nothing(root: Path) -> None:
    assert recover(root) == journal.Recovery()
    assert state(root) == OLD
