"""Tests that take turns: with ``--turn`` each runs in its own, and together the turns run what is run without."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from suites.selfcheck import conftest
from tools import launch

TESTS = """
import pytest

@pytest.mark.in_turn(0, 3)
def test_first(): pass

@pytest.mark.parametrize("way", [pytest.param(1, marks=pytest.mark.in_turn(1, 3)), 2])
@pytest.mark.in_turn(1, 2)
def test_each_way(way): pass

def test_always(): pass
"""


@pytest.mark.parametrize(
    ("options", "ran"),
    [
        ((), {"first", "each_way[1]", "each_way[2]", "always"}),
        (("--turn", "0"), {"first", "always"}),
        (("--turn", "1"), {"each_way[1]", "each_way[2]", "always"}),
        (("--turn", "5", "-n", "1"), {"each_way[2]", "always"}),
        (("--turn", "7"), {"each_way[1]", "each_way[2]", "always"}),
    ],
)
def test_those_whose_turn_it_is_run(options: tuple[str, ...], ran: set[str], tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(f'pytest_plugins = ["{conftest.__name__}"]\n')
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    (tmp_path / "test_these.py").write_text(TESTS)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *options],
        cwd=tmp_path,
        env={**environ, "PYTHONPATH": str(launch.ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(re.findall(r"^PASSED \S+::test_(\S+)$", done.stdout, re.MULTILINE)) == ran
    assert ("deselected" in done.stdout) == (len(ran) < 4 and "-n" not in options)
