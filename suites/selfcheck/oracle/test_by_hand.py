"""A clause that compiles by hand: whose fault it is that a demand is not met, or that a call raises."""

from __future__ import annotations

import pytest

from suites.selfcheck.mutants import PACKAGE
from suites.selfcheck.oracle.test_plugin import IDLE, WRONG, Ran, run_tiny

REFUSES = f"{PACKAGE}.process:fails_to_compile"

BY_HAND = """
import torch
from suites.harness import clause, tensor

once = clause(modes=("no_grad",), shapes=("static",))

@once
def test_sum(check):
    '''What the backend computes is demanded.'''
    with check.compiled(lambda a: a + 1) as compiled:
        seen = compiled(torch.ones(3)).tolist()
    check.demand("value", "the sum", [2.0] * 3, seen)

@once
def test_layers(check):
    '''Something is demanded that no layer of torch does.'''
    with check.compiled(lambda a: a + 1) as compiled:
        compiled(torch.ones(3))
    check.demand("structure", "the layer", "another", "this one")

@once
def test_programs_own_error(check):
    '''The program raises by itself: the clause is wrong.'''
    def program(a):
        return a.reshape(7)

    with check.compiled(program) as compiled:
        compiled(torch.ones(3))

@once
def test_error_that_is_met(check):
    '''What a call raises is caught, and something else is at fault.'''
    with check.compiled(lambda a: a + 1) as compiled:
        try:
            compiled(torch.ones(3))
        except Exception:
            pass
    raise KeyError("mistake")
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("by_hand")
    return run_tiny(folder, BY_HAND, ("aot_eager", WRONG, REFUSES, IDLE), "--at-once", "2")


def _came_to(ran: Ran, backend: str) -> dict[str, tuple[str, str]]:
    return {name.partition("[")[0]: (cell.outcome, cell.fingerprint or "") for name, cell in ran.cells(backend).items()}


def test_demand_that_the_backend_alone_fails_is_its_own(ran: Ran) -> None:
    assert _came_to(ran, "aot_eager")["sum"] == ("pass", "")
    assert _came_to(ran, WRONG)["sum"] == ("fail", f"{WRONG}:value:the sum: not what the contract says")


def test_demand_that_a_layer_of_torch_fails_too_is_inherited(ran: Ran) -> None:
    for backend in ("aot_eager", WRONG):
        assert _came_to(ran, backend)["layers"] == (
            "inherited",
            "eager:structure:the layer: not what the contract says",
        ), ran.text


def test_call_that_the_backend_alone_refuses_is_loud(ran: Ran) -> None:
    outcome, fingerprint = _came_to(ran, REFUSES)["sum"]
    assert outcome == "fail"
    assert fingerprint == f"{REFUSES}:error:raised BackendCompilerFailed: RuntimeError: internal compiler error"
    (divergence,) = ran.cells(REFUSES)["sum[no_grad-static-plain]"].divergences
    assert not divergence.silent
    assert divergence.raised_in


def test_backend_that_says_that_it_does_not_implement_a_program_is_unsupported(ran: Ran) -> None:
    cell = ran.cells(IDLE)["sum[no_grad-static-plain]"]
    assert (cell.outcome, cell.detail) == ("unsupported", "the backend says: no kernel for this program")


def test_error_of_the_program_itself_is_the_clauses(ran: Ran) -> None:
    assert _came_to(ran, "aot_eager")["programs_own_error"][0] == "error"
    assert _came_to(ran, REFUSES)["error_that_is_met"][0] == "error"
