"""More variants than a program may be compiled for: the rest runs, and is right."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from suites.harness import Check, clause, tensor


@clause("reuse.limit", modes="train", fullgraph=False)
def test_calls_beyond_the_limit_are_right(check: Check) -> None:
    """Once the limit of recompilations is reached, other calls run eagerly and known ones run what was compiled."""

    def program(a: torch.Tensor, kind: str) -> torch.Tensor:
        return getattr(a, kind)() * 2

    kinds = ("sin", "cos", "exp", "tanh", "sin", "sigmoid", "cos")
    result = check(
        program, calls=[(tensor(3), kind) for kind in kinds], config={"dynamo.recompile_limit": 2}, probe=False
    )
    result.gradient(0).recompiled(1)


@clause("reuse.limit", "T3.1", fullgraph=False)
def test_mutation_beyond_the_limit(check: Check) -> None:
    """Beyond the limit of recompilations, writes still reach the caller once, and outputs still alias."""

    def program(a: torch.Tensor, rows: list[int]) -> torch.Tensor:
        for row in rows:
            a[row].mul_(2)
        return a[1:]

    calls = [(tensor(4, 2), rows) for rows in ([0], [1, 2], [3, 0, 1], [0], [2, 1, 1, 0])]
    result = check(program, calls=calls, config={"dynamo.recompile_limit": 1}, probe=False)
    result.mutated(0).aliases("out", 0).recompiled(0)


@clause("reuse.limit")
def test_calls_up_to_the_limit_are_compiled(check: Check) -> None:
    """As many variants as the limit allows are compiled, each once, where no part may run eagerly."""

    def program(a: torch.Tensor, kind: str) -> torch.Tensor:
        return getattr(a, kind)() + 1

    kinds = ("sin", "cos", "exp", "sin", "exp")
    result = check(
        program, calls=[(tensor(3), kind) for kind in kinds], config={"dynamo.recompile_limit": 3}
    ).recompiled(2)
    result.values().expect("""\
out = float32[3] [1.634, 0.5105, 0.7633]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [1.876, 1.963, 1.998]
""")


@clause("reuse.limit", "dynamic-shapes.marked", fullgraph=False)
def test_limit_is_counted_for_each_program(check: Check) -> None:
    """A helper that has used up its limit does not take it from the part of the program behind a graph break."""

    def program(a: torch.Tensor, kind: str) -> torch.Tensor:
        changed = getattr(a, kind)()
        torch._dynamo.graph_break()
        return changed * 3 + 1

    kinds = ("sin", "cos", "exp", "tanh", "sin")
    result = check(
        program, calls=[(tensor(3), kind) for kind in kinds], config={"dynamo.recompile_limit": 2}, probe=False
    ).recompiled(1)
    result.values().expect("""\
out = float32[3] [2.901, -0.4685, 0.2898]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [3.629, 3.889, 3.993]
""")


@clause("reuse.limit", fullgraph=False, torch=">=2.12")
def test_limit_that_is_told_to_the_compiler(check: Check) -> None:
    """A limit of recompilations that torch.compile is told holds for what it compiles, whatever the setting says."""

    def program(a: torch.Tensor, kind: str) -> torch.Tensor:
        return getattr(a, kind)() * 2

    kinds = ("sin", "cos", "exp", "sin", "tanh")
    result = check(program, calls=[(tensor(3), kind) for kind in kinds], more={"recompile_limit": 2}, probe=False)
    result.recompiled(1).in_call(2).values().expect("""\
out = float32[3] [1.293, 2.31, 10.73]
""")


def _scaling(scale: float) -> Callable[[torch.Tensor], torch.Tensor]:
    def scaled(a: torch.Tensor) -> torch.Tensor:
        return a * scale + 1

    return scaled


@clause("reuse.limit", fullgraph=False, torch=">=2.13")
@pytest.mark.parametrize("apart", [True, False], ids=["apart", "together"])
def test_limit_of_functions_of_one_code(check: Check, apart: bool) -> None:
    """Functions of one code that are compiled apart have a limit each; else the first takes it from the second."""
    double, triple, tenfold = _scaling(2.0), _scaling(3.0), _scaling(10.0)

    def program(compile_part: Callable[..., Any], a: torch.Tensor) -> list[torch.Tensor]:
        return [compile_part(part)(a) for part in (double, triple, double, tenfold, triple)]

    result = check(
        program,
        calls=[(tensor(3),)],
        in_parts=True,
        config={"dynamo.recompile_limit": 1},
        more={"isolate_recompiles": apart},
        probe=False,
    )
    result.demand("reuse", "graphs compiled", 3 if apart else 1, result.verdict.counter.graphs)
    result.values().expect("""\
out[0] = float32[3] [2.373, -4.26, 0.522]
out[1] = float32[3] [3.059, -6.89, 0.283]
out[2] = float32[3] [2.373, -4.26, 0.522]
out[3] = float32[3] [7.865, -25.3, -1.39]
out[4] = float32[3] [3.059, -6.89, 0.283]
""")
