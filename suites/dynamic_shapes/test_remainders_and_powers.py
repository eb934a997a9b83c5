"""Remainders, powers and whole parts of numbers and sizes: what Python computes of them, in values and in branches."""

import math

import torch

from suites.harness import Check, Result, clause, tensor
from suites.harness.programs.specs import TensorSpec


def ones(size: int) -> TensorSpec:
    """A vector of ones, of which the results tell what a program multiplied by or added."""
    return tensor(size, values=[1.0] * size)


def firsts(result: Result) -> list[float]:
    """The first element of what eager returned, in each call."""
    return [float(result.in_call(number).value("out")[0]) for number in range(len(result.expected.calls))]


@clause("dynamic-shapes.arithmetic")
def test_branch_on_a_float_that_is_whole_by_its_remainder(check: Check) -> None:
    """A float is whole where its remainder by 1 is nought, and where it is not whole takes the other branch."""

    def program(a: torch.Tensor, number: float) -> torch.Tensor:
        if number % 1 == 0:
            return a * 2
        return a - 3

    result = check(program, calls=[(ones(3), number) for number in (2.0, 2.5, 3.0, -3.25)])
    result.happened(firsts(result) == [2, -2, 2, -2], "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branch_on_half_a_size_that_is_whole(check: Check) -> None:
    """Half of an odd size has a remainder by 1, and takes the other branch than half of an even one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        if (a.size(0) / 2) % 1 == 0:
            return a * 2
        return a - 3

    result = check(program, calls=[(ones(size),) for size in (4, 5, 6, 7)])
    result.happened(firsts(result) == [2, -2, 2, -2], "what Python does in every call")


@clause("dynamic-shapes.arithmetic")
def test_branch_on_a_float_that_is_its_whole_part(check: Check) -> None:
    """A float that equals its `int`, or its floor division by 1, takes the branch of the whole ones."""

    def program(a: torch.Tensor, number: float) -> torch.Tensor:
        b = a * 2 if number == int(number) else a - 3
        return b * 5 if number // 1 == number else b - 7

    result = check(program, calls=[(tensor(3), number) for number in (2.0, 2.5, 3.0, -3.25)])
    result.values().expect("""\
out = float32[3] [6.865, -26.3, -2.39]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-10.5, -10.27, -10.07]
""")


@clause("dynamic-shapes.arithmetic")
def test_branch_on_a_remainder_just_below_the_divisor(check: Check) -> None:
    """The remainder of a float may lie between the divisor and the divisor less one: an hour just before twelve."""

    def program(a: torch.Tensor, hour: float) -> torch.Tensor:
        return a * 2 if hour % 12 > 11 else a - 3

    result = check(program, calls=[(ones(3), hour) for hour in (1.5, 2.5, 23.5, 11.25)])
    result.happened(firsts(result) == [-2, -2, 2, 2], "what Python does in every call")


@clause("dynamic-shapes.arithmetic")
def test_branch_on_an_angle_within_a_turn(check: Check) -> None:
    """The remainder of an angle by a whole turn is compared with the last part of the turn."""

    def program(a: torch.Tensor, angle: float) -> torch.Tensor:
        return a * 2 if angle % (2 * math.pi) > 5.5 else a - 3

    result = check(program, calls=[(ones(3), angle) for angle in (1.0, 2.0, 6.0, -0.5)])
    result.happened(firsts(result) == [-2, -2, 2, 2], "what Python does in every call")


@clause("dynamic-shapes.arithmetic")
def test_branch_on_a_remainder_by_less_than_one(check: Check) -> None:
    """The remainder of a float by a half is compared with a quarter."""

    def program(a: torch.Tensor, number: float) -> torch.Tensor:
        return a * 2 if number % 0.5 < 0.25 else a - 3

    result = check(program, calls=[(ones(3), number) for number in (0.125, 0.375, 1.125)])
    result.happened(firsts(result) == [2, -2, 2], "what Python does in every call")


@clause("dynamic-shapes.arithmetic")
def test_branch_on_other_remainders_of_numbers(check: Check) -> None:
    """The remainder far below the divisor, that of an integer and that of `math.fmod` take the call's own branch."""

    def program(a: torch.Tensor, number: float, count: int) -> torch.Tensor:
        a = a * 2 if number % 3 > 1 else a - 3
        a = a * 5 if math.fmod(number, 2) > 1 else a - 7
        return a * 11 if count % 12 > 10 else a - 13

    result = check(program, calls=[(tensor(3), *both) for both in ((0.5, 1), (1.5, 2), (4.75, 23), (3.75, 11))])
    result.values().expect("""\
out = float32[3] [-22.31, -25.63, -23.24]
""")
    result.in_call(2).values().expect("""\
out = float32[3] [-86.6, -73.83, -40.04]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_sign_by_a_power_of_minus_one(check: Check) -> None:
    """`(-1) ** size` is 1 for an even size and -1 for an odd one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * (-1) ** a.size(0)

    result = check(program, calls=[(ones(size),) for size in (4, 5, 6)])
    result.happened(firsts(result) == [1, -1, 1], "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branches_at_the_ends_of_what_is_known(check: Check) -> None:
    """The least size that is dynamic, a remainder of nought below nought and a negative cosine take their own sides."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        sides = [
            n > 2,
            n < 3,
            n != 2,
            2 * n <= 4,
            n % 4 == 3,
            (n - 10) % 4 == 0,
            (n - 10) % 4 > 2,
            (10 - n) % -4 == 0,
            (n - 10) // 4 > -2,
            math.cos(n) < 0,
            math.sin(n) < 0,
            math.tanh(3 - n) < 0,
            abs(n - 4) < 1,
            max(3 - n, n - 3) < 1,
        ]
        return a * sum(2**place for place, side in enumerate(sides) if side)

    result = check(program, calls=[(ones(size),) for size in (5, 2, 3, 6, 4, 9)])
    result.happened(firsts(result) == [3141, 682, 8725, 3493, 7685, 2885], "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic", on=("aot_eager_decomp_partition",))
def test_branches_at_the_ends_of_other_ranges(check: Check) -> None:
    """At the ends of what is known of quotients, roundings, powers, functions, bits and extremes each side is taken."""

    def program(a: torch.Tensor, number: int) -> torch.Tensor:
        n = a.size(0)
        sides = [
            3 * n < 7,
            (2 - n) * (n - 1) >= 0,
            n / 4 <= 0.5,
            1 / n >= 0.5,
            (1 - n) / 4 >= -0.25,
            (n + 0.5) / 2 < 1.5,
            2.5 / (n + 0.5) >= 1,
            math.ceil((n + 1) / 4) <= 1,
            math.ceil((1 - n) / 4) >= 0,
            math.floor((n + 1) / 4) < 1,
            math.floor((1 - n) / 4) >= -1,
            round((n + 1) / 4) <= 1,
            math.trunc((n + 0.5) * 0.25) < 1,
            (3 - n) ** 2 <= 0,
            (3 - n) ** 3 >= 1,
            2**n < 5,
            math.sqrt(n) < 1.5,
            math.log2(n) <= 1,
            math.tan(n) < -1.5,
            math.atan(n) > 1.2,
            math.sinh(n) > 4,
            math.cosh(n) < 4,
            math.acos(1 / n) > 1.1,
            math.asin(1 / n) > 0.51,
            (number & 7) == 7,
            (n & 7) == 7,
            (number & n) <= 2,
            ((n % 5) | 3) == 7,
            (number | 8) < 0,
            (n ^ 3) < 2,
            number % 4 == 3,
            number % -4 == -3,
            n % (n - 1) == 0,
            min(n, 4) == 4,
            max(4 - n, 1) > 1,
            min(n / 2, 1.5) > 1,
            float(n) < 2.5,
            torch.sym_ite(n > 5, 1, 4) > 2,
            torch.sym_ite(n > 5, 4, 1) > 2,
            abs(number) < 2,
            n >> 1 < 2,
            (max(number, -5) & -2) < -5,
        ]
        return a * sum(2**place for place, side in enumerate(sides) if side)

    def sizes(size: int, number: int) -> tuple[TensorSpec, int]:
        return tensor(size, dtype=torch.int64, values=[1] * size), number

    calls = [sizes(*both) for both in ((5, -3), (2, 4), (3, 7), (7, -5), (10, 3), (4, -1))]
    result = check(program, calls=calls)
    expected = [182810575872, 1327759876095, 1272943492480, 2518232334336, 318974197760, 731643383040]
    result.happened(firsts(result) == expected, "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branch_on_the_sign_of_common_bits(check: Check) -> None:
    """The bits that two negative numbers have in common are those of a negative number, in a branch too."""

    def program(a: torch.Tensor, number: int) -> torch.Tensor:
        a = a * 2 if (number & -4) < 0 else a - 3
        return a * 5 if ((3 - a.size(0)) & -2) < 0 else a - 7

    result = check(program, calls=[(ones(size), number) for size, number in ((5, -3), (2, 4), (6, 7), (4, -8))])
    result.happened(firsts(result) == [10, -9, -10, 10], "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branches_on_single_bits_and_repeated_quotients(check: Check) -> None:
    """A branch on one bit of a size, on a quotient of a quotient of it or on more than two bits less is Python's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        sides = [
            (n & 4) == 0,
            (n & 2) == 2,
            n // 2 // 3 == 1,
            n // 4 // 3 == 2,
            (n * 2 + 1) // 3 // 4 < 2,
            n >> 3 == 1,
            n >> 4 < 1,
        ]
        return a * sum(2**place for place, side in enumerate(sides) if side)

    result = check(program, calls=[(ones(size),) for size in (5, 11, 25, 3, 8)])
    result.happened(firsts(result) == [80, 119, 9, 83, 117], "what Python does in every call")


@clause("dynamic-shapes.arithmetic")
def test_sign_of_a_cofactor(check: Check) -> None:
    """The sign `(-1) ** (row + column)` of a cofactor is that of the row and the column at hand."""

    def program(a: torch.Tensor, row: int, column: int) -> torch.Tensor:
        return (a + 1) * (-1) ** (row + column)

    calls = [(ones(3), *place) for place in ((0, 0), (2, 3), (3, 5), (4, 2))]
    result = check(program, calls=calls)
    result.happened(firsts(result) == [2, -2, 2, 2], "what Python does in every call")


@clause("dynamic-shapes.arithmetic")
def test_negative_number_to_the_power_of_a_tensor(check: Check) -> None:
    """`(-2) ** exponents` and `torch.pow(-2, exponents)` alternate in sign, and are not the negated powers of two."""

    def program(exponents: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return (-2) ** exponents, torch.pow(-2, exponents)

    result = check(program, tensor(4, dtype=torch.int64, values=[0, 1, 2, 3]))
    result.values().expect("""\
out[0] = int64[4] [1, -2, 4, -8]
out[1] = int64[4] [1, -2, 4, -8]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_sign_by_a_remainder_of_a_size(check: Check) -> None:
    """A sign made of a size's remainder by 2, and a power of two, are those of the size at hand."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        n = a.size(0)
        return a * (1 - 2 * (n % 2)), a * 2**n

    result = check(program, calls=[(tensor(size),) for size in (4, 5, 6)])
    result.values().expect("""\
out[0] = float32[4] [0.6865, -2.63, -0.239, -1.382]
out[1] = float32[4] [10.98, -42.08, -3.824, -22.11]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[5] [0.5028, 0.2729, 0.06803, -0.9096, 0.4786]
out[1] = float32[5] [-16.09, -8.732, -2.177, 29.11, -15.32]
""")


@clause("dynamic-shapes.arithmetic")
def test_branch_on_the_whole_part_of_a_negative_half(check: Check) -> None:
    """`int(k / 2)` cuts towards zero: of a negative odd number it is above the floor of the half."""

    def program(a: torch.Tensor, number: int) -> torch.Tensor:
        return a * 2 if int(number / 2) == -2 else a - 3

    result = check(program, calls=[(ones(3), number) for number in (7, 9, -5, -4)])
    result.happened(firsts(result) == [-2, -2, 2, 2], "what Python does in every call")


@clause("dynamic-shapes.arithmetic")
def test_slice_up_to_a_whole_part(check: Check) -> None:
    """A slice that ends at `int` of a negative half leaves out as many elements as that cuts towards zero."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[: int((3 - a.size(0)) / 2)] * 2

    result = check(program, calls=[(ones(size),) for size in (7, 9, 5, 4, 12)], probe=False)
    sums = [float(result.in_call(number).value("out").sum()) for number in range(5)]
    result.happened(sums == [10, 12, 8, 0, 16], "slices that end where the half is cut")


@clause("dynamic-shapes.arithmetic")
def test_crop_or_padding_by_a_whole_part(check: Check) -> None:
    """Half of what a tensor is too long by is cropped, and half of what it lacks padded, as the branch on it says."""

    def program(a: torch.Tensor) -> torch.Tensor:
        start = int((a.size(0) - 6) / 2)
        if start >= 0:
            return a[start : start + 6] * 2
        return torch.nn.functional.pad(a, (-start, 6 + start - a.size(0)))

    result = check(program, calls=[(ones(size),) for size in (9, 10, 5, 4)], probe=False)
    sums = [float(result.in_call(number).value("out").sum()) for number in range(4)]
    result.happened(sums == [12, 12, 10, 4], "a crop, a padding and neither")


@clause("dynamic-shapes.arithmetic")
def test_branch_on_other_whole_parts_of_numbers(check: Check) -> None:
    """`//` rounds a negative half down, and `int` of a float argument cuts it towards zero, in a branch too."""

    def program(a: torch.Tensor, count: int, number: float) -> torch.Tensor:
        b = a * 2 if count // 2 == -3 else a - 3
        return b * 5 if int(number) == -2 else b - 7

    result = check(program, calls=[(tensor(3), *both) for both in ((7, 7.5), (9, 9.5), (-5, -2.5), (-4, -2.0))])
    result.values().expect("""\
out = float32[3] [-9.314, -12.63, -10.24]
""")
    result.in_call(2).values().expect("""\
out = float32[3] [-4.362, 1.443, 16.8]
""")


@clause("dynamic-shapes.arithmetic")
def test_padding_on_both_sides_by_a_whole_part(check: Check) -> None:
    """Padded by `int` of half of what it lacks and by the rest, every tensor has six elements, cropped ones too."""

    def program(a: torch.Tensor) -> torch.Tensor:
        before = int((6 - a.size(0)) / 2)
        return torch.nn.functional.pad(a, (before, 6 - a.size(0) - before)) * 2

    result = check(program, calls=[(tensor(size),) for size in (3, 4, 9, 7, 5)], probe=False)
    result.values().expect("""\
out = float32[6] [0, 1.373, -5.26, -0.478, 0, 0]
""")
    result.in_call(2).values().expect("""\
out = float32[6] [0.2886, 3.36, -0.7878, 1.086, -0.5356, 1.283]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_remainder_of_a_negative_by_a_negative_number(check: Check) -> None:
    """Both negative, the remainder lies between the divisor and zero."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a + (-a.size(0) - 3) % -2

    result = check(program, calls=[(ones(size),) for size in (4, 5, 6)])
    result.happened(firsts(result) == [0, 1, 0], "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branch_on_a_remainder_by_a_negative_number(check: Check) -> None:
    """A branch on the remainder of two negative numbers is taken for the size at hand."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2 if (-a.size(0) - 3) % -2 == -1 else a - 3

    result = check(program, calls=[(ones(size),) for size in (4, 5, 6)])
    result.happened(firsts(result) == [2, -2, 2], "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_remainders_in_a_kernel(check: Check) -> None:
    """Remainders of a size and its negative by a positive number, and by one within the size's range, are Python's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        return a + (n + 3) % 2 * 5 + (-n - 3) % 2 * 7 + -n % -4 * 11

    result = check(program, calls=[(tensor(size),) for size in (4, 5, 6)])
    result.values().expect("""\
out = float32[4] [12.69, 9.37, 11.76, 10.62]
""")
    result.in_call(1).values().expect("""\
out = float32[5] [-11.5, -11.27, -11.07, -10.09, -11.48]
""")


@clause("dynamic-shapes.arithmetic")
def test_integers_to_the_power_of_a_tensor(check: Check) -> None:
    """An integer to the powers that a tensor of integers holds is the call's own integer."""

    def program(exponents: torch.Tensor, base: int) -> torch.Tensor:
        return (base**exponents).flip(0)

    exponents = tensor(4, dtype=torch.int64, values=[0, 1, 2, 3])
    result = check(program, calls=[(exponents, base) for base in (2, 3, 4)])
    result.happened(firsts(result) == [8, 27, 64], "the powers of each call's integer")


@clause("dynamic-shapes.arithmetic")
def test_tensor_of_integers_to_a_power(check: Check) -> None:
    """A tensor of integers to the power of an integer argument is to that of the call at hand."""

    def program(bases: torch.Tensor, exponent: int) -> torch.Tensor:
        return bases**exponent

    bases = tensor(4, dtype=torch.int64, values=[3, 1, 2, 0])
    result = check(program, calls=[(bases, exponent) for exponent in (2, 3, 4)])
    result.happened(firsts(result) == [9, 27, 81], "a power by each call's exponent")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_powers_of_floats_and_of_sizes(check: Check) -> None:
    """A float to the powers of integers, and a size to those of floats, are computed with the call's own number."""

    def program(exponents: torch.Tensor, base: float) -> torch.Tensor:
        return (base**exponents + exponents.size(0) ** exponents.float()).flip(0)

    calls = [(tensor(size, dtype=torch.int64, values=[1] * (size - 1) + [2]), size + 0.5) for size in (4, 5, 6)]
    result = check(program, calls=calls)
    result.happened(firsts(result) == [36.25, 55.25, 78.25], "the powers of each call's numbers")


@clause("dynamic-shapes.arithmetic")
def test_factor_that_is_a_remainder_of_a_float(check: Check) -> None:
    """A tensor is multiplied by the fraction of a float argument, which for a negative one counts from below."""

    def program(a: torch.Tensor, phase: float) -> torch.Tensor:
        return a * (phase % 1)

    result = check(program, calls=[(ones(3), phase) for phase in (2.5, 3.25, -4.25)])
    result.happened(firsts(result) == [0.5, 0.25, 0.75], "the fraction in each call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_factor_that_is_a_remainder_of_half_a_size(check: Check) -> None:
    """A tensor is multiplied by the fraction of half of its size."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * ((a.size(0) * 0.5) % 1)

    result = check(program, calls=[(ones(size),) for size in (4, 5, 6)])
    result.happened(firsts(result) == [0, 0.5, 0], "the fraction in each call")


@clause("dynamic-shapes.arithmetic")
def test_factors_that_are_other_remainders(check: Check) -> None:
    """`math.fmod` of a float, what its floor leaves and the remainder of an integer are the call's own factors."""

    def program(a: torch.Tensor, phase: float, count: int) -> torch.Tensor:
        return a * math.fmod(phase, 1) + a * (phase - phase // 1) * 8 + a * (count % 3) * 64

    result = check(program, calls=[(ones(3), *both) for both in ((2.5, 4), (3.25, 5), (-4.25, -7))])
    result.happened(firsts(result) == [68.5, 130.25, 133.75], "the factors of each call")


@clause("dynamic-shapes.arithmetic")
def test_factor_that_is_the_square_of_a_negative_float(check: Check) -> None:
    """The square of a float argument is a factor in the calls, too, in which the float is negative."""

    def program(a: torch.Tensor, number: float) -> torch.Tensor:
        return a * number**2

    result = check(program, calls=[(ones(3), number) for number in (1.5, 2.5, -0.5)])
    result.happened(firsts(result) == [2.25, 6.25, 0.25], "the square of each call's float")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_square_of_a_distance_to_a_size(check: Check) -> None:
    """The square of a size less a float is a factor on either side of the float."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * (a.size(0) - 5.5) ** 2

    result = check(program, calls=[(ones(size),) for size in (4, 5, 7)])
    result.happened(firsts(result) == [2.25, 0.25, 2.25], "the square of each call's distance")


@clause("dynamic-shapes.arithmetic")
def test_other_squares_of_numbers(check: Check) -> None:
    """A float times itself, the square of a positive one and that of a negative integer are those of the call."""

    def program(a: torch.Tensor, number: float, count: int) -> torch.Tensor:
        return a * (number * number) + a * (number + 4) ** 2 + a * (count - 5) ** 2 * 64

    result = check(program, calls=[(ones(3), *both) for both in ((1.5, 4), (2.5, 5), (-0.5, 3))])
    result.happened(firsts(result) == [96.5, 48.5, 268.5], "the squares of each call's numbers")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branches_on_remainders_and_quotients_by_negative_numbers(check: Check) -> None:
    """By a negative number, remainders are nought or below and quotients of sizes negative; either side is taken."""

    def program(a: torch.Tensor, number: int) -> torch.Tensor:
        n = a.size(0)
        sides = [
            n % -6 >= 0,
            number % -4 == -3,
            number % -5 < -3,
            n // -1 == -7,
            n // -1 < 0,
        ]
        return a * sum(2**place for place, side in enumerate(sides) if side)

    result = check(program, calls=[(ones(size), number) for size, number in ((7, 5), (6, 6), (8, 7), (12, 8))])
    result.happened(firsts(result) == [26, 21, 16, 17], "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branches_behind_branches_on_the_same_numbers(check: Check) -> None:
    """What a branch tells of a quotient, a pair of numbers or a range decides no later branch of another bound."""

    def program(a: torch.Tensor, b: torch.Tensor, first: int, second: int, signed: int) -> torch.Tensor:
        total = 0
        if a.size(0) // 3 <= 4:
            total += 1 if a.size(0) < 12 else 2
        if first <= second:
            total += 10 if first < second else 20
        if b.size(0) <= 16:
            total += 100 if (b.size(0) | 1) > 16 else 200
        if -12 < signed < 5:
            total += 1000 if abs(signed) > 6 else 2000
        return a * total

    sizes = [(14, 16, 4, 4, -9), (11, 15, 4, 6, 3), (13, 16, 7, 7, -3), (15, 17, 6, 4, 9)]
    calls = [(ones(long), ones(short), *numbers) for long, short, *numbers in sizes]
    result = check(program, calls=calls, probe=False)
    result.happened(firsts(result) == [1122, 2211, 2122, 0], "what Python does in every call")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branches_on_quotients_by_differences_and_greatest_numbers(check: Check) -> None:
    """A quotient by a difference of sizes can be nought, and the greatest of several is the one that is greatest."""

    def program(a: torch.Tensor, b: torch.Tensor, number: int) -> torch.Tensor:
        n, m = a.size(0), b.size(0)
        sides = [
            n // (m - 2) == 0,
            max(n - 2, 1) == 1,
            max(2 * number, 5 * number) == -6,
            max(2 * n, 3 * n) == 2 * n,
        ]
        return a * sum(2**place for place, side in enumerate(sides) if side)

    sizes = [(2, 9, -3), (9, 5, 12), (7, 8, -4), (3, 7, 5)]
    result = check(program, calls=[(ones(n), ones(m), number) for n, m, number in sizes], probe=False)
    result.happened(firsts(result) == [7, 0, 0, 3], "what Python does in every call")
