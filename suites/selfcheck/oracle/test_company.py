"""Backends in one run: what one leaves behind in its process is no other's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from suites.selfcheck.oracle.test_plugin import ROOT, Ran, run_tiny

#: Leaves a global behind when it is imported, which another backend reads, and one when it compiles, which torch reads.
LEAVES = """
import shared, torch

shared.halved = True

def backend(module, example_inputs):
    torch._dynamo.config.disable = True
    return module.forward

backend.parity_runs_torch = True
"""

READS = """
import shared

def backend(module, example_inputs):
    return (lambda *args: tuple(out / 2 for out in module(*args))) if shared.halved else module.forward

backend.parity_runs_torch = True
"""

CLAUSES = """
import torch
from suites.harness import clause, tensor

@clause(modes=("no_grad",), shapes=("static",))
def test_sum(check):
    '''A sum.'''
    check(lambda a: a + 1, tensor(3)).shape("out", 3)

@clause(modes=("no_grad",), shapes=("static",))
def test_product(check):
    '''A product.'''
    check(lambda a: a * 3, tensor(3)).shape("out", 3)
"""

NAMES = ("leaves:backend", "aot_eager", "reads:backend")
ALONE = NAMES[2]


def _outcomes(ran: Ran) -> dict[str, str]:
    assert ran.ledger is not None, ran.text
    return {cell.id: cell.outcome for cell in ran.ledger.cells.values()}


def _write_backends(folder: Path) -> None:
    (folder / "shared.py").write_text("halved = False\n")
    (folder / "leaves.py").write_text(LEAVES)
    (folder / "reads.py").write_text(READS)


def _run(folder: Path, *backends: str) -> Ran:
    _write_backends(folder)
    return run_tiny(folder, CLAUSES, backends, "-n", "0")


def test_verdicts_are_the_same_alone_and_in_company(tmp_path_factory: pytest.TempPathFactory) -> None:
    company = _run(tmp_path_factory.mktemp("company"), *NAMES)
    alone = _outcomes(_run(tmp_path_factory.mktemp("alone"), ALONE))
    assert {cell: outcome for cell, outcome in _outcomes(company).items() if ALONE in cell} == alone
    assert set(alone.values()) == {"pass"}
    assert company.ledger is not None
    settings = company.ledger.header["settings"]
    assert list(settings) == ["everywhere"], "none of these backends needs a setting to be compared"
    assert settings["everywhere"]["inductor.fx_graph_cache"] is False
    assert [cell.outcome for cell in company.cells("aot_eager").values()] == ["pass", "pass"]
    # Its second cell does not compile: the global is there, where it belongs.
    assert sorted(cell.outcome for cell in company.cells("leaves:backend").values()) == ["inherited", "pass"]


def test_file_is_checked_on_each_backend_as_if_on_it_alone(tmp_path: Path) -> None:
    _write_backends(tmp_path)
    (tmp_path / "sum.py").write_text(
        "import torch\ndef program(a): return a + 1\ndef inputs(): return (torch.ones(3),)\n"
    )
    chosen = [word for name in NAMES for word in ("--backend", name)]
    done = subprocess.run(
        [sys.executable, "-m", "tools.cli", "check", "sum.py", "--json", *chosen],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["backend"], line["outcome"]) for line in told] == [(name, "pass") for name in NAMES], done.stderr
