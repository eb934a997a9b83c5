"""Operators that break their schemas: seen by the schema check, and refused or reported where torch has a check."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.testing._internal.optests import OpCheckError

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.schemas.bodies import SAME, Body
from suites.fuzz.generators.schemas.drawing import draw_program
from suites.fuzz.generators.schemas.registration import NAMESPACE
from suites.fuzz.generators.schemas.schema import parse
from suites.fuzz.generators.schemas.schema_check import follows_its_schemas, violations
from suites.fuzz.generators.schemas.schema_drawing import APIS, draw_schema
from suites.fuzz.reduction.guards import following_schemas

from .test_rules import called, defined

PROGRAM = """
import torch


def op0_kernel(x, y):
    {work}


def op0_fake(x, y):
    return {described}


if not hasattr(torch.ops.drawn, {name!r}):
    torch.library.define('drawn::{name}', {schema!r})
    torch.library.impl('drawn::{name}', 'CPU', op0_kernel)
    torch.library.register_fake('drawn::{name}', op0_fake)
op0 = torch.ops.drawn.{name}


def program(a, b):
    t0 = op0({passed})
    return t0


def inputs():
    return torch.ones(3), torch.ones(3)
"""

#: What an operator does, what its fake kernel describes, what it declares, what it is called with, and the violation.
BREAKING = [
    ("y.mul_(2); return x + y", "torch.empty(3)", "(Tensor x, Tensor y) -> Tensor", "a, b", "writes to y"),
    ("return x", "torch.empty(3)", "(Tensor x, Tensor y) -> Tensor", "a, b", "returns memory"),
    ("return x[1:]", "torch.empty(2)", "(Tensor x, Tensor y) -> Tensor", "a, b", "returns memory"),
    (
        "r = x + y; return r, r",
        "torch.empty(3), torch.empty(3)",
        "(Tensor x, Tensor y) -> (Tensor, Tensor)",
        "a, b",
        "new",
    ),
    ("return x + y", "torch.empty(4)", "(Tensor x, Tensor y) -> Tensor", "a, b", "describes another"),
    ("return x + y", "torch.empty(3).double()", "(Tensor x, Tensor y) -> Tensor", "a, b", "describes another"),
    ("x.mul_(2); return x + y", "torch.empty(3)", "(Tensor(x!) x, Tensor y) -> Tensor", "a, a", "under another name"),
    ("pass", "torch.empty(3)", "(Tensor x, Tensor y) -> Tensor", "a, b", "returns no tensor"),
    ("return x + y, None", "torch.empty(3), x + 1", "(Tensor x, Tensor y) -> (Tensor, Tensor)", "a, b", "no tensor"),
]
FOLLOWING = [
    ("return x + y", "torch.empty(3)", "(Tensor x, Tensor y) -> Tensor", "a, b"),
    ("y.mul_(2); return x + y", "torch.empty(3)", "(Tensor x, Tensor(y!) y) -> Tensor", "a, b"),
    ("r = x + y; x.mul_(2); return r", "torch.empty(3)", "(Tensor(x!) x, Tensor y) -> Tensor", "a, a"),
    ("x.mul_(2); y.add_(x); return x + 1", "torch.empty(3)", "(Tensor(x!) x, Tensor(y!) y) -> Tensor", "a, a"),
]


def _text(work: str, described: str, schema: str, passed: str, name: str) -> str:
    return PROGRAM.format(work=work, described=described, schema=schema, passed=passed, name=name)


@pytest.mark.parametrize("number", range(len(BREAKING)))
def test_violation_is_seen(number: int) -> None:
    work, described, schema, passed, violation = BREAKING[number]
    text = _text(work, described, schema, passed, f"breaking_{number}")
    assert any(violation in told for told in violations(text)), violations(text)
    assert not follows_its_schemas(text)


@pytest.mark.parametrize("number", range(len(FOLLOWING)))
def test_what_is_declared_is_no_violation(number: int) -> None:
    text = _text(*FOLLOWING[number], f"following_{number}")
    assert violations(text) == []
    assert follows_its_schemas(text)


def test_reduction_asks_programs_that_follow_their_schemas_alone() -> None:
    following, breaking = _text(*FOLLOWING[0], "asked_0"), _text(*BREAKING[0][:4], "asked_1")
    still = following_schemas(lambda text: True, following)
    assert still(following)
    assert not still(breaking)
    assert not still("import torch\n")
    # A program that eager refuses cannot be asked whether its operators follow their schemas.
    assert following_schemas(lambda text: True, "def program(a): raise ValueError")("anything")


@pytest.mark.parametrize("shard", range(2))
def test_drawn_operators_follow_their_schemas(shard: int) -> None:
    for number in range(40):
        drawn = draw_program(Seeded(f"checked/{shard}/{number}"), f"{shard}{number}9")
        if "refused by eager" not in drawn.features:
            assert violations(drawn.text) == [], drawn.text


def test_candidates_in_one_process_do_not_share_kernels() -> None:
    """Reduction asks of many programs whose operators have one name: each runs its own kernel."""
    first = _text("return x + y", "torch.empty(3)", "(Tensor x, Tensor y) -> Tensor", "a, b", "op0_55")
    second = first.replace("return x + y", "return x - y")
    seen = []

    def still(text: str) -> bool:
        names: dict[str, Any] = {}
        exec(text, names)
        seen.append(names["program"](*names["inputs"]()).sum().item())
        return True

    asked = following_schemas(still, first)
    assert asked(first)
    assert asked(second)
    assert seen == [6.0, 0.0]


# What torch itself sees -----------------------------------------------------------------------------------------------


def _checked(operator: Any, args: tuple[Any, ...], test: str) -> str:
    """What one of `torch.library.opcheck`'s tests comes to: SUCCESS, or the error."""
    try:
        told: str = torch.library.opcheck(operator, args, test_utils=test)[test]
    except OpCheckError as error:
        return str(error)
    return told


@pytest.mark.parametrize(
    ("number", "test", "says"),
    [
        (0, "test_schema", "mutat"),
        (1, "test_schema", "alias"),
        (2, "test_schema", "alias"),
        (3, "test_schema", "alias"),
        (4, "test_faketensor", "shape"),
        (5, "test_faketensor", "dtype"),
    ],
)
def test_opcheck_reports_the_violation(number: int, test: str, says: str) -> None:
    """opcheck's test_schema (torch/_subclasses/schema_check_mode.py) watches mutation and aliasing, and its
    test_faketensor (torch/_subclasses/fake_utils.py) compares the fake kernel with the real one."""
    work, described, schema, passed, _ = BREAKING[number]
    violations(_text(work, described, schema, passed, f"checked_{number}"))
    operator = getattr(torch.ops.drawn, f"checked_{number}").default
    assert says in _checked(operator, (torch.ones(3), torch.ones(3)), test).lower()


def test_compiling_reports_a_hidden_alias() -> None:
    """Where torch runs an operator below autograd it warns of results that share memory with arguments.

    It raises under `torch._functorch.config.error_on_custom_op_aliasing` (torch/_library/utils.py).
    """
    violations(_text(*BREAKING[1][:4], "reported"))
    operator = torch.ops.drawn.reported.default

    def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = operator(x, y)
        return result + 1

    import torch._functorch.config as config

    torch._dynamo.reset()
    with config.patch(error_on_custom_op_aliasing=True), pytest.raises(RuntimeError, match="alias"):
        torch.compile(program, backend="aot_eager")(torch.ones(3), torch.ones(3))


@pytest.mark.parametrize("api", APIS)
def test_opcheck_passes_what_is_drawn(api: str) -> None:
    """Three tests of `torch.library.opcheck`, on operators whose arguments share nothing; programs are the fourth."""
    for number in range(5):
        schema = draw_schema(Seeded(f"opcheck/{api}/{number}"), api)
        if schema.tag or any(result.alias or result.type == "int" for result in schema.returns):
            continue
        if any(argument.type == "Device" for argument in schema.arguments):
            continue  # opcheck's test_schema cannot look at a device, whatever the operator does.
        operator = defined(schema, f"opchecked_{APIS.index(api)}_{number}", api)
        caught: list[tuple[Any, Any]] = []
        called(lambda *args, **kwargs: caught.append((args, kwargs)), schema, [torch.randn(3) for _ in range(16)])
        for args, kwargs in caught:
            told = torch.library.opcheck(
                operator, args, kwargs, test_utils=("test_schema", "test_faketensor", "test_autograd_registration")
            )
            assert set(told.values()) == {"SUCCESS"}, (str(schema), told)


def test_kernel_writes_all_that_its_schema_says() -> None:
    """A kernel that leaves out one write of its schema is noticed by who compares with the annotations."""
    schema = parse("(Tensor(x!) x, Tensor(y!) y) -> ()")
    assert Body(shapes=(SAME,)) != Body()
    operator = defined(schema, "writes_both")
    x, y = torch.ones(3), torch.ones(3)
    operator(x, y)
    assert not torch.equal(x, torch.ones(3))
    assert not torch.equal(y, torch.ones(3))
    assert operator.namespace == NAMESPACE
