"""Make accepted edits: rewrite the sources and the band files, all in one change."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from golden.bands import Band, files_of, load_bands
from golden.editing.edits import BandEdit, Edit
from golden.editing.journal import commit
from golden.editing.rewrite import CannotRewrite, Replacement, rewrite


@dataclasses.dataclass(frozen=True)
class Change:
    """New contents by file (None: the file goes), what the files must hold now, and edits that could not be made."""

    contents: Mapping[Path, bytes | None]
    expected: Mapping[Path, bytes | None]
    refusals: tuple[str, ...]


def prepare(edits: Sequence[Edit]) -> Change:
    """The new sources; a file that cannot be edited safely is left out and refused in one line."""
    contents: dict[Path, bytes | None] = {}
    expected: dict[Path, bytes | None] = {}
    refusals: list[str] = []
    for path in sorted({Path(edit.file) for edit in edits}):
        mine = [edit for edit in edits if Path(edit.file) == path]
        try:
            source = path.read_bytes()
            new = rewrite(source, [Replacement(edit.span, edit.old, edit.new) for edit in mine])
        except (CannotRewrite, OSError, SyntaxError) as error:
            refusals.append(f"{path}: refused, {error}")
            continue
        contents[path], expected[path] = new, source
    return Change(contents, expected, tuple(refusals))


def prepare_bands(folder: Path, edits: Sequence[BandEdit], known: set[str] | None) -> Change:
    """The new band files. ``known``: the goldens that exist, after a full run; None after any other."""
    before = load_bands(folder)
    after = before
    for edit in edits:
        after = after.recorded(edit.golden, edit.torch, edit.new, edit.inline)
    after = after.trimmed(known)
    if after.bands == before.bands:
        return Change({}, {}, ())
    new_files: dict[str, bytes | None] = {name: text.encode("utf-8") for name, text in files_of(after).items()}
    old_files = {path.name: path.read_bytes() for path in folder.glob("*.toml")}
    changed = {name for name in new_files.keys() | old_files.keys() if new_files.get(name) != old_files.get(name)}
    return Change(
        {folder / name: new_files.get(name) for name in changed},
        {folder / name: old_files.get(name) for name in changed},
        (),
    )


def unreachable_bands(folder: Path, known: set[str] | None) -> list[Band]:
    """Bands that `prepare_bands` would drop or shorten without any edit."""
    before = load_bands(folder)
    kept = set(before.trimmed(known).bands)
    return [band for band in before.bands if band not in kept and not _merged_away(band, kept)]


def _merged_away(band: Band, kept: set[Band]) -> bool:
    return any(
        other.golden == band.golden
        and other.text == band.text
        and other.start <= band.start
        and band.stop <= other.stop
        for other in kept
    )


def make(root: Path, changes: Iterable[Change]) -> list[Path]:
    """Make several changes as one and give the files that changed.

    Raises `golden.editing.journal.CannotCommit`; nothing was changed then.
    """
    contents: dict[Path, bytes | None] = {}
    expected: dict[Path, bytes | None] = {}
    for change in changes:
        contents.update(change.contents)
        expected.update(change.expected)
    if contents:
        commit(root, contents, expected)
    return sorted(contents)


def dirty(root: Path, files: Iterable[Path]) -> set[Path]:
    """The files with changes that git does not have; empty where there is no git."""
    paths = [str(path) for path in files]
    if not paths:
        return set()
    command = ["git", "-C", str(root), "status", "--porcelain", "-z", "--no-renames", "--", *paths]
    try:
        top = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True
        ).stdout.rstrip("\n")
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return set()
    reported = {(Path(top) / entry[3:]).resolve() for entry in output.split("\0") if entry}
    return {path for path in map(Path, paths) if _is_below(path.resolve(), reported)}


def _is_below(path: Path, reported: set[Path]) -> bool:
    """git reports an untracked folder as a whole."""
    return path in reported or any(parent in reported for parent in path.parents)
