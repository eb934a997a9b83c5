"""The counters of torch's caches as demands."""

from __future__ import annotations

from suites.harness import Check, torch_internals
from suites.harness.clauses.result import Result

#: The only backend whose calls the caches serve.
ROUTE = "inductor_cached"


def demand_counts(check: Check, result: Result, **expected: int) -> None:
    """Demand that AOTAutograd's cache counted this in all calls: ``hit=1, miss=1``; what is not named is 0.

    ``saved`` is not compared unless it is named. On a backend without the caches there is nothing to count.
    """
    result.happened(len(result.expected.calls) > 1, "a second compilation")
    if check.backend.name != ROUTE:
        return
    counts = torch_internals.cache_counts()
    names = ("hit", "miss", "bypass") if "saved" not in expected else ("hit", "miss", "bypass", "saved")
    wanted = {name: expected.get(name, 0) for name in names}
    result.demand("reuse", "hits, misses and bypasses of the cache", wanted, {name: counts[name] for name in names})
