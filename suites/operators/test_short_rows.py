"""Rows shorter than a vector register, or of numbers that have none: one element after another, by other code."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import TensorSpec

INF, NAN = float("inf"), float("nan")
#: What functions are exact, infinite or none at, and minus nought; in the first lanes and after the last register.
LIMITS = (0.0, -0.0, NAN, INF, -INF, 1e-6, -1e-6, 0.5, -0.5, 2.5, -3.0, 6.0, 1e30, -1.0, 0.875, -0.75, 1.0, -1e-6, NAN)
BESIDE = (-0.0, 0.0, 1.0, INF, -INF, -1e-6, NAN, 2.0, -2.0, -0.0, 1.0, 0.0, -1e30, -INF, 0.5, 3.0, -1.0, 1e-6, -0.0)
#: Not int8, of which `integers` tells the extremes.
WIDTHS = (torch.int16, torch.int32, torch.int64)


@clause("numbers.vectors", "numbers.special-values")
def test_functions_of_short_rows(check: Check) -> None:
    """NaN, infinities and minus nought in three elements mean what they do in many, in each precision."""

    def program(*rows: torch.Tensor) -> list[dict[str, torch.Tensor]]:
        found = []
        for a in rows:
            b = a.flip(0)
            found.append(
                {
                    "extremes": torch.stack([torch.maximum(a, b), torch.minimum(b, a), torch.fmax(a, b)]),
                    "bounded": torch.stack([a.clamp(-1, 1), a.clamp(max=0.5), a.relu(), functional.relu6(a)]),
                    "largest": torch.stack([a.amax(), a.amin(), a.max(), a[1:].amax(), a[1:].amin()]),
                    "places": torch.stack([a.argmax(), a.argmin(), a[1:].argmax()]),
                    "roundings": torch.stack([a.round(), a.floor(), a.ceil(), a.trunc()]),
                    "signs": torch.stack([a.sign(), -a, torch.copysign(b, a), a.abs(), 1 / a]),
                    "remainders": torch.stack([torch.remainder(a, -1.5), torch.fmod(a, 1.5)]),
                    "orders": torch.stack([a < b, a <= b, a != b, a.isnan(), a.isinf(), a.signbit()]),
                    "padded": functional.pad(a, (1, 2), value=-2.5) + 1,
                    "chosen": torch.where(a > b, a, b) - torch.where(a.isnan(), 0.5, a),
                }
            )
        return found

    values = [(NAN, -0.0, 2.5), (-0.5, INF, NAN), (-2.5, -INF, 0.0)]
    dtypes = (torch.float32, torch.float64, torch.float16)
    rows = [tensor(3, dtype=dtype, values=list(row)) for dtype, row in zip(dtypes, values, strict=True)]
    check(program, *rows).computed()


@clause("numbers.vectors", "numbers.integers")
def test_whole_numbers_of_short_and_long_rows(check: Check) -> None:
    """The largest of numbers that are all below nought and the least of all above it, quotients, shifts and signs."""

    def program(*rows: torch.Tensor) -> list[dict[str, torch.Tensor]]:
        found = []
        for below in rows:
            above = ~below
            found.append(
                {
                    "largest": torch.stack([below.amax(), below[:3].amax(), below.max(), below.view(3, -1).amax(0)[1]]),
                    "least": torch.stack([above.amin(), above[:3].amin(), above.min(), above.view(3, -1).amin(0)[1]]),
                    "places": torch.stack([below.argmax(), below[:3].argmax(), above.argmin(), above[:3].argmin()]),
                    "product": below[:3].prod() + above[:4].prod(),
                    "padded": functional.pad(below[:3], (1, 2), value=7),
                    "quotients": torch.stack([below // 7, below % 7, torch.div(below, 7, rounding_mode="trunc")]),
                    "by each other": torch.stack([below // above, torch.div(below, above + 1, rounding_mode="trunc")]),
                    "to the left": below[:3] << torch.arange(3, dtype=below.dtype, device=below.device),
                    "signs": below.sign() + above.sign() + below.abs() - torch.maximum(below, above),
                }
            )
        return found

    values = [-number * 5 % 113 - 120 for number in range(36)]
    check(program, *(tensor(36, dtype=dtype, values=values) for dtype in WIDTHS)).computed()


@clause("numbers.vectors", "numbers.integers")
def test_shifts_beyond_the_width(check: Check) -> None:
    """A shift by the width or more leaves nothing, or the sign; so does one by less than nothing."""

    def program(a: torch.Tensor, by: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a << by, a >> by, a[:3] << by[3:6], a[:3] >> by[3:6], torch.bitwise_left_shift(a[:5], 40)

    numbers = tensor(6, dtype=torch.int32, values=[1, -8, 12345, -1, 7, -100])
    check(program, numbers, tensor(6, dtype=torch.int32, values=[31, 32, 33, 40, -1, -2])).values().expect("""\
out[0] = int32[6] [-2147483648, 0, 0, 0, 0, 0]
out[1] = int32[6] [0, -1, 0, -1, 0, -1]
out[2] = int32[3] [0, 0, 0]
out[3] = int32[3] [0, -1, 0]
out[4] = int32[5] [0, 0, 0, 0, 0]
""")


@clause("numbers.vectors", "numbers.integers")
def test_shifts_by_the_width_itself(check: Check) -> None:
    """A shift by as many bits as a number has leaves nothing or the sign, in few and in many; by one less, one bit."""

    def program(*numbers: torch.Tensor) -> list[torch.Tensor]:
        found = []
        for a in numbers:
            by = a.element_size() * 8 + torch.arange(40, device=a.device, dtype=a.dtype) % 4 - 1
            found += [a << by, a >> by, a[:4] << by[:4], a[:4] >> by[:4], a[:2] << by[1], a[-3:] >> by[-3]]
        return found

    numbers = [1, -1, 5, -8, *(number * 37 % 201 - 100 for number in range(36))]
    check(program, *(tensor(40, dtype=dtype, values=numbers) for dtype in (torch.int8, *WIDTHS))).computed()


@clause("numbers.vectors", "numbers.integers")
def test_shifts_of_bytes_beyond_their_width(check: Check) -> None:
    """A shift of a byte by its width or more leaves the sign, in three numbers and in many, and nothing to the left."""

    def program(a: torch.Tensor, by: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a[:3] >> by[:3], a[:3] << by[:3], a >> by, a << by, torch.bitwise_right_shift(a[:3], 100)

    numbers = [-5, -100, 7, *(37 * place % 201 - 100 for place in range(67))]
    by = [9, 8, 9, *(place % 12 for place in range(67))]
    check(program, tensor(70, dtype=torch.int8, values=numbers), tensor(70, dtype=torch.int8, values=by)).computed()


@clause("numbers.vectors", "numbers.integers")
def test_remainders_of_narrow_numbers(check: Check) -> None:
    """Remainders and quotients of numbers of 8 and 16 bits, in rows that fill registers and in rows that do not."""

    def program(*pairs: torch.Tensor) -> list[torch.Tensor]:
        rows = list(zip(pairs[::2], pairs[1::2], strict=True))
        found = [torch.remainder(row, by) for row, by in rows] + [torch.fmod(row, by) for row, by in rows]
        return [*found, torch.div(pairs[0], 5, rounding_mode="floor"), pairs[2] // 3, pairs[4] % -3]

    def pair(size: int, dtype: torch.dtype) -> tuple[TensorSpec, TensorSpec]:
        numbers = [(37 * place) % 201 - 100 for place in range(size)]
        divisors = [(place % 5 + 2) * (-1) ** place for place in range(size)]
        return tensor(size, dtype=dtype, values=numbers), tensor(size, dtype=dtype, values=divisors)

    sizes = (64, torch.int8), (20, torch.int8), (130, torch.int8), (70, torch.int16), (15, torch.int16)
    check(program, *(spec for size in sizes for spec in pair(*size))).shape("out[0]", 64).computed()


@clause("numbers.vectors", "numbers.integers")
def test_remainders_of_bytes(check: Check) -> None:
    """Remainders of one register of bytes, and nothing else."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.remainder(a, b)

    numbers = [(37 * place) % 201 - 100 for place in range(64)]
    check(
        program, tensor(64, dtype=torch.int8, values=numbers), tensor(64, dtype=torch.int8, values=[7] * 64)
    ).computed()


#: No two of the first are equal, since of equal numbers any may be the place of the largest.
NARROW = (
    tensor(
        5,
        40,
        dtype=torch.int16,
        values=[[(40 * row + column) * 73 % 997 for column in range(40)] for row in range(5)],
    ),
    tensor(40, 5, dtype=torch.int16, values=[[(5 * row + column) % 7 for column in range(5)] for row in range(40)]),
)


@clause("numbers.vectors", "numbers.integers")
def test_largest_of_a_sum_of_narrow_numbers_with_what_is_turned(check: Check) -> None:
    """The place of the largest of all numbers of one sum with a transposed operand, and nothing else."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a + b.t()).argmax()

    check(program, *NARROW).computed()


@clause("numbers.vectors", "numbers.integers")
def test_place_in_a_sum_of_narrow_numbers_with_what_is_turned(check: Check) -> None:
    """The place of the extreme of a sum with a transposed operand is counted in the order of the sum's rows."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "largest": (a + b.t()).argmax(),
            "least": (a - b.t()).argmin(),
            "of rows": (a * 2 + b.t()).argmax(1),
        }

    check(program, *NARROW).computed()


@clause("numbers.vectors", "numbers.promotion")
def test_constants_as_exact_as_their_dtype(check: Check) -> None:
    """Numbers that a program holds have all their digits in the code, in each dtype, however large or small."""

    def program(a: torch.Tensor, double: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "float": a * 0.123456789 + 1.23456789e-7,
            "double": double * 0.12345678901234567 - 98765.43210987654,
            "small": a * 1e-30 * 1.2345678e10,
            "large": double + 1.2345678901234567e200,
            "whole": whole * 1234567 + 9007199254740993,
            "of one value": torch.full((3,), 1 / 3, dtype=torch.float64, device=a.device) * double,
            "padded": functional.pad(a, (0, 1), value=0.987654321),
            "filled": a.masked_fill(a > 0, -7.654321e-5),
            "bounded": a.clamp(-0.123456789, 0.123456789),
        }

    parts = tensor(3), tensor(3, dtype=torch.float64), tensor(3, dtype=torch.int64)
    check(program, *parts).computed()


@clause("numbers.vectors")
def test_more_functions_of_long_rows(check: Check) -> None:
    """Inverses, hyperbolic and special functions are the same in every place of a register and after it."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        part, above = a / 20, a.abs() + 0.25
        return {
            "inverses": torch.stack([part.asin(), part.acos(), a.asinh(), (above + 1).acosh(), part.atanh()]),
            "hyperbolic": torch.stack([a.sinh(), a.cosh(), part.tan(), part.tanh(), a.sin()]),
            "gamma": torch.stack([above.lgamma(), above.digamma(), torch.polygamma(1, above)]),
            "errors": torch.stack([a.erfc(), part.erfinv(), torch.special.erfcx(part), torch.special.ndtr(a)]),
            "bessel": torch.stack([torch.i0(part), torch.special.i0e(a), torch.special.i1(part), torch.special.i1e(a)]),
            "logarithms": torch.stack([above.log10(), above.log1p(), torch.logaddexp(a, part), torch.xlogy(a, above)]),
            "two": torch.stack([torch.hypot(a, part), torch.nextafter(a, part), torch.ldexp(a, part.round())]),
            "parts": torch.stack([*torch.frexp(a), a.frac(), torch.heaviside(a, part)]),
            "gated": torch.stack([functional.softplus(a), functional.mish(a), functional.logsigmoid(a), a.sinc()]),
        }

    check(program, tensor(37, values=[0.75 * number - 13.5 for number in range(37)])).computed()


def _functions(a: torch.Tensor, b: torch.Tensor) -> dict[str, list[torch.Tensor]]:
    """Functions that a compiler has two texts of, one for a register and one for a number, in their groups."""
    tiny = a.clamp(-1e-6, 1e-6)
    return {
        "roots": [a.sqrt(), a.rsqrt(), a.reciprocal(), a.square(), a.relu()],
        "logarithms": [a.log(), a.log1p(), a.log2(), a.log10(), a.exp(), a.exp2(), a.sigmoid()],
        "roundings": [a.round(), a.floor(), a.ceil(), a.trunc(), a.sign(), a.abs(), -a],
        "angles": [a.sin(), a.cos(), a.tan(), a.asin(), a.acos(), a.atan(), torch.atan2(a, b)],
        "hyperbolic": [a.sinh(), a.cosh(), a.tanh(), a.asinh(), a.masked_fill(a.abs() < 0.1, 0.5).atanh()],
        "errors": [a.erfc(), a.erfinv(), a.lgamma()],
        "kinds": [a.isinf(), a.isnan(), a.signbit(), a.logical_not()],
        "orders": [a < b, a <= b, a > b, a >= b, a == b, a != b, torch.maximum(a, b), torch.minimum(a, b)],
        "two": [torch.copysign(a, b), torch.nextafter(a, b), torch.fmod(a, b), torch.hypot(a, b), torch.pow(a, b)],
        "powers of two": [torch.ldexp(a, b)],
        "tiny": [tiny.log1p() * 1e6, tiny.sin() * 1e6, tiny.tanh() * 1e6, tiny.asinh() * 1e6],
        "far": [a.clamp(min=5).erfc() * 1e12],
    }


@clause("numbers.vectors", "numbers.special-values", devices="cpu")
def test_functions_of_registers_at_their_limits(check: Check) -> None:
    """A function of a register is the function of each of its numbers, where it is none, infinite, nought or tiny."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {name: torch.stack(found) for name, found in _functions(a, b).items()}

    check(program, tensor(len(LIMITS), values=LIMITS), tensor(len(BESIDE), values=BESIDE)).computed()


@clause("numbers.vectors", "numbers.special-values", devices="cpu")
def test_functions_beside_numbers_without_registers(check: Check) -> None:
    """Beside int16, which Inductor puts in no register, each number is computed alone, and is the same."""

    def program(a: torch.Tensor, b: torch.Tensor, ones: torch.Tensor, least: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {name: torch.stack([row * ones for row in rows]) for name, rows in _functions(a, b).items()}
        tiny = a.clamp(-1e-6, 1e-6)
        written = tiny.expm1() * 1e6, tiny.erf() * 1e6, tiny.atanh() * 1e6
        exact = [row * ones for row in written]
        wrapped = [(-least).long(), (least + least).long(), (least * 3).long(), (least - 1).long()]
        by = least.new_tensor([33, 3, -1])
        shifted = torch.stack([least << by, least >> by, ~least ^ by])
        found["remainders"] = torch.remainder(a, b) * ones
        mantissa, exponent = torch.frexp(a.nan_to_num(-1.5, 1e20, -1e20))
        found["parts"] = torch.stack([mantissa * ones, exponent.float() * ones])
        return {**found, "exact": torch.stack(exact), "wrapped": torch.stack(wrapped), "shifted": shifted}

    numbers = tensor(len(LIMITS), values=LIMITS), tensor(len(BESIDE), values=BESIDE)
    ones = tensor(len(LIMITS), dtype=torch.int16, values=[1] * len(LIMITS))
    check(program, *numbers, ones, tensor(3, dtype=torch.int16, values=[-32768, -20000, 32767])).computed()


@clause("numbers.vectors", "numbers.special-values", devices="cpu")
def test_inverse_of_a_large_hyperbolic_cosine(check: Check) -> None:
    """The square of a large number is infinite, and its inverse hyperbolic cosine is not."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.acosh()

    check(program, tensor(17, values=[1e30, *(0.5 * number + 1 for number in range(15)), 2e25])).computed()


@clause("numbers.vectors", "numbers.special-values")
def test_signs_taken_of_minus_nought(check: Check) -> None:
    """The sign of minus nought is less than nought, for whatever takes it, in three elements as in many."""

    def program(few: torch.Tensor, signs: torch.Tensor, many: torch.Tensor, more: torch.Tensor) -> list[torch.Tensor]:
        pairs = (few, signs), (many, more), (few.double(), signs.double()), (few.half(), signs.half())
        return [part for a, b in pairs for part in (torch.copysign(a, b), 1 / torch.copysign(a * 0, b), b.signbit())]

    few, signs = [0.0, 2.0, -3.0], [-0.0, -0.0, 0.0]
    rows = tensor(3, values=few), tensor(3, values=signs)
    check(program, *rows, tensor(39, values=few * 13), tensor(39, values=signs * 13)).computed()


@clause("numbers.vectors")
def test_bits_that_are_padded(check: Check) -> None:
    """The bits of fractions, padded and added to as whole numbers, are those that eager reads."""

    def program(a: torch.Tensor, wide: torch.Tensor) -> tuple[torch.Tensor, ...]:
        bits = a.view(torch.int32)
        return (
            functional.pad(bits, (2, 3)) + 1,
            functional.pad(bits[:5], (1, 0), value=7) * 2,
            functional.pad(wide.view(torch.int64), (3, 1)) - 1,
            functional.pad(a.half().view(torch.int16), (0, 4)) + 1,
        )

    check(program, tensor(64), tensor(20, dtype=torch.float64)).computed()


#: Noughts of either sign, three and many.
NOUGHTS = tensor(3, values=[-0.0, 0.0, -0.0]), tensor(39, values=[-0.0, 0.0, -0.0] * 13)


@clause("numbers.vectors", "numbers.special-values")
def test_odd_functions_of_minus_nought(check: Check) -> None:
    """A function that is odd is minus nought of minus nought, in three elements as in many."""

    def program(few: torch.Tensor, many: torch.Tensor) -> list[torch.Tensor]:
        return [torch.stack([1 / found for found in _odd(a)]) for a in (few, many)]

    check(program, *NOUGHTS).computed()


@clause("numbers.vectors", "numbers.special-values")
def test_inverse_hyperbolic_tangent_of_minus_nought(check: Check) -> None:
    """The inverse of the hyperbolic tangent of minus nought is minus nought, in rows of any length."""

    def program(few: torch.Tensor, many: torch.Tensor) -> list[torch.Tensor]:
        return [1 / few.atanh(), 1 / many.atanh(), 1 / many.double().atanh()]

    check(program, *NOUGHTS).computed()


@clause("numbers.vectors", "numbers.special-values")
def test_exponential_less_one_of_minus_nought(check: Check) -> None:
    """The exponential of minus nought, less one, is minus nought, in rows of any length."""

    def program(few: torch.Tensor, many: torch.Tensor) -> list[torch.Tensor]:
        return [1 / few.expm1(), 1 / many.expm1(), 1 / many.double().expm1()]

    check(program, *NOUGHTS).computed()


def _odd(a: torch.Tensor) -> list[torch.Tensor]:
    half_way = [a.round(), a.trunc(), a.floor(), (a - 0.25).ceil() * a, a.sign()]
    angles = [a.sin(), a.tan(), a.asin(), a.atan(), torch.atan2(a, a + 1)]
    hyperbolic = [a.sinh(), a.tanh(), a.asinh()]
    others = [a.sqrt(), a.log1p(), a.erf(), a.erfinv(), a.deg2rad(), torch.fmod(a, 3.0), a / 7, a * 0.5]
    units = [torch.nn.functional.softsign(a), torch.nn.functional.tanhshrink(a), torch.nn.functional.hardtanh(a)]
    return [*half_way, *angles, *hyperbolic, *others, *units]


@clause("numbers.vectors", "numbers.special-values")
def test_functions_of_a_number_alone(check: Check) -> None:
    """Numbers without dimensions, of which no register is made, have what rows of them have: NaN, signs and parts."""

    def program(a: torch.Tensor, b: torch.Tensor, nan: torch.Tensor, minus: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = {}
        for dtype in (torch.float32, torch.float64, torch.bfloat16):
            x, y, none, nought = (number.to(dtype) for number in (a, b, nan, minus))
            pairs = (x, y), (y, x), (x, none), (none, x), (none, none), (nought, -nought)
            found[f"two {dtype}"] = [
                (torch.minimum(p, q), torch.maximum(p, q), torch.fmin(p, q), torch.fmax(p, q), p < q, p != q)
                for p, q in pairs
            ]
            found[f"bounded {dtype}"] = [none.clamp(-1, 1), none.clamp(max=y), x.clamp(min=none), none.relu(), x.relu()]
            found[f"signs {dtype}"] = [x.sign(), y.sign(), nought.sign(), none.sign(), x.sgn(), 1 / nought.abs()]
            found[f"inverses {dtype}"] = [(y / 8).atanh(), y.asinh(), (y.abs() + 1).acosh(), (x / 8).asin()]
        parts = [torch.frexp(number) for number in (a, b, a / 1024, b.double() * 4096, minus)]
        found["parts"] = [(mantissa * 2, exponent + 1) for mantissa, exponent in parts]
        return found

    numbers = (tensor(values=[number]) for number in (-2.65, 5.3, NAN, -0.0))
    result = check(program, *numbers).computed()
    result.happened(result.value("out['parts'][1][1]").item() == 4, "the exponent of a number alone")


@clause("numbers.vectors", "numbers.integers")
def test_shifts_of_a_number_alone(check: Check) -> None:
    """A whole number without dimensions, shifted by its width or more, leaves nothing, or the sign, in each width."""

    def program(*numbers: torch.Tensor) -> list[torch.Tensor]:
        found = []
        for a, by in zip(numbers[::2], numbers[1::2], strict=True):
            found += [a >> by, -a >> by, a << by, ~a >> by - 1, a >> by // 40, -a << by // 40, (a + 1) >> -by]
        return found

    given = []
    for dtype in (torch.int32, torch.int64):
        given += [tensor(dtype=dtype, values=[-5]), tensor(dtype=dtype, values=[70])]
    result = check(program, *given)
    result.happened(result.value("out[0]").item() == -1, "the sign left").computed()


@clause("numbers.vectors", "numbers.special-values")
def test_functions_of_the_least_numbers(check: Check) -> None:
    """Numbers that have fewer digits, next to nought, are no noughts, in a register and after the last one."""

    def program(a: torch.Tensor, wide: torch.Tensor, half: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, x, far in (("single", a, 2.0**120), ("double", wide, 2.0**1000), ("half", half, 2.0**12)):
            mantissa, exponent = torch.frexp(x.float() if name == "half" else x)
            found[name] = [
                (mantissa, exponent),
                (x.sign(), x.signbit(), x == 0, x.logical_not(), x.bool(), x > 0, x.abs() * far),
                (x.trunc(), x.ceil(), x.floor(), -x * far, x * far, x / 2 * far, x.clamp(min=0) * far),
                (torch.maximum(x, -x) * far, torch.where(x > 0, x, -x) * far, x.relu() * far, x.amax() * far),
                (torch.copysign(torch.ones_like(x), x), x.isfinite(), x.to(torch.float64) * 2.0**500),
            ]
        return found

    least = [1e-45, -1e-45, 3e-42, -1e-40, 1.1e-38, 0.0, -0.0, 2e-38, -3e-39, 1e-41, 7e-45]
    rows = tensor(37, grad=False, values=(least * 4)[:37])
    wide = tensor(19, dtype=torch.float64, grad=False, values=[number * 1e-270 for number in least + least[:8]])
    half = tensor(35, dtype=torch.float16, grad=False, values=([6e-8, -6e-8, 3e-5, 0.0, -1e-6, 7e-5, -0.0] * 5))
    check(program, rows, wide, half).computed()
