"""Backends that are wrong on purpose, each in one way, and their honest twin.

``MUTANTS`` names them: ``--backend suites.selfcheck.mutants.values:half_precision_round_trip``. A clause that no
mutant fails is a clause that may not be able to fail; a mutant that no clause catches is a fault that a real
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
    options,
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
from .making import MADE, PACKAGE, Mutant

__all__ = [
    "HONEST",
    "MUTANTS",
    "PACKAGE",
    "Mutant",
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
    "options",
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

MUTANTS: dict[str, Mutant] = dict(sorted(MADE.items()))

HONEST = f"{PACKAGE}.honest:aot_eager"
