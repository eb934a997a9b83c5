"""Python's garbage collector in processes that compile much: what lives as long as they do is not looked at again."""

from __future__ import annotations

import gc

from suites.harness.execution import accelerations

#: Allocations between two collections of the youngest generation, and collections of one between two of the next. A
#: compilation allocates much that lives until its end: Python's own 700, 10, 10 looks at that again and again.
_THRESHOLDS = (20_000, 20, 20)


def freeze_what_stays() -> None:
    """Freeze every object that there is now (`gc.freeze`), and collect less often.

    Call it when everything is imported; a collector that was off until then is on afterwards. A tenth of the processor
    time of a cell went into this, and more in forks, whose collectors had copied the pages that they looked at. What a
    program leaves in cycles is still collected, and whenever somebody asks for it.
    """
    gc.enable()
    if not accelerations.on(accelerations.COLLECTOR):
        return
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
