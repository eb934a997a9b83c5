"""torch's own functions of sizes, ``torch.sym_*``: of numbers they are Python's, of sizes those of the call at hand."""

import pytest
import torch

from suites.harness import Check, clause, tensor

#: Sizes on both sides of every bound that the programs ask for.
SIZES = (5, 7, 10, 6, 12)


def _calls() -> list[tuple[object, ...]]:
    return [(tensor(size),) for size in SIZES]


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
def test_whole_numbers_and_fractions_of_sizes(check: Check) -> None:
    """`sym_int` cuts towards nought, `sym_float` and `sym_sqrt` are fractions, returned, as factors and as sizes."""

    def program(a: torch.Tensor) -> dict[str, object]:
        n = a.size(0)
        return {
            "cut": [torch.sym_int(n * 1.7), torch.sym_int(-n / 3), torch.sym_int(3.5 - n)],
            "of that size": a.new_ones(torch.sym_int(n / 2)),
            "fractions": [torch.sym_float(n), torch.sym_float(n) / 3, torch.sym_sqrt(n), torch.sym_sqrt(n / 2)],
            "factors": a * torch.sym_float(n) + a / torch.sym_sqrt(n),
            "whole numbers by a fraction": a.int() * torch.sym_float(n),
            "whole numbers by a whole one": a.int() * torch.sym_int(n / 2),
        }

    result = check(program, calls=_calls(), probe=False)
    result.holds("out['cut']", [8, -1, -1]).in_call(2).holds("out['cut']", [17, -3, -6])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
def test_extremes_of_sizes_by_torch(check: Check) -> None:
    """`sym_max` and `sym_min` of whole numbers are whole, of a fraction they are fractions, also where equal."""

    def program(a: torch.Tensor) -> dict[str, object]:
        n = a.size(0)
        return {
            "whole": [torch.sym_max(n, 6), torch.sym_min(n, 6), torch.sym_max(3, torch.sym_min(n, 10))],
            "of that size": a.new_ones(torch.sym_max(n, 6)),
            "a part": a[: torch.sym_min(n, 6)] * 2,
            "equal": [torch.sym_max(n, 5.0), torch.sym_min(n, 7.0)],
        }

    result = check(program, calls=_calls(), probe=False)
    result.holds("out['whole']", [6, 5, 5]).in_call(2).holds("out['whole']", [10, 6, 10])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
def test_extremes_of_multiples_of_a_size_by_torch(check: Check) -> None:
    """Of two multiples of one size `sym_min` is the lesser and `sym_max` the greater, also below nought."""

    def program(a: torch.Tensor) -> dict[str, object]:
        n = a.size(0)
        least, largest = torch.sym_min(2 * n, 3 * n), torch.sym_max(2 * n, 3 * n)
        return {
            "multiples": [least, largest, torch.sym_min(n, 2 * n), torch.sym_max(n * 4, n)],
            "below nought": [torch.sym_min(-n, -2 * n), torch.sym_max(-3 * n, -n), torch.sym_max(2 * n, -3 * n)],
            "factors": a * least - torch.sym_max(-2 * n, -3 * n),
            "of that size": a.new_ones(torch.sym_max(n, 2 * n)),
            "a part": a[: torch.sym_min(2 * n, n) - 2] * 2,
        }

    result = check(program, calls=_calls(), probe=False)
    result.holds("out['multiples']", [10, 15, 5, 20]).holds("out['below nought']", [-10, -5, 10])
    result.in_call(2).holds("out['multiples']", [20, 30, 10, 40])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
def test_extremes_of_fractions_of_sizes_by_torch(check: Check) -> None:
    """`sym_max` and `sym_min` of a size and a fraction between two sizes is that fraction, and none that is cut."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[object]]:
        n = a.size(0)
        return a * 2, [torch.sym_max(n, 7.5), torch.sym_min(n, 7.5), torch.sym_min(n / 2, 3), torch.sym_max(n / 2, 3)]

    result = check(program, calls=_calls(), probe=False)
    result.holds("out[1]", [7.5, 5.0, 2.5, 3.0]).in_call(2).holds("out[1]", [10.0, 7.5, 3.0, 5.0])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
def test_truths_of_sizes_by_torch(check: Check) -> None:
    """`sym_not` of a comparison of sizes decides a branch, and is returned as a truth."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[object]]:
        n = a.size(0)
        told = [torch.sym_not(n > 6), torch.sym_not(n == 5), torch.sym_not(n % 2 == 0)]
        return a * 2 if torch.sym_not(n > 6) else a[:3] + 1, told

    result = check(program, calls=_calls(), probe=False)
    result.holds("out[1]", [True, False, True]).in_call(2).holds("out[1]", [False, True, False])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
def test_sums_of_sizes_by_torch(check: Check) -> None:
    """`sym_sum` adds up sizes and numbers, of a list or a tuple, or one alone, returned and as a size."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[object]]:
        n = a.size(0)
        sums = [torch.sym_sum([n, 3, n + 1]), torch.sym_sum((n, n)), torch.sym_sum([n])]
        return a.new_ones(torch.sym_sum([n, -1, 2])), sums

    result = check(program, calls=_calls(), probe=False)
    result.holds("out[1]", [14, 10, 5]).in_call(2).holds("out[1]", [24, 20, 10])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
def test_choice_of_sizes_by_torch(check: Check) -> None:
    """`sym_ite` chooses between two sizes, two fractions and two truths, returned and as a size."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[object]]:
        n = a.size(0)
        chosen = [torch.sym_ite(n > 6, n, 2 * n), torch.sym_ite(n > 6, n / 2, n / 4)]
        return a.new_ones(torch.sym_ite(n > 6, n - 3, n)), [*chosen, torch.sym_ite(n > 6, n % 2 == 0, n % 3 == 0)]

    result = check(program, calls=_calls(), probe=False)
    result.holds("out[1]", [10, 1.25, False]).in_call(2).holds("out[1]", [10, 5.0, True])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
@pytest.mark.parametrize("number", [3, 1.5])
def test_choice_of_a_size_or_a_number_by_torch(check: Check, number: float) -> None:
    """`sym_ite` chooses between what is made of a size and a number of the program's own."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, object]:
        n = a.size(0)
        return a * 2, torch.sym_ite(n > 6, number, n if isinstance(number, int) else n / 2)

    result = check(program, calls=_calls(), probe=False)
    result.holds("out[1]", 5 if isinstance(number, int) else 2.5).in_call(2).holds("out[1]", number)
