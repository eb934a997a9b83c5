"""Which samples of torch's tables remain beside the chosen, and which of operators' mean nothing: each is run in eager.

A sample does not run that eager refuses, forward or backward, or leaves undefined by what the oracle looks for, or that
ends the process. Anew::

    python -m suites.operators.table.counting            # every operator, some minutes
    python -m suites.operators.table.counting softmax    # these alone
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
import sys
from collections.abc import Sequence

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import Finished, run_forked
from suites.harness.observation.observe import CallOptions, Inputs, Instance
from suites.harness.oracle.examine import left_undefined
from suites.harness.oracle.runs import Subject
from suites.harness.programs.upcasting import Upcaster
from suites.operators.table import choices, modules
from suites.operators.table.asking import asked
from suites.operators.table.choices import Choice
from suites.operators.table.programs import Made, without_history
from suites.operators.table.remaining import (
    Remaining,
    of_modules,
    outputs_by_key,
    remaining,
    samples_that_remain,
    write,
)
from suites.operators.table.samples import Sample

#: Seconds that a sample may take.
LIMIT = 20.0
#: How many samples are tried in one process.
TOGETHER = 32
#: The dtypes that modules run in.
DTYPES = ("float32", "float64", "bfloat16")


@dataclasses.dataclass(frozen=True)
class OneSample:
    """A program that calls an operator on one sample, once."""

    made: Made

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """The program, with a builder of a fresh copy of its sample."""
        return Instance(self.made.program, [functools.partial(self._inputs, upcast)])

    def _inputs(self, upcast: bool) -> Inputs:
        args = copy.deepcopy(self.made.args)
        return Inputs(Upcaster()(args) if upcast else args)


def counted(choice: Choice) -> Remaining:
    """What remains of an operator."""
    samples = list(samples_that_remain(choice, "cpu"))
    left_out: dict[str, str] = {}
    for start in range(0, len(samples), TOGETHER):
        left_out.update(_left_out(choice, samples[start : start + TOGETHER]))
    return Remaining(len(samples) - len(left_out), left_out)


def _left_out(choice: Choice, samples: Sequence[Sample]) -> dict[str, str]:
    """By their keys, why samples do not run, of those that do not."""
    tried = run_forked(functools.partial(_reasons, choice, samples), LIMIT * len(samples))
    if isinstance(tried, Finished):
        return {key: reason for key, reason in tried.value.items() if reason}
    if len(samples) == 1:
        return {samples[0].key: "eager does not come back"}
    each = (_left_out(choice, [sample]) for sample in samples)
    return dict(itertools.chain.from_iterable(found.items() for found in each))


def _reasons(choice: Choice, samples: Sequence[Sample]) -> dict[str, str]:
    info = torch_internals.operator_table()[choice.name]
    made = ((sample.key, outputs_by_key(info, [without_history(sample)])) for sample in samples)
    return {key: left_undefined(Subject(OneSample(each), CallOptions("train"))) for key, each in made}


def counted_modules() -> dict[tuple[str, str], Remaining]:
    """What remains of each module that runs, in each of `DTYPES` that it takes: nothing is run."""
    table = torch_internals.module_table()
    counts: dict[tuple[str, str], Remaining] = {}
    for choice in choices.operators(modules.PLACE):
        info = table[choice.name]
        for dtype in DTYPES:
            if getattr(torch, dtype) in info.dtypes:
                drawn = modules.samples_of(info, "cpu", getattr(torch, dtype), training=True)
                count = sum(modules.remains(choice, dtype, sample.key) for sample in drawn)
                if count:
                    counts[choice.name, dtype] = Remaining(count, {})
    return counts


def main(arguments: Sequence[str] | None = None) -> int:
    """Count and write ``remaining.json``. Returns 2 for an operator that is none."""
    these = asked(arguments, "counting", __doc__, "count of these alone")
    if these is None:
        return 2
    known = dict(remaining()) if these.named else {}
    for name, choice in these.operators.items():
        known.pop(name, None)
        found = counted(choice)
        if found.count or found.left_out:
            known[name] = found
            print(f"{name}: {found.count} samples, {len(found.left_out)} left out", flush=True)
    of_each = of_modules() if these.named else counted_modules()
    write(known, of_each, torch.__version__.partition("+")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
