"""The kinds of programs that a campaign can draw: how, of which families and features, and how they are made small."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from .generators.choices import Choices
from .generators.numbers import drawing as numbers
from .generators.numbers.templates import FEATURES as FEATURES_OF_NUMBERS
from .generators.operators import drawing as operators
from .generators.programs import drawing as programs
from .generators.programs.drawing import Drawn
from .generators.schemas import drawing as schemas
from .generators.schemas.registration import NAMESPACE
from .reduction import schema_edits
from .reduction.guards import Still, following_schemas, with_the_same_kernels
from .reduction.search import Pass


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of programs.

    ``draw`` makes the one of a number, with weights in place of the families' own, and raises
    `suites.fuzz.generators.programs.scope.Rejected` where none came of the choices. ``families`` are what a statement
    can be, with how often it is tried; ``features`` what is to be seen of programs. ``passes`` are edits of its own for
    reduction, and ``guard`` narrows what a smaller program must hold to, given the one that it begins with.
    ``registering``: patterns of the calls that register an operator, one of which every program of the kind makes, as
    ``function:namespace``.
    """

    draw: Callable[[Choices, int, Mapping[str, int] | None], Drawn]
    families: Mapping[str, int]
    features: Sequence[str] = ()
    passes: Sequence[Pass] = ()
    guard: Callable[[Still, str], Still] = lambda still, text: still
    registering: Sequence[str] = ()


#: By the word that ``parity fuzz --of`` knows them by.
KINDS: Mapping[str, Kind] = {
    "programs": Kind(
        lambda choices, number, weights: programs.draw_program(choices, weights),
        {name: weight for name, (_, weight) in programs.FAMILIES.items()},
        (*programs.SHOWN, *programs.VARIED),
    ),
    "numbers": Kind(
        lambda choices, number, weights: numbers.draw_program(choices, weights),
        {name: weight for name, (_, weight) in numbers.FAMILIES.items()},
        FEATURES_OF_NUMBERS,
    ),
    "operators": Kind(
        lambda choices, number, weights: operators.draw_program(choices, weights),
        operators.FAMILIES,
        operators.FEATURES,
    ),
    "schemas": Kind(
        lambda choices, number, weights: schemas.draw_program(choices, str(number), weights),
        dict.fromkeys(schemas.FAMILIES, 1),
        schemas.FEATURES,
        schema_edits.PASSES,
        following_schemas,
        [f"torch.library.{name}:{NAMESPACE}" for name in ("define", "Library", "custom_op")],
    ),
    "triton": Kind(
        lambda choices, number, weights: schemas.draw_program(choices, str(number), weights, triton=True),
        dict.fromkeys(schemas.FAMILIES, 1),
        schemas.TRITON_FEATURES,
        guard=with_the_same_kernels,
        registering=["torch.library.triton_op:*"],
    ),
}


def kind_of(text: str) -> Kind:
    """The kind whose reduction a program needs, by the operators that it registers; "programs" if it registers none.

    Programs about numbers and operators are reduced as those are. Raises `SyntaxError` for a text that is not Python.
    """
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and node.args]
    made = [f"{ast.unparse(call.func)}:{_namespace(call.args[0])}" for call in calls]
    fits = lambda kind: any(fnmatchcase(one, pattern) for pattern in kind.registering for one in made)
    return next(filter(fits, KINDS.values()), KINDS["programs"])


def _namespace(argument: ast.expr) -> str:
    """The namespace that an operator's name begins with, or that is named alone; empty if it is no constant."""
    return str(argument.value).partition("::")[0] if isinstance(argument, ast.Constant) else ""
