"""What operators reach of Inductor's lowerings when they are called otherwise: which of them run so there by default.

A program of an operator is compiled by Inductor, forward and backward, in another dtype, in another layout, or of
special numbers. What it reaches are the branches of the files that lower operators, and what the kernels that come of
it call. The fewest operators that together reach all of it stay: of numbers and layouts each for itself, of dtypes one
after the other, since what one reaches the next need not. By default Inductor runs the others as they are drawn alone,
and the layer on which they are taken apart runs them otherwise, too; the full profile, and a backend that is asked for
by name, runs all. ``lowered.json`` is written by ::

    python -m suites.operators.table.lowered    # some ten minutes; needs the package coverage
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import one_thread
from suites.harness.programs.errors import NotHere
from suites.operators.table import choices, special_numbers
from suites.operators.table.choices import APART_SPECIAL, Choice
from suites.operators.table.dtypes import DTYPES
from suites.operators.table.layouts import outputs_of_the_largest_by_turns
from suites.operators.table.programs import Kind, OperatorProgram, outputs_of_first
from suites.operators.table.reaching import beyond
from suites.operators.table.special_numbers import outputs_of_special_numbers

PLACE = Path(__file__).with_name("lowered.json")
#: Beside a dtype, how operators are called.
LAID_OUT, SPECIAL = "another layout", "special numbers"
#: The ways to call them that are measured together, each after those before it.
_TOGETHER = ((LAID_OUT,), DTYPES, (SPECIAL,))
#: What a kernel's text calls: a function's name with its types.
_CALL = re.compile(r"[A-Za-z_][\w.:]*(?:<[^;(]*?>)?\(")
#: A value of a kernel, which has another name in each.
_VALUE = re.compile(r"\b(?:tmp|x|in_ptr|out_ptr|in_out_ptr)\d+(?:_\w+)?\b")
#: A kernel in C++ within the code that Inductor writes.
_KERNEL = re.compile(r"async_compile\.cpp\w*\(.*?'''(.*?)'''", re.DOTALL)
#: What that code calls besides.
_EXTERN = re.compile(r"(?:torch\.ops|extern_kernels|aten)\.[\w.]+")


@functools.cache
def lowered(path: Path = PLACE) -> Mapping[str, frozenset[str]]:
    """For each way to call them, the operators that reach something of Inductor so."""
    return choices.read_names(itertools.chain.from_iterable(_TOGETHER), path)


def adds(choice: Choice, kind: str) -> bool:
    """Whether Inductor, too, runs an operator by default called so."""
    return choice.name in lowered()[kind]


def by_itself(name: str) -> bool:
    """Whether an operator has a program of its own at special numbers: it reaches something of Inductor, or has to."""
    table = choices.table()
    return name in lowered()[SPECIAL] or table.is_apart(name) or bool(table.reason(name, APART_SPECIAL))


def of_special_numbers(*, alone: bool) -> tuple[Choice, ...]:
    """The operators that the default profile runs at special numbers: by themselves, or with others in a program."""
    names = special_numbers.operators("default")
    return tuple(choices.named(name) for name in names if by_itself(name) == alone)


def called_in(codes: Sequence[str]) -> frozenset[Any]:
    """What kernels call in code that Inductor wrote, and what that code calls besides."""
    found = set(_EXTERN.findall("\n".join(codes)))
    for kernel in itertools.chain.from_iterable(map(_KERNEL.findall, codes)):
        found.update(_CALL.findall(_VALUE.sub("$", kernel)))
    return frozenset(found)


def fewest(reached: Mapping[str, Mapping[str, frozenset[Any]]]) -> dict[str, list[str]]:
    """For each way to call them the names of those that together reach all that those of ways before it do not."""
    found: dict[str, list[str]] = {}
    for together in _TOGETHER:
        found |= beyond((), {kind: reached[kind] for kind in together})
    return found


def reached(measuring: Any, choice: Choice, kind: Kind, dtype: str = "") -> frozenset[Any]:
    """What the program of a kind reaches while Inductor compiles it; nothing where this torch has no such operator."""
    from suites.operators.table.choosing import roots_of

    try:
        made = OperatorProgram(choice, "cpu", "train", kind, dtype).made()
    except NotHere:
        return frozenset()
    codes: list[str] = []

    def run() -> None:
        compiled = torch.compile(made.program, backend="inductor")
        torch.autograd.backward(*roots_of(compiled(*made.args)))

    torch.compiler.reset()
    with torch_internals.configured({"inductor.force_disable_caches": True}), torch_internals.written_codes(codes):
        branches: frozenset[Any] = measuring.reached(run)
    return branches | called_in(codes)


def _programs() -> Iterator[tuple[str, Choice, Kind, str]]:
    table = choices.table()
    for choice in choices.of_profile("default"):
        if not table.is_apart(choice.name):
            yield LAID_OUT, choice, outputs_of_the_largest_by_turns, ""
        for dtype in DTYPES:
            if dtype in choice.other_dtypes and not table.is_apart(choice.name, dtype):
                yield dtype, choice, outputs_of_first, dtype
    for name in special_numbers.operators("default"):
        yield SPECIAL, choices.named(name), outputs_of_special_numbers, ""


def main() -> int:
    """Measure the operators of the default profile, and write ``lowered.json``."""
    from suites.operators.table.choosing import Measuring

    one_thread()
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, frozenset[Any]]] = {kind: {} for kind in itertools.chain.from_iterable(_TOGETHER)}
    with Measuring(torch_internals.lowering_files()) as measuring:
        for kind, choice, make, dtype in _programs():
            found[kind][choice.name] = reached(measuring, choice, make, dtype)
            print(f"{kind}: {choice.name}", flush=True)
    kept = fewest(found)
    choices.write_names(kept, torch.__version__.partition("+")[0], PLACE)
    print("\n".join(f"{kind}: {len(names)} of {len(found[kind])} operators" for kind, names in kept.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
