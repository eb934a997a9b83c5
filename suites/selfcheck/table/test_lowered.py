"""Which operators Inductor runs otherwise by default: those that reach of its lowerings what no other does so."""

from __future__ import annotations

import pytest

from suites.harness import torch_internals
from suites.operators.table import choices, lowered, special_numbers, test_together
from suites.operators.table.choosing import Measuring
from suites.operators.table.dtypes import DTYPES
from suites.operators.table.programs import outputs_of_first

KERNEL = """\
cpp_fused_add_0 = async_compile.cpp_pybinding(['const float*'], r'''
    auto tmp3 = at::vec::convert<float,2,int32_t,1>(tmp1);
    auto tmp4 = tmp3.exp();
    for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(8L); x0+=1)
''')
extern_kernels.mm(arg0, arg1, out=buf0)
"""


def test_what_is_called_in_code_has_no_names_of_values() -> None:
    assert lowered.called_in([KERNEL]) == {
        "at::vec::convert<float,2,int32_t,1>(",
        "exp(",
        "for(",
        "static_cast<int64_t>(",
        "extern_kernels.mm",
    }


def test_an_operator_stays_for_what_none_reaches_so() -> None:
    nothing: dict[str, frozenset[str]] = {}
    reached = dict.fromkeys((lowered.LAID_OUT, *DTYPES, lowered.SPECIAL), nothing)
    reached[lowered.LAID_OUT] = {"abs": frozenset("ab"), "neg": frozenset("b")}
    reached["bfloat16"] = {"abs": frozenset("ab"), "neg": frozenset("b")}
    reached["int64"] = {"abs": frozenset("b"), "neg": frozenset("bc")}
    found = lowered.fewest(reached)
    # A dtype leaves out what one before it reaches; a layout and special numbers, nothing.
    assert {kind: names for kind, names in found.items() if names} == {
        lowered.LAID_OUT: ["abs"],
        "bfloat16": ["abs"],
        "int64": ["neg"],
    }


def test_each_operator_runs_at_special_numbers_once_by_default() -> None:
    alone, together = (lowered.of_special_numbers(alone=each) for each in (True, False))
    assert sorted(choice.name for choice in (*alone, *together)) == sorted(special_numbers.operators("default"))
    assert alone
    assert together


@pytest.mark.parametrize("kind", test_together.LOWERED_PARTS)
def test_each_part_has_operators(kind: str) -> None:
    dtype = "" if kind == lowered.LAID_OUT else kind
    parts = range(test_together.LOWERED_PARTS[kind])
    assert all(test_together.lowered_in(kind, part, dtype) for part in parts)


def test_what_is_measured_is_what_inductor_compiles() -> None:
    pytest.importorskip("coverage", reason="the package coverage measures")
    choice = choices.named("nn_functional_gelu")
    with Measuring(torch_internals.lowering_files()) as measuring:
        lowered.reached(measuring, choice, outputs_of_first)  # What registers lowerings runs once.
        drawn = lowered.reached(measuring, choice, outputs_of_first)
        # Remembered answers would leave branches out.
        assert lowered.reached(measuring, choice, outputs_of_first) == drawn
        low = lowered.reached(measuring, choice, outputs_of_first, "bfloat16")
    assert any("lowering.py" in branch[0] for branch in drawn if isinstance(branch, tuple))
    assert low - drawn, "what only a dtype that is computed in another calls"
