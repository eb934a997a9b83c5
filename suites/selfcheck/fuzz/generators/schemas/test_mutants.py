"""What mishandles one kind of argument, or one result, is found by operators that are drawn, within 2000 of them."""

from __future__ import annotations

import pytest

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.schemas.drawing import draw_program
from suites.fuzz.judging import judge
from suites.selfcheck.mutants.schemas import NAMES

#: Programs that are drawn until one shows it; each has one to three operators. The issue is 2000 schemas.
MOST = 150
#: What a program must have for the fault to be met at all: others are not worth judging.
NEEDED = {
    "forgets_optional_tensors": {"Tensor?", "Tensor(!)?"},
    "reverses_lists": {"Tensor[]", "Tensor(!)[]", "Tensor?[]", "Tensor(!)?[]"},
    "spoils_second_results": {"2 returns", "3 returns"},
    "copies_what_is_passed_twice": {"one tensor twice in a call"},
}


@pytest.mark.parametrize("backend", NAMES)
def test_fault_is_found(backend: str) -> None:
    needed = NEEDED[backend.partition(":")[2]]
    outcomes = []
    for number in range(MOST):
        drawn = draw_program(Seeded(f"mutants/{number}"), f"{number}77")
        if not needed & set(drawn.features):
            continue
        judgement = judge(drawn.text, backend)
        outcomes.append(judgement.outcome)
        if judgement.first is not None and judgement.first.silent and judgement.first.layer == backend:
            assert judge(drawn.text, "aot_eager").fingerprint != judgement.fingerprint
            return
    pytest.fail(f"{MOST} programs do not show it: {outcomes}")
