"""What can be wrong in torch's own Python: the faults that `planted` plants, drawn by rules or written by a reader.

A fault is one change of one function of a module. The rules: a condition is negated, a statement left out, one operator
put for the other; in modules of formulas a bound is met or not, a constant is one more, an option is not handed on.
What a reader thinks of is text for text, in a file::

    [[fault]]
    module = "torch._inductor.lowering"
    function = "constant_pad_nd"        # where `was` stands in others, too
    was = "fill_value"                  # once in the function, or in the module
    now = "0"                           # as many lines
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from golden.toml import tomllib


@dataclasses.dataclass(frozen=True)
class Fault:
    """One change of one function of a module. ``node`` counts the module's nodes in the order of `ast.walk`."""

    line: int
    function: str
    kind: str
    node: int
    source: str
    #: The whole module with a fault that a reader wrote; ``node`` is the statement that it is in.
    changed: ast.Module | None = dataclasses.field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.line:5} {self.function}: {self.kind}: {self.source}"


# By rules ------------------------------------------------------------------------------------------------------------


def faults(tree: ast.Module, *, formulas: bool = False) -> Iterator[Fault]:
    """Every fault that can be planted in the functions of a module. ``formulas``: of its numbers, too."""
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    for function in _functions(tree):
        for node in _run_nodes(function) if formulas else ast.walk(function):
            for kind in itertools.chain(_kinds(node), _kinds_of_numbers(node) if formulas else ()):
                text = ast.unparse(node.test if isinstance(node, (ast.If, ast.IfExp)) else node).splitlines()[0]
                line = getattr(node, "lineno", function.lineno)
                yield Fault(line, function.name, kind, numbers[id(node)], text[:100])


def _run_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What a call of a function runs: its body, without what is said of types, and not what messages are made of."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        skipped = [getattr(node, name, None) for name in ("annotation", "returns", "msg", "exc")]
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not any(child is each for each in skipped)
            and not isinstance(
                child, (ast.JoinedStr, ast.Lambda) if _is_refusal(node) else (ast.JoinedStr, ast.pattern)
            )
        ]


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The functions and methods that live objects are made of; nested ones are part of theirs."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from (item for item in node.body if isinstance(item, ast.FunctionDef))


def _kinds(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.If, ast.IfExp)) and not _is_about_types_only(node.test):
        yield "negated"
    elif isinstance(node, ast.AugAssign) or (_is_call(node) and not _is_log(node)):
        yield "left out"
    elif isinstance(node, ast.BoolOp):
        yield "and for or" if isinstance(node.op, ast.Or) else "or for and"


#: What one operator, or one function by its name, is put for.
_OPERATORS: dict[type[ast.AST], tuple[str, type[ast.AST]]] = {
    ast.Add: ("- for +", ast.Sub),
    ast.Sub: ("+ for -", ast.Add),
    ast.Mult: ("/ for *", ast.Div),
    ast.Div: ("* for /", ast.Mult),
    ast.FloorDiv: ("* for //", ast.Mult),
    ast.Pow: ("* for **", ast.Mult),
    ast.Lt: ("<= for <", ast.LtE),
    ast.LtE: ("< for <=", ast.Lt),
    ast.Gt: (">= for >", ast.GtE),
    ast.GtE: ("> for >=", ast.Gt),
    ast.Eq: ("!= for ==", ast.NotEq),
    ast.NotEq: ("== for !=", ast.Eq),
}
_PAIRS = (
    ("amax", "amin"),
    ("max", "min"),
    ("maximum", "minimum"),
    ("floor", "ceil"),
    ("ge", "gt"),
    ("le", "lt"),
    ("eq", "ne"),
    ("logical_and", "logical_or"),
    ("and_", "or_"),
    ("add", "sub"),
    ("mul", "truediv"),
    ("floordiv", "truncdiv"),
    ("sum", "mean"),
    ("sin", "cos"),
    ("exp", "expm1"),
    ("log", "log1p"),
    ("isnan", "isinf"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ("new_zeros", "new_ones"),
)
_NAMES = {**dict(_PAIRS), **{other: one for one, other in _PAIRS}}


def _kinds_of_numbers(node: ast.AST) -> Iterator[str]:
    """The faults of a formula. Text is left alone, and so are the dtypes, names and None that most code compares."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS and not _has_text(node):
        yield _OPERATORS[type(node.op)][0]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        yield _OPERATORS[type(node.ops[0])][0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign left out"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "turned round"
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield "one more"
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _NAMES and not _is_of_a_set(node):
            yield f"{_NAMES[node.func.attr]} for {node.func.attr}"
        if isinstance(node.func, ast.Attribute) and node.func.attr == "where" and len(node.args) == 3:
            yield "turned round"
        if any(word.arg for word in node.keywords) and not _is_refusal(node):
            yield "last option left out"


def _is_of_a_set(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith(".add") and len(call.args) == 1


def _has_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in (node.left, node.right))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_refusal(node: ast.AST) -> bool:
    """Whether a node makes an error or checks for one: its words are for people."""
    if isinstance(node, ast.Raise):
        return True
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return called.startswith("torch._check") or called.endswith("Error")


def _is_call(node: ast.AST) -> bool:
    """Whether a node is a statement that calls something and drops what it returns."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _is_log(statement: ast.AST) -> bool:
    """Whether a statement is for people alone, like ``log.debug(...)`` and ``graph_break_log.info(...)``."""
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    function = statement.value.func
    return isinstance(function, ast.Attribute) and ast.unparse(function.value).endswith(("log", "logger"))


def _is_about_types_only(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id in ("TYPE_CHECKING",)


# Written -------------------------------------------------------------------------------------------------------------


def modules(place: Path) -> list[str]:
    """The modules that the faults of a file are of. Raises `ValueError`, in a line, where it is none of faults."""
    return list(dict.fromkeys(table["module"] for table in _tables(place)))


def _tables(place: Path) -> list[dict[str, str]]:
    """The faults of a file, each with what it has to have."""
    try:
        tables: list[dict[str, str]] = tomllib.loads(place.read_text(encoding="utf-8"))["fault"]
        for table in tables:
            for name in ("module", "was", "now"):
                table[name]
    except KeyError as error:
        raise ValueError(f"{place}: no {error.args[0]!r}") from None
    except (ValueError, OSError) as error:
        raise ValueError(f"{place}: {error}") from None
    return tables


def written(place: Path, module: str, source: str) -> list[Fault]:
    """The faults of a file that are of this module, whose text is ``source``.

    Raises `ValueError`, in a line, where the file is none of faults or a fault is none of the module's.
    """
    mine = [table for table in _tables(place) if table["module"] == module]
    if not mine:
        return []
    tree = ast.parse(source)
    try:
        return [_written(source, tree, table.get("function", ""), table["was"], table["now"]) for table in mine]
    except (ValueError, SyntaxError) as error:
        raise ValueError(f"{place}: {error}") from None


def _written(source: str, tree: ast.Module, name: str, was: str, now: str) -> Fault:
    lines = source.splitlines(keepends=True)
    within = [each for each in _functions(tree) if each.name == name] if name else []
    if name and not within:
        raise ValueError(f"no function {name!r}")
    spans = [(_offset(lines, each.lineno), _offset(lines, (each.end_lineno or 0) + 1)) for each in within]
    places = [
        start + match.start()
        for start, end in spans or [(0, len(source))]
        for match in re.finditer(f"(?={re.escape(was)})", source[start:end])
    ]
    if len(places) != 1 or was.count("\n") != now.count("\n"):
        lines_of = f"{was.count(chr(10)) + 1} lines for {now.count(chr(10)) + 1}"
        raise ValueError(f"{was!r} stands {len(places)} times in {name or 'the module'}, {lines_of}")
    (place,) = places
    line = source.count("\n", 0, place) + 1
    changed = ast.parse(source[:place] + now + source[place + len(was) :])
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    found = next((each for each in _functions(tree) if each.body[0].lineno <= line <= (each.end_lineno or 0)), None)
    if found is None:
        raise ValueError(f"{was!r} stands in no body of a function or method")
    kind = f"{_short(now)} for {_short(was)}"
    return Fault(line, found.name, kind, numbers[id(_statement(found, line))], lines[line - 1].strip()[:100], changed)


def _short(text: str) -> str:
    return " ".join(text.split())[:60] or "nothing"


def _offset(lines: list[str], number: int) -> int:
    """Where a line begins, counted from 1."""
    return sum(map(len, lines[: number - 1]))


def _statement(function: ast.FunctionDef, line: int) -> ast.stmt:
    """The innermost statement of a function's body that has the line, before which a note can stand."""
    found: ast.stmt = function
    while True:
        inner = [
            statement
            for statement in _statements_within(found)
            if statement.lineno <= line <= (statement.end_lineno or statement.lineno)
        ]
        if not inner:
            return found
        found = inner[0]


def _statements_within(statement: ast.stmt) -> Iterator[ast.stmt]:
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.stmt):
            yield node
        elif isinstance(node, (ast.ExceptHandler, ast.match_case)):
            yield from node.body


# Planting ------------------------------------------------------------------------------------------------------------


def planted(tree: ast.Module, fault: Fault) -> ast.Module:
    """The part of the module that has the fault, with it, and a note in the set `REACHED` whenever it is run."""
    found = next(itertools.islice(ast.walk(tree), fault.node, None))
    place = next(place for place, part in enumerate(tree.body) if any(node is found for node in ast.walk(part)))
    part = tree.body[place]
    copies: dict[int, Any] = {}
    # How code is compiled stays as it was, too.
    kept = [item for item in tree.body if isinstance(item, ast.ImportFrom) and item.module == "__future__"]
    if fault.changed is not None:
        line = getattr(found, "lineno", fault.line)
        other = fault.changed.body[place]
        nodes = [node for node in ast.walk(other) if isinstance(node, ast.stmt) and node.lineno == line]
        return _with_notes(ast.Module([*kept, other], []), {fault.node: nodes[-1]})
    changed = ast.Module([*kept, copy.deepcopy(part, copies)], [])
    node = copies[id(found)]
    if isinstance(node, (ast.Expr, ast.AugAssign)):
        _Instead({id(node): ast.Expr(_note(fault.node))}).visit(changed)
        return ast.fix_missing_locations(changed)
    _spoil(node, fault)
    return _with_notes(changed, {fault.node: node})


def _spoil(node: ast.AST, fault: Fault) -> None:
    """Put the fault into a node that stays the node it is."""
    if isinstance(node, (ast.If, ast.IfExp)):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.BinOp):
        node.op = cast("ast.operator", _OPERATORS[type(node.op)][1]())
    elif isinstance(node, ast.Compare):
        node.ops = [cast("ast.cmpop", _OPERATORS[type(node.ops[0])][1]())]
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd()
    elif isinstance(node, ast.Constant):
        assert isinstance(node.value, (bool, int, float))
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    else:
        assert isinstance(node, ast.Call)
        _spoil_call(node, fault.kind)


def _spoil_call(node: ast.Call, kind: str) -> None:
    if kind == "last option left out":
        last = [word for word in node.keywords if word.arg][-1]
        node.keywords = [word for word in node.keywords if word is not last]
    elif kind == "turned round":
        node.args[1:] = node.args[:0:-1]
    else:
        assert isinstance(node.func, ast.Attribute)
        node.func.attr = _NAMES[node.func.attr]


def noted(tree: ast.Module, chosen: Iterable[Fault]) -> ast.Module:
    """The module as it is, but that it notes in the set `REACHED` where each fault would be run."""
    changed = copy.deepcopy(tree)
    nodes = list(ast.walk(changed))
    return _with_notes(changed, {fault.node: nodes[fault.node] for fault in chosen})


def _with_notes(tree: ast.Module, noting: Mapping[int, ast.AST]) -> ast.Module:
    """Have nodes of a module note that they are run, by their numbers, and mean what they meant. Changes ``tree``."""
    instead: dict[int, Any] = {}
    for number, node in noting.items():
        if isinstance(node, (ast.If, ast.IfExp)):
            node.test = _noting(number, node.test)
        elif isinstance(node, (ast.Expr, ast.AugAssign)):
            node.value = _noting(number, node.value)
        elif isinstance(node, ast.stmt):
            instead[id(node)] = [ast.copy_location(ast.Expr(_note(number)), node), node]
        else:
            assert isinstance(node, ast.expr)
            instead[id(node)] = _noting(number, node)
    return ast.fix_missing_locations(_Instead(instead).visit(tree))


#: The global of a module that holds the numbers of the faults that were run.
REACHED = "__parity_reached__"


def _note(number: int) -> ast.expr:
    """A call that notes that a node is run, and returns None."""
    return ast.parse(f"{REACHED}.add({number})", mode="eval").body


def _noting(number: int, value: ast.expr) -> ast.expr:
    """An expression of the same value that notes that a node is run."""
    return ast.BoolOp(ast.Or(), [_note(number), value])


class _Instead(ast.NodeTransformer):
    """Puts other nodes, or several statements, in the place of some; these are told by `id` and may be part of them."""

    def __init__(self, others: Mapping[int, Any]) -> None:
        self.others = others

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        other = self.others.get(id(node))
        return node if other is None else other if isinstance(other, list) else ast.copy_location(other, node)
