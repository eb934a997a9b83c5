"""What verbs take on their command lines beyond click: modes, amounts, names of backends, families of patterns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from tools import launch


class Modes(click.ParamType):
    """Grad modes, separated by commas: ``no_grad,inference``."""

    name = "modes"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """How help names it."""
        return "MODE,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """The modes in their usual order. Fails for a word that is none."""
        from suites.harness.programs.specs import modes

        if isinstance(value, tuple):
            return value
        try:
            return modes(value)
        except ValueError as error:
            return self.fail(str(error), param, ctx)


class Amount(click.FloatRange):
    """A number in a range, as click's, which takes ``nan`` for one: no bound is above it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Fails for what is none, and outside of the range."""
        found = super().convert(value, param, ctx)
        return self.fail(f"{value!r} is not a number", param, ctx) if math.isnan(found) else found


def canonical(name: str) -> str:
    """The one way to write a backend's name: see `suites.harness.backends.adapters.canonical`."""
    if "?" not in name:
        return name  # Torch is not imported for that.
    from suites.harness.backends import adapters

    return adapters.canonical(name)


def families(named: Sequence[str], patterns: Sequence[str]) -> tuple[str, ...]:
    """The families to collect: those named, or those that patterns of clause ids begin with; none: all."""
    if named or not patterns:
        return tuple(dict.fromkeys(named))
    known = launch.families()
    first = [pattern.partition("/")[0] for pattern in patterns]
    return tuple(dict.fromkeys(first)) if all(each in known for each in first) else ()
