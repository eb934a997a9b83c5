"""A smaller program that diverges in the same way: fewer statements, inputs, elements and features.

Works on any file for ``parity check``: every step is an edit of its syntax tree, kept if the program still diverges
with the same fingerprint. Comments do not survive.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import itertools
import time
from collections.abc import Callable, Iterator, Sequence

#: Names that the contract of a program file gives a meaning to.
_BUILDERS_RESERVED = ("program", "leaves")


@dataclasses.dataclass(frozen=True)
class Reduced:
    """The smallest program found. ``tried``: how many candidates were run; ``finished``: nothing is left to try."""

    text: str
    tried: int
    seconds: float
    finished: bool


def reduce(text: str, still: Callable[[str], bool], seconds: float = 120.0) -> Reduced:
    """The smallest program that ``still`` holds for, found in so many seconds. It does hold for ``text``."""
    started = time.monotonic()
    tree = ast.parse(text)
    seen = {ast.unparse(tree)}
    tried = 0
    progress = True
    while progress:
        progress = False
        for edits in _PASSES:
            # An edit that is kept leaves the next one in its place.
            position, candidates = 0, edits(tree)
            while (candidate := next(candidates, None)) is not None:
                if time.monotonic() - started > seconds:
                    return Reduced(pretty(tree), tried, time.monotonic() - started, False)
                _tidy(candidate)
                source = ast.unparse(ast.fix_missing_locations(candidate))
                if source not in seen:
                    seen.add(source)
                    tried += 1
                    if still(source + "\n"):
                        tree, progress = ast.parse(source), True
                        candidates = itertools.islice(edits(tree), position, None)
                        continue
                position += 1
    return Reduced(pretty(tree), tried, time.monotonic() - started, True)


def pretty(tree: ast.Module) -> str:
    """The program as text, with two blank lines around definitions."""
    parts: list[str] = []
    was_block = False
    for node in tree.body:
        is_block = isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if parts and (is_block or was_block):
            parts.append("\n")
        parts.append(ast.unparse(node))
        was_block = is_block
    return "\n".join(parts) + "\n"


def statements(text: str) -> int:
    """How many statements ``program`` has, its return among them where it returns more than a name."""
    tree = ast.parse(text)
    function = _function(tree, "program")
    inner = [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]
    plain = sum(
        isinstance(node, ast.Return) and (node.value is None or isinstance(node.value, (ast.Name, ast.Tuple)))
        for node in inner
    )
    return len(inner) - plain


# The edits -----------------------------------------------------------------------------------------------------------


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)


def _functions(tree: ast.Module) -> Sequence[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield body


def _without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    """Without one statement, or without a run of several."""
    total = [len(body) for body in _bodies(tree)]
    for width in (4, 2, 1):
        for number, length in enumerate(total):
            for start in reversed(range(length - width + 1)):
                changed = copy.deepcopy(tree)
                body = list(_bodies(changed))[number]
                del body[start : start + width]
                if body or body is changed.body:
                    yield changed


def _without_arguments(tree: ast.Module) -> Iterator[ast.Module]:
    """Without one argument of the program: its parameter, and its place in what each builder returns."""
    for number in reversed(range(len(_function(tree, "program").args.args))):
        changed = copy.deepcopy(tree)
        del _function(changed, "program").args.args[number]
        for function in _functions(changed):
            ending = function.body[-1]
            if function.name in _BUILDERS_RESERVED or not isinstance(ending, ast.Return):
                continue
            if isinstance(ending.value, ast.Tuple) and number < len(ending.value.elts):
                del ending.value.elts[number]
        yield changed


def _smaller_collections(tree: ast.Module) -> Iterator[ast.Module]:
    """Without one element of a tuple, list or call; what is returned among them."""
    for number, node in enumerate(ast.walk(tree)):
        for field in ("elts", "args", "keywords"):
            items = getattr(node, field, None)
            if not isinstance(items, list) or isinstance(node, (ast.arguments, ast.FunctionDef, ast.ClassDef)):
                continue
            for place in reversed(range(len(items))):
                changed = copy.deepcopy(tree)
                del getattr(_node(changed, number), field)[place]
                yield changed


def _simpler_blocks(tree: ast.Module) -> Iterator[ast.Module]:
    """A block in place of what it is under: of a ``with``, a loop, a branch."""
    for number, body in enumerate(_bodies(tree)):
        for place, node in enumerate(body):
            if isinstance(node, (ast.With, ast.For, ast.If, ast.While)):
                changed = copy.deepcopy(tree)
                outer = list(_bodies(changed))[number]
                inner = outer[place]
                assert isinstance(inner, (ast.With, ast.For, ast.If, ast.While))
                outer[place : place + 1] = inner.body
                yield changed


def _simpler_expressions(tree: ast.Module) -> Iterator[ast.Module]:
    """A part of an expression in place of the whole."""
    for number, node in enumerate(ast.walk(tree)):
        if not isinstance(
            node, (ast.Call, ast.BinOp, ast.Subscript, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Attribute)
        ):
            continue
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            continue
        for part in _parts(node):
            changed = copy.deepcopy(tree)
            original = _node(changed, number)
            _Replace(original, copy.deepcopy(part)).visit(changed)
            yield changed


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        inside = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [part for part in (*inside, *node.args) if not _is_module(part)]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Compare):
        return [node.left]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, (ast.Subscript, ast.Attribute)) and not _is_module(node.value):
        return [node.value]
    return []


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "F", "nn")


def _inlined(tree: ast.Module) -> Iterator[ast.Module]:
    """A name that is bound to another name is that other name."""
    for number, body in enumerate(_bodies(tree)):
        for place, node in enumerate(body):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Name)
                and isinstance(node.value, ast.Name)
            ):
                changed = copy.deepcopy(tree)
                outer = list(_bodies(changed))[number]
                del outer[place]
                for later in outer[place:]:
                    for found in ast.walk(later):
                        if isinstance(found, ast.Name) and found.id == node.targets[0].id:
                            found.id = node.value.id
                if outer:
                    yield changed


def _smaller_constants(tree: ast.Module) -> Iterator[ast.Module]:
    """A smaller number; no flag."""
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and node.value is not True:
            for value in _simpler_numbers(node.value):
                changed = copy.deepcopy(tree)
                constant = _node(changed, number)
                assert isinstance(constant, ast.Constant)
                constant.value = value
                yield changed


def _simpler_numbers(value: float) -> list[float]:
    if isinstance(value, int):
        return [smaller for smaller in (1, 2, 3, value // 2, value - 1) if 0 < smaller < value]
    return [simple for simple in (1.0, 2.0) if simple != value and value not in (1.0, 2.0)]


def _node(tree: ast.AST, number: int) -> ast.AST:
    return next(node for place, node in enumerate(ast.walk(tree)) if place == number)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().visit(node)


def _tidy(tree: ast.Module) -> None:
    """Take out definitions at the top that nothing names, and give an empty body something to say."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    kept = {"program", "inputs", "leaves", "calls", "TRAIN", "DYNAMIC"} | used
    tree.body = [node for node in tree.body if _bound(node) is None or _bound(node) in kept]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.body:
            node.body = [ast.Pass()]


def _bound(node: ast.stmt) -> str | None:
    """The only name that a top-level statement binds."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.Import) and len(node.names) == 1:
        return node.names[0].asname or node.names[0].name
    return None


_PASSES: tuple[Callable[[ast.Module], Iterator[ast.Module]], ...] = (
    _without_statements,
    _without_arguments,
    _smaller_collections,
    _simpler_blocks,
    _inlined,
    _simpler_expressions,
    _smaller_constants,
)
