"""Integers wrap around at their own width, and nowhere else."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.integers")
def test_negated_bytes_wrap_before_they_are_widened(check: Check) -> None:
    """The negation of a byte wraps at eight bits, also if it is widened right after."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (-a).to(torch.int32)

    check(program, tensor(5, dtype=torch.uint8, values=[0, 1, 7, 128, 255])).shape("out", 5)


@clause("numbers.integers")
def test_sum_of_bytes_wraps_before_it_is_widened(check: Check) -> None:
    """Two bytes add up at eight bits, also if the sum is widened right after."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a + b).to(torch.int64) * 1000

    check(
        program,
        tensor(4, dtype=torch.uint8, values=[200, 255, 3, 128]),
        tensor(4, dtype=torch.uint8, values=[100, 1, 4, 128]),
    ).shape("out", 4)


@clause("numbers.integers")
def test_absolute_value_of_the_smallest_int8(check: Check) -> None:
    """The absolute value of -128 is -128 at eight bits."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.abs().to(torch.int32), a.abs() > 0

    check(program, tensor(4, dtype=torch.int8, values=[-128, -127, 0, 127])).shape("out[0]", 4)


@clause("numbers.integers")
def test_product_of_int8_compared(check: Check) -> None:
    """A product wraps at eight bits before it is compared."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b > 0

    check(
        program,
        tensor(4, dtype=torch.int8, values=[100, 16, 2, -128]),
        tensor(4, dtype=torch.int8, values=[2, 8, 3, -1]),
    ).shape("out", 4)


@clause("numbers.integers")
def test_power_of_int8_widened(check: Check) -> None:
    """A power wraps at eight bits before it is widened."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.pow(2).to(torch.int32) + 1

    check(program, tensor(5, dtype=torch.int8, values=[11, 12, 16, -100, 127])).shape("out", 5)


@clause("numbers.integers")
def test_large_constant_times_a_range(check: Check) -> None:
    """A range of integers times a large constant keeps all 64 bits."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.arange(9) * 1234567890123 + a

    check(program, tensor(9, dtype=torch.int64)).shape("out", 9)


@clause("numbers.integers")
def test_range_beyond_32_bits(check: Check) -> None:
    """A range that starts beyond 32 bits stays there."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.arange(2**33, 2**33 + 5) - a

    check(program, tensor(5, dtype=torch.int64)).shape("out", 5)


@clause("numbers.integers")
def test_shifts_within_the_width(check: Check) -> None:
    """Shifts of negative and large numbers keep the sign, and drop what leaves the width."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a << b, a >> b, (a >> 1).to(torch.int64)

    check(
        program,
        tensor(5, dtype=torch.int32, values=[1, -8, 1 << 30, -1, 12345]),
        tensor(5, dtype=torch.int32, values=[31, 2, 1, 4, 7]),
    ).shape("out[0]", 5)


@clause("numbers.integers")
def test_smallest_and_largest_of_many_int8(check: Check) -> None:
    """Minimum and maximum of twenty int8 treat the sign as a sign, in vector and tail."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.min(), a.max(), a.view(4, 5).amax(0)

    check(
        program,
        tensor(
            20,
            dtype=torch.int8,
            values=[5, -7, 100, -128, 3, 0, -1, 9, 127, -50, 17, 23, -99, 64, 2, -3, 11, -120, 126, 8],
        ),
    ).shape("out[2]", 5)


@clause("numbers.integers")
def test_minimum_of_bytes_above_127(check: Check) -> None:
    """Bytes above 127 are large and not negative."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.minimum(a, b), torch.maximum(a, b), a < b

    check(
        program,
        tensor(18, dtype=torch.uint8, values=[*range(0, 252, 14)]),
        tensor(18, dtype=torch.uint8, values=[*range(255, 3, -14)]),
    ).shape("out[0]", 18)


@clause("numbers.integers")
def test_arithmetic_of_booleans(check: Check) -> None:
    """Booleans add to booleans, multiply to booleans, and count as integers in a sum."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a + b, a * b, a.sum(), a ^ ~b

    check(program, tensor(9, dtype=torch.bool), tensor(9, dtype=torch.bool)).shape("out[0]", 9)


@clause("numbers.integers")
def test_sum_of_bytes_is_wide(check: Check) -> None:
    """The sum and product of bytes are counted in 64 bits."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.sum(), a.prod(), a.cumsum(0)

    check(program, tensor(5, dtype=torch.uint8, values=[200, 100, 255, 3, 50])).shape("out[2]", 5)


@clause("numbers.integers")
def test_integers_through_floats_and_back(check: Check) -> None:
    """Integers beyond 2**24 lose what a float32 does not hold, in an explicit conversion."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.to(torch.float32).to(torch.int64)

    check(program, tensor(3, dtype=torch.int64, values=[16777217, 33554435, -16777219])).shape("out", 3)


@clause("numbers.integers")
def test_mean_of_large_integers_in_double(check: Check) -> None:
    """A sum in double of integers beyond 2**53 goes through no float32."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.to(torch.float64).mean() + a.sum(dtype=torch.float64)

    check(program, tensor(3, dtype=torch.int64, values=[1 << 40, 3, 1 << 52])).shape("out")


@clause("numbers.integers")
def test_bitwise_not_of_bytes(check: Check) -> None:
    """The complement of a byte is a byte."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (~a).to(torch.int32) + (a & 0x0F)

    check(program, tensor(4, dtype=torch.uint8, values=[0, 1, 200, 255])).shape("out", 4)


@clause("numbers.integers")
def test_absolute_value_of_bytes_is_negated_as_a_byte(check: Check) -> None:
    """The absolute value of a byte is a byte: its negation wraps at eight bits, also if it is widened right after."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (-a.abs()).to(torch.int32)

    check(program, tensor(3, dtype=torch.uint8, values=[200, 100, 255])).shape("out", 3)


@clause("numbers.integers")
def test_extremes_of_narrow_integers_on_one_side_of_zero(check: Check) -> None:
    """The least of bytes that are all above zero is one of them, and so is the greatest of int8 all below."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.amin(), a.argmin(), b.amax(), b.argmax(), torch.aminmax(a).min

    numbers = [5, 1, 100, 3, 7, 8, 9, 13, 99, 120, 127, 2, 6, 4, 11, 12, 90, 80]
    above = tensor(18, dtype=torch.uint8, values=numbers)
    below = tensor(18, dtype=torch.int8, values=[-number for number in numbers])
    check(program, above, below).shape("out[0]").shape("out[3]")


@clause("numbers.integers")
def test_product_of_a_range_and_a_number_beyond_32_bits(check: Check) -> None:
    """A range of integers times a number that fits 32 bits is a product of 64 bits."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.arange(4) * 10**9 + a

    check(program, tensor(4, dtype=torch.int64)).shape("out", 4)


@clause("numbers.integers")
def test_range_converted_to_a_narrower_dtype(check: Check) -> None:
    """A range made boolean, or a byte, is that when it is widened again: 2 is True and so 1, 256 is 0."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        as_booleans = torch.arange(4).bool().int() + a
        as_bytes = torch.arange(254, 258).to(torch.uint8).int() + a
        return as_booleans, as_bytes

    check(program, tensor(4, dtype=torch.int32)).shape("out[0]", 4)


@clause("numbers.integers")
def test_range_of_int8_wraps_before_it_is_widened(check: Check) -> None:
    """A range of int8 times a number wraps at eight bits, also if it is widened right after."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (torch.arange(4, dtype=torch.int8) * 100).int() + a

    check(program, tensor(4, dtype=torch.int32)).shape("out", 4)
