"""Programs of operators with kernels of Triton's: drawn without a GPU, as varied as they should be, and run on one."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.programs.drawing import Drawn
from suites.fuzz.kinds import KINDS, kind_of
from suites.fuzz.reduction.guards import with_the_same_kernels
from suites.fuzz.reduction.search import reduce, statements
from suites.harness.execution import environment

TRITON = KINDS["triton"]
MANY = 400


@pytest.fixture(scope="module")
def many() -> list[Drawn]:
    return [TRITON.draw(Seeded(f"triton/{number}"), number, None) for number in range(MANY)]


def test_every_feature_is_in_one_program_of_a_hundred(many: list[Drawn]) -> None:
    counted = Counter(name for program in many for name in program.features)
    assert not {name: counted[name] for name in TRITON.features if counted[name] < MANY // 100}


def test_programs_are_plain_python_for_a_gpu(many: list[Drawn]) -> None:
    for program in many:
        tree = ast.parse(program.text)
        assert "suites" not in program.text
        assert "torch.library.triton_op(" in program.text
        (inputs,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "inputs")
        assert ast.unparse(inputs.body[0]).startswith("with torch.device('cuda'):")


def test_program_is_known_by_its_text_and_becomes_small_without_its_kernels_changing(many: list[Drawn]) -> None:
    program = max(many, key=lambda drawn: statements(drawn.text))
    assert kind_of(program.text) is TRITON
    still = with_the_same_kernels(lambda text: "op0(" in text.partition("def program(")[2], program.text)
    small = reduce(program.text, lambda texts: next((n for n, text in enumerate(texts) if still(text)), None), 20)
    assert statements(small.text) == 1
    assert not still(small.text.replace("mutates_args=(", "mutates_args=('x', "))


@pytest.mark.skipif(not environment.cuda(), reason="needs a CUDA device: pytest --device cuda")
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_most_programs_pass_on_a_gpu(backend: str, tmp_path: Path) -> None:
    """Some meet what is wrong with torch. None is a mistake of its own."""
    budget = ["--programs", "6", "-j", "4", "--reduce-seconds", "0", "--json", "--out", str(tmp_path)]
    command = [sys.executable, "-m", "tools.cli", "fuzz", "--of", "triton", "--backend", backend, *budget]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    outcomes = Counter(json.loads(ended.stdout)["outcomes"])
    assert outcomes["pass"] > 12, outcomes
    assert outcomes["error"] + outcomes["skip"] < 2, outcomes
