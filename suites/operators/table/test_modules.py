"""Modules of torch's own table: each is built in several ways and called in training and in inference."""

import pytest

from suites.harness import Check, clause
from suites.operators.table import choices, modules

MODULES = {choice.name: choice for choice in choices.operators(modules.PLACE)}


@clause("A20", modes=("train", "no_grad"), profile="full", stand_for_all=2)
@pytest.mark.parametrize("module", MODULES)
def test_module(check: Check, module: str) -> None:
    """A module of torch's table means what it means in eager: what it returns, its gradients and its own state."""
    exact = choices.table().is_exact(module, check.device)
    check.program(modules.ModuleProgram(MODULES[module], check.device, check.variant.mode), exact=exact).computed()
