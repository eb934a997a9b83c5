"""Calls of a drawn operator: what is passed, as text, so that eager runs it and what it does is defined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

import torch

from ..choices import Choices
from ..programs.scope import Rejected, Scope, is_writable
from .bodies import INTERLEAVED
from .registration import Operator
from .schema import Argument

#: The dtypes of tensors that operators are called with.
DTYPES = (torch.float32, torch.float64, torch.int64)


def is_fit(tensor: torch.Tensor) -> bool:
    """Of a dtype that operators are called with."""
    return tensor.dtype in DTYPES


def memory(tensor: torch.Tensor) -> int:
    """What identifies the memory that a tensor shows."""
    return tensor.untyped_storage()._cdata


def call(scope: Scope, operator: Operator, features: set[str]) -> tuple[str, ...]:
    """The lines of a call. Raises `Rejected` where nothing fits."""
    drawn = _Call(scope, operator)
    words = drawn.words()
    if not drawn.is_dispatched:
        raise Rejected("no tensor says where the kernel runs")
    if operator.body.order == INTERLEAVED and drawn.written & drawn.read:
        # A kernel that reads again what it wrote under another name: what that means is not agreed on.
        raise Rejected("what is written is read again")
    features |= drawn.features
    return _bound(scope, operator, f"{operator.name}({words})")


def in_region(scope: Scope, operator: Operator, lines: tuple[str, ...], region: str) -> tuple[str, str]:
    """A call's lines as a function that is compiled once for all its calls, and the line that calls it.

    Raises `Rejected` where Dynamo says that it does not take such a function: it is given one memory twice, or returns
    it.
    """
    tree = ast.parse("\n".join(lines))
    bound = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    given = sorted(name for name in read if name != "torch" and not name.startswith("op"))
    keys = [memory(scope[name]) for name in given]
    if len(set(keys)) < len(keys) or any(result.alias for result in operator.schema.returns):
        raise Rejected("one memory under two names")
    ending = f"return {', '.join(bound)}" if bound else f"return {given[0]} * 1"
    body = "\n".join(f"    {line}" for line in (*lines, ending))
    text = f"@torch.compiler.nested_compile_region\ndef {region}({', '.join(given)}):\n{body}"
    target = ", ".join(bound) or f"r_{region}"
    return text, f"{target} = {region}({', '.join(given)})"


def batched_call(scope: Scope, operator: Operator, features: set[str]) -> tuple[str, ...]:
    """A call of an operator under vmap."""

    def suits(tensor: torch.Tensor) -> bool:
        return is_fit(tensor) and tensor.dtype.is_floating_point and tensor.dim() > 0 and tensor.numel() > 0

    names = [scope.tensor(suits)]
    for _ in operator.schema.arguments[1:]:
        names.append(scope.tensor(lambda tensor: suits(tensor) and tensor.shape[0] == scope[names[0]].shape[0]))
    names = [_readable(scope, operator, name) for name in names]
    dims = [0 if place == 0 or scope.choices.chance(60) else None for place in range(len(names))]
    features.add("vmap")
    in_dims = f"({', '.join(map(str, dims))}{',' * (len(dims) == 1)})"
    return _bound(scope, operator, f"torch.vmap({operator.name}, in_dims={in_dims})({', '.join(names)})")


def refused_call(scope: Scope, operator: Operator) -> str:
    """A call that eager refuses: of a wrong number of arguments, or with one of a wrong type."""
    name = operator.name
    first = operator.schema.arguments[0]
    tensor = scope.tensor()
    kinds = [f"{name}()", f"{name}({tensor}, nothing_of_this_name=1)"]
    kinds += [f"{name}(*[{tensor}] * {len(operator.schema.positional) + 1})"]
    if first.type == "Tensor" and not first.keyword_only and first.default is None:
        kinds += [f"{name}('text')", f"{name}([{tensor}, None])"]
    if all(argument.default is not None for argument in operator.schema.arguments):
        kinds = kinds[1:]
    return scope.choices.one_of(kinds)


class _Call:
    def __init__(self, scope: Scope, operator: Operator) -> None:
        self.scope, self.operator, self.choices = scope, operator, scope.choices
        self.names: list[str] = []
        self.written: set[int] = set()
        self.read: set[int] = set()
        self.features: set[str] = set()
        #: Whether a tensor is passed that the dispatcher looks at: it does not look into optional lists.
        self.is_dispatched = False

    def words(self) -> str:
        """The arguments as a call spells them."""
        words: list[str] = []
        by_name = False
        for argument in self.operator.schema.arguments:
            if argument.default is not None and self.choices.chance(40):
                by_name = True
                self.features.add("default taken")
                continue
            value = self.value(argument)
            by_name |= argument.keyword_only
            words.append(f"{argument.name}={value}" if by_name else value)
        return ", ".join(words)

    def value(self, argument: Argument) -> str:
        """What is passed for one argument."""
        if not argument.is_tensor:
            return _PLAIN[argument.type](self.scope, self.choices)
        if argument.type in ("Tensor?", "Tensor[]?") and self.choices.chance(30):
            self.features.add("None")
            return "None"
        if not argument.is_list:
            return self.tensor(argument)
        number = self.choices.one_of([0, 1, 2, 2, 3])
        self.features |= {"empty list"} if not number else set()
        return f"[{', '.join(self.element(argument) for _ in range(number))}]"

    def element(self, argument: Argument) -> str:
        """One element of a list."""
        if argument.type == "Tensor?[]" and self.choices.chance(3 if argument.is_written else 30):
            self.features.add("None in a list")
            return "None"
        return self.tensor(argument)

    def tensor(self, argument: Argument) -> str:
        """The name of a tensor, or of one that the call has been given already."""
        if self.names and self.choices.chance(20):
            name = self.choices.one_of(self.names)
            if not argument.is_written or self.is_writable(self.scope[name]):
                return self.given(argument, name)
        return self.given(argument, self.scope.tensor(self.is_writable if argument.is_written else is_fit))

    def given(self, argument: Argument, name: str) -> str:
        if name in self.names:
            self.features.add("one tensor twice in a call")
        key = memory(self.scope[name])
        if key in self.written | self.read:
            self.features.add("one memory twice in a call")
        self.names.append(name)
        self.is_dispatched |= argument.type != "Tensor[]?"
        (self.written if argument.is_written else self.read).add(key)
        return _readable(self.scope, self.operator, name)

    def is_writable(self, tensor: torch.Tensor) -> bool:
        return is_fit(tensor) and is_writable(tensor) and not tensor.requires_grad


def _readable(scope: Scope, operator: Operator, name: str) -> str:
    """An operator without a formula is handed what needs no gradient."""
    needs = scope.train and scope[name].requires_grad and not operator.differentiable
    return f"{name}.detach()" if needs else name


def _bound(scope: Scope, operator: Operator, expression: str) -> tuple[str, ...]:
    returns = operator.schema.returns
    # What a tagged operator returns is known already: naming it as well is worth a try now and then.
    if not returns or (operator.schema.tag and not scope.choices.chance(8)):
        lines = [expression]
    elif [result.type for result in returns] == ["Tensor[]"]:
        lines = [f"{scope.fresh()}, {scope.fresh()} = {expression}"]
    else:
        lines = [f"{', '.join(scope.fresh() for _ in returns)} = {expression}"]
    if operator.autocast:
        return "with torch.autocast('cpu', dtype=torch.bfloat16):", *(f"    {line}" for line in lines)
    return tuple(lines)


def _size(scope: Scope, choices: Choices) -> str:
    """A whole number: a constant, or a size of a tensor."""
    names = scope.tensors(lambda tensor: tensor.dim() > 0)
    return f"{choices.one_of(names)}.shape[0]" if names and choices.chance(50) else str(choices.integer(0, 4))


_PLAIN: Mapping[str, Callable[[Scope, Choices], str]] = {
    "SymInt": _size,
    "SymInt[]": lambda scope, choices: f"[{_size(scope, choices)}, {choices.integer(0, 4)}]",
    "int": lambda scope, choices: str(choices.integer(0, 4)),
    "int[]": lambda scope, choices: choices.one_of(["[]", "[3]", "[1, 4]"]),
    "float": lambda scope, choices: choices.one_of(["0.5", "-2.0", "3.25"]),
    "bool": lambda scope, choices: choices.one_of(["False", "True"]),
    "Scalar": lambda scope, choices: choices.one_of(["1", "0.75", "-3"]),
    "str": lambda scope, choices: choices.one_of(["'sum'", "'none'", "''"]),
    "ScalarType": lambda scope, choices: choices.one_of(["torch.float32", "torch.int64", "torch.bool"]),
    "Device": lambda scope, choices: "torch.device('cpu')",
}
