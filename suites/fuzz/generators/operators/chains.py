"""A chain of calls under construction: every statement is run in eager as it is added, so that what follows fits."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import warnings
from collections.abc import Mapping
from typing import Any

import torch

from suites.harness.oracle.definedness import HazardMode

from ..choices import Choices
from ..programs.helpers import PREAMBLE
from ..programs.scope import MOST_ELEMENTS, NUDGE, Rejected, is_alike, is_bounded, moved
from . import templates
from .templates import Call, Needed

#: What inputs are called: results are t0, t1, ..., and calls are written of x and y.
_INPUTS = "abcdefghijklmnopqrsuvw"
#: The largest element of a gradient, by its dtype, that may be what was left of numbers around one.
_CANCELLED = {"torch.float64": 1e-13, "torch.float32": 5e-5, "torch.bfloat16": 0.05, "torch.float16": 0.01}


@dataclasses.dataclass(frozen=True)
class Root:
    """The first operand: its shape, dtype, and how it lies in memory (``layout``, empty where it is dense)."""

    shape: tuple[int, ...]
    dtype: str
    layout: str

    def made(self) -> str:
        """The expression that makes it."""
        said = templates.told(self.dtype)
        *before, last = self.shape
        if self.layout == "transposed":
            return f"torch.randn({(*before[:-1], last, before[-1])}{said}).mT"
        if self.layout == "strided":
            return f"torch.randn({(*before, 2 * last)}{said})[..., ::2]"
        made = f"torch.randn({self.shape}{said})"
        return f"{made}.to(memory_format=torch.channels_last)" if self.layout == "channels_last" else made


@dataclasses.dataclass(frozen=True)
class Statement:
    """A call on values by their names, and the names of its results: several where it returns a tuple."""

    family: str
    call: Call
    operand: str
    other: str
    inputs: tuple[str, ...]
    results: tuple[str, ...] = ()

    @property
    def expression(self) -> str:
        """The call as Python."""
        return templates.in_words(self.call, self.operand, self.other, self.inputs)

    @property
    def line(self) -> str:
        """The whole statement."""
        return f"{', '.join(self.results)} = {self.expression}"


class Chain:
    """Statements so far, with the values that eager gives to their names; ``a`` is the first operand."""

    def __init__(self, choices: Choices, root: Root, *, train: bool) -> None:
        self.choices, self.root, self.train = choices, root, train
        self.statements: list[Statement] = []
        #: How each input is made, by its name; and of those that a call needs, for which operand.
        self.made: dict[str, str] = {}
        self._needed: dict[str, tuple[Needed, str]] = {}
        self._globals: dict[str, Any] = {}
        exec("\n".join(PREAMBLE), self._globals)
        self.made["a"] = self._leaf(root.made(), has_gradient=True)
        self.values: dict[str, Any] = {"a": eval(self.made["a"], self._globals)}

    def draw(self, weights: Mapping[str, int]) -> None:
        """Add one statement. Raises `Rejected` where what was drawn does not fit, and leaves all as it was."""
        choices, found = self.choices, [name for name in self._operands() if name == "a" or name in self._results()]
        if not found:
            raise Rejected("nothing to apply an operator to")
        operand = found[0] if choices.chance(75) else choices.one_of(found)
        dimensions = self.values[operand].dim()
        lottery = [
            family
            for family, weight in weights.items()
            if templates.of_dimensions(family, dimensions)
            for _ in range(weight)
        ]
        if not lottery:
            raise Rejected("no family has such an operand")
        family = choices.one_of(lottery)
        call = templates.drawn(choices.one_of(templates.of_dimensions(family, dimensions)), choices)
        fresh = (name for name in _INPUTS if name not in self.made)
        names = tuple(itertools.islice(fresh, len(call.needed)))
        needed = {name: (each, operand) for name, each in zip(names, call.needed, strict=True)}
        other = self._other(operand) or next(fresh)
        if other not in self.values:
            needed[other] = (Needed("new", "S"), operand)
        self._add(Statement(family, call, operand, other, names), needed)

    def of_another_size(self, shape: tuple[int, ...]) -> Chain:
        """The same statements on a first operand of another shape. Raises `Rejected` where eager does not take it."""
        other = Chain(self.choices, dataclasses.replace(self.root, shape=shape), train=self.train)
        for statement in self.statements:
            other._add(statement, {name: each for name, each in self._needed.items() if name not in other.made})
            if other.statements[-1].results != statement.results:
                raise Rejected("other results")
        return other

    def builder(self) -> list[str]:
        """The lines that make the inputs."""
        names = ", ".join(self.made)
        lines = [f"{name} = {made}" for name, made in self.made.items()]
        return [*lines, f"return ({names},)" if len(self.made) == 1 else f"return {names}"]

    def body(self) -> list[str]:
        """The lines of the program: it returns what came last, and now and then what came before."""
        last = self.statements[-1].results
        returned = [*last, *(name for name in self._results() if name not in last and self.choices.chance(40))]
        return [*(statement.line for statement in self.statements), f"return {', '.join(returned)}"]

    def gradients_cancel(self) -> bool:
        """Whether some gradient is nothing but rounding: that of a sum over what a normalisation gives, say."""
        results = [self.values[name] for name in self._results()]
        roots = [each for each in results if each.requires_grad]
        leaves = [each for name in self.made if (each := self.values[name]).requires_grad]
        if not roots:
            return False
        cotangents = [torch.ones_like(root) for root in roots]
        gradients = torch.autograd.grad(roots, leaves, cotangents, allow_unused=True)
        largest = [
            (str(each.dtype), float(each.abs().max())) for each in gradients if each is not None and each.numel()
        ]
        return any(0 < value < _CANCELLED[dtype] for dtype, value in largest)

    def _leaf(self, made: str, *, has_gradient: bool) -> str:
        return f"({made}).requires_grad_()" if self.train and has_gradient else made

    def _results(self) -> list[str]:
        return [name for statement in self.statements for name in statement.results]

    def _operands(self) -> list[str]:
        """The names of what a call may be made of, the newest first: matrices at least, of floating point."""
        is_one = lambda value: value.dtype.is_floating_point and value.dim() > 1 and value.numel()
        return [name for name, value in self.values.items() if is_one(value)][::-1]

    def _other(self, operand: str) -> str:
        """A tensor of the operand's shape and dtype that is there; empty for a new one."""
        like = lambda value: (value.shape, value.dtype)
        alike = [name for name in self._operands() if like(self.values[name]) == like(self.values[operand])]
        others = [name for name in alike if name != operand]
        if others and self.choices.chance(60):
            return self.choices.one_of(others)
        return operand if self.choices.chance(8) else ""

    def _add(self, statement: Statement, needed: Mapping[str, tuple[Needed, str]]) -> None:
        expression = statement.expression
        words = {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
        used = {name: each for name, each in needed.items() if name in words}
        made: dict[str, str] = {}
        for name, (each, operand) in used.items():
            value = self.values[operand]
            try:
                text = each.made(value.shape, str(value.dtype).removeprefix("torch."))
            except ValueError as error:
                raise Rejected(str(error)) from None
            made[name] = self._leaf(text, has_gradient=each.has_gradient)
        values = {**self.values, **{name: eval(text, self._globals) for name, text in made.items()}}
        returned = self._evaluated(expression, values)
        self._require_continuous(statement.operand, expression, values, returned)
        start = len(self._results())
        results = tuple(f"t{start + place}" for place in range(len(returned)))
        self.values = {**values, **dict(zip(results, returned, strict=True))}
        self.made |= made
        self._needed |= used
        self.statements.append(dataclasses.replace(statement, results=results))

    def _evaluated(self, expression: str, values: Mapping[str, Any]) -> tuple[torch.Tensor, ...]:
        """The tensors that eager returns. Raises `Rejected` where it raises, leaves them open, or they are large."""
        try:
            with warnings.catch_warnings(), HazardMode() as looked:
                warnings.simplefilter("ignore")
                result = eval(expression, self._globals, dict(values))
        except Exception as error:
            raise Rejected(str(error)) from None
        returned = tuple(result) if isinstance(result, tuple) else (result,)
        if looked.hazards or looked.ties or not all(isinstance(each, torch.Tensor) for each in returned):
            raise Rejected("undefined")
        if any(each.numel() > MOST_ELEMENTS or not is_bounded(each) for each in returned):
            raise Rejected("too large")
        return returned

    def _require_continuous(
        self, operand: str, expression: str, values: Mapping[str, Any], returned: tuple[torch.Tensor, ...]
    ) -> None:
        """Raises `Rejected` where rounding of the operand decides what comes of the call."""
        value = values[operand].detach()
        for nudge in (NUDGE, -NUDGE):
            again = self._evaluated(expression, {**values, operand: moved(value, nudge)})
            if not all(map(is_alike, returned, again)):
                raise Rejected("on a jump")
