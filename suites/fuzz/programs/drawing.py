"""From decisions to a whole program: its inputs, its statements, what it returns, and with what it is called again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import torch

from . import arithmetic, python, views, writes
from .choices import Choices
from .scope import Scope, Statement, Unfit
from .text import PREAMBLE, file_text

Family = Callable[[Scope], tuple[str, ...]]

#: What a statement can be, with how often it is tried.
FAMILIES: Mapping[str, tuple[Family, int]] = {
    "view": (views.view, 14),
    "parts": (views.parts, 4),
    "layout": (views.layout, 7),
    "in place": (writes.in_place, 14),
    "self reference": (writes.self_reference, 5),
    "assignment": (writes.assignment, 8),
    "out argument": (writes.out_argument, 3),
    "no_grad write": (writes.no_grad_write, 3),
    "metadata": (writes.metadata, 2),
    "foreach": (writes.foreach, 2),
    "pointwise": (arithmetic.pointwise, 12),
    "integers": (arithmetic.integers, 6),
    "cast": (arithmetic.cast, 5),
    "reduction": (arithmetic.reduction, 7),
    "gather": (arithmetic.gather, 5),
    "products": (arithmetic.products, 4),
    "fresh values": (arithmetic.fresh_values, 5),
    "loop": (python.loop, 2),
    "containers": (python.containers, 2),
    "branch": (python.branch, 2),
    "sizes": (python.sizes, 3),
    "state": (python.state, 3),
    "function": (python.function, 2),
    "requires_grad": (python.requires_grad, 2),
}

SHAPES = (
    *("3", "4", "2, 3", "3, 3", "1", "2, 3, 4", "7", "4, 4", "1, 5", "17", "2, 1, 3", "8, 9", "1, 2, 4, 4"),
    *("0, 3", "33, 40", ""),
)
#: Most statements of a program, and how often one is drawn anew that does not fit.
MOST_STATEMENTS, TRIES = 8, 4


@dataclasses.dataclass(frozen=True)
class Drawn:
    """A program as the text of a file for ``parity check``, and what it is made of."""

    text: str
    families: tuple[str, ...]
    features: tuple[str, ...]


@dataclasses.dataclass
class _Inputs:
    """The lines that make the arguments. ``leaves``: the names behind those that require grad and have a history."""

    lines: list[str] = dataclasses.field(default_factory=list)
    names: list[str] = dataclasses.field(default_factory=list)
    features: set[str] = dataclasses.field(default_factory=set)


def draw_program(choices: Choices, weights: Mapping[str, int] | None = None) -> Drawn:
    """A program that eager runs. ``weights`` are families' own, by name, in place of those of `FAMILIES`.

    Raises `Unfit` where nothing that was drawn could be run.
    """
    train = choices.chance(50)
    dynamic = choices.chance(15)
    inputs = _draw_inputs(choices, train)
    scope = Scope(choices, train)
    _run("\n".join(PREAMBLE), scope.globals)
    made: dict[str, object] = {}
    torch.manual_seed(0)
    scope.globals["made"] = {}
    _run("\n".join(inputs.lines), scope.globals, made)
    scope.names.update({name: made[name] for name in inputs.names})
    for _ in range(TRIES):
        if not scope.statements:
            _draw_statements(scope, choices, weights or {name: weight for name, (_, weight) in FAMILIES.items()})
    if not scope.statements:
        raise Unfit("no statement fits")
    returned = _draw_outputs(scope, inputs.names)
    features = inputs.features | {"train" if train else "no grad", "dynamic" if dynamic else "static"}
    text = file_text(inputs.names, inputs.lines, scope.statements, returned, train=train, dynamic=dynamic)
    return Drawn(text, tuple(statement.family for statement in scope.statements), tuple(sorted(features)))


def _run(source: str, namespace: dict[str, object], names: dict[str, object] | None = None) -> None:
    exec(source, namespace, names if names is not None else namespace)


def _draw_inputs(choices: Choices, train: bool) -> _Inputs:
    inputs = _Inputs()
    for number in range(choices.integer(1, 3)):
        name = "abc"[number]
        inputs.names.append(name)
        kind = choices.integer(0, 9)
        if kind >= 8 and number:
            inputs.features.add("shared memory")
            base = inputs.names[number - 1]
            flat = f"{base}.reshape(-1)"
            view = choices.one_of([flat, f"{base}[...]", f"{base}.detach()", f"{flat}[1:]", f"{flat}[::2]"])
            inputs.lines.append(f"{name} = {view}")
        elif kind == 7 and number:
            inputs.features.add("same tensor twice")
            inputs.lines.append(f"{name} = {inputs.names[number - 1]}")
        elif kind == 6:
            inputs.features.add("integers")
            dtype = choices.one_of(["int64", "int32", "int8", "uint8"])
            inputs.lines.append(f"{name} = torch.arange({choices.integer(2, 18)}, dtype=torch.{dtype})")
        else:
            inputs.lines += _floating(choices, name, train, inputs.features)
    return inputs


def _floating(choices: Choices, name: str, train: bool, features: set[str]) -> list[str]:
    shape = choices.one_of(SHAPES)
    made = f"torch.randn({shape or '()'}"
    dtype = ", dtype=torch.float64" if choices.chance(10) else ""
    if choices.chance(15) and shape.count(",") == 1:
        features.add("transposed input")
        rows, columns = shape.split(", ")
        return [f"{name} = torch.randn({columns}, {rows}{dtype}).t()"]
    if not train or choices.chance(25):
        return [f"{name} = {made}{dtype})"]
    if choices.chance(60):
        features.add("leaf")
        return [f"{name} = {made}{dtype}, requires_grad=True)"]
    features.add("history")
    return [f"made[{name!r}] = {made}{dtype}, requires_grad=True)", f"{name} = made[{name!r}] * 1"]


def _draw_statements(scope: Scope, choices: Choices, weights: Mapping[str, int]) -> None:
    lottery = [name for name, weight in weights.items() for _ in range(weight)]
    for _ in range(choices.integer(1, MOST_STATEMENTS)):
        for _ in range(TRIES):
            family = choices.one_of(lottery)
            try:
                scope.add(family, *FAMILIES[family][0](scope))
            except Unfit:
                continue
            break


def _draw_outputs(scope: Scope, inputs: list[str]) -> list[str]:
    """What the program returns: the newest values more likely, now and then an input or one value twice."""
    made = [name for name in scope.tensors() if name not in inputs and not _is_inference_only(scope[name])]
    returned = made[:1] + [name for name in made[1:] if scope.choices.chance(45)][:3]
    returned += [name for name in inputs if name in scope.names and scope.choices.chance(10)]
    if returned and scope.choices.chance(5):
        returned.append(returned[0])
    return returned


def _is_inference_only(tensor: torch.Tensor) -> bool:
    return tensor.is_inference()


__all__ = ["FAMILIES", "Drawn", "Statement", "draw_program"]
