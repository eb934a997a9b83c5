"""Schemas as values: torch reads every one; and what is drawn has every feature, short and in short time."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis
import pytest
import torch
from hypothesis import strategies as st

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.schemas.bodies import SAME, Body, hint
from suites.fuzz.generators.schemas.drawing import features_of
from suites.fuzz.generators.schemas.registration import Operator, can_be_batched, can_be_differentiable, kernel_text
from suites.fuzz.generators.schemas.schema import PLAIN, TENSORS, Argument, NotASchema, Return, Schema, parse
from suites.fuzz.generators.schemas.schema_drawing import APIS, draw_schema
from suites.selfcheck.fuzz.generators.hypothesis_choices import schemas

MANY = 1200


@pytest.fixture(scope="module")
def many() -> list[tuple[str, Schema]]:
    return [(api, draw_schema(Seeded(f"schemas/{api}/{n}"), api)) for api in APIS for n in range(MANY // 4)]


def test_torch_reads_every_schema(many: list[tuple[str, Schema]]) -> None:
    for _, schema in many:
        read = torch._C.parse_schema(f"drawn::op{schema}")
        assert [argument.name for argument in read.arguments] == [argument.name for argument in schema.arguments]
        assert [argument.kwarg_only for argument in read.arguments] == [a.keyword_only for a in schema.arguments]
        assert [argument.has_default_value() for argument in read.arguments] == [
            a.default is not None for a in schema.arguments
        ]
        assert [argument.is_write for argument in read.arguments] == [a.is_written for a in schema.arguments]
        assert len(read.returns) == len(schema.returns)


def test_schema_is_read_as_it_is_printed(many: list[tuple[str, Schema]]) -> None:
    for _, schema in many:
        assert parse(str(schema), schema.tag, schema.overload) == schema


@pytest.mark.parametrize(
    "text", ["Tensor x -> Tensor", "(Tensor x)", "(Tensor(a! x) -> ()", "(Tensor x) -> [Tensor", ""]
)
def test_text_that_is_no_schema_is_said_to_be_none(text: str) -> None:
    with pytest.raises(NotASchema):
        parse(text)


def test_hints_say_the_schema_that_torch_infers(many: list[tuple[str, Schema]]) -> None:
    for schema in [schema for api, schema in many if api == "custom_op"][:150]:
        names: dict[str, object] = {"torch": torch}
        exec("from typing import Optional", names)
        operator = Operator("op", "op", schema, Body(shapes=(SAME,) * len(schema.returns)), "custom_op")
        exec(kernel_text(operator), names)
        written = [argument.name for argument in schema.written]
        tags = (getattr(torch.Tag, schema.tag),) if schema.tag else ()
        options = {"tags": tags} if tags else {}
        inferred = parse(torch.library.infer_schema(names["op_kernel"], mutates_args=written, **options))  # type: ignore[arg-type]
        assert [(a.name, a.type, a.is_written, a.keyword_only) for a in inferred.arguments] == [
            (a.name, a.type, a.is_written, a.keyword_only) for a in schema.arguments
        ]
        returned = [item.type.replace("SymInt", "int") for item in inferred.returns]
        assert returned == [item.type for item in schema.returns]


def test_every_feature_is_in_one_schema_of_a_hundred(many: list[tuple[str, Schema]]) -> None:
    wanted = {
        *TENSORS,
        *(kind.replace("Tensor", "Tensor(!)", 1) for kind in TENSORS),
        *PLAIN,
        "keyword-only",
        "default",
    }
    wanted |= {"0 returns", "1 returns", "2 returns", "3 returns", "returns a view", "returns what it writes"}
    wanted |= {f"tag {tag}" for tag in ("inplace", "out") if hasattr(torch.Tag, tag)}
    features = [features_of(schema) for _, schema in many]
    shares = {name: sum(name in found for found in features) / len(features) for name in wanted}
    assert min(shares.values()) >= 0.01, sorted(shares.items(), key=lambda item: item[1])[:5]


def test_schemas_of_custom_op_are_what_it_takes(many: list[tuple[str, Schema]]) -> None:
    for api, schema in many:
        if api.startswith("custom_op"):
            assert schema.tag == "out" or not any(argument.is_tensor for argument in schema.keyword_only)
            assert schema.tag or not any(result.alias for result in schema.returns)


@hypothesis.settings(max_examples=40, deadline=None, derandomize=True, database=None)
@hypothesis.given(st.sampled_from(APIS).flatmap(schemas))
def test_hypothesis_draws_them_too(schema: Schema) -> None:
    torch._C.parse_schema(f"drawn::op{schema}")


@pytest.mark.parametrize(
    ("wanted", "shortest"),
    [
        (lambda schema: bool(schema.written), "(Tensor(x!) x) -> ()"),
        (lambda schema: any(a.type == "Tensor?[]" for a in schema.arguments), "(Tensor?[] x) -> Tensor"),
        (lambda schema: len(schema.returns) == 2, "(Tensor x) -> (Tensor, Tensor)"),
    ],
)
def test_schema_shrinks_to_the_shortest(wanted: Callable[[Schema], bool], shortest: str) -> None:
    settings = hypothesis.settings(max_examples=2000, derandomize=True, database=None, deadline=None)
    assert str(hypothesis.find(schemas("define"), wanted, settings=settings)) == shortest


@pytest.mark.parametrize(
    ("text", "differentiable", "batched"),
    [
        ("(Tensor x) -> Tensor", True, True),
        ("(Tensor x, Tensor? y, int k) -> (Tensor, Tensor)", True, False),
        ("(Tensor[] x, Tensor y) -> Tensor", True, False),
        ("(Tensor[] x, int k=2) -> Tensor", False, False),
        ("(Tensor(x!) x) -> Tensor", False, False),
        ("(Tensor x, *, Tensor y) -> Tensor", False, False),
        ("(Tensor x) -> (Tensor, int)", False, False),
    ],
)
def test_what_rules_an_operator_can_have(text: str, differentiable: bool, batched: bool) -> None:
    assert can_be_differentiable(parse(text)) is differentiable
    assert can_be_batched(parse(text)) is batched


def test_without_an_argument() -> None:
    schema = Schema((Argument("x", "Tensor"), Argument("k", "int", "", "2", True)), (Return(),))
    assert str(schema) == "(Tensor x, *, int k=2) -> Tensor"
    assert str(schema.without("k")) == "(Tensor x) -> Tensor"


def test_hint_of_a_type() -> None:
    assert hint("Tensor?[]") == "list[Optional[torch.Tensor]]"
    assert hint("SymInt[]") == "list[int]"
