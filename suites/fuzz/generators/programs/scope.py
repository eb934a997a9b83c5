"""A program under construction: every statement is run in eager as it is added, so that what follows fits."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from suites.harness.oracle.definedness import HazardMode

from ..choices import Choices

#: No tensor of a program has more elements, and no number is larger: rounding errors grow with them.
MOST_ELEMENTS, LARGEST = 1 << 14, 1e3
#: How far an operand is moved to see whether a statement jumps there.
NUDGE = 1e-4
#: Numbers that are a multiple of this come out of any order of arithmetic the same.
_DYADIC = 64


class Rejected(Exception):
    """A statement cannot be used here: nothing to apply it to, or eager raises, or its result is undefined."""


@dataclasses.dataclass(frozen=True)
class Statement:
    """Lines of a program's body, and the family they came from."""

    lines: tuple[str, ...]
    family: str


class Scope:
    """The names that a program has so far, with real values."""

    def __init__(self, choices: Choices, train: bool) -> None:
        self.choices, self.train = choices, train
        self.names: dict[str, Any] = {}
        self.statements: list[Statement] = []
        self.globals: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn}
        #: What the program defines outside of its function, by name.
        self.definitions: dict[str, str] = {}
        self._numbers = itertools.count()

    # Names

    def fresh(self) -> str:
        """A name that the program does not have yet."""
        return f"t{next(self._numbers)}"

    def tensors(self, wanted: Callable[[torch.Tensor], bool] = lambda tensor: True) -> list[str]:
        """The names of tensors of a kind, the newest first."""
        found = [name for name, value in self.names.items() if isinstance(value, torch.Tensor) and _is(wanted, value)]
        return found[::-1]

    def tensor(self, wanted: Callable[[torch.Tensor], bool] = lambda tensor: True) -> str:
        """The name of a tensor of a kind, recent ones more likely. Raises `Rejected` if there is none."""
        found = self.tensors(wanted)
        if not found:
            raise Rejected("no such tensor")
        if len(found) > 2 and self.choices.chance(40):
            found = found[:2]
        return self.choices.one_of(found)

    def value(self, kind: type) -> str:
        """The name of a Python value of exactly that type. Raises `Rejected` if there is none."""
        found = [name for name, value in self.names.items() if type(value) is kind]
        if not found:
            raise Rejected(f"no {kind.__name__}")
        return self.choices.one_of(found)

    def __getitem__(self, name: str) -> torch.Tensor:
        value = self.names[name]
        assert isinstance(value, torch.Tensor)
        return value

    def like(self, shape: Sequence[int], *, floating: bool = True) -> str:
        """The name of another tensor that broadcasts to ``shape``; an expression if there is none."""

        def fits(tensor: torch.Tensor) -> bool:
            kind = is_floating(tensor) if floating else is_integral(tensor)
            return kind and _broadcasts(tensor.shape, shape)

        found = self.tensors(fits)
        if found and not self.choices.chance(15):
            return self.choices.one_of(found)
        return self.number() if floating else str(self.choices.integer(1, 5))

    def number(self) -> str:
        """A float constant that is exact in binary and no identity of anything."""
        return self.choices.one_of(["2.0", "0.5", "-1.5", "3.0", "0.25"])

    # Adding statements

    def define(self, name: str, text: str) -> None:
        """Have the program define ``name`` outside of its function. Raises `Rejected` if that cannot be run."""
        if name in self.definitions:
            return
        try:
            exec(text, self.globals)
        except Exception as error:
            raise Rejected(str(error)) from None
        self.definitions[name] = text

    def add(self, family: str, *lines: str) -> None:
        """Run lines, and make them part of the program. Raises `Rejected`, with nothing changed but data, otherwise."""
        space = {**self.globals, **self.names}
        try:
            with warnings.catch_warnings(), HazardMode() as looked:
                warnings.simplefilter("ignore")
                exec("\n".join(lines), space)
        except Exception as error:
            raise Rejected(str(error)) from None
        names = {
            name: value
            for name, value in space.items()
            # Executing puts the builtins into the globals of whoever comes first.
            if name != "__builtins__"
            and (name in self.names or name not in self.globals or value is not self.globals[name])
        }
        if looked.hazards or looked.ties:
            raise Rejected("undefined")
        for value in tensors_in(names.values()):
            if value.numel() > MOST_ELEMENTS:
                raise Rejected("too large")
            if not is_bounded(value):
                raise Rejected("not finite")
        self.names = {name: value for name, value in names.items() if not name.startswith("_")}
        self.statements.append(Statement(lines, family))

    def continuous(self, name: str, expression: str) -> str:
        """The expression, if it is continuous where the tensor is, so that rounding does not decide what comes of it.

        Numbers that are exact in any arithmetic may lie on a jump. Raises `Rejected` if others do.
        """
        tensor = self[name].detach()
        if not is_floating(tensor) or bool((tensor * _DYADIC == (tensor * _DYADIC).round()).all()):
            return expression
        results = []
        for nudge in (0.0, NUDGE, -NUDGE):
            try:
                results.append(eval(expression, self.globals, {**self.names, name: moved(tensor, nudge)}))
            except Exception as error:
                raise Rejected(str(error)) from None
        for result in results[1:]:
            if not all(map(is_alike, tensors_in([results[0]]), tensors_in([result]))):
                raise Rejected("on a jump")
        return expression


def _is(wanted: Callable[[torch.Tensor], bool], tensor: torch.Tensor) -> bool:
    try:
        return wanted(tensor)
    except RuntimeError:
        return False  # Autograd refuses to speak of a view whose base was written to since.


def moved(tensor: torch.Tensor, nudge: float) -> torch.Tensor:
    """The tensor with each number of it moved by so much of its size, and of one."""
    return tensor + (tensor.abs() + 1) * nudge


def is_alike(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether two tensors are the same to more than rounding: of one shape, and equal where they are not of floats."""
    if left.shape != right.shape:
        return False
    if not left.is_floating_point():
        return bool((left == right).all())
    return bool(torch.allclose(left.double(), right.double(), rtol=0.1, atol=0.05))


def tensors_in(values: Any) -> Iterator[torch.Tensor]:
    """The tensors among values, and in the containers among them."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
        elif isinstance(value, Mapping):
            yield from tensors_in(value.values())


def is_bounded(tensor: torch.Tensor) -> bool:
    """Whether all numbers are finite and of a size that sums and products of them can be told apart."""
    if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex) or not tensor.numel():
        return True
    with torch.no_grad():
        size = tensor.detach().abs()
        return bool(torch.isfinite(size).all()) and float(size.max()) < LARGEST


def _broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    return len(shape) <= len(to) and all(
        size in (1, wanted) for size, wanted in zip(reversed(shape), reversed(to), strict=False)
    )


def is_floating(tensor: torch.Tensor) -> bool:
    """Of a floating-point dtype."""
    return tensor.dtype.is_floating_point


def is_integral(tensor: torch.Tensor) -> bool:
    """Of an integer dtype, bool not among them."""
    return not tensor.dtype.is_floating_point and not tensor.dtype.is_complex and tensor.dtype != torch.bool


def is_single(tensor: torch.Tensor) -> bool:
    """Of single or double precision: what operators of few dtypes take."""
    return tensor.dtype in (torch.float32, torch.float64)


def at_least(
    dimensions: int, wanted: Callable[[torch.Tensor], bool] = lambda tensor: True
) -> Callable[[torch.Tensor], bool]:
    """With so many dimensions, none of them empty, and as ``wanted``."""
    return lambda tensor: tensor.dim() >= dimensions and tensor.numel() > 0 and wanted(tensor)


def is_writable(tensor: torch.Tensor) -> bool:
    """Worth an in-place write: no element of it stands for two."""
    dimensions = [pair for pair in zip(tensor.stride(), tensor.shape, strict=True) if pair[1] > 1]
    reach = 0
    for stride, size in sorted(dimensions):
        if stride <= reach:
            return False
        reach += (size - 1) * stride
    return True
