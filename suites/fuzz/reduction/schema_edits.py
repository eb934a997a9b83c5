"""Edits that make drawn operators small: fewer of them, fewer arguments and results, plainer types and kernels.

They come before the edits of any program (`edits`), the coarse ones first, and know the names that
`suites.fuzz.generators.schemas.registration` gives: ``op0`` is called, ``op0_kernel`` and ``op0_fake`` are its
functions.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator

from ..generators.schemas.schema import NotASchema, Schema, parse
from .edits import Pass, fewer_results, function_named, left_of, names_in

_RULES = ("register_autograd", "register_vmap", "register_autocast", "register_kernel")


def _program(tree: ast.Module) -> ast.FunctionDef:
    return function_named(tree, "program")


# Statements -----------------------------------------------------------------------------------------------------------


def without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    """Without a statement of the program and all that uses what it binds, the last first; runs of them before."""
    length = len(_program(tree).body)
    for width in (4, 2, 1):
        for start in reversed(range(length - width + 1)):
            changed = copy.deepcopy(tree)
            program = _program(changed)
            if any(isinstance(node, ast.Return) for node in program.body[start : start + width]):
                continue
            program.body = left_of(program.body, start, start + width)
            yield _clean(changed)


def fewer_returned(tree: ast.Module) -> Iterator[ast.Module]:
    """Without what the program returns, or with less of it."""
    if not isinstance(_program(tree).body[-1], ast.Return):
        return
    changed = copy.deepcopy(tree)
    del _program(changed).body[-1]
    if _program(changed).body:
        yield _clean(changed)
    yield from map(_clean, fewer_results(tree))


# Operators ------------------------------------------------------------------------------------------------------------


def operators_in(tree: ast.Module) -> list[str]:
    """The names by which a program calls the operators that it defines."""
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name.removesuffix("_kernel") for name in functions if name.endswith("_kernel")]


def registration_of(tree: ast.Module, name: str) -> list[ast.stmt]:
    """The statements at the top that are about an operator and are not its functions."""
    about = {name, f"{name}_kernel", f"{name}_fake"}
    return [
        node
        for node in tree.body
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef))
        and (names_in(node, ast.Load) & about or names_in(node, ast.Store) & {name})
    ]


def _clean(tree: ast.Module) -> ast.Module:
    """Without the operators that the program does not call."""
    called = names_in(_program(tree), ast.Load)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in called:
            called |= names_in(node, ast.Load)
    for name in operators_in(tree):
        if name not in called:
            gone = registration_of(tree, name)
            tree.body = [node for node in tree.body if node not in gone and not _is_function_of(node, name)]
    return tree


def _is_function_of(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith(f"{name}_")


def without_rules(tree: ast.Module) -> Iterator[ast.Module]:
    """Without usage rules, an autograd formula or another rule; without training, symbolic sizes, settings."""
    for word in ("refused", "stated", *_RULES, "calls", "TRAIN", "DYNAMIC", "CONFIG"):
        changed = copy.deepcopy(tree)
        for node in ast.walk(changed):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                node.body = [item for item in body if not _is_about(item, word)]  # type: ignore[attr-defined]
        if ast.dump(changed) != ast.dump(tree):
            yield changed


def _is_about(node: ast.AST, word: str) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        return word == (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", ""))
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == word


def plain_calls(tree: ast.Module) -> Iterator[ast.Module]:
    """A call without vmap around it; a region that is a function like others."""
    for place, function in enumerate(tree.body):
        if isinstance(function, ast.FunctionDef) and function.decorator_list:
            changed = copy.deepcopy(tree)
            changed.body[place].decorator_list = []  # type: ignore[attr-defined]
            yield changed
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and node.func.args:
            changed = copy.deepcopy(tree)
            call = next(item for place, item in enumerate(ast.walk(changed)) if place == number)
            assert isinstance(call, ast.Call)
            assert isinstance(call.func, ast.Call)
            call.func = call.func.args[0]
            yield changed


# Schemas --------------------------------------------------------------------------------------------------------------


def schemas_in(tree: ast.Module, name: str) -> Iterator[tuple[ast.Constant, str, Schema]]:
    """Where an operator's schema is spelled out: the constant, what stands before it there, and the schema."""
    for statement in registration_of(tree, name):
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " -> " in node.value:
                before, _, rest = node.value.partition("(")
                try:
                    yield node, before, parse(f"({rest}")
                except NotASchema:
                    continue


def _functions_of(tree: ast.Module, name: str) -> list[ast.FunctionDef]:
    return [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in (f"{name}_kernel", f"{name}_fake", f"{name}_second")
    ]


def _calls_of(tree: ast.Module, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(_program(tree))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


def without_arguments(tree: ast.Module) -> Iterator[ast.Module]:
    """Without one argument of an operator: in its schema, its kernels and its calls."""
    for name in operators_in(tree):
        kernel = _functions_of(tree, name)[0]
        places = [argument.arg for argument in kernel.args.args]
        for argument in reversed([*places, *(item.arg for item in kernel.args.kwonlyargs)]):
            changed = copy.deepcopy(tree)
            for function in _functions_of(changed, name):
                _drop_parameter(function, argument)
            for constant, before, schema in schemas_in(changed, name):
                constant.value = before + str(schema.without(argument))
            for statement in registration_of(changed, name):
                _drop_constant(statement, argument)
            for call in _calls_of(changed, name):
                call.keywords = [word for word in call.keywords if word.arg != argument]
                if argument in places and places.index(argument) < len(call.args):
                    del call.args[places.index(argument)]
            yield changed


def _drop_parameter(function: ast.FunctionDef, name: str) -> None:
    arguments = function.args
    for place, item in enumerate(arguments.args):
        if item.arg == name:
            from_end = len(arguments.args) - place
            if from_end <= len(arguments.defaults):
                del arguments.defaults[len(arguments.defaults) - from_end]
            del arguments.args[place]
    for place, item in enumerate(arguments.kwonlyargs):
        if item.arg == name:
            del arguments.kwonlyargs[place], arguments.kw_defaults[place]
    if name not in {node for statement in function.body[-1:] for node in names_in(statement, ast.Load)}:
        function.body = [node for node in function.body if name not in names_in(node, ast.Load)] or [ast.Pass()]


def _drop_constant(statement: ast.stmt, value: str) -> None:
    for node in ast.walk(statement):
        if isinstance(node, ast.Tuple):
            node.elts = [item for item in node.elts if not (isinstance(item, ast.Constant) and item.value == value)]


def without_results(tree: ast.Module) -> Iterator[ast.Module]:
    """Without one result of an operator that nothing reads."""
    for name in operators_in(tree):
        for _, _, schema in list(schemas_in(tree, name))[:1]:
            for number in reversed(range(len(schema.returns))):
                changed = copy.deepcopy(tree)
                if _drop_result(changed, name, number, len(schema.returns)):
                    yield changed


def _drop_result(tree: ast.Module, name: str, number: int, total: int) -> bool:
    for statement in ast.walk(_program(tree)):
        if not (isinstance(statement, ast.Assign) and statement.value in _calls_of(tree, name)):
            continue
        target = statement.targets[0]
        lost = target.elts[number] if isinstance(target, ast.Tuple) and total > 1 else target
        if names_in(lost, ast.Store) & names_in(_program(tree), ast.Load):
            return False
        if isinstance(target, ast.Tuple) and total > 1:
            left = [item for place, item in enumerate(target.elts) if place != number]
            statement.targets = [left[0] if len(left) == 1 else ast.Tuple(left, ast.Store())]
        else:
            statement.targets = [ast.Name("_", ast.Store())]
    for constant, before, schema in schemas_in(tree, name):
        left_over = tuple(item for place, item in enumerate(schema.returns) if place != number)
        constant.value = before + str(Schema(schema.arguments, left_over))
    for function in _functions_of(tree, name):
        _drop_returned(function, number, total)
    return True


def _drop_returned(function: ast.FunctionDef, number: int, total: int) -> None:
    ending = function.body[-1]
    if not isinstance(ending, ast.Return):
        return
    if total == 1:
        function.body[-1] = ast.Return(ast.Constant(None))
    elif isinstance(ending.value, ast.Tuple):
        left = [item for place, item in enumerate(ending.value.elts) if place != number]
        ending.value = left[0] if len(left) == 1 else ast.Tuple(left, ast.Load())


def plainer_types(tree: ast.Module) -> Iterator[ast.Module]:
    """One tensor in place of a list or of an optional one."""
    for name in operators_in(tree):
        for _, _, schema in list(schemas_in(tree, name))[:1]:
            for argument in schema.tensors:
                if argument.type != "Tensor":
                    changed = copy.deepcopy(tree)
                    _make_plain(changed, name, argument.name)
                    yield changed


def _make_plain(tree: ast.Module, name: str, argument: str) -> None:
    for constant, before, schema in schemas_in(tree, name):
        pattern = rf"(Tensor(?:\(\w+!?\))?)[\[\]?]+ {argument}\b(?:=None)?"
        constant.value = before + re.sub(pattern, rf"\1 {argument}", str(schema))
    places = [item.arg for item in _functions_of(tree, name)[0].args.args]
    for call in _calls_of(tree, name):
        if argument in places and places.index(argument) < len(call.args):
            call.args[places.index(argument)] = _single(call.args[places.index(argument)])
        for word in call.keywords:
            if word.arg == argument:
                word.value = _single(word.value)


def _single(value: ast.expr) -> ast.expr:
    return value.elts[0] if isinstance(value, ast.List) and value.elts else value


# Kernels --------------------------------------------------------------------------------------------------------------

#: What a line or an expression of a kernel may be instead, the plainest first.
_PLAINER: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"s = (?:write|fill)\(s, (\w+)\)", (r"\1.zero_()", r"\1.mul_(2)", r"\1.add_(s)")),
    (r"turned\((fresh\([^()]*\))\)", (r"\1",)),
    (r"fresh\((\w+), [^()]*\)", (r"(\1 * 2)", r"(\1 + s)")),
)


def plainer_kernels(tree: ast.Module) -> Iterator[ast.Module]:
    """A kernel's line as plain PyTorch: a write that is one in-place operator, a result that is one product."""
    for name in operators_in(tree):
        length = len(_functions_of(tree, name)[0].body)
        for place in range(length):
            line = ast.unparse(_functions_of(tree, name)[0].body[place])
            for pattern, plainer in _PLAINER:
                for instead in plainer if re.search(pattern, line) else ():
                    changed = copy.deepcopy(tree)
                    _functions_of(changed, name)[0].body[place] = (
                        ast.parse(re.sub(pattern, instead, line)).body[0]
                        if (not line.startswith("return"))
                        else _returning(re.sub(pattern, instead, line))
                    )
                    yield changed


def _returning(line: str) -> ast.stmt:
    function = ast.parse(f"def f():\n    {line}").body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.body[0]


#: In the order in which they are tried.
PASSES: tuple[Pass, ...] = (
    without_statements,
    fewer_returned,
    without_rules,
    plain_calls,
    without_arguments,
    without_results,
    plainer_types,
    plainer_kernels,
)
