"""A way to make runs that remembers what is the same for every mutant: eager's runs and the honest backend's."""

from __future__ import annotations

from suites.harness.backends.names import REFERENCE_BACKENDS
from suites.harness.backends.registry import resolve
from suites.harness.oracle.runs import Aborted, Completed, Run, Runner

Memory = dict[Run, Completed | Aborted]


def remembering(candidate: str, make: Runner, memory: Memory, *, trusted: bool = True) -> Runner:
    """A `Runner` that makes the runs of ``candidate`` and remembers all others in ``memory``, kept per program.

    Mutants stand on aot_eager, so one run of it answers for all reference backends. ``trusted``: the program is known
    to be defined, because the suites examine it on real backends; it is not looked at for hazards again.
    """

    def remember(run: Run) -> Completed | Aborted:
        if run.layer == candidate:
            return make(run)
        asked = run
        if run.layer in REFERENCE_BACKENDS:
            asked = Run(resolve("aot_eager"), in_place_on=run.in_place_on)
        elif trusted and run.special in ("hazards", "poison"):
            asked = Run()
        if asked not in memory:
            memory[asked] = make(asked)
        return memory[asked]

    return remember
