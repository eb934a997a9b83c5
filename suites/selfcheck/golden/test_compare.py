"""Meaning before text: planted differences get the verdict and the sentence that they deserve."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden.graphs.compare import compare_texts
from golden.graphs.graph_value import NotCanonical, parse

BASE = """\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    sin = torch.ops.aten.sin.default(primals_2)
    copy_ = torch.ops.aten.copy_.default(primals_1, mul)
    return (mul, sin)
"""

NESTED = """\
def forward(self, arg0_1):
    true_graph_0 = self.true_graph_0
    false_graph_0 = self.false_graph_0
    cond = torch.ops.higher_order.cond(arg0_1, true_graph_0, false_graph_0, (arg0_1,))
    getitem = operator.getitem(cond, 0)
    return (getitem,)

def true_graph_0(self, arg0_1):
    sin = torch.ops.aten.sin.default(arg0_1)
    return (sin,)

def false_graph_0(self, arg0_1):
    cos = torch.ops.aten.cos.default(arg0_1)
    return (cos,)
"""


def changed(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def swapped(text: str, first: int, second: int) -> str:
    lines = text.splitlines(keepends=True)
    lines[first], lines[second] = lines[second], lines[first]
    return "".join(lines)


def test_equal_texts_are_same() -> None:
    assert compare_texts(BASE, BASE).verdict == "same"


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(changed(BASE, ("    mul =", "    mul_7 ="), ("mul)", "mul_7)"), ("(mul,", "(mul_7,")), id="node"),
        pytest.param(changed(BASE, ("primals_1", "arg0_1")), id="placeholder"),
        pytest.param(changed(BASE, (", 2)", ",  2)")), id="spacing"),
        pytest.param(changed(BASE, ("(mul, sin)", "[mul, sin]")), id="output-container"),
    ],
)
def test_names_and_spelling_are_cosmetic(seen: str) -> None:
    assert compare_texts(BASE, seen).verdict == "cosmetic"


def test_renamed_nested_graphs_are_cosmetic() -> None:
    seen = changed(NESTED, ("true_graph_0", "yes_7"), ("false_graph_0", "no_7"))
    assert compare_texts(NESTED, seen).verdict == "cosmetic"


def test_independent_nodes_in_another_order_are_reordered() -> None:
    comparison = compare_texts(BASE, swapped(BASE, 2, 3))
    assert comparison.verdict == "reordered"
    assert "aten.sin" in comparison.explanation


@pytest.mark.parametrize(
    "text, first, second, why",
    [
        pytest.param(
            changed(BASE, ("sin.default(primals_2)", "sin.default(primals_1)")),
            3,
            4,
            "writes memory",
            id="read-and-write",
        ),
        pytest.param(
            "def forward(self, primals_1, primals_2):\n"
            "    view = torch.ops.aten.view.default(primals_1, [4])\n"
            "    add = torch.ops.aten.add.Tensor(view, 1)\n"
            "    copy_ = torch.ops.aten.copy_.default(primals_1, primals_2)\n"
            "    return (add,)\n",
            2,
            3,
            "writes memory",
            id="through-a-view",
        ),
        pytest.param(
            "def forward(self, primals_1):\n"
            "    rand_like = torch.ops.aten.rand_like.default(primals_1)\n"
            "    bernoulli = torch.ops.aten.bernoulli.default(primals_1)\n"
            "    return (rand_like, bernoulli)\n",
            1,
            2,
            "random generator",
            id="random",
        ),
        pytest.param(
            "def forward(self, primals_1, primals_2):\n"
            "    first = torch.ops.mylib.first.default(primals_1)\n"
            "    second = torch.ops.mylib.second.default(primals_2)\n"
            "    return (first, second)\n",
            1,
            2,
            "effects",
            id="custom-operators",
        ),
    ],
)
def test_dependent_nodes_in_another_order_are_changed(text: str, first: int, second: int, why: str) -> None:
    comparison = compare_texts(text, swapped(text, first, second))
    assert comparison.verdict == "changed"
    assert why in comparison.explanation


@pytest.mark.parametrize(
    "seen, sentence",
    [
        (
            changed(
                BASE, ("    clone = torch.ops.aten.clone.default(primals_1)\n", ""), ("(clone, 2", "(primals_1, 2")
            ),
            "aten.clone of primals_1 before aten.mul is gone",
        ),
        (
            changed(
                BASE,
                ("    copy_ = torch.ops.aten.copy_.default(primals_1, mul)\n", ""),
                ("(mul, sin", "(mul, mul, sin"),
            ),
            "aten.copy_ into primals_1 moved out of the graph",
        ),
        (changed(BASE, (", 2)", ", 3)")), "argument 2 of aten.mul is 3, it was 2"),
        (
            changed(BASE, ("aten.sin.default", "aten.cos.default")),
            "aten.sin of primals_2 before the return became aten.cos",
        ),
        (changed(BASE, ("(mul, sin)", "(sin, mul)")), "output 0 is sin, it was mul"),
        (changed(BASE, ("(primals_2)\n", "(primals_2, dtype=torch.half)\n")), "aten.sin gained dtype=torch.half"),
        (changed(BASE, ("mul.Tensor(", "mul.Scalar(")), "became aten.mul.Scalar"),
        (changed(BASE, ("primals_2):", "primals_2, primals_3):")), "the graph takes 3 inputs, it took 2"),
        (changed(BASE, ("copy_.default(primals_1, mul)", "copy_.default(primals_2, mul)")), "argument 1 of aten.copy_"),
    ],
)
def test_planted_changes_are_changed_and_told(seen: str, sentence: str) -> None:
    comparison = compare_texts(BASE, seen)
    assert comparison.verdict == "changed"
    assert sentence in comparison.explanation
    assert comparison.diff.startswith("--- golden")


def test_a_change_inside_a_nested_graph_is_told_with_its_name() -> None:
    comparison = compare_texts(NESTED, changed(NESTED, ("aten.cos", "aten.tan")))
    assert comparison.verdict == "changed"
    assert comparison.explanation.startswith("in false_graph_0: aten.cos")


def test_swapped_branches_are_changed() -> None:
    seen = changed(NESTED, ("true_graph_0, false_graph_0, (", "false_graph_0, true_graph_0, ("))
    assert compare_texts(NESTED, seen).verdict == "changed"


def test_sharing_is_meaning() -> None:
    two = (
        "def forward(self, a):\n    c = torch.ops.aten.clone.default(a)\n"
        "    d = torch.ops.aten.clone.default(a)\n    return (c, d)\n"
    )
    assert compare_texts(two, two.replace("(c, d)", "(c, c)")).verdict == "changed"
    assert compare_texts(two, two.replace("(c, d)", "(d, c)")).verdict == "reordered"


def test_a_golden_that_is_no_graph_is_changed_and_says_so() -> None:
    comparison = compare_texts("wrong", BASE)
    assert comparison.verdict == "changed"
    assert "cannot be read as a graph" in comparison.explanation


@pytest.mark.parametrize(
    "text", ["", "x = 1", "def forward(self):\n    pass", "def forward(self):\n    for x in y: pass\n"]
)
def test_the_parser_refuses_other_languages(text: str) -> None:
    with pytest.raises(NotCanonical):
        parse(text)


def test_deep_graphs_do_not_exhaust_the_stack() -> None:
    lines = [f"    x{n + 1} = torch.ops.aten.add.Tensor({f'x{n}' if n else 'a'}, 1)" for n in range(3000)]
    text = "\n".join(["def forward(self, a):", *lines, "    return (x3000,)"])
    assert compare_texts(text, text.replace("x", "y")).verdict == "cosmetic"


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[str, list[int]]]:
    """A pure graph as data: each node has an operator and the positions of its operands (inputs come first)."""
    nodes = []
    for position in range(2, 2 + draw(st.integers(1, 8))):
        operands = draw(st.lists(st.integers(0, position - 1), min_size=1, max_size=2))
        nodes.append((draw(st.sampled_from(["sin", "mul", "clone"])), operands))
    return nodes


def render(nodes: list[tuple[str, list[int]]], order: list[int], prefix: str) -> str:
    names = ["a", "b", *(f"{prefix}{number}" for number in range(len(nodes)))]
    lines = [
        f"    {names[position + 2]} = torch.ops.aten.{nodes[position][0]}.default("
        + ", ".join(names[operand] for operand in nodes[position][1])
        + ")"
        for position in order
    ]
    return "\n".join(["def forward(self, a, b):", *lines, f"    return ({', '.join(names[2:])},)"])


@settings(deadline=None)
@given(nodes=graphs(), data=st.data())
def test_any_valid_order_and_any_names_keep_the_meaning(
    nodes: list[tuple[str, list[int]]], data: st.DataObject
) -> None:
    order: list[int] = []
    while len(order) < len(nodes):
        ready = [n for n in range(len(nodes)) if n not in order and all(o - 2 in order or o < 2 for o in nodes[n][1])]
        order.append(data.draw(st.sampled_from(ready)))
    expected = render(nodes, list(range(len(nodes))), "n")
    verdict = compare_texts(expected, render(nodes, order, "other")).verdict
    assert verdict == ("cosmetic" if order == sorted(order) else "reordered")


@settings(deadline=None)
@given(nodes=graphs(), data=st.data())
def test_one_changed_node_is_always_changed(nodes: list[tuple[str, list[int]]], data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(nodes) - 1))
    other = [*nodes]
    other[position] = ("planted", nodes[position][1])
    order = list(range(len(nodes)))
    assert compare_texts(render(nodes, order, "n"), render(other, order, "n")).verdict == "changed"
