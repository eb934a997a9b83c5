"""Floor division and remainders, where a quotient is not quite an integer."""

import torch

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.division")
def test_floor_division_just_below_an_integer(check: Check) -> None:
    """A quotient that is exactly below an integer is floored to the one before it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a // b

    check(
        program,
        tensor(7, values=[1.0, 0.3, 0.7, 6.0, 1.2, 0.9, -0.6]),
        tensor(7, values=[0.1, 0.1, 0.1, 0.2, 0.4, 0.3, 0.2]),
    ).values().expect("""\
out = float32[7] [9, 3, 6, 29, 3, 2, -4]
""")


@clause("numbers.division")
def test_floor_division_by_a_constant(check: Check) -> None:
    """Floor division by a constant is not multiplication with its inverse."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a // 0.1, torch.floor(a / 0.1), a // 3

    check(program, tensor(9, values=[1.0, 0.3, 0.6, 0.7, 2.9, 1.1, -0.3, 9.0, 0.2])).values().expect("""\
out[0] = float32[9] [9, 3, 6, 6, 29, 11, -4, 89, 2]
out[1] = float32[9] [10, 3, 6, 7, 29, 11, -3, 90, 2]
out[2] = float32[9] [0, 0, 0, 0, 0, 0, -1, 3, 0]
""")


@clause("numbers.division")
def test_floor_division_of_negative_integers(check: Check) -> None:
    """Integers are floored towards minus infinity, and truncated where that is asked for."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a // b, torch.div(a, b, rounding_mode="trunc"), a % b, torch.fmod(a, b)

    check(
        program,
        tensor(6, dtype=torch.int64, values=[7, -7, 7, -7, -8, 1]),
        tensor(6, dtype=torch.int64, values=[2, 2, -2, -2, 4, -5]),
    ).values().expect("""\
out[0] = int64[6] [3, -4, -4, 3, -2, -1]
out[1] = int64[6] [3, -3, -3, 3, -2, 0]
out[2] = int64[6] [1, 1, -1, -1, 0, -4]
out[3] = int64[6] [1, -1, 1, -1, 0, 1]
""")


@clause("numbers.division")
def test_floor_division_of_bytes(check: Check) -> None:
    """Bytes are divided as bytes."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a // b, a % b

    check(
        program,
        tensor(5, dtype=torch.uint8, values=[255, 200, 7, 0, 130]),
        tensor(5, dtype=torch.uint8, values=[2, 255, 3, 5, 127]),
    ).values().expect("""\
out[0] = uint8[5] [127, 0, 2, 0, 1]
out[1] = uint8[5] [1, 200, 1, 0, 3]
""")


@clause("numbers.division")
def test_remainder_of_infinities(check: Check) -> None:
    """Remainders by and of infinity are eager's, NaN or not."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.remainder(a, b), torch.fmod(a, b), a // b

    check(
        program, tensor(6, values=[1.0, -1.0, INF, -INF, 5.0, -5.0]), tensor(6, values=[INF, INF, 2.0, 3.0, -INF, INF])
    ).values().expect("""\
out[0] = float32[6] [1, inf, nan, nan, -inf, inf]
out[1] = float32[6] [1, -1, nan, nan, 5, -5]
out[2] = float32[6] [0, -1, nan, nan, -1, -1]
""")


@clause("numbers.division")
def test_division_by_zero_of_floats(check: Check) -> None:
    """Floats divided by zero are infinite or NaN, floored or not, with the right sign."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a / b, a // b, torch.remainder(a, b), torch.fmod(a, b)

    check(
        program, tensor(5, values=[1.0, -1.0, 0.0, 2.5, -0.0]), tensor(5, values=[0.0, 0.0, 0.0, -0.0, 3.0])
    ).values().expect("""\
out[0] = float32[5] [inf, -inf, nan, -inf, -0]
out[1] = float32[5] [inf, -inf, nan, -inf, -0]
out[2] = float32[5] [nan, nan, nan, nan, -0]
out[3] = float32[5] [nan, nan, nan, nan, -0]
""")


@clause("numbers.division")
def test_remainder_of_a_huge_ratio(check: Check) -> None:
    """The remainder of a number that is a million times the divisor is exact."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.remainder(a, b), torch.fmod(a, b)

    check(
        program, tensor(4, values=[1e8, -16777216.0, 123456.789, 3e10]), tensor(4, values=[7.0, 3.0, 0.01, 0.37])
    ).values().expect("""\
out[0] = float32[4] [2, 2, 0.001822, 0.2653]
out[1] = float32[4] [2, -1, 0.001822, 0.2653]
""")


@clause("numbers.division")
def test_remainder_takes_the_sign_of_the_divisor(check: Check) -> None:
    """`remainder` has the divisor's sign and `fmod` the dividend's, in vectors and in what is left over."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.remainder(a, b), torch.fmod(a, b), a % -3.0

    check(program, tensor(19, values=[*range(-9, 10)]), tensor(19, values=[2.5, -2.5] * 9 + [4.0])).values().expect("""\
out[0] = float32[19] [1, -0.5, 0.5, -1, -0, -1.5, 2, -2, 1.5, 0, 1, -0.5, 0.5, -1, 0, -1.5, 2, -2, 1]
out[1] = float32[19] [-1.5, -0.5, -2, -1, -0, -1.5, -0.5, -2, -1, 0, 1, 2, 0.5, 1.5, 0, 1, 2, 0.5, 1]
out[2] = float32[19] [-0, -2, -1, -0, -2, -1, -0, -2, -1, 0, -2, -1, 0, -2, -1, 0, -2, -1, 0]
""")


@clause("numbers.division")
def test_rounding_to_even_and_to_decimals(check: Check) -> None:
    """`round` takes halves to the even neighbour, and decimals as eager does."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.round(), (a * 1.1).round(decimals=1), a.trunc(), a.frac()

    check(program, tensor(7, values=[0.5, 1.5, 2.5, -0.5, -1.5, 3.49999, -2.5])).values().expect("""\
out[0] = float32[7] [0, 2, 2, -0, -2, 3, -2]
out[1] = float32[7] [0.6, 1.6, 2.8, -0.6, -1.6, 3.8, -2.8]
out[2] = float32[7] [0, 1, 2, -0, -1, 3, -2]
out[3] = float32[7] [0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5]
""")


@clause("numbers.division")
def test_remainder_of_a_range_with_the_sign_of_the_dividend(check: Check) -> None:
    """`fmod` of a range that starts below zero has the sign of the range, at multiples of the divisor too."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        places = torch.arange(10, device=a.device)
        return torch.fmod(places - 5, 5) + a, torch.fmod(places - 7, 5) * a

    check(program, tensor(10, dtype=torch.int64)).values().expect("""\
out[0] = int64[10] [6, -3, 3, 3, 3, 7, 8, 7, 9, 11]
out[1] = int64[10] [-12, -1, 0, -20, -12, -14, -7, 0, 6, 14]
""")


@clause("numbers.division")
def test_rows_chosen_by_the_remainder_of_a_range(check: Check) -> None:
    """Rows indexed with `fmod` of a range count from the end where the remainder is negative."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[torch.fmod(torch.arange(10) - 5, 5)] + 1

    check(program, tensor(10, 3)).values().expect("""\
out = float32[10, 3] [[0.6078, -0.1695, 2.512], [1.144, -1.784, 1.881], [-0.493, 2.383, 0.01225], [-0.7909, 2.095,
    2.378], [1.176, 0.5823, 0.3483], [0.6078, -0.1695, 2.512], [0.1732, 0.6095, 1.888], [0.2187, 2.979, 1.233],
    [0.7952, 0.3198, 1.982], [1.192, 0.7299, 0.5824]]
""")


@clause("numbers.division")
def test_quotients_that_come_out_whole(check: Check) -> None:
    """A multiple over its number is whole, and not just below: nothing is multiplied by one over the number instead."""

    def program(a: torch.Tensor, by: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        found: dict[str, list[torch.Tensor]] = {}
        for number in (3, 7.0, 41, 49, 93.0, -47):
            found[f"by {number}"] = [((a * number) / number).floor(), (a * number).div(number).trunc()]
        found["by a tensor"] = [((a * by) / by).floor(), ((a * by[0]) / by[0]).ceil(), (a * by).true_divide(by) - a]
        found["by a tensor of one"] = [((a.double() * 49) / by.new_tensor(49)).floor()]
        found["halves"] = [((a * 8).bfloat16() / 7 * 7).round()]
        return found

    check(
        program, tensor(19, grad=False, values=[*range(-9, 10)]), tensor(19, grad=False, values=[49, *range(30, 48)])
    ).computed()
