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
    ).shape("out", 7)


@clause("numbers.division")
def test_floor_division_by_a_constant(check: Check) -> None:
    """Floor division by a constant is not multiplication with its inverse."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a // 0.1, torch.floor(a / 0.1), a // 3

    check(program, tensor(9, values=[1.0, 0.3, 0.6, 0.7, 2.9, 1.1, -0.3, 9.0, 0.2])).shape("out[0]", 9)


@clause("numbers.division")
def test_floor_division_of_negative_integers(check: Check) -> None:
    """Integers are floored towards minus infinity, and truncated where that is asked for."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a // b, torch.div(a, b, rounding_mode="trunc"), a % b, torch.fmod(a, b)

    check(
        program,
        tensor(6, dtype=torch.int64, values=[7, -7, 7, -7, -8, 1]),
        tensor(6, dtype=torch.int64, values=[2, 2, -2, -2, 4, -5]),
    ).shape("out[0]", 6)


@clause("numbers.division")
def test_floor_division_of_bytes(check: Check) -> None:
    """Bytes are divided as bytes."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a // b, a % b

    check(
        program,
        tensor(5, dtype=torch.uint8, values=[255, 200, 7, 0, 130]),
        tensor(5, dtype=torch.uint8, values=[2, 255, 3, 5, 127]),
    ).shape("out[0]", 5)


@clause("numbers.division")
def test_remainder_of_infinities(check: Check) -> None:
    """Remainders by and of infinity are eager's, NaN or not."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.remainder(a, b), torch.fmod(a, b), a // b

    check(
        program, tensor(6, values=[1.0, -1.0, INF, -INF, 5.0, -5.0]), tensor(6, values=[INF, INF, 2.0, 3.0, -INF, INF])
    ).shape("out[0]", 6)


@clause("numbers.division")
def test_division_by_zero_of_floats(check: Check) -> None:
    """Floats divided by zero are infinite or NaN, floored or not, with the right sign."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a / b, a // b, torch.remainder(a, b), torch.fmod(a, b)

    check(program, tensor(5, values=[1.0, -1.0, 0.0, 2.5, -0.0]), tensor(5, values=[0.0, 0.0, 0.0, -0.0, 3.0])).shape(
        "out[0]", 5
    )


@clause("numbers.division")
def test_remainder_of_a_huge_ratio(check: Check) -> None:
    """The remainder of a number that is a million times the divisor is exact."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.remainder(a, b), torch.fmod(a, b)

    check(
        program, tensor(4, values=[1e8, -16777216.0, 123456.789, 3e10]), tensor(4, values=[7.0, 3.0, 0.01, 0.37])
    ).shape("out[0]", 4)


@clause("numbers.division")
def test_remainder_takes_the_sign_of_the_divisor(check: Check) -> None:
    """`remainder` has the divisor's sign and `fmod` the dividend's, in vectors and in what is left over."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.remainder(a, b), torch.fmod(a, b), a % -3.0

    check(program, tensor(19, values=[*range(-9, 10)]), tensor(19, values=[2.5, -2.5] * 9 + [4.0])).shape("out[0]", 19)


@clause("numbers.division")
def test_rounding_to_even_and_to_decimals(check: Check) -> None:
    """`round` takes halves to the even neighbour, and decimals as eager does."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.round(), (a * 1.1).round(decimals=1), a.trunc(), a.frac()

    check(program, tensor(7, values=[0.5, 1.5, 2.5, -0.5, -1.5, 3.49999, -2.5])).shape("out[0]", 7)


@clause("numbers.division")
def test_remainder_of_a_range_with_the_sign_of_the_dividend(check: Check) -> None:
    """`fmod` of a range that starts below zero has the sign of the range, at multiples of the divisor too."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        places = torch.fmod(torch.arange(10) - 5, 5)
        return places + a, torch.fmod(torch.arange(10) - 7, 5) * a

    check(program, tensor(10, dtype=torch.int64)).shape("out[0]", 10)


@clause("numbers.division")
def test_rows_chosen_by_the_remainder_of_a_range(check: Check) -> None:
    """Rows indexed with `fmod` of a range count from the end where the remainder is negative."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[torch.fmod(torch.arange(10) - 5, 5)] + 1

    check(program, tensor(10, 3)).shape("out", 10, 3)
