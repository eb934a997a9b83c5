"""Call scripts: the plain script makes calls as they are; reduction takes out those that do not matter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch

from suites.fuzz.reduction.script import script
from suites.fuzz.reduction.search import one_by_one, reduce
from suites.harness.oracle.divergence import Divergence
from suites.harness.programs.files import FileProgram

CALLS = """
import contextlib
import torch

TRAIN = True
factor = 3


@contextlib.contextmanager
def double_by_default():
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


def program(a, n):
    b = torch.ones(2) * n
    return a * factor if torch.is_grad_enabled() else b


def inputs():
    a = torch.randn(3, requires_grad=True)
    return a, 1.5


def larger():
    a = torch.randn(4)
    return a, 2.0


calls = [inputs, (inputs, torch.no_grad), larger, (larger, double_by_default)]
"""


def test_plain_script_makes_every_call_within_its_contexts(tmp_path: Path) -> None:
    first = Divergence("value", "value differs", "call 2: out", "1", "2", True, "eager")
    path = tmp_path / "repro.py"
    path.write_text(script(CALLS, first))
    same = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, check=False)
    assert (same.returncode, same.stdout) == (0, ""), same.stderr
    told = path.read_text().replace("different = [", "different = sorted(expected) if True else [")
    path.write_text(told)
    shown = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, check=False)
    lines = shown.stdout.splitlines()
    assert {line[:6] for line in lines if line.startswith("call ")} == {"call 1", "call 2", "call 3", "call 4"}
    made = [lines[number + 1] for number, line in enumerate(lines) if line.endswith(": out[0]")]
    assert [line.count("'requires_grad': True") for line in made] == [1, 0, 0, 0]
    assert "'values': [1.5, 1.5]" in made[1]  # Without grad.
    assert "torch.float32" in made[1]


def test_only_the_call_that_matters_is_left(tmp_path: Path) -> None:
    path = tmp_path / "program.py"

    def still(text: str) -> bool:
        """Whether the program runs, in some call without grad."""
        path.write_text(text)
        try:
            instance = FileProgram(path).instantiate()
            modes = []
            for build in instance.calls:
                made = build()
                with made.during:
                    instance.function(*made.args)
                    modes.append(torch.is_grad_enabled())
        except Exception:
            return False
        return False in modes

    assert still(CALLS)
    small = reduce(CALLS, one_by_one(still), seconds=60)
    assert small.finished
    assert "torch.no_grad" in small.text
    for word in ("larger", "double_by_default", "TRAIN", "factor"):
        assert word not in small.text, small.text
    path.write_text(small.text)
    assert FileProgram(path).settings().calls == 1
