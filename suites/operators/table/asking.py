"""The operators that a command line asks for, of those that have a choice: those it names, or all."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import warnings
from collections.abc import Mapping, Sequence

from suites.harness import torch_internals
from suites.harness.execution.isolation import one_thread
from suites.operators.table import choices
from suites.operators.table.choices import Choice


@dataclasses.dataclass(frozen=True)
class Asked:
    """The choices by name, in the order in which they were named; ``named``: they are not all that there are."""

    operators: Mapping[str, Choice]
    named: bool


def asked(arguments: Sequence[str] | None, module: str, about: str | None, what: str) -> Asked | None:
    """Which operators ``python -m suites.operators.table.MODULE OPERATOR...`` asks for; None if one is none.

    A line on standard error says which. This process has one thread and torch's table then, which forks find in it.
    """
    parser = argparse.ArgumentParser(prog=f"python -m suites.operators.table.{module}", description=about)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help=what)
    names = parser.parse_args(arguments).operators
    one_thread()
    warnings.simplefilter("ignore")
    torch_internals.operator_table()
    every = {choice.name: choice for choice in choices.operators()}
    unknown = [name for name in names if name not in every]
    if unknown:
        print(f"no operator {unknown[0]!r} in {choices.CHOICES.name}", file=sys.stderr)
        return None
    return Asked({name: every[name] for name in names or every}, bool(names))
