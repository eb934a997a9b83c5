"""Reduction: what is left is as small as what is asked for allows, and still is what was asked for."""

from __future__ import annotations

import ast

from suites.fuzz.reduction import reduce, statements

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
