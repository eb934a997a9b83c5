"""How long is left is said late rather than wrong, and by what each backend costs."""

from __future__ import annotations

from tools.views.remaining import Remaining

#: Planned cells of a quick backend, and of one whose cells cost twenty times as much.
QUICK, SLOW = 300, 200


def _planned() -> Remaining:
    remaining = Remaining()
    for name, number in (("quick", QUICK), ("slow", SLOW)):
        for _ in range(number):
            remaining.plan(name)
    return remaining


def _told(order: list[str], workers: int = 2) -> list[tuple[float, float, float | None]]:
    """Of a run with cells in that order, after each: the time, what is really left, and what is told."""
    costs = {"quick": 0.2, "slow": 4.0}
    whole = sum(costs[name] for name in order) / workers
    remaining, elapsed, told = _planned(), 0.0, []
    for name in order:
        elapsed += costs[name] / workers
        remaining.take(name, costs[name])
        told.append((elapsed, whole - elapsed, remaining.seconds(elapsed)))
    return told


def test_what_is_told_is_right_even_where_the_slow_cells_come_last() -> None:
    mixed = (["quick"] * 3 + ["slow"] * 2) * 100
    last = ["quick"] * QUICK + ["slow"] * SLOW
    for order in (mixed, last):
        told = [(real, said) for _, real, said in _told(order) if said is not None and real > 1]
        assert len(told) > 50
        assert all(abs(said - real) < 0.1 * real + 1 for real, said in told)


def test_nothing_is_told_in_the_first_minute_nor_of_a_backend_that_has_not_run() -> None:
    told = _told(["quick"] * QUICK + ["slow"] * SLOW)
    assert all(said is None for elapsed, _, said in told if elapsed < 60)
    assert all(said is None for _, _, said in told[: QUICK + 9])


def test_nothing_is_told_while_the_foreseen_end_moves() -> None:
    remaining = _planned()
    for _ in range(30):
        remaining.take("quick", 0.2)
        remaining.take("slow", 4.0)
    # Workers start, or wait for a compiler: time passes and no cell ends.
    assert [remaining.seconds(float(elapsed)) for elapsed in range(60, 200, 10)] == [None] * 14
