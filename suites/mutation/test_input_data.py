"""Data mutation of inputs: what an in-place op on an argument does to the caller's tensor."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T3.1", inputs=("plain", "strided"), entry=ANY)
def test_in_place_op_reaches_the_caller(check: Check) -> None:
    """An in-place op on an input changes the caller's tensor, once, and the graph itself stays functional."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a * 3

    result = check(program, tensor(3, 3))
    result.mutated(0)
    result.forward.expect("""\
""")
