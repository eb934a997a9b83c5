"""Kinds of programs: whole, and told from a program's text as well as from the option that drew it."""

from __future__ import annotations

import pytest

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.programs.scope import Rejected
from suites.fuzz.kinds import KINDS, kind_of

#: An operator of a `Library` that returns nothing, so that no fake kernel is registered under its full name.
OF_A_LIBRARY = """
import torch

def op0_kernel(x):
    x.mul_(2)

torch.ops.drawn.library_of_op0_1 = torch.library.Library('drawn', 'FRAGMENT')
torch.ops.drawn.library_of_op0_1.define('op0_1(Tensor(x!) x) -> ()')
torch.ops.drawn.library_of_op0_1.impl('op0_1', op0_kernel, 'CPU')
op0 = torch.ops.drawn.op0_1.default
"""


def test_kinds_have_families_and_features() -> None:
    for name, kind in KINDS.items():
        assert sum(kind.families.values()) > 0, name
        assert len(set(kind.features)) == len(kind.features), name


@pytest.mark.parametrize(
    ("name", "told"), [("programs",) * 2, ("numbers", "programs"), ("operators", "programs"), ("schemas",) * 2]
)
def test_program_tells_its_kind(name: str, told: str) -> None:
    """Those about numbers and operators are made small as any is. For Triton, see `generators.schemas.test_on_gpu`."""
    for number in range(12):
        try:
            text = KINDS[name].draw(Seeded(f"kinds/{number}"), number, None).text
        except Rejected:
            continue
        assert kind_of(text) is KINDS[told], text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (OF_A_LIBRARY, "schemas"),
        ("# op0 = torch.library.triton_op('drawn::op0')", "programs"),
        ("text = 'drawn::op0'", "programs"),
        ("op = torch.library.custom_op('mine::op', f, mutates_args=())", "programs"),
        ("op = torch.library.triton_op('mine::op', mutates_args=())(f)", "triton"),
    ],
)
def test_kind_is_what_a_program_registers(text: str, name: str) -> None:
    """Neither a comment nor a word of a program decides, and a name is seen however it is quoted."""
    assert kind_of(text) is KINDS[name]
