"""Where a golden's literal stands in the source: a syntax-tree node, never a line number.

A golden reaches ``expect`` in one of four ways, and each is found:

- written at the call: the instruction that is running tells the call's own place (Python 3.11 and later), so two
  calls on one line do not get in each other's way;
- through a helper: the call site is looked for frame by frame, outwards;
- from a parametrize table: the decorators of the test function, at the row of the running parameter set;
- from a table somewhere else: the only literal of that value in the files on the stack, then in the modules loaded
  from below the root. `placed(...)` around a literal notes its place where it is written, whatever its value.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType

Span = tuple[int, int, int, int]

#: The method that compares with a golden.
EXPECT = "expect"
_COMPUTED = (ast.BinOp, ast.Call, ast.JoinedStr, ast.IfExp, ast.BoolOp)


class NotFound(LookupError):
    """The literal has no place of its own; the message says why and what to do."""


@dataclasses.dataclass(frozen=True)
class Place:
    """A string literal in a file: its span as `ast` gives it (lines from 1, columns in UTF-8 bytes) and its value."""

    file: str
    span: Span
    value: str


class placed(str):
    """A literal that knows its place; for tables in which several goldens are equal (all still empty, say)."""

    place: Place | None

    def __new__(cls, literal: str) -> placed:
        """Wrap a literal and note where it stands."""
        self = super().__new__(cls, literal)
        frame = sys._getframe(1)
        try:
            self.place = _in_call(frame, literal)
        except NotFound:
            self.place = None
        return self


def normalised(literal: str) -> str:
    """A literal as it is compared: without common indentation, blank edges and trailing blanks."""
    lines = textwrap.dedent(literal).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def locate(
    literal: str, frame: FrameType | None, root: Path | None = None, rows: Mapping[str, int] | None = None
) -> Place:
    """The place of ``literal``, seen from the frame that called ``expect``.

    ``root``: only files below it count. ``rows``: index of the running value of each parameter. Raises `NotFound`.
    """
    if isinstance(literal, placed) and literal.place is not None:
        return literal.place
    frames = [found for found in _outwards(frame) if _is_ours(found.f_code.co_filename, root)]
    for found in frames:
        place = _in_call(found, literal)
        if place is not None:
            return place
    for found in frames:
        _refuse_computed(found)
    for found in frames:
        place = _in_parametrize(found, literal, rows or {})
        if place is not None:
            return place
    files = dict.fromkeys(found.f_code.co_filename for found in frames)
    return _only_one(literal, list(files), root)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_ours(file: str, root: Path | None) -> bool:
    if not file.endswith(".py") or "site-packages" in file or "dist-packages" in file:
        return False
    path = Path(file)
    return path.is_file() if root is None else path.is_file() and path.resolve().is_relative_to(root.resolve())


def tree_of(file: str) -> ast.Module:
    """The syntax tree of a file as it is on disk now."""
    return _tree(file, *_state(file))


def _state(file: str) -> tuple[int, int]:
    status = Path(file).stat()
    return status.st_mtime_ns, status.st_size


@functools.lru_cache(maxsize=256)
def _calls(file: str, changed: int, size: int) -> tuple[ast.Call, ...]:
    return tuple(node for node in ast.walk(_tree(file, changed, size)) if isinstance(node, ast.Call))


@functools.lru_cache(maxsize=256)
def _tree(file: str, changed: int, size: int) -> ast.Module:
    del changed, size
    return ast.parse(Path(file).read_bytes())


def constants(node: ast.AST) -> Iterator[ast.Constant]:
    """The plain string literals below a node (no parts of f-strings)."""
    if isinstance(node, ast.JoinedStr):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from constants(child)


def span_of(node: ast.expr | ast.stmt) -> Span:
    """The span of a node; raises `ValueError` for a node without positions."""
    if node.end_lineno is None or node.end_col_offset is None:
        raise ValueError(f"a node without an end: {ast.dump(node)}")
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _equal(node: ast.Constant, literal: str) -> bool:
    value = str(node.value)
    return value == literal or normalised(value) == normalised(literal)


def _matches(nodes: Iterable[ast.AST], literal: str) -> list[ast.Constant]:
    return [constant for node in nodes for constant in constants(node) if _equal(constant, literal)]


def _place(file: str, node: ast.Constant) -> Place:
    return Place(file, span_of(node), str(node.value))


def _running_calls(frame: FrameType) -> Sequence[ast.Call]:
    """The call that a frame is at, or every call that it may be at where the Python does not tell."""
    file = frame.f_code.co_filename
    span = _running_span(frame.f_code, frame.f_lasti)
    calls = _calls(file, *_state(file))
    if span is None:
        return [call for call in calls if call.lineno <= frame.f_lineno <= (call.end_lineno or call.lineno)]
    exact = [call for call in calls if span_of(call) == span]
    return exact or [call for call in calls if _inside(span, span_of(call))]


def _refuse_computed(frame: FrameType) -> None:
    """A golden that is put together at the call is in no table, whatever literal happens to have its value."""
    for call in _running_calls(frame):
        named = isinstance(call.func, ast.Attribute) and call.func.attr == EXPECT
        if named and any(isinstance(argument, _COMPUTED) for argument in call.args):
            where = f"{frame.f_code.co_filename}:{call.lineno}"
            raise NotFound(f"the golden is computed at {where}; write it as a string literal")


def _in_call(frame: FrameType, literal: str) -> Place | None:
    """The literal inside the call that ``frame`` is at; None when the call holds no such literal."""
    file = frame.f_code.co_filename
    calls = _running_calls(frame)
    found = {span_of(node): node for node in _matches(_arguments(calls), literal)}
    if len(found) == 1:
        return _place(file, next(iter(found.values())))
    if len(found) > 1:
        raise NotFound(
            f"{file}:{frame.f_lineno}: the same golden stands {len(found)} times in one statement; "
            f"write one call a line, or wrap each literal in placed(...)"
        )
    return None


def _arguments(calls: Iterable[ast.Call]) -> Iterator[ast.AST]:
    for call in calls:
        yield from call.args
        yield from (keyword.value for keyword in call.keywords)


def _inside(inner: Span, outer: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _running_span(code: CodeType, instruction: int) -> Span | None:
    positions = getattr(code, "co_positions", None)
    if positions is None or instruction < 0:
        return None
    for index, position in enumerate(positions()):
        if index == instruction // 2:
            line, end_line, column, end_column = position
            if None in position:
                return None
            return line, column, end_line, end_column
    return None


def _in_parametrize(frame: FrameType, literal: str, rows: Mapping[str, int]) -> Place | None:
    """The literal in a parametrize table above the function that ``frame`` runs."""
    file, name = frame.f_code.co_filename, frame.f_code.co_name
    tree = tree_of(file)
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name == name
        and node.lineno <= frame.f_lineno <= (node.end_lineno or node.lineno)
    ]
    found: dict[Span, ast.Constant] = {}
    for function in functions:
        for call in (item for item in function.decorator_list if isinstance(item, ast.Call)):
            if ast.unparse(call.func).endswith("parametrize"):
                for node in _matches(_table_row(call, tree, rows), literal):
                    found[span_of(node)] = node
    return _place(file, next(iter(found.values()))) if len(found) == 1 else None


def _table_row(call: ast.Call, tree: ast.Module, rows: Mapping[str, int]) -> list[ast.AST]:
    """The row of a parametrize table that is running, or the whole table when it cannot be told."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    names_node = call.args[0] if call.args else given.get("argnames")
    table = call.args[1] if len(call.args) > 1 else given.get("argvalues")
    if table is None:
        return []
    if isinstance(table, ast.Name):
        table = _assigned(tree, table.id) or table
    index = next((rows[name] for name in _parameter_names(names_node) if name in rows), None)
    if not isinstance(table, ast.List | ast.Tuple) or index is None or index >= len(table.elts):
        return [table]
    spread = any(isinstance(row, ast.Starred) for row in table.elts[: index + 1])
    return [table] if spread else [table.elts[index]]


def _parameter_names(node: ast.expr | None) -> list[str]:
    if node is None:
        return []
    return [name.strip() for constant in constants(node) for name in str(constant.value).split(",")]


def _assigned(tree: ast.Module, name: str) -> ast.expr | None:
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return getattr(statement, "value", None)
    return None


def _only_one(literal: str, files: list[str], root: Path | None) -> Place:
    loaded = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    others = [file for file in loaded if root is not None and file and _is_ours(file, root) and file not in files]
    for group in (files, sorted(set(others))):
        found = [(file, node) for file in group for node in _matches([tree_of(file)], literal)]
        if len(found) == 1:
            return _place(*found[0])
        if found:
            places = ", ".join(f"{file}:{node.lineno}" for file, node in found[:3])
            raise NotFound(f"the golden has {len(found)} equal literals ({places}); wrap each of them in placed(...)")
    shown = ", ".join(files) or "no file below the root"
    raise NotFound(f"the golden is not a string literal in {shown}; write it as a literal, or wrap it in placed(...)")
