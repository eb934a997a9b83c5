"""Canonical text: what it keeps, what it leaves out, and that it reads back."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
from expecttest import assert_expected_inline
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import fx

from golden.graphs.graph_value import Node, Part, Ref, parse
from golden.graphs.text import graph_text
from golden.graphs.wrap import WIDTH, wrapped

ATEN = torch.ops.aten


def text_of(build: Callable[[fx.Graph, fx.Node], Any]) -> str:
    """The text of a graph with one input; ``build`` gives the output."""
    graph = fx.Graph()
    graph.output(build(graph, graph.placeholder("primals_1")))
    return graph_text(graph)


def line_of(target: Any, *args: Any, **kwargs: Any) -> str:
    """The right side of the line of one call; the text has to read back."""
    text = text_of(lambda graph, a: graph.call_function(target, (a, *args), kwargs))
    assert len(parse(text).blocks[0].nodes) == 1
    return text.splitlines()[1].split(" = ", 1)[1]


def test_names_follow_operators_and_order_not_the_tracer() -> None:
    def build(graph: fx.Graph, a: fx.Node) -> Any:
        first = graph.create_node("call_function", ATEN.mul.Tensor, (a, 2), name="mul_17")
        second = graph.create_node("call_function", ATEN.mul.Tensor, (first, 3), name="whatever")
        total = graph.create_node("call_function", ATEN.sum.default, (second,), name="sum_9")
        return [first, total]

    assert_expected_inline(
        text_of(build),
        """\
def forward(self, primals_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    mul_1 = torch.ops.aten.mul.Tensor(mul, 3)
    sum_1 = torch.ops.aten.sum.default(mul_1)
    return (mul, sum_1)
""",
    )


def test_a_node_never_takes_the_name_of_an_input() -> None:
    graph = fx.Graph()
    taken = graph.placeholder("mul")
    graph.output(graph.call_function(ATEN.mul.Tensor, (taken, 2)))
    assert_expected_inline(
        graph_text(graph),
        """\
def forward(self, mul):
    mul_1 = torch.ops.aten.mul.Tensor(mul, 2)
    return mul_1
""",
    )


@pytest.mark.parametrize(
    "kwargs, spelled",
    [
        ({"device": torch.device("cpu"), "pin_memory": False, "layout": torch.strided}, ""),
        ({"dtype": None, "memory_format": None}, ""),
        ({"pin_memory": True, "dtype": torch.half}, "dtype=torch.float16, pin_memory=True"),
        ({"device": torch.device("meta")}, "device=torch.device('meta')"),
    ],
)
def test_defaults_are_left_out_and_keywords_are_sorted(kwargs: dict[str, Any], spelled: str) -> None:
    assert (
        line_of(ATEN.empty_like.default, **kwargs)
        == f"torch.ops.aten.empty_like.default(primals_1{spelled and ', '}{spelled})"
    )


@pytest.mark.parametrize(
    "value, spelled",
    [
        (1.5, "1.5"),
        (math.inf, "float('inf')"),
        (-math.inf, "float('-inf')"),
        (math.nan, "float('nan')"),
        (2j, "2j"),
        ("é'", '"é\'"'),
        (True, "True"),
        (..., "Ellipsis"),
        (slice(None, 2, None), "slice(None, 2, None)"),
        ([1, (2,), {"a": None}], "[1, (2,), {'a': None}]"),
        (torch.Size([2, 3]), "(2, 3)"),
        (torch.int8, "torch.int8"),
        (torch.preserve_format, "torch.preserve_format"),
        (ATEN.mul.Tensor, "torch.ops.aten.mul.Tensor"),
        (torch.sin, "torch.sin"),
        (math.sqrt, "math.sqrt"),
    ],
)
def test_constants(value: Any, spelled: str) -> None:
    assert line_of(operator.getitem, value) == f"operator.getitem(primals_1, {spelled})"


@pytest.mark.parametrize(
    "target, spelled",
    [
        (torch.sin, "torch.sin"),
        (operator.add, "operator.add"),
        (torch.nn.functional.gelu, "torch.nn.functional.gelu"),
        (torch.nn.functional.relu, "torch.nn.functional.relu"),
        (torch.sym_max, "torch.sym_max"),
        (len, "len"),
    ],
)
def test_python_functions_have_their_public_names(target: Any, spelled: str) -> None:
    assert line_of(target).startswith(f"{spelled}(primals_1")


def test_methods_read_like_methods_and_parse_back() -> None:
    text = text_of(lambda graph, a: graph.call_method("mul_", (a, 2)))
    assert "    mul_ = primals_1.mul_(2)\n" in text
    (node,) = parse(text).blocks[0].nodes
    assert node == Node("mul_", ".mul_", (Ref("primals_1"), Part("2")))


def test_symbols_that_stand_for_sizes_are_numbered() -> None:
    graph = fx.Graph()
    symbols = [graph.placeholder(name) for name in ("s77", "x", "s27", "u3")]
    graph.output(tuple(symbols))
    assert graph_text(graph) == "def forward(self, s0, x, s1, u0):\n    return (s0, x, s1, u0)\n"


def test_nested_graphs_follow() -> None:
    inner = fx.Graph()
    inner.output((inner.call_function(ATEN.sin.default, (inner.placeholder("arg0_1"),)),))
    root = torch.nn.Module()
    root.body_0 = fx.GraphModule({}, inner)
    graph = fx.Graph()
    a = graph.placeholder("a")
    body = graph.get_attr("body_0")
    graph.output((graph.call_function(torch.ops.higher_order.cond, (a, body, body, (a,))),))
    text = graph_text(fx.GraphModule(root, graph))
    assert_expected_inline(
        text,
        """\
def forward(self, a):
    body_0 = self.body_0
    cond = torch.ops.higher_order.cond(a, body_0, body_0, (a,))
    return (cond,)

def body_0(self, arg0_1):
    sin = torch.ops.aten.sin.default(arg0_1)
    return (sin,)
""",
    )
    assert [block.name for block in parse(text).blocks] == ["forward", "body_0"]


def test_small_constants_are_spelled_out() -> None:
    def program(a: torch.Tensor) -> torch.Tensor:
        return a + torch.tensor([1.0, 2.0])

    from torch.fx.experimental.proxy_tensor import make_fx

    text = graph_text(make_fx(program)(torch.ones(2)))
    assert_expected_inline(
        text,
        """\
def forward(self, a_1):
    _tensor_constant0 = torch.tensor([1.0, 2.0], dtype=torch.float32)
    lift_fresh_copy = torch.ops.aten.lift_fresh_copy.default(_tensor_constant0)
    add = torch.ops.aten.add.Tensor(a_1, lift_fresh_copy)
    return add
""",
    )


def test_unknown_objects_have_no_addresses() -> None:
    assert "0x" not in line_of(operator.getitem, object())


def test_long_lines_are_broken_between_arguments_and_read_back() -> None:
    graph = fx.Graph()
    inputs = [graph.placeholder(f"primals_{number}") for number in range(1, 21)]
    node = graph.call_function(
        ATEN.cat.default, (inputs[:8], "a, (b", {"key": [1, 2]}), {"memory_format": torch.strided}
    )
    graph.output((node, *inputs))
    text = graph_text(graph)
    assert_expected_inline(
        text,
        """\
def forward(
    self, primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10,
    primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19,
    primals_20,
):
    cat = torch.ops.aten.cat.default(
        [primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8], 'a, (b',
        {'key': [1, 2]}, memory_format=torch.strided,
    )
    return (
        cat, primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9,
        primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18,
        primals_19, primals_20,
    )
""",
    )
    (block,) = parse(text).blocks
    assert (len(block.placeholders), len(block.nodes)) == (20, 1)


@settings(deadline=None)
@given(st.lists(st.one_of(st.text(max_size=30), st.lists(st.text(max_size=9), max_size=3)), min_size=3, max_size=12))
def test_breaking_lines_changes_no_meaning(values: list[Any]) -> None:
    line = f"    x = f({', '.join(map(repr, values))})"
    broken = wrapped(line)
    assert ast.dump(ast.parse(broken.strip())) == ast.dump(ast.parse(line.strip()))
    assert broken == line or len(line) > WIDTH


def test_the_output_container_is_not_meaning() -> None:
    tuple_text = text_of(lambda graph, a: (a,))
    assert tuple_text == text_of(lambda graph, a: [a]) == "def forward(self, primals_1):\n    return (primals_1,)\n"
    assert text_of(lambda graph, a: ()) == "def forward(self, primals_1):\n    return ()\n"


def test_a_graph_without_output_is_an_error() -> None:
    with pytest.raises(ValueError, match="no output node"):
        graph_text(fx.Graph())
