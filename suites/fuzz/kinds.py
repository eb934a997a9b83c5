"""The kinds of programs that a campaign can draw: how, of which families and features, and how they are made small."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from .programs import numbers
from .programs.choices import Choices
from .programs.drawing import FAMILIES, SHOWN, VARIED, Drawn, draw_program
from .reducing.reduction import Pass
from .schemas import drawing as schemas
from .schemas.doors import NAMESPACE
from .schemas.honesty import honestly
from .schemas.on_gpu import with_its_kernels
from .schemas.reduction import PASSES

#: Whether a program diverges as one did.
Still = Callable[[str], bool]


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of programs.

    ``draw`` makes the one of a number, with weights in place of the families' own, and raises
    `suites.fuzz.programs.scope.Unfit` where none came of the choices. ``families`` are what a statement can be, with
    how often it is tried; ``features`` what is to be seen of programs. ``passes`` are edits of its own for reduction,
    and ``guard`` narrows what a smaller program must hold to, given the one that it begins with.
    """

    draw: Callable[[Choices, int, Mapping[str, int] | None], Drawn]
    families: Mapping[str, int]
    features: Sequence[str] = ()
    passes: Sequence[Pass] = ()
    guard: Callable[[Still, str], Still] = lambda still, text: still


#: By the word that ``parity fuzz --of`` knows them by.
KINDS: Mapping[str, Kind] = {
    "programs": Kind(
        lambda choices, number, weights: draw_program(choices, weights),
        {name: weight for name, (_, weight) in FAMILIES.items()},
        (*SHOWN, *VARIED),
    ),
    "numbers": Kind(
        lambda choices, number, weights: numbers.draw_program(choices, weights),
        {name: weight for name, (_, weight) in numbers.FAMILIES.items()},
        numbers.FEATURES,
    ),
    "schemas": Kind(
        lambda choices, number, weights: schemas.draw_program(choices, str(number), weights),
        dict.fromkeys(schemas.FAMILIES, 1),
        schemas.FEATURES,
        PASSES,
        honestly,
    ),
    "triton": Kind(
        lambda choices, number, weights: schemas.draw_program(choices, str(number), weights, triton=True),
        dict.fromkeys(schemas.FAMILIES, 1),
        schemas.TRITON_FEATURES,
        guard=with_its_kernels,
    ),
}


def kind_of(text: str) -> Kind:
    """The kind that a program is of, by its text."""
    if "triton_op(" in text:
        return KINDS["triton"]
    return KINDS["schemas" if f'"{NAMESPACE}"' in text or f"{NAMESPACE}::" in text else "programs"]
