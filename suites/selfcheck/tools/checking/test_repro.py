"""``parity check --repro``: the script of plain PyTorch shows the divergence, and by itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from suites.fuzz.reduction.script import script
from suites.harness.oracle.divergence import Divergence
from suites.harness.programs.files import Asked, FileProgram
from suites.harness.programs.targets import ImportedProgram
from tools import cli, reproducing

#: A wrong backend in a module of its own: the script is of plain PyTorch.
BACKEND = """
def zeros(module, example_inputs):
    return lambda *args: [out * 0 for out in module.forward(*args)]

def right(module, example_inputs):
    return module.forward
right.parity_bitwise = zeros.parity_bitwise = True
"""
PACKAGE = """
from __future__ import annotations
import math
import torch
from torch import nn as modules

UNUSED = print("imported")
factor: float = math.pi
table = {}
table["by"] = 2

def helper(a: torch.Tensor) -> torch.Tensor:
    return a * factor * table["by"]

def program_of_mine(a, *, plus=None):
    return helper(a) if plus is None else helper(a) + plus

class Net(modules.Module):
    def __init__(self):
        super().__init__()
        self.linear = modules.Linear(3, 2)

    def forward(self, a):
        return self.linear(a)

net = Net()
net.eval()

if __name__ == "__main__":
    raise SystemExit(9)
"""


#: Runs scripts one after another, and says how each ended.
IN_TURN = """
import runpy, sys
for script in sys.argv[1:]:
    code = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as left:
        code = left.code
    print("ended:", code, flush=True)
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python in a process that does not find Parity."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize(
    ("target", "given"),
    [
        pytest.param("mine.py", (), marks=pytest.mark.in_turn(0, 3)),
        pytest.param(
            "mine.py:program_of_mine",
            ("--input", "torch.ones(3)", "--input", "plus=torch.full((3,), factor)"),
            marks=pytest.mark.in_turn(1, 3),
        ),
        pytest.param("mine.py:Net", ("--input", "torch.ones(1, 3)", "--train"), marks=pytest.mark.in_turn(2, 3)),
        pytest.param("mine.py:net", ("--input", "torch.ones(1, 3)"), marks=pytest.mark.in_turn(0, 3)),
        pytest.param("model.pt2", (), marks=pytest.mark.in_turn(1, 3)),
    ],
)
def test_script_lives_and_dies_with_the_divergence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    target: str,
    given: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("wrong_backend.py").write_text(BACKEND)
    own = "" if ":" in target else "program = program_of_mine\ndef inputs():\n    return (torch.ones(3),)\n"
    Path("mine.py").write_text(PACKAGE + own)
    if target == "model.pt2":
        torch.export.save(torch.export.export(torch.nn.Linear(3, 2), (torch.ones(1, 3),)), target)
    code = cli.run(["check", target, *given, "--backend", "wrong_backend:zeros", "--repro", "out.py", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (code, told["repro"]) == (1, "out.py"), told
    assert told["repro_notes"][0] == "it exits 1, and 0 once that is gone"
    text = Path("out.py").read_text()
    assert not any(word in text for word in ("parity", "suites", "UNUSED" if ":" in target else "suites"))
    Path("right.py").write_text(text.replace(".zeros", ".right"))
    shown = run(tmp_path, "-c", IN_TURN, "out.py", "right.py")
    assert (shown.returncode, shown.stderr) == (0, ""), shown
    assert re.findall("^ended: (.*)", shown.stdout, re.MULTILINE) == ["1", "0"], shown
    assert "expected" in shown.stdout.partition("ended: 1")[0]


@pytest.mark.in_turn(2, 3)
def test_script_of_a_backend_that_raises_ends_with_its_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("raising_backend.py").write_text("def refuses(module, example_inputs):\n    return module.no_such_thing\n")
    Path("mine.py").write_text("import torch\ndef program(a): return a + 1\ndef inputs(): return (torch.ones(3),)\n")
    assert cli.run(["check", "mine.py", "--backend", "raising_backend:refuses", "--repro", "out.py", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["repro_notes"][0] == "it exits 1, and 0 once that is gone"
    shown = run(tmp_path, "out.py")
    assert (shown.returncode, shown.stderr) == (1, "")
    assert f'File "{tmp_path}/raising_backend.py", line 2, in refuses' in shown.stdout


def test_nothing_is_written_of_what_agrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("def program(): return 1\ndef inputs(): return ()\n")
    cli.run(["check", str(tmp_path / "mine.py"), "--backend", "eager", "--repro", str(tmp_path / "out.py")])
    assert not (tmp_path / "out.py").exists()


def test_source_that_cannot_be_taken_is_imported_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    made = types.ModuleType("made_by_hand")
    exec("def program_of_mine(a): return a", vars(made))
    monkeypatch.setitem(sys.modules, "made_by_hand", made)
    program = ImportedProgram(
        Path(), asked=Asked(("torch.ones(3)",)), module="made_by_hand", attribute="program_of_mine"
    )
    taken = reproducing.source(program, program.settings())
    assert taken.notes == ("no source of made_by_hand:program_of_mine can be taken: the script imports it",)
    assert "from made_by_hand import program_of_mine" in taken.text


def test_flags_and_modes_reach_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("TRAIN = True\ndef program(a): return a\ndef inputs(): return (1,)\n")
    program = FileProgram(path, asked=Asked(("2", "b=3"), train=False, dynamic=True))
    text = reproducing.source(program, program.settings(), "no_grad").text
    names: dict[str, Any] = {}
    exec(text, names)
    assert "TRAIN" not in names
    assert names["DYNAMIC"] is True
    assert names["inputs"]() == (2, 3)
    assert "calls = [(inputs, torch.no_grad)] * 2" in text


def test_script_tells_of_a_tensor_what_differs_and_not_all_of_it(tmp_path: Path) -> None:
    text = (
        "import torch\n"
        "def program(a):\n"
        "    return torch.where((a > 7) & torch.compiler.is_compiling(), a + 3, a)\n"
        "def inputs(): return (torch.arange(1000.0).reshape(10, 100),)\n"
    )
    (tmp_path / "out.py").write_text(script(text, Divergence("value", "value differs", "out", "", "", True, "eager")))
    made = run(tmp_path, "out.py")
    assert made.returncode == 1, made.stderr
    assert made.stdout.splitlines()[:4] == [
        "call 1: out[0]",
        "    expected  8.0 at [0, 8]",
        "    seen      11.0 at [0, 8] (992 of 1000 elements differ)",
        "    largest difference  3.0",
    ]
    assert len(made.stdout) < 1000
