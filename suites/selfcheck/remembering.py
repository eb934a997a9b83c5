"""A way to make runs that remembers what is the same for every saboteur: eager's runs and the honest backend's."""

from __future__ import annotations

from suites.harness.backends import LADDER
from suites.harness.oracle import Lost, Made, Run, Runner

Memory = dict[Run, Made | Lost]


def remembering(candidate: str, make: Runner, memory: Memory, *, trusted: bool = True) -> Runner:
    """A `Runner` that makes the runs of ``candidate`` and remembers all others in ``memory``, kept per program.

    Saboteurs stand on aot_eager, so one run of it answers for the whole ladder. ``trusted``: the program is known to
    be defined, because the suites examine it on real backends; it is not looked at for hazards again.
    """

    def remember(run: Run) -> Made | Lost:
        if run.layer == candidate:
            return make(run)
        asked = run
        if run.layer in LADDER:
            asked = Run("aot_eager", in_place_on=run.in_place_on)
        elif trusted and run.special in ("hazards", "poison"):
            asked = Run()
        if asked not in memory:
            memory[asked] = make(asked)
        return memory[asked]

    return remember
