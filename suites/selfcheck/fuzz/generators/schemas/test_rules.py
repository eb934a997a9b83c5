"""The model of what must happen to an operator, against torch's predicate and against the graphs that torch makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch._dynamo.backends.common import aot_autograd

from suites.custom_ops import schemas as table
from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.schemas import rules
from suites.fuzz.generators.schemas.bodies import SAME, Body
from suites.fuzz.generators.schemas.registration import NAMESPACE, Operator, definition_text, helpers_for
from suites.fuzz.generators.schemas.schema import Argument, Schema, parse
from suites.fuzz.generators.schemas.schema_check import Watch
from suites.fuzz.generators.schemas.schema_drawing import APIS, draw_schema
from suites.harness import torch_internals

WRAPPERS = ("auto_functionalized_v2", "auto_functionalized")


def defined(schema: Schema, name: str, api: str = "define") -> Any:
    """An operator of the schema, with the kernels that are made of it."""
    body = Body(shapes=(SAME,) * len(schema.returns))
    text = definition_text(Operator("op", name, schema, body, api))
    names: dict[str, Any] = {"__name__": "rules_of_schemas"}
    exec("\n\n".join(["import torch", "from typing import Optional", *helpers_for(text), text]), names)
    operator = names["op"]
    return getattr(operator, "_opoverload", operator)


_PLAIN = {
    "SymInt": 3,
    "SymInt[]": [1, 2],
    "int": 2,
    "int[]": [1],
    "float": 0.5,
    "bool": True,
    "Scalar": 2,
    "str": "text",
    "ScalarType": torch.float32,
    "Device": torch.device("cpu"),
}


def value_of(argument: Argument, tensors: Iterator[torch.Tensor]) -> Any:
    """What is passed for an argument: tensors that share no memory, for every tensor that can be passed."""
    if not argument.is_tensor:
        return _PLAIN[argument.type]
    return [next(tensors), next(tensors)] if argument.is_list else next(tensors)


def called(operator: Any, schema: Schema, tensors: list[torch.Tensor]) -> Any:
    """The operator's results for these tensors."""
    left = iter(tensors)
    args = [value_of(argument, left) for argument in schema.positional]
    return operator(*args, **{argument.name: value_of(argument, left) for argument in schema.keyword_only})


def nodes_of(operator: Any, schema: Schema, *, v2: bool = True) -> list[str]:
    """What is called in the graph of one call. Raises what compiling raises."""
    found: list[str] = []

    def keep(module: torch.fx.GraphModule, example_inputs: Any) -> Any:
        found.extend(str(node.target) for node in module.graph.nodes if node.op == "call_function")
        return module.forward

    def program(*tensors: torch.Tensor) -> Any:
        return called(operator, schema, list(tensors)), [tensor * 2 for tensor in tensors]

    torch._dynamo.reset()
    config = {"inductor.enable_auto_functionalized_v2": v2}
    with torch_internals.compiler_settings(config), torch.no_grad():
        torch.compile(program, backend=aot_autograd(fw_compiler=keep))(*(torch.randn(3) for _ in range(16)))
    return [name for name in found if name in WRAPPERS or name.startswith(f"{NAMESPACE}.")]


def drawn(number: int, seed: str = "rules") -> list[tuple[str, Schema]]:
    """Schemas of every api, each with a name of its own."""
    return [
        (f"{seed}_{place}_{n}", draw_schema(Seeded(f"{seed}/{api}/{n}"), api))
        for place, api in enumerate(APIS)
        for n in range(number // len(APIS))
    ]


@pytest.mark.parametrize("name", table.names(table.FUNCTIONALIZED) + table.names(table.LEFT_ALONE))
def test_model_says_what_the_table_of_schemas_says(name: str) -> None:
    row = table.row(name)
    if "::" in row.schema:
        pytest.skip(f"{row.schema} is an operator of torch's own: the model speaks of schemas")
    schema = parse(row.schema, row.tag, "" if row.overload == "default" else row.overload)
    wrapped = row in table.FUNCTIONALIZED
    assert (rules.fate(schema) == rules.WRAPPED) is wrapped
    assert bool(rules.why_not_functionalized(schema)) is not wrapped


def test_model_agrees_with_the_predicate_of_torch() -> None:
    """A torch that wraps more, or less, shows here with the schema: a `Drift` is what to write down then."""
    wrong = []
    for name, schema in drawn(240):
        operator = defined(schema, f"predicate_{name}", "define")
        expected = not rules.why_not_functionalized(schema)
        if torch_internals.can_auto_functionalize(operator) is not expected:
            wrong.append(f"{schema} tag {schema.tag or 'none'}: the model says {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("shard", range(3))
def test_model_agrees_with_the_graph(shard: int) -> None:
    """What stands in AOTAutograd's graph, or that there is none, is what the schema says."""
    wrong, seen = [], set()
    for name, schema in drawn(24, f"graph{shard}"):
        if any(result.type == "int" for result in schema.returns):
            continue  # Dynamo breaks the graph at an operator that returns no tensor.
        operator = defined(schema, f"nodes_{name}")
        expected = rules.node_of(schema)
        seen.add(rules.fate(schema))
        try:
            nodes = nodes_of(operator, schema)
        except Exception as error:
            nodes = [rules.REFUSED if "output has alias annotations" in str(error) else f"raised {error}"]
        wanted = [str(operator)] if expected == "the operator" else [expected]
        if nodes != wanted:
            wrong.append(f"{schema}: the model says {wanted}, in the graph is {nodes}")
    assert not wrong, "\n".join(wrong)
    assert {rules.KEPT, rules.WRAPPED} <= seen


def test_model_knows_the_older_wrapper() -> None:
    for name, text in (("plain", "(Tensor x, Tensor(y!) y) -> ()"), ("list", "(Tensor(x!)[] x, Tensor y) -> Tensor")):
        schema = parse(text)
        assert nodes_of(defined(schema, f"older_{name}"), schema, v2=False) == [rules.node_of(schema, v2=False)]


def test_model_names_what_changes_and_what_is_shared() -> None:
    """The kernels made of a schema change the arguments that the model names, and return the memory of those."""
    for name, schema in drawn(80, "writes"):
        operator = defined(schema, f"deeds_{name}")
        tensors = [torch.randn(3) for _ in range(16)]
        before = [tensor.clone() for tensor in tensors]
        left = iter(range(16))
        held: dict[str, list[int]] = {}
        for argument in (*schema.positional, *schema.keyword_only):
            if argument.is_tensor:
                held[argument.name] = [next(left) for _ in range(2 if argument.is_list else 1)]
        with Watch() as watch:
            result = called(operator, schema, tensors)
        assert not watch.violations, (str(schema), watch.violations)
        for argument in schema.tensors:
            changed = [not torch.equal(tensors[place], before[place]) for place in held[argument.name]]
            assert changed == [argument.name in rules.changes(schema)] * len(changed), (str(schema), argument.name)
        results = list(result) if len(schema.returns) > 1 else [result]
        for owner, item in zip(rules.aliases(schema), results, strict=False):
            if isinstance(item, torch.Tensor):
                shares = [n for n, tensor in enumerate(tensors) if _memory(tensor) == _memory(item)]
                assert shares == (held[owner] if owner else [])


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def test_drift_is_of_a_rule_and_of_a_range() -> None:
    tagged = parse("(Tensor(x!) x) -> Tensor(x!)", "inplace")
    assert rules.fate(tagged, "2.13.0") == rules.WRAPPED
    assert rules.fate(tagged, "2.12.1") == rules.REFUSED
    assert rules.drifted("out", "2.11.0+cpu")
    assert not rules.drifted("out", "2.14.0")


@pytest.mark.skipif(not table.holds(">=2.13"), reason="torch checks what tags promise since 2.13")
def test_wrong_schema_is_refused_where_torch_has_a_check() -> None:
    for text, tag, says in ((row.schema, row.tag, row.says) for row in table.MISUSES):
        with pytest.raises(ValueError, match=says):
            torch.library.define(f"{NAMESPACE}::misuse", text, tags=(getattr(torch.Tag, tag),))
