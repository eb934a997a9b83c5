"""A small graph value, parsed back from canonical text, on which graphs are compared.

The parser reads what `golden.graphs.text` writes (and Inductor skeletons, which are Python too). It needs no torch.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from typing import TypeAlias

#: The version of the language (its rules are in `golden.graphs.text`); pending edits and version bands name it.
FORMAT = 1


@dataclasses.dataclass(frozen=True)
class Ref:
    """The use of a node's value."""

    name: str


@dataclasses.dataclass(frozen=True)
class Part:
    """A container, a nested call or a constant: what it is, and what it holds in order."""

    kind: str
    items: tuple[Value, ...] = ()


Value: TypeAlias = Ref | Part


@dataclasses.dataclass(frozen=True)
class Node:
    """One node: its name, what it calls, its positional arguments, its keyword arguments sorted by name."""

    name: str
    target: str
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...] = ()

    def refs(self) -> Iterator[str]:
        """The names of the nodes that this one uses, in order, with repetitions."""
        for value in (*self.args, *(value for _, value in self.kwargs)):
            yield from refs_of(value)


@dataclasses.dataclass(frozen=True)
class Block:
    """One function of a canonical text: the graph itself (``forward``) or one that is nested in it."""

    name: str
    placeholders: tuple[str, ...]
    nodes: tuple[Node, ...]
    output: Value


@dataclasses.dataclass(frozen=True)
class GraphValue:
    """The graph and the graphs nested in it, in the order of the text."""

    blocks: tuple[Block, ...]


class NotCanonical(ValueError):
    """The text is not in the language of canonical texts."""


def refs_of(value: Value) -> Iterator[str]:
    """The names that a value uses, in order."""
    if isinstance(value, Ref):
        yield value.name
    else:
        for item in value.items:
            yield from refs_of(item)


def parse(text: str) -> GraphValue:
    """Read a canonical text; raises `NotCanonical` with the line that does not belong."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NotCanonical(f"not a canonical graph text: {error}") from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions or len(functions) != len(tree.body):
        raise NotCanonical("not a canonical graph text: expected only functions, the first one the graph")
    return GraphValue(tuple(_block(function) for function in functions))


def _block(function: ast.FunctionDef) -> Block:
    placeholders = [argument.arg for argument in function.args.args]
    if placeholders[:1] == ["self"]:
        placeholders = placeholders[1:]
    known = set(placeholders)
    nodes: list[Node] = []
    output: Value | None = None
    for statement in function.body:
        if isinstance(statement, ast.Return):
            output = _value(statement.value, known) if statement.value is not None else Part("None")
        elif isinstance(statement, ast.Pass):
            continue
        else:
            node = _node(statement, known, len(nodes))
            known.add(node.name)
            nodes.append(node)
    if output is None:
        raise NotCanonical(f"{function.name!r} has no return line")
    return Block(function.name, tuple(placeholders), tuple(nodes), output)


def _node(statement: ast.stmt, known: set[str], position: int) -> Node:
    if isinstance(statement, ast.Expr):
        name, value = f"<{position}>", statement.value
    elif (
        isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    ):
        name, value = statement.targets[0].id, statement.value
    else:
        raise NotCanonical(f"line {statement.lineno} is not a node: {ast.unparse(statement)}")
    if not isinstance(value, ast.Call):
        return Node(name, "=", (_value(value, known),))
    target, first = _callee(value, known)
    args = (*first, *(_value(argument, known) for argument in value.args))
    kwargs = tuple(sorted((keyword.arg or "**", _value(keyword.value, known)) for keyword in value.keywords))
    return Node(name, target, args, kwargs)


def _callee(call: ast.Call, known: set[str]) -> tuple[str, tuple[Value, ...]]:
    """What a call calls; a method's receiver becomes its first argument."""
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id in known:
        return f".{call.func.attr}", (Ref(call.func.value.id),)
    return ast.unparse(call.func), ()


def _value(node: ast.expr, known: set[str]) -> Value:
    if isinstance(node, ast.Name):
        return Ref(node.id) if node.id in known else Part(node.id)
    if isinstance(node, ast.List | ast.Tuple):
        kind = "list" if isinstance(node, ast.List) else "tuple"
        return Part(kind, tuple(_value(item, known) for item in node.elts))
    if isinstance(node, ast.Dict):
        pairs = [item for key, value in zip(node.keys, node.values, strict=True) for item in (key, value)]
        return Part("dict", tuple(_value(item, known) for item in pairs if item is not None))
    if isinstance(node, ast.Call):
        named = tuple(
            Part(f"{keyword.arg}=", (_value(keyword.value, known),))
            for keyword in sorted(node.keywords, key=lambda keyword: keyword.arg or "")
        )
        return Part(f"{ast.unparse(node.func)}()", (*(_value(item, known) for item in node.args), *named))
    return Part(ast.unparse(node))
