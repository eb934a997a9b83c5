"""Reduction: what is left is as small as what is asked for allows, and still is what was asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from suites.fuzz.reduction.edits import PASSES
from suites.fuzz.reduction.names import names_are_bound
from suites.fuzz.reduction.search import Reduced, one_by_one, statements
from suites.fuzz.reduction.search import reduce as reduced

LONG = """
import torch
import torch.nn.functional as F

TRAIN = True
factor = 3


def helper(x):
    return x + factor


def program(a, b, c):
    t0 = helper(a)
    t1 = t0.view(-1)
    with torch.no_grad():
        b.mul_(2.5)
    for i in range(3):
        t2 = torch.sin(t1 * 2 + b.sum()).clamp(min=0)
    return t2, c, t0


def inputs():
    a = torch.randn(7, 9)
    b = torch.randn(3)
    c = torch.randn(2)
    return a, b, c
"""


def reduce(text: str, still: Callable[[str], bool], seconds: float = 60, at_once: int = 1) -> Reduced:
    return reduced(text, one_by_one(still), seconds, at_once=at_once)


def _runs(text: str) -> bool:
    try:
        compile(text, "program", "exec")
    except SyntaxError:
        return False
    return "def program" in text


def test_only_what_is_asked_for_is_left() -> None:
    small = reduce(LONG, lambda text: _runs(text) and "mul_" in text, seconds=60)
    assert small.finished
    assert statements(small.text) == 1
    assert "mul_" in small.text
    assert not any(word in small.text for word in ("sin", "helper", "TRAIN", "F", "for", "with", "clamp"))


def test_arguments_go_with_what_builds_them() -> None:
    def still(text: str) -> bool:
        names: dict[str, object] = {}
        try:
            exec(text, names)
            args = names["inputs"]()  # type: ignore[operator]
            names["program"](*args)  # type: ignore[operator]
        except Exception:
            return False
        return "sin(" in text

    small = reduce(LONG, still, seconds=60)
    function = next(node for node in ast.parse(small.text).body if getattr(node, "name", "") == "program")
    assert isinstance(function, ast.FunctionDef)
    assert len(function.args.args) <= 1
    assert statements(small.text) <= 1


def test_constants_become_small() -> None:
    small = reduce(LONG, lambda text: _runs(text) and "torch.randn(" in text and "mul_" in text, seconds=60)
    numbers = [node.value for node in ast.walk(ast.parse(small.text)) if isinstance(node, ast.Constant)]
    assert all(number in (1, 1.0, 2.0) for number in numbers), numbers


def test_time_limit_keeps_what_was_reached() -> None:
    small = reduce(LONG, lambda text: _runs(text) and "mul_" in text, seconds=0)
    assert not small.finished
    assert "mul_" in small.text


def test_result_holds_whatever_is_asked() -> None:
    for word in ("view", "clamp", "no_grad", "randn(2)", "helper(a)"):
        still = lambda text, word=word: _runs(text) and word in text
        assert still(reduce(LONG, still, seconds=30).text)


@pytest.mark.parametrize("at_once", [1, 5])
@pytest.mark.parametrize("word", ["mul_", "clamp", "randn(", "helper("])
def test_result_is_a_fixed_point(word: str, at_once: int) -> None:
    """Nothing is left to try: reduced again, it is the same program, and no single edit of it holds."""
    still = lambda text: _runs(text) and word in text
    small = reduce(LONG, still, at_once=at_once)
    assert small.finished
    assert reduce(small.text, still).text == small.text
    source = ast.unparse(ast.parse(small.text))
    for edits in PASSES:
        for tree in edits(ast.parse(small.text)):
            other = ast.unparse(ast.fix_missing_locations(tree))
            assert other == source or not (names_are_bound(tree) and still(other)), other


def test_several_at_once_come_to_the_same() -> None:
    still = lambda text: _runs(text) and "mul_" in text and "clamp" in text
    assert reduce(LONG, still).text == reduce(LONG, still, at_once=7).text


def test_what_is_enough_is_not_made_smaller() -> None:
    still = lambda text: _runs(text) and "mul_" in text
    enough = lambda text: "helper" not in text
    stopped = reduced(LONG, one_by_one(still), 60, enough=enough)
    assert stopped.finished
    assert "helper" not in stopped.text
    assert statements(stopped.text) > statements(reduce(LONG, still).text)


CALLS = """
import torch


def program(a, b):
    c = a * b
    c.mul_(3)
    return c.view(-1), a


def inputs():
    return torch.randn(3, 7), torch.randn(7)


def inputs_2():
    return torch.randn(4, 7, dtype=torch.float64), torch.randn(7, dtype=torch.float64)


calls = [inputs, (inputs_2, torch.no_grad), inputs]
"""


def test_calls_that_matter_are_left() -> None:
    def still(text: str) -> bool:
        names: dict[str, object] = {}
        try:
            exec(text, names)
        except Exception:
            return False
        return len({str(call) for call in names.get("calls", [])}) > 1 and "mul_" in text  # type: ignore[attr-defined]

    small = reduce(CALLS, still)
    assert small.finished
    assert small.text.count("inputs_2") <= 2
    assert "no_grad" not in small.text or "inputs_2" not in small.text
    assert "7" not in small.text
    assert statements(small.text) == 1


def test_what_a_file_calls_once_is_not_called_by_its_program() -> None:
    """An operator is defined where it was, and not anew in every call."""
    text = """
import torch

op = torch.library.custom_op("reduced::once", lambda x: x.clone(), mutates_args=(), schema="(Tensor x) -> Tensor")


def program(a):
    return op(a)


def inputs():
    return (torch.randn(3),)
"""
    small = reduce(text, lambda text: "custom_op" in text and "(a)" in text.partition("program(")[2])
    assert "return op(a)" in small.text


def test_one_call_needs_no_list_and_one_use_no_name() -> None:
    def still(text: str) -> bool:
        names: dict[str, object] = {}
        try:
            exec(text, names)
            for build in names.get("calls", [names["inputs"]]):  # type: ignore[attr-defined]
                names["program"](*build())  # type: ignore[operator]
        except Exception:
            return False
        return "float64" in text and "mul_" in text

    small = reduce(CALLS.replace(", torch.no_grad)", ")").replace("(inputs_2)", "inputs_2"), still)
    assert small.finished
    assert "calls" not in small.text
    assert "def inputs()" in small.text
    assert "inputs_2" not in small.text
    assert statements(small.text) == 1


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ("return a", True),
        ("return b", False),
        ("c = a\n    return c", True),
        ("d = c\n    c = a\n    return d", False),
        ("return [x for x in a]", True),
        ("return [y for x in a]", False),
        ("return (lambda x: x + a)(a)", True),
        ("for i in a:\n        c = i\n    return c", True),
        ("with torch.no_grad() as g:\n        c = g\n    return c, g", True),
        ("c, (d, *e) = a\n    return d, e", True),
        ("return torch.sin(len(a))", True),
        ("if a:\n        c = 1\n    return c", True),
        ("def inner():\n        return later\n    later = a\n    return inner()", True),
        ("try:\n        c = a\n    except ValueError as error:\n        c = error\n    return c", True),
        ("global made\n    made = a\n    return made", True),
        ("return (n := a), n", True),
        ("a += 1\n    return a", True),
        ("c += 1\n    return c", False),
    ],
)
def test_names_of_a_program(body: str, bound: bool) -> None:
    assert names_are_bound(ast.parse(f"import torch\n\n\ndef program(a):\n    {body}\n")) is bound
