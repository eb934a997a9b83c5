"""The table of schemas: the predicate, the graph and the program agree, row by row."""

import pytest
import torch

from suites.harness import Check, clause, tensor, torch_internals

from . import schemas
from .graphs import count
from .operators import of_row

AUTO_FUNCTIONALIZED = "torch.ops.higher_order.auto_functionalized_v2"


@clause("T10.1")
def test_predicate_over_the_table(check: Check) -> None:
    """`can_auto_functionalize` says yes to every schema of the table that is wrapped, and no to every other one."""
    operator = of_row(schemas.row("one"))

    def program(a: torch.Tensor) -> torch.Tensor:
        operator(a)
        return a + 1

    result = check(program, tensor(3)).mutated(0)
    for wanted, rows in ((True, schemas.FUNCTIONALIZED), (False, schemas.LEFT_ALONE)):
        for row in map(schemas.row, schemas.names(rows)):
            seen = torch_internals.can_auto_functionalize(of_row(row))
            result.demand("structure", f"can_auto_functionalize of {row.schema}", wanted, seen)


@clause("T10.1")
@pytest.mark.parametrize("row", schemas.names(schemas.FUNCTIONALIZED))
def test_mutable_operator_is_auto_functionalized(check: Check, row: str) -> None:
    """An operator with a schema of this kind is functionalized by wrapping it, and changes what eager changes."""
    described = schemas.row(row)
    call, operator, new = described.call, of_row(described), not described.tag

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> tuple[object, ...]:
        before = a - b
        result = call(operator, a, b, c, d)
        return before, result if new else None, a * 2 + b * 3 + c * 5 + d * 7

    result = check(program, *(tensor(3, grad=False) for _ in range(4)))
    result.mutated(*described.mutates).unchanged(*(set(range(4)) - set(described.mutates)))
    result.demand("structure", "calls that are wrapped", 1, count(result.forward, AUTO_FUNCTIONALIZED, otherwise=1))


@clause("T10.1", fullgraph=False)
@pytest.mark.parametrize("row", schemas.names(schemas.LEFT_ALONE))
def test_other_operator_is_not_auto_functionalized(check: Check, row: str) -> None:
    """An operator with a schema of this kind is never wrapped, and where it can be compiled it does what eager does."""
    described = schemas.row(row)
    call, operator = described.call, of_row(described)

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> tuple[object, ...]:
        before = a - b
        result = call(operator, a, b, c, d)
        return before, result, a * 2 + b * 3 + c * 5 + d * 7

    result = check(program, *(tensor(3, grad=False) for _ in range(4)))
    result.mutated(*described.mutates).unchanged(*(set(range(4)) - set(described.mutates))).computed()
    result.demand("structure", "calls that are wrapped", 0, count(result.forward, AUTO_FUNCTIONALIZED, otherwise=0))


@clause("T10.1", torch=">=2.13")
@pytest.mark.parametrize("row", [misuse.name for misuse in schemas.MISUSES])
def test_schema_that_its_tag_does_not_allow(check: Check, row: str) -> None:
    """Defining an operator whose tag promises what its schema does not say raises, and says what is wrong."""
    described = schemas.misuse(row)
    library = torch.library.Library("parity_misuse", "FRAGMENT")

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2

    check(program, tensor(3)).values().expect("""\
out = float32[3] [1.373, -5.26, -0.478]
""")
    try:
        library.define(f"{row}{described.schema}", tags=(getattr(torch.Tag, described.tag),))
    except ValueError as error:
        said = described.says if described.says in str(error) else str(error)
    else:
        said = "nothing"
    finally:
        torch_internals.forget_library(library)
    check.demand("error", "what defining it says", described.says, said)
