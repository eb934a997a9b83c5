"""Whether a program can run at all, as far as its names tell: reduction leaves out candidates that cannot."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence


def names_are_bound(tree: ast.Module) -> bool:
    """Whether each name that a function loads is bound by then: in it, in one around it, in the module or in Python.

    Of what branches, every way is taken to be gone; so it may say yes to a program that raises, and no to none that
    runs.
    """
    scope = _BoundNames(_bound_anywhere(tree.body) | set(dir(builtins)) | {"__file__", "__name__"})
    return all(scope.holds(node) for node in tree.body)


def _bound_anywhere(body: Sequence[ast.AST]) -> set[str]:
    """Every name that some statement binds, in whatever scope."""
    found: set[str] = set()
    for node in (inner for outer in body for inner in ast.walk(outer)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


class _BoundNames:
    """The names that are bound outside of a function; functions are looked into statement by statement."""

    def __init__(self, outside: set[str]) -> None:
        self.outside = outside

    def holds(self, node: ast.stmt) -> bool:
        if not isinstance(node, ast.FunctionDef):
            return True
        known = self.outside_of(node)
        return all(self._statement(inner, known) for inner in node.body)

    def outside_of(self, node: ast.FunctionDef) -> set[str]:
        # What the function binds hides what is outside.
        local = _bound_anywhere(node.body) - {
            name for inner in ast.walk(node) if isinstance(inner, (ast.Global, ast.Nonlocal)) for name in inner.names
        }
        arguments = {inner.arg for inner in ast.walk(node.args) if isinstance(inner, ast.arg)}
        return (self.outside - local) | arguments

    def _statement(self, node: ast.stmt, known: set[str]) -> bool:
        """Whether all that a statement loads is ``known``, to which it adds what it binds."""
        blocks = [getattr(node, field, []) for field in ("body", "orelse", "finalbody", "handlers")]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            known |= _bound_anywhere([node])
            return True
        if any(blocks):
            heads = [value for field, value in ast.iter_fields(node) if isinstance(value, (ast.expr, ast.withitem))]
            heads += getattr(node, "items", [])
            if not all(_loads(head) <= known | _bound_anywhere([head]) for head in heads):
                return False
            known |= _bound_anywhere(heads)
            return all(self._part(part, known) for block in blocks for part in block)
        own = _bound_anywhere([inner for inner in ast.walk(node) if isinstance(inner, (ast.comprehension, ast.Lambda))])
        own |= {inner.target.id for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)}
        if not _loads(node) <= known | own:
            return False
        known |= _bound_anywhere([node])
        return True

    def _part(self, node: ast.AST, known: set[str]) -> bool:
        if isinstance(node, ast.stmt):
            return self._statement(node, known)
        known |= _bound_anywhere([node])
        return True


def _loads(tree: ast.AST) -> set[str]:
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    added_to = {node.target for node in ast.walk(tree) if isinstance(node, ast.AugAssign)}
    return names | {target.id for target in added_to if isinstance(target, ast.Name)}
