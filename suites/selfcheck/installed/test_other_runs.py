"""Runs of pytest that are none of clauses, in an environment that has Parity."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools import launch

TEST = """\
import sys
import pytest

@pytest.mark.clause
def test_it():
    assert "torch" not in sys.modules
"""

CLAUSE = """\
from parity import Check, clause, tensor

@clause(modes="no_grad")
def test_sum(check: Check) -> None:
    check(lambda a: a + 1, tensor(3))

def test_plain(tmp_path):
    assert tmp_path.exists()
"""


def test_strict_markers_know_the_mark_of_a_clause_and_torch_is_not_imported_for_it(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(TEST, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    code, said = run(tmp_path)
    assert code == 0, said


def test_clause_among_other_tests_is_skipped_with_a_line_and_the_others_run(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(CLAUSE, encoding="utf-8")
    (tmp_path / "test_plain.py").write_text("def test_it():\n    pass\n", encoding="utf-8")
    code, said = run(tmp_path, "-rs")
    assert code == 0, said
    assert "2 passed, 1 skipped" in said
    how = "give --backend NAME, or -p parity (in addopts for good)"
    assert f"SKIPPED [1] test_mine.py:3: a clause of Parity's: {how}" in said
    assert f"\n1 clause of Parity's was skipped: {how}\n" in said


def run(folder: Path, *options: str) -> tuple[int, str]:
    """The exit code and the output of pytest in a folder, with what pytest loads of Parity."""
    # Of what stands beside it in the checkout, `packaging` is another package's name.
    (folder / "lib").mkdir()
    (folder / "lib" / "parity").symlink_to(launch.ROOT / "tools" / "parity")
    path = os.pathsep.join(map(str, (folder / "lib", launch.ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "parity.plugin", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout
