"""``parity check``: what a file comes to whose program never does what it is there for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import cli

RAISES = """
import torch

def inputs():
    return (torch.ones(3),)

def program(a):
    return a.no_such_method()
"""


def test_program_that_always_raises_in_eager_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "raises.py"
    file.write_text(RAISES)
    code = cli.run(["check", str(file), "--backend", "eager", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert (code, said["outcome"]) == (2, "error")
    assert "the program raises in eager: AttributeError: 'Tensor' object has no attribute" in said["detail"]


def test_program_that_raises_in_one_of_its_calls_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "raises.py"
    file.write_text(
        RAISES.replace("a.no_such_method()", "torch.cat([a, torch.ones(2, 2)]) if len(a) == 2 else a + 1")
        + "def pairs():\n    return (torch.ones(2),)\n\ncalls = [inputs, pairs]\n"
    )
    code = cli.run(["check", str(file), "--backend", "eager", "--json"])
    assert (code, json.loads(capsys.readouterr().out)["outcome"]) == (0, "pass")
