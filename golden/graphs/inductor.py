"""What Inductor makes of a graph: the graph after its post-grad passes, and the skeleton of its wrapper code.

The skeleton keeps what decides over memory and order (allocations, reuses, kernel calls, the outputs) and drops the
rest (size assertions, deletions, guards around devices, comments), so it reads like a canonical graph text.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from typing import Protocol

from torch import fx

from golden import _torch
from golden.graphs.wrap import wrapped

_DROPPED_CALLS = ("assert_", "args.clear", "get_raw_stream", _torch.CUDA_CALLS, "record_memory_snapshot")


class Listener(Protocol):
    """What the hooks report to; `golden.graphs.capture.Recorder` is one."""

    def record(self, stage: str, module: fx.GraphModule) -> None:
        """Keep a graph."""

    def record_text(self, stage: str, text: str) -> None:
        """Keep a text."""


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Record the stages `post_grad` and `wrapper` of the compilations in the context.

    Does nothing while Inductor is not imported: a backend that does not use it must not pay for it.
    """
    if not _torch.inductor_is_loaded():
        yield
        return

    def keep_code(code: str) -> None:
        skeleton = wrapper_skeleton(code)
        if skeleton is not None:
            listener.record_text("wrapper", skeleton)

    with _torch.hooked_inductor(lambda module: listener.record("post_grad", module), keep_code):
        yield


def wrapper_skeleton(code: str) -> str | None:
    """The skeleton of a Python wrapper's ``call``; None for code that has none (the C++ wrapper)."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "call"]
    if not calls:
        return None
    inputs, lines = _flattened(calls[0].body)
    header = f"def call({', '.join(['self', *inputs])}):"
    return wrapped("\n".join([header, *(f"    {line}" for line in lines)]) + "\n")


def _flattened(body: Sequence[ast.stmt]) -> tuple[list[str], list[str]]:
    inputs: list[str] = []
    lines: list[str] = []
    for statement in body:
        if isinstance(statement, ast.With):
            more_inputs, more = _flattened(statement.body)
            inputs += more_inputs
            lines += more
        elif _unpacks_args(statement):
            inputs += [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id != "args"]
        elif not _is_dropped(statement):
            lines.append(ast.unparse(statement))
    return inputs, lines


def _unpacks_args(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name) and statement.value.id == "args"


def _is_dropped(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return):
        return False
    if not isinstance(statement, ast.Assign | ast.Expr):
        return True
    value = statement.value
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).startswith(_DROPPED_CALLS)
    return not isinstance(statement, ast.Assign)
