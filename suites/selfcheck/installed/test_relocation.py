"""What the build backend makes of the modules of a checkout."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import launch
from tools.packaging.parity_build import MOVED, NAME, lay_out, relocated


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from suites.harness import clause", "from parity.suites.harness import clause"),
        ("from suites import contract", "from parity.suites import contract"),
        ("import suites", "from parity import suites"),
        ("import golden.bands as bands", "from parity.golden import bands as bands"),
        ("if x: import tools; y = 1", "if x: from parity import tools; y = 1"),
        (
            "x = 'é'; from suites import a; from golden import b",
            "x = 'é'; from parity.suites import a; from parity.golden import b",
        ),
        ("from golden.graphs import (\n    text,\n)", "from parity.golden.graphs import (\n    text,\n)"),
        ("from .suites import a", "from .suites import a"),
        ("from toolsmith import suites", "from toolsmith import suites"),
        ("import suitespot, torch", "import suitespot, torch"),
        ("'''\nfrom suites import a\n'''", "'''\nfrom suites import a\n'''"),
    ],
)
def test_imports_move_and_nothing_else(before: str, after: str) -> None:
    assert relocated(before.encode()).decode() == after


@pytest.mark.parametrize("statement", ["import suites.harness", "import torch, suites"])
def test_an_import_that_cannot_move_is_named(statement: str) -> None:
    with pytest.raises(ValueError, match=f"line 2: {statement}: import it as"):
        relocated(f"\n{statement}\n".encode())


def test_modules_of_a_wheel_import_ours_by_its_name_and_keep_their_lines(tmp_path: Path) -> None:
    lay_out(launch.ROOT, tmp_path)
    modules = [path for name in MOVED for path in (tmp_path / NAME / name).rglob("*.py")]
    assert len(modules) > 300
    for path in modules:
        tree = ast.parse(path.read_bytes())
        texts = () if "selfcheck" in path.parts else _imported_by_texts(tree)
        loose = [name for name in (*_imported(tree), *texts) if name.partition(".")[0] in MOVED]
        assert not loose, (path, loose)
        before = (launch.ROOT / path.relative_to(tmp_path / NAME)).read_bytes()
        assert len(path.read_bytes().splitlines()) == len(before.splitlines()), path


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module)


def _imported_by_texts(tree: ast.Module) -> Iterator[str]:
    """What programs in texts import, which other processes run: a text stays as it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"^(?:from|import) ([\w.]+)", node.value, re.MULTILINE)
