"""Functions that are marked for the compiler: not to be traced, traced by AOTAutograd alone, not to break the graph."""

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from suites.harness import Check, clause, leaf, tensor, torch_internals
from suites.models.training import QUICK


def _view(a: torch.Tensor, b: torch.Tensor, times: int) -> torch.Tensor:
    return a[1:]


def _same(a: torch.Tensor, b: torch.Tensor, times: int) -> torch.Tensor:
    return a


def _written(a: torch.Tensor, b: torch.Tensor, times: int) -> torch.Tensor:
    a.mul_(b)
    return a * times


def _several(a: torch.Tensor, b: torch.Tensor, times: int) -> tuple[torch.Tensor, list[torch.Tensor]]:
    return a.sin() * b, [b * times, a + b]


def _drawn(a: torch.Tensor, b: torch.Tensor, times: int) -> torch.Tensor:
    return torch.nn.functional.dropout(a, 0.5) * b


#: What is marked: functions that a graph can hold as they are.
MARKED: dict[str, Callable[..., Any]] = {
    "view": _view,
    "same": _same,
    "written": _written,
    "several": _several,
    "drawn": _drawn,
}


def _substituted(function: Callable[..., Any]) -> Callable[..., Any]:
    def original(a: torch.Tensor, b: torch.Tensor, times: int) -> Any:
        return function(a, b, times)

    torch.compiler.substitute_in_graph(original, skip_signature_check=True)(lambda *given: function(*given))
    return original


MARKS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "allow_in_graph": torch.compiler.allow_in_graph,
    "disable": torch.compiler.disable,
    "disable_itself_alone": lambda function: torch.compiler.disable(function, recursive=False),
    "substitute_in_graph": _substituted,
    **torch_internals.dynamo_marks(),
}


#: What a mark does not answer for: after a function that AOTAutograd alone traces, nothing may ask what it has written.
NOT_ANSWERED_FOR = {("nonstrict_trace", "written")}


def _marked(mark: str) -> dict[str, Callable[..., Any]]:
    """Each function of `MARKED`, marked: a function of its own, since marks are kept by function."""
    own = {name: types.FunctionType(each.__code__, globals()) for name, each in MARKED.items()}
    return {name: MARKS[mark](each) for name, each in own.items() if (mark, name) not in NOT_ANSWERED_FOR}


@clause("python.marks", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("mark", MARKS)
def test_marked_function(check: Check, mark: str) -> None:
    """A function that is marked for the compiler views, writes, draws and differentiates as without the mark."""
    marked = _marked(mark)

    def called(function: Callable[..., Any], a: torch.Tensor, b: torch.Tensor, times: int) -> Any:
        given = a * 2
        return given, function(given, b, times)

    def program(a: torch.Tensor, b: torch.Tensor, times: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, function in marked.items():
            found[name] = called(function, a, b, times)
        return found

    calls = [(leaf(rows, 4), leaf(4), times) for rows, times in ((3, 2), (3, 3), (2, 3))]
    check(program, calls=calls).gradient(0, 1).drew_random()


@torch.compiler.assume_constant_result
def _constant(number: int) -> list[Any]:
    """A result that is the same in each call."""
    return [number * 2, {"shape": (3, number)}]


@clause("python.marks", on=QUICK)
def test_result_that_is_assumed_to_be_constant(check: Check) -> None:
    """What a function returns, of which the compiler is told that it is constant, is used, container and all."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[Any]]:
        first, second = _constant(2), _constant(5)
        return a * first[0] + second[1]["shape"][1], second

    check(program, leaf(3)).computed().holds("out[1][0]", 10)


@clause("python.marks", "reuse.graph-breaks", modes="train", fullgraph=False, on=QUICK)
def test_blocks_in_which_graph_breaks_are_errors(check: Check) -> None:
    """Blocks in which a graph break is an error, or none, one within the other, change nothing of what is computed."""

    def program(a: torch.Tensor, kept: list[float]) -> tuple[torch.Tensor, torch.Tensor]:
        with torch._dynamo.error_on_graph_break(True):
            doubled = a * 2
            with torch._dynamo.error_on_graph_break(False):
                torch._dynamo.graph_break()
                kept.append(len(kept) + 1.5)
                doubled = doubled * sum(kept)
            inner = doubled.sin()
        torch._dynamo.graph_break()
        return inner, doubled + inner

    result = check(program, calls=[(leaf(3), []), (leaf(4), [2.0]), (leaf(3), [])], probe=False)
    result.gradient(0).holds(1, [1.5])


@torch.compiler.wrap_numpy
def _by_numpy(a: Any, b: Any) -> Any:
    """NumPy's functions of what is handed in as tensors."""
    return np.where(a > 0, np.abs(a - b) * 2, np.flip(b)) + np.max(a, axis=0)


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "called"])
@clause("python.marks", devices="cpu")
def test_function_of_numpy_that_takes_tensors(check: Check, whole: bool) -> None:
    """A function of arrays that is wrapped for tensors, compiled itself or called, computes what NumPy does."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = _by_numpy(a, b)
        return found

    calls = [(tensor(rows, 3, grad=False), tensor(rows, 3, grad=False)) for rows in (2, 2, 4)]
    result = check(_by_numpy if whole else program, calls=calls, probe=False)
    result.shape("out", 2, 3).values().expect("""\
out = float32[2, 3] [[5.233, -0.2891, -1.207], [-0.4455, 0.4447, 3.329]]
""")
