"""A program while it grows: every statement is run in eager as it is added, so that what follows fits."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from .choices import Choices

#: No tensor of a program has more elements.
MOST_ELEMENTS = 1 << 14


class Unfit(Exception):
    """A statement does not fit here: nothing to apply it to, or eager refuses it."""


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
        """The name of a tensor of a kind, recent ones more likely. Raises `Unfit` if there is none."""
        found = self.tensors(wanted)
        if not found:
            raise Unfit("no such tensor")
        if len(found) > 2 and self.choices.chance(40):
            found = found[:2]
        return self.choices.one_of(found)

    def __getitem__(self, name: str) -> torch.Tensor:
        value = self.names[name]
        assert isinstance(value, torch.Tensor)
        return value

    def like(self, shape: Sequence[int], *, floating: bool = True) -> str:
        """The name of another tensor that broadcasts to ``shape``; an expression if there is none."""

        def fits(tensor: torch.Tensor) -> bool:
            return tensor.dtype.is_floating_point == floating and _broadcasts(tensor.shape, shape)

        found = self.tensors(fits)
        if found and not self.choices.chance(15):
            return self.choices.one_of(found)
        return self.number() if floating else str(self.choices.integer(1, 5))

    def number(self) -> str:
        """A float constant that is exact in binary and no identity of anything."""
        return self.choices.one_of(["2.0", "0.5", "-1.5", "3.0", "0.25"])

    # Growing

    def add(self, family: str, *lines: str) -> None:
        """Run lines, and make them part of the program. Raises `Unfit`, with nothing changed but data, otherwise."""
        names = dict(self.names)
        try:
            with warnings.catch_warnings(), torch.set_grad_enabled(self.train):
                warnings.simplefilter("ignore")
                exec("\n".join(lines), self.globals, names)
        except Exception as error:
            raise Unfit(str(error)) from None
        for value in _tensors(names):
            if value.numel() > MOST_ELEMENTS:
                raise Unfit("too large")
            if not _is_finite(value):
                raise Unfit("not finite")
        self.names = names
        self.statements.append(Statement(lines, family))


def _is(wanted: Callable[[torch.Tensor], bool], tensor: torch.Tensor) -> bool:
    try:
        return wanted(tensor)
    except RuntimeError:
        return False  # Autograd refuses to speak of a view whose base was written to since.


def _tensors(names: dict[str, Any]) -> Iterator[torch.Tensor]:
    for value in names.values():
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (item for item in value if isinstance(item, torch.Tensor))


def _is_finite(tensor: torch.Tensor) -> bool:
    if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        return True
    with torch.no_grad():
        wide = tensor.detach()
        return bool(torch.isfinite(wide).all()) and (not wide.numel() or float(wide.abs().max()) < 1e4)


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


def at_least(dimensions: int) -> Callable[[torch.Tensor], bool]:
    """With so many dimensions, none of them empty."""
    return lambda tensor: tensor.dim() >= dimensions and tensor.numel() > 0


def is_writable(tensor: torch.Tensor) -> bool:
    """Worth an in-place write: no element of it stands for two."""
    dimensions = [pair for pair in zip(tensor.stride(), tensor.shape, strict=True) if pair[1] > 1]
    reach = 0
    for stride, size in sorted(dimensions):
        if stride <= reach:
            return False
        reach += (size - 1) * stride
    return True
