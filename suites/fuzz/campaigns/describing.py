"""What the operators of a program's text are like, in words that known finds are recognised by."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..generators.schemas.bodies import hint
from ..generators.schemas.schema import TENSORS, Argument, Schema
from ..reduction.schema_edits import operators_in, registration_of, schemas_in


def words(tree: ast.Module) -> set[str]:
    """What is particular about the operators of a program: ``writes Tensor?[]``, ``tag out``, ``returns a view``."""
    found: set[str] = set()
    for name in operators_in(tree):
        for schema in _schemas(tree, name):
            found |= {f"writes {argument.type}" for argument in schema.written}
            found |= {f"returns {result.type}" for result in schema.returns if result.type != "Tensor"}
            if not _tags(tree, name) and any(result.alias for result in schema.returns):
                found.add("returns what it writes" if schema.written else "returns a view")
        found |= {f"tag {tag}" for tag in _tags(tree, name)}
    return found


def _schemas(tree: ast.Module, name: str) -> Iterator[Schema]:
    spelled = [schema for _, _, schema in schemas_in(tree, name)]
    yield from spelled[:1] or _inferred(tree, name)


def _inferred(tree: ast.Module, name: str) -> Iterator[Schema]:
    """The schema that type hints say, as far as it is about tensors."""
    kinds = {hint(kind): kind for kind in TENSORS if kind != "Tensor[]?"}
    written = {
        node.value
        for statement in registration_of(tree, name)
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant)
    }
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == f"{name}_kernel":
            arguments = [*function.args.args, *function.args.kwonlyargs]
            hints = {item.arg: ast.unparse(item.annotation) for item in arguments if item.annotation is not None}
            yield Schema(
                tuple(
                    Argument(argument, kinds[text], f"{argument}!" if argument in written else "")
                    for argument, text in hints.items()
                    if text in kinds
                )
            )


def _tags(tree: ast.Module, name: str) -> set[str]:
    return {
        node.attr
        for statement in registration_of(tree, name)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "torch.Tag"
    }
