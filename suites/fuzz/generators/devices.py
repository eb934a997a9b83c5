"""Programs for a GPU: what was drawn and tried on the CPU, with the device written out wherever memory is made."""

from __future__ import annotations

import ast
import re

#: Functions of torch's that make a tensor of nothing else, on the device that they are told.
_FACTORIES = frozenset(
    {
        *("arange", "as_tensor", "empty", "empty_strided", "eye", "full", "linspace", "logspace", "ones", "rand"),
        *("randint", "randn", "randperm", "scalar_tensor", "tensor", "tril_indices", "triu_indices", "zeros"),
        *("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"),
    }
)
#: The names that torch knows the CPU by: a device, and a key that kernels are registered under.
_NAMES = {"cpu": "cuda", "CPU": "CUDA"}


def on_cuda(text: str) -> str:
    """The program with all of its memory on the GPU: factories say so, and what is said of the CPU is said of CUDA.

    A program for a GPU already is itself. Nothing else changes: comments, lines and statements stay where they are.
    Raises `SyntaxError` for a text that is not Python.
    """
    edits = [edit for node in ast.walk(ast.parse(text)) for edit in _edits(text, node)]
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def is_on_cuda(text: str) -> bool:
    """Whether a program says that it is for a GPU."""
    return re.search(r"""["']cuda["']""", text) is not None


def _edits(text: str, node: ast.AST) -> list[tuple[int, int, str]]:
    """What changes at a node: from one offset up to another, what stands there instead."""
    if isinstance(node, ast.Constant) and node.value in _NAMES:
        start, end = _place(text, node)
        return [(start, end, repr(_NAMES[node.value]))]
    if isinstance(node, ast.Call) and _makes_memory(node):
        _, end = _place(text, node)
        before = text[: end - 1].rstrip()
        space = "" if before.endswith("(") else " " if before.endswith(",") else ", "
        return [(len(before), end - 1, f'{space}device="cuda"')]
    return []


def _makes_memory(call: ast.Call) -> bool:
    if any(keyword.arg in ("device", "out", None) for keyword in call.keywords):
        return False
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return False
    if call.func.value.id != "torch":
        return False
    # Of numbers and a size; of tensors it goes where they are.
    numbers = call.func.attr == "normal" and len(call.args) == 3
    return numbers or call.func.attr in _FACTORIES


def _place(text: str, node: ast.expr) -> tuple[int, int]:
    """Where a node begins and ends in the text, in characters."""
    lines = text.splitlines(keepends=True)
    assert node.end_lineno is not None, "the parser knows where everything ends"
    assert node.end_col_offset is not None, "the parser knows where everything ends"
    return _offset(lines, node.lineno, node.col_offset), _offset(lines, node.end_lineno, node.end_col_offset)


def _offset(lines: list[str], number: int, column: int) -> int:
    """An offset in characters, of a line and a column that counts bytes."""
    before = sum(map(len, lines[: number - 1]))
    return before + len(lines[number - 1].encode()[:column].decode())
