"""Which operators, changed, reach what no other does as it is drawn: those that the default profile runs so.

What a program of an operator reaches is measured as the layer of decompositions compiles it, and backward with it: the
branches of torch's decompositions and of what tells sizes, strides and dtypes. Beyond all that operators of models
reach in the programs of the default profile that change nothing, the fewest operators that together reach the rest stay
for each kind of change, kind after kind: what one reaches the next need not. The full profile runs every other by
itself. ``reaching.json`` is written by ::

    python -m suites.operators.table.reaching    # some minutes; needs the package coverage
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import one_thread
from suites.harness.programs.errors import NotHere
from suites.operators.table import choices
from suites.operators.table.changes import (
    EXPANDED,
    FEW,
    GRADIENTS,
    LARGER,
    changes,
    outputs_of_changed,
    outputs_of_sizes_that_change,
)
from suites.operators.table.choices import APART_CHANGED, DEAR, LAYER, Choice
from suites.operators.table.derivatives import gradients_of
from suites.operators.table.dtypes import DTYPES
from suites.operators.table.layouts import (
    outputs_of_the_largest_in_another_layout,
    outputs_of_the_largest_in_other_layouts,
)
from suites.operators.table.programs import Kind, OperatorProgram, outputs_of, outputs_of_two

PLACE = Path(__file__).with_name("reaching.json")
#: Operators in another layout whose sizes are symbols.
ANY_SIZE = "any size"
#: The kinds of change, in the order in which they are measured, and what makes their programs.
CHANGED: Mapping[str, Kind] = {
    FEW: outputs_of_changed(FEW),
    EXPANDED: outputs_of_changed(EXPANDED),
    ANY_SIZE: outputs_of_the_largest_in_another_layout,
    LARGER: outputs_of_sizes_that_change,
    GRADIENTS: gradients_of,
}
#: Those in whose programs sizes are symbols. With more layouts than one, these take three times as long to reckon with.
OF_SYMBOLS = (ANY_SIZE, LARGER)


@functools.cache
def reaching(path: Path = PLACE) -> Mapping[str, frozenset[str]]:
    """For each kind of change the operators that reach something when they are changed so."""
    return choices.read_names(CHANGED, path)


def adds(choice: Choice, kind: str) -> bool:
    """Whether an operator is one of those that the default profile runs with that change."""
    return choice.name in reaching()[kind]


def takes(choice: Choice, kind: str) -> bool:
    """Whether eager takes an operator so, and nothing is known of it that keeps it out of programs of many."""
    table = choices.table()
    if table.is_apart(choice.name, "") or (kind in OF_SYMBOLS and table.reason(choice.name, DEAR)):
        return False
    return kind == ANY_SIZE or (choice.name in changes()[kind] and not table.reason(choice.name, APART_CHANGED))


def beyond(
    plain: Iterable[frozenset[Any]], changed: Mapping[str, Mapping[str, frozenset[Any]]]
) -> dict[str, list[str]]:
    """For each kind the names of those that together reach all that neither ``plain`` nor kinds before it do."""
    from suites.operators.table.choosing import covering

    known = frozenset[Any]().union(*plain)
    found = {}
    for kind, operators in changed.items():
        new = {name: branches - known for name, branches in operators.items()}
        found[kind] = covering(new, len(new))
        known = known.union(*new.values())
    return found


def _measured(operators: Sequence[Choice], measuring: Any) -> Iterator[tuple[str, str, frozenset[Any]]]:
    """Of each operator and kind, and of the programs that change nothing (the kind ""), what is reached."""
    for number, choice in enumerate(operators):
        plain: list[tuple[Kind, str]] = [(outputs_of, ""), (outputs_of_the_largest_in_other_layouts, "")]
        plain += [(outputs_of_two, dtype) for dtype in DTYPES if dtype in choice.other_dtypes]
        for kind, dtype in plain:
            yield "", choice.name, reached(measuring, choice, kind, dtype)
        for name, kind in CHANGED.items():
            if takes(choice, name):
                yield name, choice.name, reached(measuring, choice, kind, change=name)
        print(f"{number + 1} of {len(operators)}: {choice.name}", flush=True)


def reached(measuring: Any, choice: Choice, kind: Kind, dtype: str = "", change: str = "") -> frozenset[Any]:
    """What the program of a kind reaches while it is compiled and run; ``change`` says what it is changed by."""
    from suites.operators.table.choosing import roots_of

    mode = "no_grad" if change == ANY_SIZE else "train"
    try:
        made = OperatorProgram(choice, "cpu", mode, kind, dtype).made()
    except NotHere:
        return frozenset()

    def run() -> None:
        compiled = torch.compile(made.program, backend=LAYER[0], dynamic=change in OF_SYMBOLS)
        with torch.set_grad_enabled(mode == "train"):
            for call in range(2 if made.later else 1):
                torch.autograd.backward(*roots_of(compiled(*made.of_call(call))))

    torch.compiler.reset()
    # What was told of a tensor once is not told again from what is remembered: each program reaches what it reaches.
    settings = {"dynamo.fake_tensor_cache_enabled": False, "symbols.use_duck_shape": False}
    with torch_internals.configured(settings):
        found: frozenset[Any] = measuring.reached(run)
    return found


def main() -> int:
    """Measure the operators of the default profile, and write ``reaching.json``."""
    from suites.operators.table.choosing import Measuring

    one_thread()
    warnings.simplefilter("ignore")
    plain: list[frozenset[Any]] = []
    changed: dict[str, dict[str, frozenset[Any]]] = {kind: {} for kind in CHANGED}
    with Measuring([*torch_internals.decomposing_files(), *torch_internals.telling_files()]) as measuring:
        for kind, name, branches in _measured(choices.of_profile("default"), measuring):
            if kind:
                changed[kind][name] = branches
            else:
                plain.append(branches)
    found = beyond(plain, changed)
    choices.write_names(found, torch.__version__.partition("+")[0], PLACE)
    print("\n".join(f"{kind}: {len(names)} of {len(changed[kind])} operators" for kind, names in found.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
