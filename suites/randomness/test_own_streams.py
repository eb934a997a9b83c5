"""Draws from a stream of the compiler's own: other numbers than eager's, within the same bounds, spread as they are."""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, clause

#: Inductor as it comes; where clauses compare numbers it draws by eager's kernels.
OWN_STREAM = {"inductor.fallback_random": False}

Drawn = tuple[torch.Tensor, ...]


def same_of_both(check: Check, program: Callable[[], Drawn], facts: Callable[..., dict[str, Any]]) -> None:
    """What ``facts`` says of the numbers that ``program`` draws is said of those of its compiled form, too."""

    def said(draw: Callable[[], Drawn]) -> dict[str, Any]:
        torch.manual_seed(0)
        return {name: fact.item() for name, fact in facts(*draw()).items()}

    expected = said(program)
    with check.compiled(program, config=OWN_STREAM) as compiled, torch.no_grad():
        seen = said(compiled)
    for name, fact in expected.items():
        check.demand("random", name, fact, seen[name])


@clause("T17", "randomness.draws", on=("inductor",), devices="cpu")
def test_numbers_in_low_precision_are_less_than_one(check: Check) -> None:
    """`rand` and `rand_like` draw numbers below one, in half precision and in bfloat16, too."""

    def program() -> Drawn:
        half = torch.rand(100_000, dtype=torch.float16)
        return half, torch.rand_like(torch.zeros(100_000, dtype=torch.bfloat16))

    same_of_both(check, program, lambda half, like: {"half": (half < 1).all(), "bfloat16": (like < 1).all()})


@clause("T17", "randomness.draws", on=("inductor",), devices="cpu")
def test_numbers_in_double_precision_have_all_their_bits(check: Check) -> None:
    """`rand` and `randn` in double precision draw numbers that single precision does not hold."""

    def program() -> Drawn:
        return torch.rand(1_000, dtype=torch.float64), torch.randn(1_000, dtype=torch.float64)

    def facts(drawn: torch.Tensor, normal: torch.Tensor) -> dict[str, Any]:
        return {name: (some == some.float()).sum() > 100 for name, some in (("rand", drawn), ("randn", normal))}

    same_of_both(check, program, facts)


@clause("T17", "randomness.draws", on=("inductor",), devices="cpu")
def test_whole_numbers_of_trials(check: Check) -> None:
    """`geometric_` of whole numbers draws how many trials it takes: one at least, and often more."""

    def program() -> Drawn:
        drawn = torch.zeros(10_000, dtype=torch.int64).geometric_(0.3)
        return drawn, torch.zeros(10_000, dtype=torch.int16).geometric_(0.3)

    def facts(drawn: torch.Tensor, narrow: torch.Tensor) -> dict[str, Any]:
        mean = drawn.double().mean()
        return {"least": drawn.min(), "mean": (mean - 1 / 0.3).abs() < 0.2, "narrow": narrow.double().mean() > 3}

    same_of_both(check, program, facts)


@clause("T17", "randomness.draws", on=("inductor",), devices="cpu")
def test_numbers_within_their_bounds(check: Check) -> None:
    """Draws of single precision, of whole numbers and of coins keep their bounds, and their mean."""

    def program() -> Drawn:
        drawn, normal = torch.rand(100_000), torch.randn(100_000, dtype=torch.float64)
        whole, coins = torch.randint(-3, 4, (10_000,)), torch.bernoulli(torch.full((10_000,), 0.25))
        trials = torch.zeros(10_000).geometric_(0.3)
        return drawn, normal, whole, coins, trials, torch.nn.functional.dropout(torch.ones(10_000), 0.25)

    def facts(
        drawn: torch.Tensor,
        normal: torch.Tensor,
        whole: torch.Tensor,
        coins: torch.Tensor,
        trials: torch.Tensor,
        dropped: torch.Tensor,
    ) -> dict[str, Any]:
        return {
            "below one": (drawn < 1).all() & (drawn >= 0).all(),
            "mean": (drawn.mean() - 0.5).abs() < 0.01,
            "normal": (normal.mean().abs() < 0.02) & ((normal.std() - 1).abs() < 0.02),
            "least": whole.min(),
            "greatest": whole.max(),
            "coins": (coins.mean() - 0.25).abs() < 0.03,
            "trials": (trials.mean() - 1 / 0.3).abs() < 0.2,
            "least trials": trials.min(),
            "dropped": ((dropped == 0).double().mean() - 0.25).abs() < 0.03,
            "scaled": dropped.max() > 1.3,
        }

    same_of_both(check, program, facts)


@clause("T17", "randomness.draws", on=("inductor",), devices="cpu")
def test_two_draws_from_a_stream_of_its_own(check: Check) -> None:
    """Two draws are of other numbers, those of two seeds too, and equal seeds draw equal ones."""

    def program() -> Drawn:
        return torch.rand(1_000), torch.rand(1_000)

    with check.compiled(program, config=OWN_STREAM) as compiled, torch.no_grad():
        drawn = []
        for seed in (1, 1, 2):
            torch.manual_seed(seed)
            drawn.append(compiled())
    (first, second), again, other = drawn
    check.demand("random", "two draws that are equal", 0, int((first == second).sum() > 10))
    check.demand("random", "draws of one seed that differ", 0, int((first != again[0]).sum()))
    check.demand("random", "draws of two seeds that are equal", 0, int((first == other[0]).sum() > 10))
