"""What is told of a backend that raises: where in it, what its engine wrote, and nothing else of it than before."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from suites.harness.backends.adapters import imported
from suites.harness.execution import environment
from suites.harness.execution.runners import forked
from suites.harness.observation import stacks
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import Examination, examine
from suites.harness.oracle.runs import of_file
from suites.harness.programs.files import FileProgram
from suites.harness.results import ending, records
from suites.harness.results.ledger import Cell
from suites.harness.session import cells, terminal
from suites.harness.torch_internals import lookup_backend
from suites.selfcheck.tools.synthetic import cell
from tools import cli

ENGINE = """
import os
import sys

import torch
from torch._dynamo.backends.common import aot_autograd


def lower(node):
    os.write(2, b"engine: no kernel for torch.aten.cummax\\n")
    return node.data


def compiling(module, example_inputs):
    return [lower(7) for node in module.graph.nodes]


def running(module, example_inputs):
    def run(*args):
        return lower(7)

    return run


def calling_torch(module, example_inputs):
    def run(*args):
        return torch.ones(2) + torch.ones(3)

    return run


def in_backward(module, example_inputs):
    return aot_autograd(fw_compiler=lambda graph, _: graph.forward, bw_compiler=running)(module, example_inputs)
"""
PROGRAM = """
import torch

TRAIN = True

def program(a):
    return (a * 2).sum()

def inputs():
    return (torch.ones(3, requires_grad=True),)
"""
LINES = {text: number for number, text in enumerate(ENGINE.splitlines(), 1)}
LOWER = f"engine_that_raises.py:{LINES['    return node.data']} lower"
RUN = f"engine_that_raises.py:{LINES['        return lower(7)']} run"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "engine_that_raises.py").write_text(ENGINE)
    (tmp_path / "mine.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("engine_that_raises", None)


def examined(folder: Path, backend: str) -> Examination:
    program = FileProgram(folder / "mine.py")
    subject = of_file(program, program.settings())
    return examine(subject, imported(f"engine_that_raises:{backend}"), forked(subject, 100.0))


@pytest.mark.parametrize(
    ("backend", "told"),
    [
        (
            "compiling",
            f"{LOWER}, from engine_that_raises.py:{LINES['    return [lower(7) for node in module.graph.nodes]']} ",
        ),
        ("running", f"{LOWER}, from {RUN}"),
        (
            "calling_torch",
            f"engine_that_raises.py:{LINES['        return torch.ones(2) + torch.ones(3)']} run",
        ),
        ("in_backward", f"{LOWER}, from {RUN}"),
    ],
)
def test_innermost_places_of_the_backend_are_told(here: Path, backend: str, told: str) -> None:
    [found] = examined(here, backend).divergences
    assert found.raised_in.startswith(told)
    assert "mine.py" not in found.raised_in


def test_what_the_engine_wrote_is_kept(here: Path) -> None:
    verdict = examined(here, "running")
    assert verdict.stderr.splitlines() == ["engine: no kernel for torch.aten.cummax"] * 2
    kept = cell("fail")
    cells.fill(kept, verdict)
    back = Cell.from_json(json.loads(json.dumps(kept.to_json())))
    assert (back.stderr, back.divergences[0].raised_in) == (verdict.stderr, f"{LOWER}, from {RUN}")


def test_fingerprint_and_identity_are_those_of_before(here: Path) -> None:
    [found] = examined(here, "running").divergences
    assert (
        found.fingerprint
        == "engine_that_raises:running:error:raised AttributeError: '...' object has no attribute '...'"
    )
    plain = Divergence("error", found.kind, found.where, found.expected, found.seen, False, found.layer)
    assert found == plain
    assert not {"raised_in", "stack"} & plain.to_json().keys()
    assert Divergence.from_json(plain.to_json()).raised_in == ""
    assert "raised_in" not in records._divergence(found)


@pytest.mark.parametrize("asked", ["", "1"])
def test_whole_stack_is_told_where_it_is_asked_for(here: Path, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setenv(environment.STACKS, asked)
    kept = cell("fail")
    cells.fill(kept, examined(here, "running"))
    told = terminal._long(kept)
    assert f"raised in {LOWER}, from {RUN}" in told
    assert "engine: no kernel for torch.aten.cummax" in told
    assert ("Traceback (most recent call last)" in told) == bool(asked)


def test_check_tells_it_on_the_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "mine.py", "--backend", "engine_that_raises:running"]) == 1
    said = capsys.readouterr().out
    assert f"      raised in {LOWER}, from {RUN}\n" in said
    assert "  standard error:\n      engine: no kernel for torch.aten.cummax\n" in said


def test_error_of_torchs_own_is_told_by_torchs_innermost_place() -> None:
    with pytest.raises(Exception, match="no such backend") as raised:
        lookup_backend("no such backend")
    assert stacks.raised_in(raised.value).startswith("torch/_dynamo/")


def test_cause_on_the_terminal_says_where_it_was_raised() -> None:
    loud = Divergence("error", "raised E: no", "the call", "no error", "E: no", False, "inductor", "a.py:3 lower")
    assert "  raised in a.py:3 lower\n" in ending._block(ending.causes([cell("fail", divergences=[loud])])[0]).plain
