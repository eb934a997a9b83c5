"""Backends that are wrong on purpose, each in one way, and their honest twin.

``SABOTEURS`` names them: ``--backend suites.selfcheck.saboteurs.values:half_precision_round_trip``. A clause that no
saboteur fails is a clause that may not be able to fail; a saboteur that no clause catches is a fault that a real
backend could have.
"""

from . import (
    aliasing,
    alone,
    autograd,
    backwards,
    caching,
    captured,
    errors,
    graphs,
    layout,
    lowering,
    mutation,
    numbers,
    operators,
    process,
    ranks,
    reuse,
    schemas,
    state,
    structure,
    subclasses,
    traced,
    values,
)
from .making import MADE, PACKAGE, Saboteur

__all__ = [
    "HONEST",
    "PACKAGE",
    "SABOTEURS",
    "Saboteur",
    "aliasing",
    "alone",
    "autograd",
    "backwards",
    "caching",
    "captured",
    "errors",
    "graphs",
    "layout",
    "lowering",
    "mutation",
    "numbers",
    "operators",
    "process",
    "ranks",
    "reuse",
    "schemas",
    "state",
    "structure",
    "subclasses",
    "traced",
    "values",
]

SABOTEURS: dict[str, Saboteur] = dict(sorted(MADE.items()))

HONEST = f"{PACKAGE}.honest:aot_eager"
