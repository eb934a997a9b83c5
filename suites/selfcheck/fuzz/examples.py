"""Finds for tests that need one, whatever it is of."""

from __future__ import annotations

import dataclasses

from suites.fuzz.campaigns.finds import CONFIRMED, Find
from suites.harness.oracle.divergence import Divergence

_DIVERGENCE = Divergence("mutation", "mutation lost", "call 1", "3.0", "6.0", True, "aot_eager")
_PROGRAM = """import torch
TRAIN = True


def program(a):
    return a.{operator}()


def inputs():
    return (torch.ones(3),)
"""


def a_find(
    number: int = 3, operators: tuple[str, ...] = ("mul_",), standing: str = CONFIRMED, **divergence: str
) -> Find:
    """A find with these operators, the first of which its program calls; ``divergence``: what is other about that."""
    text = _PROGRAM.format(operator=operators[0])
    seen = dataclasses.replace(_DIVERGENCE, **divergence)  # type: ignore[arg-type]
    return Find(number, seen.layer, seen, operators, 1, standing, text, text)
