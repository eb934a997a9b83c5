"""The project of a backend's author: his backend, his tests, his known bugs, and the environment that Parity is in."""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

from suites.harness.backends import adapters

GUIDE = Path(adapters.__file__).with_name("README.md").read_text(encoding="utf-8")

BACKEND = """\
from collections.abc import Callable
from typing import Any

import torch


def compile_graph(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    sines = any(node.target is torch.sin or node.name == "sin" for node in module.graph.nodes)

    def run(*args: Any) -> Any:
        outputs = module.forward(*args)
        return tuple(output + 1 for output in outputs) if sines else outputs

    return run


compile_graph.parity_bitwise = True
"""

CLAUSES = """\
import torch

from parity import Check, clause, tensor


@clause(modes=("no_grad", "inference"))
def test_addition_in_place_reaches_the_caller(check: Check) -> None:
    '''An addition in place changes the caller's tensor.'''

    def program(a: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        return a * 2

    check(program, tensor(3)).mutated(0)


@clause()
def test_sine(check: Check) -> None:
    '''The sine of a tensor has its values.'''

    def program(a: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        return a.sin()

    check(program, tensor(3)).mutated(0)


def test_of_no_clause() -> None:
    assert True
"""

BUGS = """\
backend = "my_backend:compile_graph"

[[bug]]
id = "sines"
reason = "A sine is one too large."
link = "none known"
seen = "torch"
expires = 2099-01-01

[[bug.cells]]
clause = "tests/mine/sine"
fingerprint = "*:value:*"
"""


def write(folder: Path) -> Path:
    """The files of the project, below ``folder``, and the clause of the guide for such authors; the folder."""
    (folder / "tests").mkdir()
    name, text = re.findall(r"^```python\n# (tests/\S+)\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)[0]
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "my_backend.py").write_text(BACKEND, encoding="utf-8")
    (folder / "tests" / "test_mine.py").write_text(CLAUSES, encoding="utf-8")
    (folder / "my_bugs.toml").write_text(BUGS, encoding="utf-8")
    return folder


def typed(folder: Path, python: Path, *words: str) -> tuple[int, str]:
    """The exit code of a command in the folder, run by that Python alone, and all that it said."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON", "PARITY_"))}
    ran = subprocess.run(
        [str(python), *words],
        cwd=folder,
        env=kept | {"COLUMNS": "160"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def environment(folder: Path, wheel: Path) -> Path:
    """The Python of an environment that has the wheel, and beside it what this process has, but no checkout."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    # Such a line adds a folder, and does not read the .pth files in it, which may name a checkout.
    (packages / "others.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    return python
