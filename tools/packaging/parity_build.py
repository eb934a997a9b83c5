"""The build backend: setuptools', but for a wheel, which holds one package, `parity`.

A checkout has `suites`, `golden` and `tools` at its top, and its modules import one another by these names. In
site-packages such names would meet those of others, so that a wheel holds them below `parity`, and its modules import
`parity.suites`. Lines keep their numbers, and nothing but import statements changes. `tools/parity` is the package
itself. An editable installation has the checkout's own names, and `parity` beside them.
"""

from __future__ import annotations

import ast
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from setuptools import build_meta

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

build_sdist = build_meta.build_sdist
build_editable = build_meta.build_editable
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
get_requires_for_build_editable = build_meta.get_requires_for_build_editable
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable

#: The one name that a wheel installs, and those that are at the top of a checkout.
NAME = "parity"
MOVED = ("golden", "suites", "tools")
#: What is of use in a checkout alone.
_LEFT_OUT = ("__pycache__", "packaging", "benchmarks")


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of the checkout in the current directory; its file name. See PEP 517."""
    del metadata_directory  # Its names would be those of a checkout.
    target = str(Path(wheel_directory).resolve())
    with tempfile.TemporaryDirectory(prefix="parity-wheel-") as folder:
        lay_out(Path.cwd(), Path(folder))
        with _inside(Path(folder)):
            return str(build_meta.build_wheel(target, config_settings))


def lay_out(checkout: Path, folder: Path) -> None:
    """Write into an empty folder the project that a wheel is built from: `parity`, and its pyproject.toml."""
    import tomli_w

    ignored = shutil.ignore_patterns(*_LEFT_OUT)
    package = folder / NAME
    shutil.copytree(checkout / "tools" / NAME, package, ignore=ignored)
    for name in MOVED:
        shutil.copytree(checkout / name, package / name, ignore=ignored)
    shutil.rmtree(package / "tools" / NAME)
    # They are tests of a checkout; the wrong backends and the tools beside them are for users' own clauses, too.
    for file in (package / "suites" / "selfcheck").rglob("test_*.py"):
        file.unlink()
    for file in package.rglob("*.py"):
        file.write_bytes(relocated(file.read_bytes()))
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    project.pop("build-system")
    project["tool"] = {"setuptools": project["tool"]["setuptools"]}
    project["tool"]["setuptools"]["packages"]["find"] = {"include": [f"{NAME}*"]}
    (folder / "pyproject.toml").write_text(tomli_w.dumps(project), encoding="utf-8")
    for name in (project["project"]["readme"], *project["project"]["license-files"]):
        shutil.copy(checkout / name, folder / name)


def relocated(source: bytes) -> bytes:
    """A module's text, UTF-8, with what it imports of `MOVED` imported from below `NAME`.

    Raises `ValueError` for one that imports a module below those by ``import a.b``, which binds the name of `a`.
    """
    lines = source.splitlines(keepends=True)
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in sorted(found, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        place, line = node.lineno - 1, lines[node.lineno - 1]
        if isinstance(node, ast.ImportFrom):
            if node.level == 0 and _is_moved(node.module or ""):
                start = line.index(str(node.module).encode(), node.col_offset + len("from"))
                lines[place] = line[:start] + f"{NAME}.".encode() + line[start:]
        elif any(_is_moved(each.name) for each in node.names):
            lines[place] = line[: node.col_offset] + _from_below(node).encode() + line[node.end_col_offset :]
    return b"".join(lines)


def _from_below(node: ast.Import) -> str:
    first = node.names[0]
    if len(node.names) > 1 or ("." in first.name and not first.asname):
        raise ValueError(f"line {node.lineno}: {ast.unparse(node)}: import it as `from a import b`")
    above, _, last = f"{NAME}.{first.name}".rpartition(".")
    return f"from {above} import {last}" + (f" as {first.asname}" if first.asname else "")


def _is_moved(module: str) -> bool:
    return module.partition(".")[0] in MOVED


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
