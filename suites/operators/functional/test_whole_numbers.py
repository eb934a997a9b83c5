"""Whole numbers and booleans where floating point is usual: what keeps their dtype, what leaves it, and their bits."""

import torch

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.options")
def test_functions_of_whole_numbers(check: Check) -> None:
    """Roundings, signs and bounds leave whole numbers what they are; other functions make single precision of them."""

    def program(a: torch.Tensor, small: torch.Tensor, true: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "floor": a.floor() + a.ceil() + a.trunc() + a.round(),
            "sign": a.sign(),
            "rectified": a.relu(),
            "negative": torch.signbit(a),
            "square": a.square(),
            "numbers": torch.nan_to_num(a),
            "sign of bytes": small.sign() + small.abs(),
            "root": small.sqrt(),
            "sigmoid": a.sigmoid(),
            "exponential": true.exp(),
            "reciprocal": a.reciprocal(),
            "angle": a.angle(),
            "mean": a.mean(dtype=torch.float64),
            "softmax": a.softmax(0, dtype=torch.float32),
            "finite": torch.isfinite(a) & ~torch.isinf(a) & ~torch.isnan(a),
        }

    whole = tensor(5, dtype=torch.int32, values=[-25, -1, 3, 7, 14])
    small = tensor(4, dtype=torch.uint8, values=[0, 1, 200, 255])
    check(program, whole, small, tensor(2, dtype=torch.bool, values=[True, False])).values().expect("""\
out['floor'] = int32[5] [-100, -4, 12, 28, 56]
out['sign'] = int32[5] [-1, -1, 1, 1, 1]
out['rectified'] = int32[5] [0, 0, 3, 7, 14]
out['negative'] = bool[5] [True, True, False, False, False]
out['square'] = int32[5] [625, 1, 9, 49, 196]
out['numbers'] = int32[5] [-25, -1, 3, 7, 14]
out['sign of bytes'] = uint8[4] [0, 2, 201, 0]
out['root'] = float32[4] [0, 1, 14.14, 15.97]
out['sigmoid'] = float32[5] [1.389e-11, 0.2689, 0.9526, 0.9991, 1]
out['exponential'] = float32[2] [2.718, 1]
out['reciprocal'] = float32[5] [-0.04, -1, 0.3333, 0.1429, 0.07143]
out['angle'] = float32[5] [3.142, 3.142, 0, 0, 0]
out['mean'] = float64[] -0.4
out['softmax'] = float32[5] [1.154e-17, 3.056e-07, 1.669e-05, 0.000911, 0.9991]
out['finite'] = bool[5] [True, True, True, True, True]
""")


@clause("numbers.options")
def test_quotients_and_powers_of_whole_numbers(check: Check) -> None:
    """By numbers of either sign, from either side: floored, truncated, as fractions, and what remains."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "floored": a // -4,
            "truncated": torch.div(a, -4, rounding_mode="trunc"),
            "fraction": a / -4,
            "fraction of tensors": torch.true_divide(a, b),
            "by a fraction": a // -1.5,
            "truncated by a fraction": torch.div(a, 1.5, rounding_mode="trunc"),
            "remains": a % -4,
            "remains of a fraction": a % 2.5,
            "remains with its own sign": torch.fmod(a, -4),
            "of a number": 17 // b,
            "remains of a number": torch.remainder(-17, b),
            "divisor": torch.gcd(a, b),
            "multiple": torch.lcm(a, b),
            "power": b**3,
            "power of two": torch.pow(2, b.abs()),
            "root": (a * a) ** 0.5,
            "double power": torch.float_power(a, -1),
            "scaled sum": torch.add(a, b, alpha=-3),
            "product added": torch.addcmul(a, b, b, value=-2),
            "subtracted from": 5 - a,
        }

    first = tensor(6, dtype=torch.int64, values=[-9, -8, -1, 7, 8, 30])
    check(program, first, tensor(6, dtype=torch.int64, values=[2, -3, 5, -6, 12, 4])).values().expect("""\
out['floored'] = int64[6] [2, 2, 0, -2, -2, -8]
out['truncated'] = int64[6] [2, 2, 0, -1, -2, -7]
out['fraction'] = float32[6] [2.25, 2, 0.25, -1.75, -2, -7.5]
out['fraction of tensors'] = float32[6] [-4.5, 2.667, -0.2, -1.167, 0.6667, 7.5]
out['by a fraction'] = float32[6] [6, 5, 0, -5, -6, -20]
out['truncated by a fraction'] = float32[6] [-6, -5, -0, 4, 5, 20]
out['remains'] = int64[6] [-1, 0, -1, -1, 0, -2]
out['remains of a fraction'] = float32[6] [1, 2, 1.5, 2, 0.5, 0]
out['remains with its own sign'] = int64[6] [-1, 0, -1, 3, 0, 2]
out['of a number'] = int64[6] [8, -6, 3, -3, 1, 4]
out['remains of a number'] = int64[6] [1, -2, 3, -5, 7, 3]
out['divisor'] = int64[6] [1, 1, 1, 1, 4, 2]
out['multiple'] = int64[6] [18, 24, 5, 42, 24, 60]
out['power'] = int64[6] [8, -27, 125, -216, 1728, 64]
out['power of two'] = int64[6] [4, 8, 32, 64, 4096, 16]
out['root'] = float32[6] [9, 8, 1, 7, 8, 30]
out['double power'] = float64[6] [-0.1111, -0.125, -1, 0.1429, 0.125, 0.03333]
out['scaled sum'] = int64[6] [-15, 1, -16, 25, -28, 18]
out['product added'] = int64[6] [-17, -26, -51, -65, -280, -2]
out['subtracted from'] = int64[6] [14, 13, 6, -2, -3, -25]
""")


@clause("numbers.options")
def test_bits_and_truths(check: Check) -> None:
    """Every number but nought is true, NaN too; bits are those of the width, and shifts keep the sign."""

    def program(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor, true: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "and": torch.logical_and(x, a),
            "or": torch.logical_or(x, true),
            "either": torch.logical_xor(x, a),
            "not": torch.logical_not(x),
            "bits and": a & b,
            "bits or": a | 6,
            "bits either": a ^ b,
            "left": a << 3,
            "right": a >> 2,
            "left by each": torch.bitwise_left_shift(a, b.abs()),
            "right by each": torch.bitwise_right_shift(a, b.abs()),
            "of booleans": (true & ~true) | (true ^ True),
            "sum of booleans": true + 2,
            "product of booleans": true * x,
            "compared": true > 0.5,
            "largest boolean": true.max() & torch.maximum(true, ~true),
        }

    first = tensor(5, dtype=torch.int16, values=[-300, -1, 0, 5, 1000])
    second = tensor(5, dtype=torch.int16, values=[3, -2, 7, 1, 5])
    true = tensor(5, dtype=torch.bool, values=[True, False, False, True, True])
    check(program, first, second, tensor(5, values=[NAN, 0.0, -0.0, INF, 0.25]), true).values().expect("""\
out['and'] = bool[5] [True, False, False, True, True]
out['or'] = bool[5] [True, False, False, True, True]
out['either'] = bool[5] [False, True, False, False, False]
out['not'] = bool[5] [False, True, True, False, False]
out['bits and'] = int16[5] [0, -2, 0, 1, 0]
out['bits or'] = int16[5] [-298, -1, 6, 7, 1006]
out['bits either'] = int16[5] [-297, 1, 7, 4, 1005]
out['left'] = int16[5] [-2400, -8, 0, 40, 8000]
out['right'] = int16[5] [-75, -1, 0, 1, 250]
out['left by each'] = int16[5] [-2400, -4, 0, 10, 32000]
out['right by each'] = int16[5] [-38, -1, 0, 2, 31]
out['of booleans'] = bool[5] [False, True, True, False, False]
out['sum of booleans'] = int64[5] [3, 2, 2, 3, 3]
out['product of booleans'] = float32[5] [nan, 0, -0, inf, 0.25]
out['compared'] = bool[5] [True, False, False, True, True]
out['largest boolean'] = bool[5] [True, True, True, True, True]
""")


@clause("numbers.options", "numbers.integers")
def test_multiples_of_narrow_numbers(check: Check) -> None:
    """Common multiples and divisors of bytes and of 16 bits have their dtype, and what does not fit wraps round."""

    def program(*pairs: torch.Tensor) -> list[torch.Tensor]:
        rows = list(zip(pairs[::2], pairs[1::2], strict=True))
        return [torch.lcm(a, b) for a, b in rows] + [torch.gcd(a, b) for a, b in rows]

    bytes_ = tensor(3, dtype=torch.uint8, values=[6, 10, 0]), tensor(3, dtype=torch.uint8, values=[4, 15, 5])
    small = tensor(3, dtype=torch.int8, values=[-6, 10, 7]), tensor(3, dtype=torch.int8, values=[4, -15, 0])
    short = tensor(2, dtype=torch.int16, values=[20000, 6]), tensor(2, dtype=torch.int16, values=[30000, -4])
    wide = tensor(2, dtype=torch.int8, values=[100, 4]), tensor(2, dtype=torch.int8, values=[8, 6])
    unlike = tensor(2, dtype=torch.uint8, values=[200, 6]), tensor(2, dtype=torch.int8, values=[-120, 4])
    check(program, *bytes_, *small, *short, *wide, *unlike).values().expect("""\
out[0] = uint8[3] [12, 30, 0]
out[1] = int8[3] [12, 30, 0]
out[2] = int16[2] [-5536, 12]
out[3] = int8[2] [-56, 12]
out[4] = int16[2] [600, 12]
out[5] = uint8[3] [2, 5, 5]
out[6] = int8[3] [2, 5, 7]
out[7] = int16[2] [10000, 2]
out[8] = int8[2] [4, 2]
out[9] = int16[2] [40, 2]
""")


@clause("numbers.options")
def test_reductions_of_whole_numbers(check: Check) -> None:
    """Sums and products are wide, unless told; extremes keep the dtype."""

    def program(a: torch.Tensor, true: torch.Tensor) -> dict[str, object]:
        return {
            "sum": a.sum(1),
            "product": a.prod(0),
            "running sum": a.cumsum(-1),
            "running product": a.cumprod(0),
            "narrow sum": a.sum(dtype=torch.int8),
            "count": true.sum(0),
            "all are": true.all(),
            "product of booleans": true.prod(1),
            "running count": true.cumsum(1),
            "running product of booleans": true.cumprod(1),
            "of all": [a.sum(), a.prod(), true.sum(), true.prod()],
            "least": a.amin((0, 1)),
            "extremes": torch.aminmax(a, dim=0),
            "largest boolean": true.amax(1),
            "least boolean": true.amin(0, keepdim=True),
        }

    whole = tensor(2, 3, dtype=torch.int32, values=[[70000, 70000, -3], [50, 2, 100000]])
    true = tensor(2, 3, dtype=torch.bool, values=[[True, True, False], [True, True, True]])
    check(program, whole, true).values().expect("""\
out['sum'] = int64[2] [139997, 100052]
out['product'] = int64[3] [3500000, 140000, -300000]
out['running sum'] = int64[2, 3] [[70000, 140000, 139997], [50, 52, 100052]]
out['running product'] = int64[2, 3] [[70000, 70000, -3], [3500000, 140000, -300000]]
out['narrow sum'] = int8[] -79
out['count'] = int64[3] [2, 2, 1]
out['all are'] = bool[] False
out['product of booleans'] = int64[2] [0, 1]
out['running count'] = int64[2, 3] [[1, 2, 2], [1, 2, 3]]
out['running product of booleans'] = int64[2, 3] [[1, 1, 0], [1, 1, 1]]
out['of all'][0] = int64[] 240049
out['of all'][1] = int64[] -147000000000000000
out['of all'][2] = int64[] 5
out['of all'][3] = int64[] 0
out['least'] = int32[] -3
out['extremes'][0] = int32[3] [50, 2, -3]
out['extremes'][1] = int32[3] [70000, 70000, 100000]
out['largest boolean'] = bool[2] [True, True]
out['least boolean'] = bool[1, 3] [[True, True, False]]
""")


@clause("numbers.options")
def test_powers_of_whole_numbers(check: Check) -> None:
    """Exponents that are numbers, small or large, of each width, and exponents that are tensors."""

    def program(a: torch.Tensor, small: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "none": a**0,
            "one": a**1,
            "five": a**5,
            "six": a**6,
            "forty": (a % 3) ** 40,
            "small": small**7,
            "by tensors": a**b,
            "of three": 3**b,
            "of one": torch.pow(1, b),
            "of two": 2.0**x,
            "fractions": x**-3,
            "fractions seven": x**7.0,
            "fractions far": (x / 4) ** 33,
            "fractions farther": (x / 4) ** -33,
            "fractions between": x.abs() ** -0.5,
            "fractions by tensors": x**b,
            "by a fraction": a.abs() ** 1.5,
        }

    whole = tensor(5, dtype=torch.int64, values=[-3, -1, 0, 2, 5])
    small = tensor(5, dtype=torch.int8, values=[-3, -1, 0, 2, 5])
    exponents = tensor(5, dtype=torch.int64, values=[3, 0, 2, 1, 4])
    check(program, whole, small, exponents, tensor(5, values=[-3.0, -0.5, 1.25, 2.0, 5.0])).values().expect("""\
out['none'] = int64[5] [1, 1, 1, 1, 1]
out['one'] = int64[5] [-3, -1, 0, 2, 5]
out['five'] = int64[5] [-243, -1, 0, 32, 3125]
out['six'] = int64[5] [729, 1, 0, 64, 15625]
out['forty'] = int64[5] [0, 1099511627776, 0, 1099511627776, 1099511627776]
out['small'] = int8[5] [117, -1, 0, -128, 45]
out['by tensors'] = int64[5] [-27, 1, 0, 2, 625]
out['of three'] = int64[5] [27, 1, 9, 3, 81]
out['of one'] = int64[5] [1, 1, 1, 1, 1]
out['of two'] = float32[5] [0.125, 0.7071, 2.378, 4, 32]
out['fractions'] = float32[5] [-0.03704, -8, 0.512, 0.125, 0.008]
out['fractions seven'] = float32[5] [-2187, -0.007812, 4.768, 128, 7.812e+04]
out['fractions far'] = float32[5] [-7.534e-05, -1.578e-30, 2.138e-17, 1.164e-10, 1578]
out['fractions farther'] = float32[5] [-1.327e+04, -6.338e+29, 4.677e+16, 8.59e+09, 0.0006338]
out['fractions between'] = float32[5] [0.5774, 1.414, 0.8944, 0.7071, 0.4472]
out['fractions by tensors'] = float32[5] [-27, 1, 1.562, 2, 625]
out['by a fraction'] = float32[5] [5.196, 1, 0, 2.828, 11.18]
""")


@clause("numbers.options")
def test_quotients_of_each_width(check: Check) -> None:
    """Quotients and what remains of bytes, of narrow numbers and of booleans, by numbers, tensors and fractions."""

    def program(a: torch.Tensor, b: torch.Tensor, true: torch.Tensor, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "bytes": a // 7,
            "bytes that remain": a % 7 + torch.fmod(a, 5),
            "by a fraction": a / 2,
            "truncated": torch.div(b, -3, rounding_mode="trunc"),
            "floored": torch.div(b, -3, rounding_mode="floor"),
            "floored by tensors": torch.div(b, b.flip(0), rounding_mode="floor"),
            "mixed": torch.div(b, x, rounding_mode="floor"),
            "mixed and truncated": torch.div(a, x, rounding_mode="trunc"),
            "remains": torch.remainder(b, b.flip(0)),
            "remains with its sign": torch.fmod(b, b.flip(0)),
            "remains of a fraction": torch.fmod(b, 2.5) + torch.remainder(b, -2.5),
            "of booleans": true / 2 + true // 2,
            "booleans by booleans": true / (true | True),
            "of a number": 7 / b,
            "inverse": b.reciprocal(),
            "fractions": torch.div(x, 0.3, rounding_mode="floor") + torch.div(x, -0.3, rounding_mode="trunc"),
            "by nought": x / 0 + torch.fmod(x, 0.0).isnan(),
        }

    bytes_ = tensor(5, dtype=torch.uint8, values=[0, 6, 13, 200, 255])
    narrow = tensor(5, dtype=torch.int16, values=[-300, -7, 5, 8, 1000])
    true = tensor(5, dtype=torch.bool, values=[True, False, True, True, False])
    check(program, bytes_, narrow, true, tensor(5, values=[-2.5, -0.75, 0.5, 1.5, 3.0])).values().expect("""\
out['bytes'] = uint8[5] [0, 0, 1, 28, 36]
out['bytes that remain'] = uint8[5] [0, 7, 9, 4, 3]
out['by a fraction'] = float32[5] [0, 3, 6.5, 100, 127.5]
out['truncated'] = int16[5] [100, 2, -1, -2, -333]
out['floored'] = int16[5] [100, 2, -2, -3, -334]
out['floored by tensors'] = int16[5] [-1, -1, 1, -2, -4]
out['mixed'] = float32[5] [120, 9, 10, 5, 333]
out['mixed and truncated'] = float32[5] [-0, -8, 26, 133, 85]
out['remains'] = int16[5] [700, 1, 0, -6, -200]
out['remains with its sign'] = int16[5] [-300, -7, 0, 1, 100]
out['remains of a fraction'] = float32[5] [-0, -4, 0, -1.5, 0]
out['of booleans'] = float32[5] [0.5, 0, 0.5, 0.5, 0]
out['booleans by booleans'] = float32[5] [1, 0, 1, 1, 0]
out['of a number'] = float32[5] [-0.02333, -1, 1.4, 0.875, 0.007]
out['inverse'] = float32[5] [-0.003333, -0.1429, 0.2, 0.125, 0.001]
out['fractions'] = float32[5] [-1, -1, 0, -1, -1]
out['by nought'] = float32[5] [-inf, -inf, inf, inf, inf]
""")


@clause("numbers.options")
def test_choice_by_bytes(check: Check) -> None:
    """A condition of bytes, which `where` still takes though it is deprecated, is true where it is not nought."""

    def program(condition: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        return torch.where(condition, a, -a)

    condition = tensor(4, dtype=torch.uint8, values=[0, 1, 2, 255])
    check(program, condition, tensor(4, values=[1.5, 2.5, 3.5, 4.5])).computed()


@clause("numbers.options")
def test_choice_by_truths_of_bytes(check: Check) -> None:
    """Bytes that are compared with nought, or converted to truths, choose where they are not nought."""

    def program(condition: torch.Tensor, a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "compared": torch.where(condition != 0, a, -a),
            "converted": torch.where(condition.bool(), a, -a),
            "method": a.where(condition.to(torch.bool), a.new_zeros(4)),
            "filled": a.masked_fill(condition > 1, 9.0),
        }

    condition = tensor(4, dtype=torch.uint8, values=[0, 1, 2, 255])
    check(program, condition, tensor(4, values=[1.5, 2.5, 3.5, 4.5])).values().expect("""\
out['compared'] = float32[4] [-1.5, 2.5, 3.5, 4.5]
out['converted'] = float32[4] [-1.5, 2.5, 3.5, 4.5]
out['method'] = float32[4] [0, 2.5, 3.5, 4.5]
out['filled'] = float32[4] [1.5, 2.5, 9, 9]
""")


@clause("numbers.options")
def test_signs_of_unsigned_numbers(check: Check) -> None:
    """Bytes and truths have no sign bit; their signs, sizes and roundings are what they are, in their own dtype."""

    def program(bytes_: torch.Tensor, truth: torch.Tensor) -> dict[str, torch.Tensor]:
        found: dict[str, torch.Tensor] = {}
        for name, a in {"bytes": bytes_, "truths": truth}.items():
            found |= {f"{name}, negative": torch.signbit(a), f"{name}, signs": torch.sign(a)}
        return found | {"sizes": bytes_.abs(), "rounded": bytes_.round(), "less": -bytes_, "cut": bytes_.trunc()}

    bytes_ = tensor(4, dtype=torch.uint8, values=[0, 1, 127, 200])
    check(program, bytes_, tensor(2, dtype=torch.bool, values=[True, False])).values().expect("""\
out['bytes, negative'] = bool[4] [False, False, False, False]
out['bytes, signs'] = uint8[4] [0, 1, 1, 1]
out['truths, negative'] = bool[2] [False, False]
out['truths, signs'] = bool[2] [True, False]
out['sizes'] = uint8[4] [0, 1, 127, 200]
out['rounded'] = uint8[4] [0, 1, 127, 200]
out['less'] = uint8[4] [0, 255, 129, 56]
out['cut'] = uint8[4] [0, 1, 127, 200]
""")


@clause("numbers.options", "numbers.integers")
def test_signs_of_numbers_of_each_width(check: Check) -> None:
    """Whole numbers of each width have a sign bit below nought alone; the least of a width is its own opposite."""

    def program(*given: torch.Tensor) -> dict[str, torch.Tensor]:
        found: dict[str, torch.Tensor] = {}
        for a in given:
            width = a.element_size()
            found[f"negative, {width}"] = torch.signbit(a)
            found[f"signs, {width}"] = torch.stack([a.sign(), a.sgn(), a.relu(), a.abs(), -a])
            found[f"copied, {width}"] = torch.copysign(a, -a.flip(0))
        return found

    dtypes = torch.int8, torch.int16, torch.int32, torch.int64
    rows = [tensor(5, dtype=dtype, values=[-3, 0, 5, torch.iinfo(dtype).min, 100]) for dtype in dtypes]
    check(program, *rows).values().expect("""\
out['negative, 1'] = bool[5] [True, False, False, True, False]
out['signs, 1'] = int8[5, 5] [[-1, 0, 1, -1, 1], [-1, 0, 1, -1, 1], [0, 0, 5, 0, 100], [3, 0, 5, -128, 100], [3, 0,
    -5, -128, -100]]
out['copied, 1'] = float32[5] [-3, -0, -5, 128, 100]
out['negative, 2'] = bool[5] [True, False, False, True, False]
out['signs, 2'] = int16[5, 5] [[-1, 0, 1, -1, 1], [-1, 0, 1, -1, 1], [0, 0, 5, 0, 100], [3, 0, 5, -32768, 100], [3,
    0, -5, -32768, -100]]
out['copied, 2'] = float32[5] [-3, -0, -5, 3.277e+04, 100]
out['negative, 4'] = bool[5] [True, False, False, True, False]
out['signs, 4'] = int32[5, 5] [[-1, 0, 1, -1, 1], [-1, 0, 1, -1, 1], [0, 0, 5, 0, 100], [3, 0, 5, -2147483648, 100],
    [3, 0, -5, -2147483648, -100]]
out['copied, 4'] = float32[5] [-3, -0, -5, 2.147e+09, 100]
out['negative, 8'] = bool[5] [True, False, False, True, False]
out['signs, 8'] = int64[5, 5] [[-1, 0, 1, -1, 1], [-1, 0, 1, -1, 1], [0, 0, 5, 0, 100], [3, 0, 5,
    -9223372036854775808, 100], [3, 0, -5, -9223372036854775808, -100]]
out['copied, 8'] = float32[5] [-3, -0, -5, 9.223e+18, 100]
""")


@clause("numbers.integers")
def test_signs_of_whole_numbers(check: Check) -> None:
    """Whole numbers of any width and truths have signs, bytes none below nought, in a register and after it."""

    def program(a: torch.Tensor, truths: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        found = {}
        for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
            b = a.to(dtype)
            found[f"{dtype}"] = [b.signbit(), b.sign(), b.sgn(), b.abs(), -b, b.isfinite(), b.isnan(), b.logical_not()]
        found["truths"] = [truths.signbit(), truths.sign(), truths.sgn(), truths.isinf(), ~truths]
        return found

    least = [0, 1, -1, 127, -127, 200, -128]
    truths = tensor(35, dtype=torch.bool, values=[number % 3 == 1 for number in range(35)])
    check(program, tensor(35, dtype=torch.int64, values=least * 5), truths).computed()
