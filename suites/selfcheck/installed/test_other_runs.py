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


def test_strict_markers_know_the_mark_of_a_clause_and_torch_is_not_imported_for_it(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(TEST, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    path = os.pathsep.join(map(str, (launch.ROOT / "tools", launch.ROOT)))
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "parity.plugin"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout
