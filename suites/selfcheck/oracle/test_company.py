"""Backends in one run: what one leaves behind in its process is no other's."""

from __future__ import annotations

from pathlib import Path

import pytest

from suites.selfcheck.oracle.test_plugin import Ran, run_tiny

#: Leaves a global behind when it is imported, which another backend reads, and one when it compiles, which torch reads.
LEAVES = """
import shared, torch

shared.halved = True

def backend(module, example_inputs):
    torch._dynamo.config.disable = True
    return module.forward
"""

READS = """
import shared

def backend(module, example_inputs):
    return (lambda *args: tuple(out / 2 for out in module(*args))) if shared.halved else module.forward
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


def _run(folder: Path, *backends: str) -> Ran:
    (folder / "shared.py").write_text("halved = False\n")
    (folder / "leaves.py").write_text(LEAVES)
    (folder / "reads.py").write_text(READS)
    return run_tiny(folder, CLAUSES, backends, "-n", "1")


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
