"""Integers wrap around at their own width, and nowhere else."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import TensorSpec

#: The least and the largest number of 64 bits.
LEAST, LARGEST = -(1 << 63), (1 << 63) - 1


@clause("numbers.integers")
def test_negated_bytes_wrap_before_they_are_widened(check: Check) -> None:
    """The negation of a byte wraps at eight bits, also if it is widened right after."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (-a).to(torch.int32)

    check(program, tensor(5, dtype=torch.uint8, values=[0, 1, 7, 128, 255])).values().expect("""\
out = int32[5] [0, 255, 249, 128, 1]
""")


@clause("numbers.integers")
def test_sum_of_bytes_wraps_before_it_is_widened(check: Check) -> None:
    """Two bytes add up at eight bits, also if the sum is widened right after."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a + b).to(torch.int64) * 1000

    check(
        program,
        tensor(4, dtype=torch.uint8, values=[200, 255, 3, 128]),
        tensor(4, dtype=torch.uint8, values=[100, 1, 4, 128]),
    ).values().expect("""\
out = int64[4] [44000, 0, 7000, 0]
""")


@clause("numbers.integers")
def test_absolute_value_of_the_smallest_int8(check: Check) -> None:
    """The absolute value of -128 is -128 at eight bits."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.abs().to(torch.int32), a.abs() > 0

    check(program, tensor(4, dtype=torch.int8, values=[-128, -127, 0, 127])).values().expect("""\
out[0] = int32[4] [-128, 127, 0, 127]
out[1] = bool[4] [False, True, False, True]
""")


@clause("numbers.integers")
def test_product_of_int8_compared(check: Check) -> None:
    """A product wraps at eight bits before it is compared."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b > 0

    check(
        program,
        tensor(4, dtype=torch.int8, values=[100, 16, 2, -128]),
        tensor(4, dtype=torch.int8, values=[2, 8, 3, -1]),
    ).values().expect("""\
out = bool[4] [False, False, True, False]
""")


@clause("numbers.integers")
def test_power_of_int8_widened(check: Check) -> None:
    """A power wraps at eight bits before it is widened."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.pow(2).to(torch.int32) + 1

    check(program, tensor(5, dtype=torch.int8, values=[11, 12, 16, -100, 127])).values().expect("""\
out = int32[5] [122, -111, 1, 17, 2]
""")


@clause("numbers.integers")
def test_large_constant_times_a_range(check: Check) -> None:
    """A range of integers times a large constant keeps all 64 bits."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.arange(9, device=a.device) * 1234567890123 + a

    check(program, tensor(9, dtype=torch.int64)).values().expect("""\
out = int64[9] [6, 1234567890124, 2469135780252, 3703703670374, 4938271560496, 6172839450622, 7407407340745,
    8641975230866, 9876543120990]
""")


@clause("numbers.integers")
def test_range_beyond_32_bits(check: Check) -> None:
    """A range that starts beyond 32 bits stays there."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.arange(2**33, 2**33 + 5, device=a.device) - a

    check(program, tensor(5, dtype=torch.int64)).values().expect("""\
out = int64[5] [8589934586, 8589934592, 8589934588, 8589934590, 8589934592]
""")


@clause("numbers.integers")
def test_shifts_within_the_width(check: Check) -> None:
    """Shifts of negative and large numbers keep the sign, and drop what leaves the width."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a << b, a >> b, (a >> 1).to(torch.int64)

    check(
        program,
        tensor(5, dtype=torch.int32, values=[1, -8, 1 << 30, -1, 12345]),
        tensor(5, dtype=torch.int32, values=[31, 2, 1, 4, 7]),
    ).values().expect("""\
out[0] = int32[5] [-2147483648, -32, -2147483648, -16, 1580160]
out[1] = int32[5] [0, -2, 536870912, -1, 96]
out[2] = int64[5] [0, -4, 536870912, -1, 6172]
""")


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
    ).values().expect("""\
out[0] = int8[] -128
out[1] = int8[] 127
out[2] = int8[5] [17, 23, 100, 127, 8]
""")


@clause("numbers.integers")
def test_minimum_of_bytes_above_127(check: Check) -> None:
    """Bytes above 127 are large and not negative."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.minimum(a, b), torch.maximum(a, b), a < b

    check(
        program,
        tensor(18, dtype=torch.uint8, values=[*range(0, 252, 14)]),
        tensor(18, dtype=torch.uint8, values=[*range(255, 3, -14)]),
    ).values().expect("""\
out[0] = uint8[18] [0, 14, 28, 42, 56, 70, 84, 98, 112, 126, 115, 101, 87, 73, 59, 45, 31, 17]
out[1] = uint8[18] [255, 241, 227, 213, 199, 185, 171, 157, 143, 129, 140, 154, 168, 182, 196, 210, 224, 238]
out[2] = bool[18] [True, True, True, True, True, True, True, True, True, True, False, False, False, False, False,
    False, False, False]
""")


@clause("numbers.integers")
def test_arithmetic_of_booleans(check: Check) -> None:
    """Booleans add to booleans, multiply to booleans, and count as integers in a sum."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a + b, a * b, a.sum(), a ^ ~b

    check(program, tensor(9, dtype=torch.bool), tensor(9, dtype=torch.bool)).values().expect("""\
out[0] = bool[9] [True, False, True, True, True, True, False, False, True]
out[1] = bool[9] [False, False, False, False, False, True, False, False, True]
out[2] = int64[] 4
out[3] = bool[9] [False, True, False, False, False, True, True, True, True]
""")


@clause("numbers.integers")
def test_sum_of_bytes_is_wide(check: Check) -> None:
    """The sum and product of bytes are counted in 64 bits."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.sum(), a.prod(), a.cumsum(0)

    check(program, tensor(5, dtype=torch.uint8, values=[200, 100, 255, 3, 50])).values().expect("""\
out[0] = int64[] 608
out[1] = int64[] 765000000
out[2] = int64[5] [200, 300, 555, 558, 608]
""")


@clause("numbers.integers")
def test_integers_through_floats_and_back(check: Check) -> None:
    """Integers beyond 2**24 lose what a float32 does not hold, in an explicit conversion."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.to(torch.float32).to(torch.int64)

    check(program, tensor(3, dtype=torch.int64, values=[16777217, 33554435, -16777219])).values().expect("""\
out = int64[3] [16777216, 33554436, -16777220]
""")


@clause("numbers.integers")
def test_mean_of_large_integers_in_double(check: Check) -> None:
    """A sum in double of integers beyond 2**53 goes through no float32."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.to(torch.float64).mean() + a.sum(dtype=torch.float64)

    check(program, tensor(3, dtype=torch.int64, values=[1 << 40, 3, 1 << 52])).values().expect("""\
out = float64[] 6.006e+15
""")


@clause("numbers.integers")
def test_bitwise_not_of_bytes(check: Check) -> None:
    """The complement of a byte is a byte."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (~a).to(torch.int32) + (a & 0x0F)

    check(program, tensor(4, dtype=torch.uint8, values=[0, 1, 200, 255])).values().expect("""\
out = int32[4] [255, 255, 63, 15]
""")


@clause("numbers.integers")
def test_absolute_value_of_bytes_is_negated_as_a_byte(check: Check) -> None:
    """The absolute value of a byte is a byte: its negation wraps at eight bits, also if it is widened right after."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (-a.abs()).to(torch.int32)

    check(program, tensor(3, dtype=torch.uint8, values=[200, 100, 255])).values().expect("""\
out = int32[3] [56, 156, 1]
""")


@clause("numbers.integers")
def test_absolute_value_of_the_least_of_sixteen_bits(check: Check) -> None:
    """The absolute value of the least number of sixteen bits is that number: it is below zero, widened and compared."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"compared": a.abs() > 0, "widened": a.abs().to(torch.int32), "taken off": -a.abs().long()}

    check(program, tensor(3, dtype=torch.int16, values=[-32768, 5, -7])).values().expect("""\
out['compared'] = bool[3] [False, True, True]
out['widened'] = int32[3] [-32768, 5, 7]
out['taken off'] = int64[3] [32768, -5, -7]
""")


@clause("numbers.integers")
def test_absolute_values_of_the_least_numbers(check: Check) -> None:
    """The absolute value of the least number of 32 and 64 bits is that number, and that of others is not below zero."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> list[torch.Tensor]:
        return [x.abs() > 0 for x in (a, b, c)] + [a.abs().long(), b.abs() // 2, c.abs().to(torch.int32), c.abs()]

    inputs = (
        tensor(3, dtype=torch.int32, values=[-(2**31), 5, -7]),
        tensor(3, dtype=torch.int64, values=[-(2**63), 5, -7]),
        tensor(3, dtype=torch.int16, values=[-32767, 5, -7]),
    )
    check(program, *inputs).values().expect("""\
out[0] = bool[3] [False, True, True]
out[1] = bool[3] [False, True, True]
out[2] = bool[3] [True, True, True]
out[3] = int64[3] [-2147483648, 5, 7]
out[4] = int64[3] [-4611686018427387904, 2, 3]
out[5] = int32[3] [32767, 5, 7]
out[6] = int16[3] [32767, 5, 7]
""")


@clause("numbers.integers")
def test_extremes_of_rows_of_the_least_and_greatest_numbers(check: Check) -> None:
    """The greatest of rows that hold the least number alone is that number, and the least of the greatest that one."""

    def program(*given: torch.Tensor) -> list[torch.Tensor]:
        least, greatest = given[::2], given[1::2]
        rows = [each.expand(3, 20) for each in least]
        others = [each.expand(3, 20) for each in greatest]
        return [
            *(row.amax(1) for row in rows),
            *(row.amin(1) for row in others),
            *(torch.cat([row.max().view(1), other.min().view(1)]) for row, other in zip(rows, others, strict=True)),
        ]

    numbers = [
        tensor(1, 1, dtype=dtype, values=[[bound]])
        for dtype in (torch.int8, torch.int16, torch.int32, torch.int64)
        for bound in (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    ]
    check(program, *numbers).values().expect("""\
out[0] = int8[3] [-128, -128, -128]
out[1] = int16[3] [-32768, -32768, -32768]
out[2] = int32[3] [-2147483648, -2147483648, -2147483648]
out[3] = int64[3] [-9223372036854775808, -9223372036854775808, -9223372036854775808]
out[4] = int8[3] [127, 127, 127]
out[5] = int16[3] [32767, 32767, 32767]
out[6] = int32[3] [2147483647, 2147483647, 2147483647]
out[7] = int64[3] [9223372036854775807, 9223372036854775807, 9223372036854775807]
out[8] = int8[2] [-128, 127]
out[9] = int16[2] [-32768, 32767]
out[10] = int32[2] [-2147483648, 2147483647]
out[11] = int64[2] [-9223372036854775808, 9223372036854775807]
""")


@clause("numbers.integers")
def test_extremes_of_narrow_integers_on_one_side_of_zero(check: Check) -> None:
    """The least of bytes that are all above zero is one of them, and so is the greatest of int8 all below."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.amin(), a.argmin(), b.amax(), b.argmax(), torch.aminmax(a).min

    numbers = [5, 1, 100, 3, 7, 8, 9, 13, 99, 120, 127, 2, 6, 4, 11, 12, 90, 80]
    above = tensor(18, dtype=torch.uint8, values=numbers)
    below = tensor(18, dtype=torch.int8, values=[-number for number in numbers])
    check(program, above, below).values().expect("""\
out[0] = uint8[] 1
out[1] = int64[] 1
out[2] = int8[] -1
out[3] = int64[] 1
out[4] = uint8[] 1
""")


@clause("numbers.integers", "numbers.options")
def test_extremes_and_places_of_what_is_far_from_zero(check: Check) -> None:
    """The least and the greatest of numbers that all lie beyond another dtype's bounds are among them, and in place."""

    def program(*rows: torch.Tensor) -> list[torch.Tensor]:
        extremes = [found for row in rows for found in (row.amin(), row.argmin(), row.amax(), row.argmax())]
        columns = [row[:20].view(5, 4) for row in rows]
        return extremes + [found for each in columns for found in (*each.min(0), each.argmax(1), each.amax(0))]

    steps = [(7 * place) % 40 - 45 for place in range(40)]
    far = {torch.int64: 1 << 40, torch.int32: 1 << 20, torch.int16: 1 << 9, torch.float64: 1e300, torch.float32: 1e36}
    rows = [
        tensor(40, dtype=dtype, grad=False, values=[sign * by * step for step in steps])
        for sign in (-1, 1)
        for dtype, by in far.items()
    ]
    check(program, *rows).computed()


@clause("numbers.integers")
def test_product_of_a_range_and_a_number_beyond_32_bits(check: Check) -> None:
    """A range of integers times a number that fits 32 bits is a product of 64 bits."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.arange(4, device=a.device) * 10**9 + a

    check(program, tensor(4, dtype=torch.int64)).values().expect("""\
out = int64[4] [6, 1000000001, 2000000006, 3000000005]
""")


@clause("numbers.integers")
def test_range_converted_to_a_narrower_dtype(check: Check) -> None:
    """A range made boolean, or a byte, is that when it is widened again: 2 is True and so 1, 256 is 0."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        as_booleans = torch.arange(4, device=a.device).bool().int() + a
        as_bytes = torch.arange(254, 258, device=a.device).to(torch.uint8).int() + a
        return as_booleans, as_bytes

    check(program, tensor(4, dtype=torch.int32)).values().expect("""\
out[0] = int32[4] [6, 2, 7, 6]
out[1] = int32[4] [260, 256, 6, 6]
""")


@clause("numbers.integers")
def test_range_of_int8_wraps_before_it_is_widened(check: Check) -> None:
    """A range of int8 times a number wraps at eight bits, also if it is widened right after."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (torch.arange(4, dtype=torch.int8, device=a.device) * 100).int() + a

    check(program, tensor(4, dtype=torch.int32)).values().expect("""\
out = int32[4] [6, 101, -50, 49]
""")


@clause("numbers.integers")
def test_results_of_few_bits_wrap_before_they_are_divided(check: Check) -> None:
    """Products, sums, negatives and shifts in eight and sixteen bits are cut to their width before they are used."""

    def program(*pairs: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        both = list(zip(pairs[::2], pairs[1::2], strict=True))
        return {
            "product divided": [(a * b) // 3 for a, b in both],
            "product left over": [(a * b) % 7 for a, b in both],
            "product shifted": [(a * b) >> 2 for a, b in both],
            "product compared": [(a * b) > 50 for a, b in both],
            "sum divided": [(a + a + b) // 5 for a, b in both],
            "difference halved": [torch.div(b - a - a, 2, rounding_mode="trunc") for a, b in both],
            "negative divided": [(-a) // 2 for a, _ in both],
            "shifted back": [(a << 3) >> 3 for a, _ in both],
            "square widened": [(a * a).long() for a, _ in both],
            "product in fractions": [(a * b) / 2 for a, b in both],
            "largest product": [torch.maximum(a * b, b) for a, b in both],
        }

    few = [100, 7, 90]
    pairs = {torch.int8: (few, few), torch.uint8: (few, few), torch.int16: ([30000, 300, -20000], [3, 200, 5])}
    parts = (tensor(3, dtype=dtype, values=values) for dtype, pair in pairs.items() for values in pair)
    check(program, *parts).values().expect("""\
out['product divided'][0] = int8[3] [5, 16, -31]
out['product divided'][1] = uint8[3] [5, 16, 54]
out['product divided'][2] = int16[3] [8154, -1846, 10357]
out['product left over'][0] = int8[3] [2, 0, 6]
out['product left over'][1] = uint8[3] [2, 0, 3]
out['product left over'][2] = int16[3] [6, 1, 6]
out['product shifted'][0] = int8[3] [4, 12, -23]
out['product shifted'][1] = uint8[3] [4, 12, 41]
out['product shifted'][2] = int16[3] [6116, -1384, 7768]
out['product compared'][0] = bool[3] [False, False, False]
out['product compared'][1] = bool[3] [False, False, True]
out['product compared'][2] = bool[3] [True, False, True]
out['sum divided'][0] = int8[3] [8, 4, 2]
out['sum divided'][1] = uint8[3] [8, 4, 2]
out['sum divided'][2] = int16[3] [-1107, 160, 5108]
out['difference halved'][0] = int8[3] [-50, -3, -45]
out['difference halved'][1] = uint8[3] [78, 124, 83]
out['difference halved'][2] = int16[3] [2769, -200, -12765]
out['negative divided'][0] = int8[3] [-50, -4, -45]
out['negative divided'][1] = uint8[3] [78, 124, 83]
out['negative divided'][2] = int16[3] [-15000, -150, 10000]
out['shifted back'][0] = int8[3] [4, 7, -6]
out['shifted back'][1] = uint8[3] [4, 7, 26]
out['shifted back'][2] = int16[3] [-2768, 300, -3616]
out['square widened'][0] = int64[3] [16, 49, -92]
out['square widened'][1] = int64[3] [16, 49, 164]
out['square widened'][2] = int64[3] [-5888, 24464, -31744]
out['product in fractions'][0] = float32[3] [8, 24.5, -46]
out['product in fractions'][1] = float32[3] [8, 24.5, 82]
out['product in fractions'][2] = float32[3] [1.223e+04, -2768, 1.554e+04]
out['largest product'][0] = int8[3] [100, 49, 90]
out['largest product'][1] = uint8[3] [100, 49, 164]
out['largest product'][2] = int16[3] [24464, 200, 31072]
""")


def _extremes() -> tuple[TensorSpec, TensorSpec, TensorSpec]:
    """Numbers of 64 bits at their ends and past what a double holds, such as do not divide a least one by minus one."""
    past = (1 << 53) + 1
    wide = tensor(8, dtype=torch.int64, values=[LEAST, LARGEST, LEAST + 1, -1, 0, 1, past, -past])
    others = tensor(8, dtype=torch.int64, values=[3, -7, 2, -1, LARGEST, LEAST, -(1 << 62), 2])
    ends = [-(1 << 31), (1 << 31) - 1, -1, 0, 1, 7, -(1 << 24) - 1, (1 << 24) + 1]
    return wide, others, tensor(8, dtype=torch.int32, values=ends)


@clause("numbers.integers", "numbers.division", profile="default")
def test_arithmetic_at_the_ends_of_64_bits(check: Check) -> None:
    """Signs, sums, products, quotients and what remains of the least and the largest number wrap round as eager's."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        plain = {
            "size": a.abs(),
            "less": -a,
            "less its size": -(a.abs()),
            "narrow size": c.abs(),
            "narrow less": -c,
            "sign": a.sign(),
            "one more": a + 1,
            "one less": a - 1,
            "of the largest": LARGEST - a,
            "and the least": a + LEAST,
            "sums": torch.add(a, b, alpha=3),
            "products": a * b,
            "square": a**2,
            "cube": a**3,
            "added products": torch.addcmul(a, b, b, value=-2),
            "narrow products": c * c,
            "wide and narrow": a + c,
            "differences": a.diff(),
            "next of a generator": (a * 6364136223846793005 + 1442695040888963407) >> 33,
        }
        for name, number in {"three": 3, "minus seven": -7}.items():
            plain |= {
                f"{name}, down": a // number,
                f"{name}, cut": torch.div(a, number, rounding_mode="trunc"),
                f"{name}, remains": a % number,
                f"{name}, with its sign": torch.fmod(a, number),
                f"{name}, narrow": c // number,
                f"{name}, of narrow": c % number,
                f"{name}, fraction": a / number,
            }
        for name, part in {"first": slice(0, 3), "last": slice(4, 8)}.items():
            plain |= {
                f"{name}, down": a[part] // b[part],
                f"{name}, cut": torch.div(a[part], b[part], rounding_mode="trunc"),
                f"{name}, remains": a[part] % b[part],
                f"{name}, with its sign": torch.fmod(a[part], b[part]),
            }
        return plain

    check(program, *_extremes()).computed()


@clause("numbers.integers", profile="default")
def test_bits_and_bounds_at_the_ends_of_64_bits(check: Check) -> None:
    """Shifts as far as 63 places, bounds, comparisons and choices hold every bit of the least and the largest."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        far = torch.arange(8, device=a.device) * 9
        return {
            "left": a << 1,
            "left to the sign": a << 63,
            "right": a >> 1,
            "right to the sign": a >> 63,
            "left by each": a << far,
            "right by each": a >> far,
            "narrow, left": c << 31,
            "narrow, right": c >> 31,
            "without a sign": a & LARGEST,
            "with one": a | LEAST,
            "all bits": a ^ -1,
            "bounded": a.clamp(-5, 5),
            "all but the least": a.clamp(min=LEAST + 1),
            "all but the largest": a.clamp(max=LARGEST - 1),
            "past a double": a.clamp(-(1 << 53) - 1, (1 << 53) + 1),
            "by tensors": torch.clamp(a, torch.minimum(a, b), b),
            "below": a < LARGEST,
            "equal": a == (1 << 53) + 1,
            "equal to a fraction": a == float(1 << 53),
            "equal to fractions": a == a.double(),
            "equal to single ones": a == a.float(),
            "chosen": torch.where(a > b, a, LEAST),
            "filled": a.masked_fill(a > 0, LARGEST),
            "less a tensor": a - torch.tensor(LARGEST, device=a.device),
            "padded": functional.pad(a, (1, 1), value=7),
        }

    check(program, *_extremes()).computed()


@clause("numbers.integers", "numbers.promotion", profile="default")
def test_reductions_and_conversions_at_the_ends_of_64_bits(check: Check) -> None:
    """Sums wrap round, extremes are exact, and conversions to fractions and back, and to narrow ones, are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, object]:
        return {
            "sum": a.sum(),
            "sums": a.view(2, 4).sum(0),
            "product": a[:4].prod(),
            "products": a.view(2, 4).prod(0),
            "running sum": a.cumsum(0),
            "running product": (a | 1).cumprod(0),
            "narrow sum": c.sum(),
            "narrow product": c[:3].prod(),
            "mean": a.mean(dtype=torch.float64),
            "extremes": [a.min(), a.max(), a.view(2, 4).amin(0), torch.minimum(a, b), torch.maximum(a, b)],
            "places": [a.argmin(), a.argmax()],
            "running largest": a.cummax(0),
            "in order": a.sort(),
            "largest ones": a.topk(3),
            "of vectors": torch.dot(a, b),
            "of matrices": a.view(2, 4) @ b.view(4, 2),
            "single": a.float(),
            "double": a.double(),
            "low": a.bfloat16(),
            "double and back": a[3:].double().long(),
            "single and back": a[3:].float().long(),
            "narrow": [a.int(), a.short(), a.char(), a.byte(), a.bool()],
            "narrow and back": a.int().long(),
            "narrow, single and back": c[2:].float().int(),
            "half": a * 0.5,
            "half by a tensor": a * torch.tensor(0.5, device=a.device),
        }

    check(program, *_extremes()).computed()
