"""The edits that reduction tries: each yields the trees that are one step simpler than a tree, the coarsest first."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence

from suites.harness.programs.names import CONTRACT

#: What yields the trees that are one edit away from a tree.
Pass = Callable[[ast.Module], Iterator[ast.Module]]

#: Names that the contract of a program file gives a meaning to.
_BUILDERS_RESERVED = ("program", "leaves")


def function_named(tree: ast.Module, name: str) -> ast.FunctionDef:
    """The function of that name at the top of a module. Raises `StopIteration` if there is none."""
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)


def _functions(tree: ast.Module) -> Sequence[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield body


def _without_what_uses_it(tree: ast.Module) -> Iterator[ast.Module]:
    """Without a run of the program's statements and all that uses what they bind; long runs and the last ones first."""
    length = len(function_named(tree, "program").body)
    for width in _widths(length):
        for start in reversed(range(length - width + 1)):
            changed = copy.deepcopy(tree)
            program = function_named(changed, "program")
            program.body = left_of(program.body, start, start + width)
            yield changed


def _widths(length: int) -> list[int]:
    halves = [length // 2, length // 4]
    return sorted({width for width in (*halves, 2, 1) if width > 0}, reverse=True)


def left_of(body: list[ast.stmt], start: int, end: int) -> list[ast.stmt]:
    """A body without its statements from ``start`` to ``end`` and all that uses what they bind."""
    lost = {name for node in body[start:end] for name in names_in(node, ast.Store)}
    kept = body[:start]
    for node in body[end:]:
        if isinstance(node, ast.Return):
            kept += _return_without(node, lost)
        elif names_in(node, ast.Load) & lost:
            lost |= names_in(node, ast.Store)
        else:
            kept.append(node)
    return kept


def names_in(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that are read (`ast.Load`), or bound (`ast.Store`), anywhere in a node."""
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, context)}


def _return_without(node: ast.Return, lost: set[str]) -> list[ast.stmt]:
    value = node.value
    items = value.elts if isinstance(value, ast.Tuple) else [value] if value is not None else []
    left = [item for item in items if not names_in(item, ast.Load) & lost]
    if not left:
        return []
    return [ast.Return(left[0] if len(left) == 1 else ast.Tuple(left, ast.Load()))]


def fewer_results(tree: ast.Module) -> Iterator[ast.Module]:
    """With one of what the program returns alone, or without one of it."""
    ending = function_named(tree, "program").body[-1]
    if not isinstance(ending, ast.Return) or not isinstance(ending.value, ast.Tuple):
        return
    items = ending.value.elts
    alone = [[item] for item in items]
    for left in (*alone, *([other for other in items if other is not item] for item in items)):
        changed = copy.deepcopy(tree)
        value = copy.deepcopy(left[0] if len(left) == 1 else ast.Tuple(left, ast.Load()))
        function_named(changed, "program").body[-1] = ast.Return(value)
        yield changed


def _without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    """Without one statement, wherever it is, or without a run of two."""
    total = [len(body) for body in _bodies(tree)]
    for width in (2, 1):
        for number, length in enumerate(total):
            for start in reversed(range(length - width + 1)):
                changed = copy.deepcopy(tree)
                body = list(_bodies(changed))[number]
                del body[start : start + width]
                if body or body is changed.body:
                    yield changed


def _without_arguments(tree: ast.Module) -> Iterator[ast.Module]:
    """Without one argument of the program: its parameter, and its place in what each builder returns."""
    for number in reversed(range(len(function_named(tree, "program").args.args))):
        changed = copy.deepcopy(tree)
        del function_named(changed, "program").args.args[number]
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


def _inlined_where_used(tree: ast.Module) -> Iterator[ast.Module]:
    """What a name is bound to, in the one place where the name is used; not what the file calls once and for all."""
    for number, body in enumerate(_bodies(tree)):
        for place, node in enumerate(body):
            if not isinstance(node, ast.Assign) or bound(node) is None or isinstance(node.value, ast.Name):
                continue
            if body is tree.body and isinstance(node.value, ast.Call):
                continue
            changed = copy.deepcopy(tree)
            outer = list(_bodies(changed))[number]
            assignment = outer.pop(place)
            assert isinstance(assignment, ast.Assign)
            uses = [
                found
                for later in outer[place:]
                for found in ast.walk(later)
                if isinstance(found, ast.Name) and found.id == bound(node)
            ]
            if len(uses) == 1 and isinstance(uses[0].ctx, ast.Load):
                _Replace(uses[0], assignment.value).visit(changed)
                yield changed


def _one_builder(tree: ast.Module) -> Iterator[ast.Module]:
    """Calls that are all alike, as those that a file makes that names none."""
    calls = next((node for node in tree.body if isinstance(node, ast.Assign) and bound(node) == "calls"), None)
    if calls is None or not isinstance(calls.value, ast.List):
        return
    names = {call.id for call in calls.value.elts if isinstance(call, ast.Name)}
    if len(names) != 1 or not all(isinstance(call, ast.Name) for call in calls.value.elts):
        return
    changed = copy.deepcopy(tree)
    changed.body = [node for node in changed.body if bound(node) not in {"calls", "inputs"} - names]
    for function in _functions(changed):
        if function.name in names:
            function.name = "inputs"
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


def _equal_numbers_at_once(tree: ast.Module) -> Iterator[ast.Module]:
    """A smaller number everywhere where a number is: sizes that must agree."""
    numbers = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is int]
    for number in sorted({number for number in numbers if numbers.count(number) > 1}, reverse=True):
        for smaller in _simpler_numbers(number):
            changed = copy.deepcopy(tree)
            for node in ast.walk(changed):
                if isinstance(node, ast.Constant) and type(node.value) is int and node.value == number:
                    node.value = smaller
            yield changed


def _calls_alike(tree: ast.Module) -> Iterator[ast.Module]:
    """One call as another one is, in a list of calls."""
    for number, node in enumerate(ast.walk(tree)):
        if not (isinstance(node, ast.Assign) and bound(node) == "calls" and isinstance(node.value, ast.List)):
            continue
        calls = node.value.elts
        for place, call in enumerate(calls):
            for other in [calls[0], *([call.elts[0]] if isinstance(call, ast.Tuple) and call.elts else [])]:
                if ast.unparse(other) != ast.unparse(call):
                    changed = copy.deepcopy(tree)
                    assignment = _node(changed, number)
                    assert isinstance(assignment, ast.Assign)
                    assert isinstance(assignment.value, ast.List)
                    assignment.value.elts[place] = copy.deepcopy(other)
                    yield changed


def _node(tree: ast.AST, number: int) -> ast.AST:
    return next(node for place, node in enumerate(ast.walk(tree)) if place == number)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().visit(node)


def tidy(tree: ast.Module) -> None:
    """Take out definitions at the top that nothing names, and give an empty body something to say."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    kept = CONTRACT | used
    tree.body = [node for node in tree.body if bound(node) is None or bound(node) in kept]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.body:
            node.body = [ast.Pass()]


def bound(node: ast.stmt) -> str | None:
    """The only name that a top-level statement binds."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.Import) and len(node.names) == 1:
        return node.names[0].asname or node.names[0].name
    return None


#: In the order in which they are tried.
PASSES: tuple[Pass, ...] = (
    _without_what_uses_it,
    fewer_results,
    _without_statements,
    _without_arguments,
    _calls_alike,
    _smaller_collections,
    _simpler_blocks,
    _one_builder,
    _inlined,
    _inlined_where_used,
    _simpler_expressions,
    _equal_numbers_at_once,
    _smaller_constants,
)
