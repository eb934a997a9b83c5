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

    check(program, *_extremes()).values().expect("""\
out['size'] = int64[8] [-9223372036854775808, 9223372036854775807, 9223372036854775807, 1, 0, 1, 9007199254740993,
    9007199254740993]
out['less'] = int64[8] [-9223372036854775808, -9223372036854775807, 9223372036854775807, 1, 0, -1,
    -9007199254740993, 9007199254740993]
out['less its size'] = int64[8] [-9223372036854775808, -9223372036854775807, -9223372036854775807, -1, 0, -1,
    -9007199254740993, -9007199254740993]
out['narrow size'] = int32[8] [-2147483648, 2147483647, 1, 0, 1, 7, 16777217, 16777217]
out['narrow less'] = int32[8] [-2147483648, -2147483647, 1, 0, -1, -7, 16777217, -16777217]
out['sign'] = int64[8] [-1, 1, -1, -1, 0, 1, 1, -1]
out['one more'] = int64[8] [-9223372036854775807, -9223372036854775808, -9223372036854775806, 0, 1, 2,
    9007199254740994, -9007199254740992]
out['one less'] = int64[8] [9223372036854775807, 9223372036854775806, -9223372036854775808, -2, -1, 0,
    9007199254740992, -9007199254740994]
out['of the largest'] = int64[8] [-1, 0, -2, -9223372036854775808, 9223372036854775807, 9223372036854775806,
    9214364837600034814, -9214364837600034816]
out['and the least'] = int64[8] [0, -1, 1, 9223372036854775807, -9223372036854775808, -9223372036854775807,
    -9214364837600034815, 9214364837600034815]
out['sums'] = int64[8] [-9223372036854775799, 9223372036854775786, -9223372036854775801, -4, 9223372036854775805,
    -9223372036854775807, 4620693217682128897, -9007199254740987]
out['products'] = int64[8] [-9223372036854775808, -9223372036854775801, 2, 1, 0, -9223372036854775808,
    -4611686018427387904, -18014398509481986]
out['square'] = int64[8] [0, 1, 1, 1, 0, 1, 18014398509481985, 18014398509481985]
out['cube'] = int64[8] [0, 9223372036854775807, -9223372036854775807, -1, 0, 1, 27021597764222977,
    -27021597764222977]
out['added products'] = int64[8] [9223372036854775790, 9223372036854775709, 9223372036854775801, -3, -2, 1,
    9007199254740993, -9007199254741001]
out['narrow products'] = int32[8] [0, 1, 1, 0, 1, 49, 33554433, 33554433]
out['wide and narrow'] = int64[8] [9223372034707292160, -9223372034707292162, -9223372036854775808, -1, 1, 8,
    9007199237963776, -9007199237963776]
out['differences'] = int64[7] [-1, 2, 9223372036854775806, 1, 1, 9007199254740992, -18014398509481986]
out['next of a generator'] = int64[8] [-905790017, 500810664, -164907050, -572931160, 167951807, 908834774,
    687585238, -351681624]
out['three, down'] = int64[8] [-3074457345618258603, 3074457345618258602, -3074457345618258603, -1, 0, 0,
    3002399751580331, -3002399751580331]
out['three, cut'] = int64[8] [-3074457345618258602, 3074457345618258602, -3074457345618258602, 0, 0, 0,
    3002399751580331, -3002399751580331]
out['three, remains'] = int64[8] [1, 1, 2, 2, 0, 1, 0, 0]
out['three, with its sign'] = int64[8] [-2, 1, -1, -1, 0, 1, 0, 0]
out['three, narrow'] = int32[8] [-715827883, 715827882, -1, 0, 0, 2, -5592406, 5592405]
out['three, of narrow'] = int32[8] [1, 1, 2, 0, 1, 1, 1, 2]
out['three, fraction'] = float32[8] [-3.074e+18, 3.074e+18, -3.074e+18, -0.3333, 0, 0.3333, 3.002e+15, -3.002e+15]
out['minus seven, down'] = int64[8] [1317624576693539401, -1317624576693539401, 1317624576693539401, 0, 0, -1,
    -1286742750677285, 1286742750677284]
out['minus seven, cut'] = int64[8] [1317624576693539401, -1317624576693539401, 1317624576693539401, 0, 0, 0,
    -1286742750677284, 1286742750677284]
out['minus seven, remains'] = int64[8] [-1, 0, 0, -1, 0, -6, -2, -5]
out['minus seven, with its sign'] = int64[8] [-1, 0, 0, -1, 0, 1, 5, -5]
out['minus seven, narrow'] = int32[8] [306783378, -306783379, 0, 0, -1, -1, 2396745, -2396746]
out['minus seven, of narrow'] = int32[8] [-2, -6, -1, 0, -6, 0, -2, -5]
out['minus seven, fraction'] = float32[8] [1.318e+18, -1.318e+18, 1.318e+18, 0.1429, -0, -0.1429, -1.287e+15,
    1.287e+15]
out['first, down'] = int64[3] [-3074457345618258603, -1317624576693539401, -4611686018427387904]
out['first, cut'] = int64[3] [-3074457345618258602, -1317624576693539401, -4611686018427387903]
out['first, remains'] = int64[3] [1, 0, 1]
out['first, with its sign'] = int64[3] [-2, 0, -1]
out['last, down'] = int64[4] [0, -1, -1, -4503599627370497]
out['last, cut'] = int64[4] [0, 0, 0, -4503599627370496]
out['last, remains'] = int64[4] [0, -9223372036854775807, -4602678819172646911, 1]
out['last, with its sign'] = int64[4] [0, 1, 9007199254740993, -1]
""")


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

    check(program, *_extremes()).values().expect("""\
out['left'] = int64[8] [0, -2, 2, -2, 0, 2, 18014398509481986, -18014398509481986]
out['left to the sign'] = int64[8] [0, -9223372036854775808, -9223372036854775808, -9223372036854775808, 0,
    -9223372036854775808, -9223372036854775808, -9223372036854775808]
out['right'] = int64[8] [-4611686018427387904, 4611686018427387903, -4611686018427387904, -1, 0, 0,
    4503599627370496, -4503599627370497]
out['right to the sign'] = int64[8] [-1, 0, -1, -1, 0, 0, 0, -1]
out['left by each'] = int64[8] [-9223372036854775808, -512, 262144, -134217728, 0, 35184372088832,
    18014398509481984, -9223372036854775808]
out['right by each'] = int64[8] [-9223372036854775808, 18014398509481983, -35184372088832, -1, 0, 0, 0, -1]
out['narrow, left'] = int32[8] [0, -2147483648, -2147483648, 0, -2147483648, -2147483648, -2147483648, -2147483648]
out['narrow, right'] = int32[8] [-1, 0, -1, 0, 0, 0, -1, 0]
out['without a sign'] = int64[8] [0, 9223372036854775807, 1, 9223372036854775807, 0, 1, 9007199254740993,
    9214364837600034815]
out['with one'] = int64[8] [-9223372036854775808, -1, -9223372036854775807, -1, -9223372036854775808,
    -9223372036854775807, -9214364837600034815, -9007199254740993]
out['all bits'] = int64[8] [9223372036854775807, -9223372036854775808, 9223372036854775806, 0, -1, -2,
    -9007199254740994, 9007199254740992]
out['bounded'] = int64[8] [-5, 5, -5, -1, 0, 1, 5, -5]
out['all but the least'] = int64[8] [-9223372036854775807, 9223372036854775807, -9223372036854775807, -1, 0, 1,
    9007199254740993, -9007199254740993]
out['all but the largest'] = int64[8] [-9223372036854775808, 9223372036854775806, -9223372036854775807, -1, 0, 1,
    9007199254740993, -9007199254740993]
out['past a double'] = int64[8] [-9007199254740993, 9007199254740993, -9007199254740993, -1, 0, 1, 9007199254740993,
    -9007199254740993]
out['by tensors'] = int64[8] [-9223372036854775808, -7, -9223372036854775807, -1, 0, -9223372036854775808,
    -4611686018427387904, -9007199254740993]
out['below'] = bool[8] [True, False, True, True, True, True, True, True]
out['equal'] = bool[8] [False, False, False, False, False, False, True, False]
out['equal to a fraction'] = bool[8] [False, False, False, False, False, False, True, False]
out['equal to fractions'] = bool[8] [True, True, True, True, True, True, True, True]
out['equal to single ones'] = bool[8] [True, True, True, True, True, True, True, True]
out['chosen'] = int64[8] [-9223372036854775808, 9223372036854775807, -9223372036854775808, -9223372036854775808,
    -9223372036854775808, 1, 9007199254740993, -9223372036854775808]
out['filled'] = int64[8] [-9223372036854775808, 9223372036854775807, -9223372036854775807, -1, 0,
    9223372036854775807, 9223372036854775807, -9007199254740993]
out['less a tensor'] = int64[8] [1, 0, 2, -9223372036854775808, -9223372036854775807, -9223372036854775806,
    -9214364837600034814, 9214364837600034816]
out['padded'] = int64[10] [7, -9223372036854775808, 9223372036854775807, -9223372036854775807, -1, 0, 1,
    9007199254740993, -9007199254740993, 7]
""")


@clause("numbers.integers", "numbers.promotion", profile="default", devices="cpu")
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

    check(program, *_extremes()).values().expect("""\
out['sum'] = int64[] -9223372036854775808
out['sums'] = int64[4] [-9223372036854775808, -9223372036854775808, -9214364837600034814, -9007199254740994]
out['product'] = int64[] -9223372036854775808
out['products'] = int64[4] [0, 9223372036854775807, -9214364837600034815, 9007199254740993]
out['running sum'] = int64[8] [-9223372036854775808, -1, -9223372036854775808, 9223372036854775807,
    9223372036854775807, -9223372036854775808, -9214364837600034815, -9223372036854775808]
out['running product'] = int64[8] [-9223372036854775807, -1, 9223372036854775807, -9223372036854775807,
    -9223372036854775807, -9223372036854775807, -9214364837600034815, 9205357638345293823]
out['narrow sum'] = int64[] 6
out['narrow product'] = int64[] 4611686016279904256
out['mean'] = float64[] -1.153e+18
out['extremes'][0] = int64[] -9223372036854775808
out['extremes'][1] = int64[] 9223372036854775807
out['extremes'][2] = int64[4] [-9223372036854775808, 1, -9223372036854775807, -9007199254740993]
out['extremes'][3] = int64[8] [-9223372036854775808, -7, -9223372036854775807, -1, 0, -9223372036854775808,
    -4611686018427387904, -9007199254740993]
out['extremes'][4] = int64[8] [3, 9223372036854775807, 2, -1, 9223372036854775807, 1, 9007199254740993, 2]
out['places'][0] = int64[] 0
out['places'][1] = int64[] 1
out['running largest'][0] = int64[8] [-9223372036854775808, 9223372036854775807, 9223372036854775807,
    9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807]
out['running largest'][1] = int64[8] [0, 1, 1, 1, 1, 1, 1, 1]
out['in order'][0] = int64[8] [-9223372036854775808, -9223372036854775807, -9007199254740993, -1, 0, 1,
    9007199254740993, 9223372036854775807]
out['in order'][1] = int64[8] [0, 2, 7, 3, 4, 5, 6, 1]
out['largest ones'][0] = int64[3] [9223372036854775807, 9007199254740993, 1]
out['largest ones'][1] = int64[3] [1, 6, 5]
out['of vectors'] = int64[] 4593671619917905928
out['of matrices'] = int64[2, 2] [[-4611686018427387907, 9223372036854775807], [-4620693217682128895,
    9205357638345293821]]
out['single'] = float32[8] [-9.223e+18, 9.223e+18, -9.223e+18, -1, 0, 1, 9.007e+15, -9.007e+15]
out['double'] = float64[8] [-9.223e+18, 9.223e+18, -9.223e+18, -1, 0, 1, 9.007e+15, -9.007e+15]
out['low'] = bfloat16[8] [-9.223e+18, 9.223e+18, -9.223e+18, -1, 0, 1, 9.007e+15, -9.007e+15]
out['double and back'] = int64[5] [-1, 0, 1, 9007199254740992, -9007199254740992]
out['single and back'] = int64[5] [-1, 0, 1, 9007199254740992, -9007199254740992]
out['narrow'][0] = int32[8] [0, -1, 1, -1, 0, 1, 1, -1]
out['narrow'][1] = int16[8] [0, -1, 1, -1, 0, 1, 1, -1]
out['narrow'][2] = int8[8] [0, -1, 1, -1, 0, 1, 1, -1]
out['narrow'][3] = uint8[8] [0, 255, 1, 255, 0, 1, 1, 255]
out['narrow'][4] = bool[8] [True, True, True, True, False, True, True, True]
out['narrow and back'] = int64[8] [0, -1, 1, -1, 0, 1, 1, -1]
out['narrow, single and back'] = int32[6] [-1, 0, 1, 7, -16777216, 16777216]
out['half'] = float32[8] [-4.612e+18, 4.612e+18, -4.612e+18, -0.5, 0, 0.5, 4.504e+15, -4.504e+15]
out['half by a tensor'] = float32[8] [-4.612e+18, 4.612e+18, -4.612e+18, -0.5, 0, 0.5, 4.504e+15, -4.504e+15]
""")
