"""Elementwise operators with factors, bounds and roundings, and their slopes where two pieces meet."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.options", modes="train")
def test_products_and_quotients_that_are_added(check: Check) -> None:
    """The factor of what is added counts, of a broadcast operand, in low precision and of integers too."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "product": torch.addcmul(a, b, c, value=-0.75),
            "broadcast product": torch.addcmul(a[0], b, c, value=3),
            "quotient": torch.addcdiv(a, b, c + 3, value=0.5),
            "low product": torch.addcmul(low, low, low, value=0.3),
            "low quotient": torch.addcdiv(low, low, low + 4, value=0.3),
            "sum": torch.add(a, b, alpha=-2),
            "difference": torch.sub(a, c, alpha=0.5),
            "reversed": torch.rsub(a, b, alpha=3),
        }

    check(program, tensor(2, 3), tensor(2, 3), tensor(3), tensor(3, dtype=torch.bfloat16)).values().expect("""\
out['product'] = float32[2, 3] [[-2.066, -2.234, -0.6477], [-5.238, -0.3827, 0.9641]]
out['broadcast product'] = float32[2, 3] [[11.7, -4.215, 1.396], [16.11, -2.924, -0.03458]]
out['quotient'] = float32[2, 3] [[-0.4688, -2.443, -0.4637], [-3, -0.4215, 0.9871]]
out['low product'] = bfloat16[3] [-0.3633, -0.7383, -0.5234]
out['low quotient'] = bfloat16[3] [-0.4512, -2.609, -0.707]
out['sum'] = float32[2, 3] [[3.86, -4.432, 2.025], [3.063, -0.7899, 1.298]]
out['difference'] = float32[2, 3] [[1.843, -2.337, 0.001691], [-0.2253, -0.1629, 1.256]]
out['reversed'] = float32[2, 3] [[-3.646, 8.791, -0.415], [1.924, 1.535, -3.187]]
""")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_what_is_added_nought_times(check: Check) -> None:
    """A factor of nought leaves numbers out, but not those that nought times them is none: infinities and NaN."""

    def program(a: torch.Tensor, b: torch.Tensor, whole: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        written = a * 2
        written.sub_(b, alpha=0)
        place = torch.tensor([1, 0, 1, 3], device=a.device)
        return {
            "sum": torch.add(a, b, alpha=0),
            "difference": torch.sub(a, b, alpha=0),
            "reversed": torch.rsub(a, b, alpha=0),
            "product": torch.addcmul(a, b, b, value=0),
            "quotient": torch.addcdiv(a, b, b, value=0.0),
            "by index": torch.index_add(a, 0, place, b, alpha=0.0),
            "written": written,
            "in a list": torch._foreach_add([a], [b], alpha=0)[0],
            "of a number": torch.add(a, 5, alpha=0),
            "whole": torch.add(whole, whole, alpha=0) - torch.sub(whole, 7, alpha=0),
            "low": torch.add(low, low, alpha=0) * 2,
            "interpolated": torch.lerp(a, b, 0.0),
        }

    b = tensor(4, values=[2.0, INF, NAN, -0.5])
    whole, low = tensor(4, dtype=torch.int32), tensor(4, dtype=torch.bfloat16)
    check(program, tensor(4), b, whole, low).gradient(0).values().expect("""\
out['sum'] = float32[4] [0.6865, nan, nan, -1.382]
out['difference'] = float32[4] [0.6865, nan, nan, -1.382]
out['reversed'] = float32[4] [2, inf, nan, -0.5]
out['product'] = float32[4] [0.6865, nan, nan, -1.382]
out['quotient'] = float32[4] [0.6865, nan, nan, -1.382]
out['by index'] = float32[4] [nan, nan, -0.239, -1.382]
out['written'] = float32[4] [1.373, nan, nan, -2.764]
out['in a list'] = float32[4] [0.6865, nan, nan, -1.382]
out['of a number'] = float32[4] [0.6865, -2.63, -0.239, -1.382]
out['whole'] = int32[4] [0, 0, 0, 0]
out['low'] = bfloat16[4] [-3.172, 1.805, -2.266, -4.438]
out['interpolated'] = float32[4] [0.6865, nan, nan, -1.382]
""")


@clause("numbers.options", modes="train")
def test_bounds(check: Check) -> None:
    """Bounds are numbers, tensors or missing; at a bound the slope is eager's, and the upper bound wins."""
    given = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, NAN]

    def program(a: torch.Tensor, low: torch.Tensor, high: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "numbers": a.clamp(-0.5, 1.0),
            "lower": a.clamp(min=0.5),
            "upper": a.clamp(max=-0.5),
            "tensors": torch.clamp(a, low, high),
            "lower tensor": torch.clamp(a, min=low),
            "upper tensor": torch.clamp(a, max=high),
            "crossed": a.clamp(1.0, -1.0),
            "crossed tensors": torch.clamp(a, high + 3, low),
            "whole": whole.clamp(2, 5),
            "whole by a fraction": whole.clamp(max=2.5),
        }

    low = tensor(8, values=[-1.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0])
    high = tensor(8, values=[-1.0, 0.0, -0.5, 0.0, 2.0, 1.0, 3.0, 0.0])
    check(program, tensor(8, values=given), low, high, tensor(8, dtype=torch.int64)).values().expect("""\
out['numbers'] = float32[8] [-0.5, -0.5, -0.5, 0, 0.5, 1, 1, nan]
out['lower'] = float32[8] [0.5, 0.5, 0.5, 0.5, 0.5, 1, 2, nan]
out['upper'] = float32[8] [-2, -1, -0.5, -0.5, -0.5, -0.5, -0.5, nan]
out['tensors'] = float32[8] [-1, -1, -0.5, 0, 0.5, 1, 2, nan]
out['lower tensor'] = float32[8] [-1, -1, -0.5, 0, 0.5, 1, 2, nan]
out['upper tensor'] = float32[8] [-2, -1, -0.5, 0, 0.5, 1, 2, nan]
out['crossed'] = float32[8] [-1, -1, -1, -1, -1, -1, -1, nan]
out['crossed tensors'] = float32[8] [-1, -1, -1, 0, 0, 1, 1, nan]
out['whole'] = int64[8] [5, 2, 5, 5, 4, 5, 5, 5]
out['whole by a fraction'] = float32[8] [2.5, 1, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]
""")


@clause("numbers.options", modes="train")
def test_slopes_where_two_meet(check: Check) -> None:
    """Of equal operands each gets half of the gradient of an extreme; at nought there is no slope of a size."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "larger": torch.maximum(a, b),
            "smaller": torch.minimum(a, b),
            "larger number": torch.fmax(a, b),
            "smaller number": torch.fmin(a, b),
            "size": a.abs() + b.abs(),
            "sign": a.sign() * b,
            "step": torch.heaviside(a.detach(), b.detach()) * b,
            "distance": torch.dist(a[:2], b[:2], 1),
            "chosen": torch.where(a > b, a * 2, b * 3),
            "with a sign": torch.copysign(a, b),
        }

    first = tensor(6, values=[1.0, 2.0, 0.0, -0.0, -3.0, 0.5])
    check(program, first, tensor(6, values=[1.0, 1.0, 0.0, 0.0, 2.0, -0.5])).values().expect("""\
out['larger'] = float32[6] [1, 2, 0, -0, 2, 0.5]
out['smaller'] = float32[6] [1, 1, 0, -0, -3, -0.5]
out['larger number'] = float32[6] [1, 2, 0, -0, 2, 0.5]
out['smaller number'] = float32[6] [1, 1, 0, -0, -3, -0.5]
out['size'] = float32[6] [2, 3, 0, 0, 5, 1]
out['sign'] = float32[6] [1, 1, 0, 0, -2, -0.5]
out['step'] = float32[6] [1, 1, 0, 0, 0, -0.5]
out['distance'] = float32[] 1
out['chosen'] = float32[6] [3, 4, 0, 0, 6, 1]
out['with a sign'] = float32[6] [1, 2, 0, 0, 3, -0.5]
""")


@clause("numbers.options")
def test_complex_numbers_for_what_is_none(check: Check) -> None:
    """Both parts of a complex number are replaced where they are none."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        number = torch.complex(a, b)
        return {"plain": torch.nan_to_num(number), "told": torch.nan_to_num(number * 2, nan=0.5, posinf=3.0)}

    infinite = float("inf")
    odd = [float("nan"), 1.0, infinite, -infinite]
    check(program, tensor(4, values=odd), tensor(4, values=[infinite, float("nan"), 2.0, 4.0])).values().expect("""\
out['plain'] = complex64[4] [0+3.403e+38j, 1+0j, 3.403e+38+2j, -3.403e+38+4j]
out['told'] = complex64[4] [0.5+0.5j, 0.5+0.5j, 3+0.5j, -3.403e+38+0.5j]
""")


@clause("numbers.options")
def test_steps_and_bounds_of_what_is_none(check: Check) -> None:
    """NaN is on neither side of a step or of a bound, and infinities are on theirs, whatever lies between."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "step": torch.heaviside(a, b),
            "step to one of these": torch.heaviside(b - b, a),
            "step of halves": torch.heaviside(a.half(), b.half()),
            "sign": torch.sign(a),
            "shrunk": functional.hardshrink(a, 0.25),
            "above": functional.threshold(a, 0.25, -9.0),
            "between": functional.hardtanh(a, -0.5, 2.0),
            "up to six": functional.relu6(a),
            "straight": functional.hardsigmoid(a),
            "bent": functional.leaky_relu(a, 0.5),
            "curved": functional.celu(a, 2.0),
            "cut off": torch.clamp(a, b, b + 1),
        }

    odd = [NAN, INF, -INF, 0.0, 0.25, -1.5]
    check(program, tensor(6, values=odd), tensor(6, values=[0.5] * 6)).values().expect("""\
out['step'] = float32[6] [0, 1, 0, 0.5, 1, 0]
out['step to one of these'] = float32[6] [nan, inf, -inf, 0, 0.25, -1.5]
out['step of halves'] = float16[6] [0, 1, 0, 0.5, 1, 0]
out['sign'] = float32[6] [0, 1, -1, 0, 1, -1]
out['shrunk'] = float32[6] [nan, inf, -inf, 0, 0, -1.5]
out['above'] = float32[6] [nan, inf, -9, -9, -9, -9]
out['between'] = float32[6] [nan, 2, -0.5, 0, 0.25, -0.5]
out['up to six'] = float32[6] [nan, 6, 0, 0, 0.25, 0]
out['straight'] = float32[6] [nan, 1, 0, 0.5, 0.5417, 0.25]
out['bent'] = float32[6] [nan, inf, -inf, 0, 0.25, -0.75]
out['curved'] = float32[6] [nan, inf, -2, 0, 0.25, -1.055]
out['cut off'] = float32[6] [nan, 1.5, 0.5, 0.5, 0.5, 0.5]
""")


@clause("numbers.options", modes="train")
def test_numbers_for_what_is_none(check: Check) -> None:
    """NaN and the infinities are replaced by what is told, or by nought and the ends of the dtype, without slope."""

    def program(a: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "plain": torch.nan_to_num(a),
            "nan": torch.nan_to_num(a, nan=2.5),
            "all": torch.nan_to_num(a, 1.0, 3.0, -4.0),
            "upper": torch.nan_to_num(a, posinf=7.0),
            "low": torch.nan_to_num(low, neginf=-1.5),
        }

    given = [NAN, INF, -INF, 1.5, -0.0]
    check(program, tensor(5, values=given), tensor(5, dtype=torch.bfloat16, values=given)).values().expect("""\
out['plain'] = float32[5] [0, 3.403e+38, -3.403e+38, 1.5, -0]
out['nan'] = float32[5] [2.5, 3.403e+38, -3.403e+38, 1.5, -0]
out['all'] = float32[5] [1, 3, -4, 1.5, -0]
out['upper'] = float32[5] [0, 7, -3.403e+38, 1.5, -0]
out['low'] = bfloat16[5] [0, 3.39e+38, -1.5, 1.5, -0]
""")


@clause("numbers.options", modes="train")
def test_roundings(check: Check) -> None:
    """Halves go to the even neighbour, digits before or after the point are kept, and what is left has a sign."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "round": a.round(),
            "one digit": b.round(decimals=1),
            "tens": (b * 8).round(decimals=-1),
            "fraction": a.frac(),
            "truncated": torch.div(a, 0.75, rounding_mode="trunc"),
            "floored": torch.div(a, 0.75, rounding_mode="floor"),
            "remainder": torch.remainder(a, -0.75),
            "fmod": torch.fmod(a, 0.75),
        }

    given = [-2.5, -1.5, -0.5, -0.25, 0.25, 0.5, 1.5, 2.5]
    check(program, tensor(8, values=given), tensor(8)).values().expect("""\
out['round'] = float32[8] [-2, -2, -0, -0, 0, 0, 2, 2]
out['one digit'] = float32[8] [0.7, -2.6, -0.2, -1.4, -0.5, 1, -1.6, 0.9]
out['tens'] = float32[8] [10, -20, -0, -10, -0, 10, -10, 10]
out['fraction'] = float32[8] [-0.5, -0.5, -0.5, -0.25, 0.25, 0.5, 0.5, 0.5]
out['truncated'] = float32[8] [-3, -2, -0, -0, 0, 0, 2, 3]
out['floored'] = float32[8] [-4, -2, -1, -1, 0, 0, 2, 3]
out['remainder'] = float32[8] [-0.25, -0, -0.5, -0.25, -0.5, -0.25, 0, -0.5]
out['fmod'] = float32[8] [-0.25, -0, -0.5, -0.25, 0.25, 0.5, 0, 0.25]
""")


@clause("numbers.options")
def test_comparisons_of_truths(check: Check) -> None:
    """Truths are compared as noughts and ones, in whole vectors of them and in what is left over."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        p, q = a > 0, b > 0
        compared = {
            "equal": p == q,
            "unlike": p != q,
            "below": p < q,
            "at most": p <= q,
            "above": p > q,
            "at least": p >= q,
            "either": p ^ q,
            "both": p & q,
            "any": p | q,
            "not": ~p,
            "equal to one": p == 1,
            "unlike a half": p != 0.5,
            "product": p * q,
            "largest": torch.maximum(p, q),
        }
        return {name: torch.cat([truths[:8], truths[-3:]]) for name, truths in compared.items()}

    check(program, tensor(67), tensor(67)).values().expect("""\
out['equal'] = bool[11] [False, True, False, True, False, False, True, True, False, True, False]
out['unlike'] = bool[11] [True, False, True, False, True, True, False, False, True, False, True]
out['below'] = bool[11] [True, False, False, False, True, False, False, False, True, False, False]
out['at most'] = bool[11] [True, True, False, True, True, False, True, True, True, True, False]
out['above'] = bool[11] [False, False, True, False, False, True, False, False, False, False, True]
out['at least'] = bool[11] [False, True, True, True, False, True, True, True, False, True, True]
out['either'] = bool[11] [True, False, True, False, True, True, False, False, True, False, True]
out['both'] = bool[11] [False, False, False, False, False, False, False, True, False, True, False]
out['any'] = bool[11] [True, False, True, False, True, True, False, True, True, True, True]
out['not'] = bool[11] [True, True, False, True, True, False, True, False, True, False, False]
out['equal to one'] = bool[11] [False, False, True, False, False, True, False, True, False, True, True]
out['unlike a half'] = bool[11] [True, True, True, True, True, True, True, True, True, True, True]
out['product'] = bool[11] [False, False, False, False, False, False, False, True, False, True, False]
out['largest'] = bool[11] [True, False, True, False, True, True, False, True, True, True, True]
""")


@clause("numbers.options")
def test_bounds_that_are_none(check: Check) -> None:
    """A bound that is NaN makes NaN of what it bounds, and a bound of another dtype counts in the result's."""
    limits = tensor(4, grad=False, values=[NAN, 0.5, -1.0, INF])

    def program(a: torch.Tensor, limits: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "lower": torch.clamp(a, min=limits),
            "upper": torch.clamp(a, max=limits),
            "number": a.clamp(min=NAN),
            "both": torch.clamp(a, limits, limits + 1),
            "infinite": a.clamp(-INF, INF),
            "whole": torch.clamp(whole, min=limits[1:2]),
            "by whole numbers": torch.clamp(a, whole - 3, whole),
            "by one": torch.clamp(a, max=limits[1]),
            "wide": torch.clamp(a, min=limits[2].double()),
        }

    whole = tensor(4, dtype=torch.int64, values=[1, 0, 2, -1])
    check(program, tensor(4, values=[0.25, 2.0, -3.0, NAN]), limits, whole).values().expect("""\
out['lower'] = float32[4] [nan, 2, -1, nan]
out['upper'] = float32[4] [nan, 0.5, -3, nan]
out['number'] = float32[4] [nan, nan, nan, nan]
out['both'] = float32[4] [nan, 1.5, -1, nan]
out['infinite'] = float32[4] [0.25, 2, -3, nan]
out['whole'] = float32[4] [1, 0.5, 2, 0.5]
out['by whole numbers'] = float32[4] [0.25, 0, -1, nan]
out['by one'] = float32[4] [0.25, 0.5, -3, nan]
out['wide'] = float32[4] [0.25, 2, -1, nan]
""")


@clause("numbers.options")
def test_choices_between_numbers(check: Check) -> None:
    """Numbers and tensors without dimensions are chosen as wide as they must be, and masks fill with either."""

    def program(a: torch.Tensor, mask: torch.Tensor, whole: torch.Tensor, one: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "of two": torch.where(mask, 1, 2),
            "of fractions": torch.where(mask, 1.5, 2),
            "whole or a fraction": torch.where(mask, whole, 2.5),
            "whole or a number": torch.where(mask, 7, whole),
            "of one": torch.where(mask, a, one),
            "of a double": torch.where(mask, a, one.double()),
            "of low": torch.where(mask, a.bfloat16(), one),
            "broadcast": torch.where(mask[:, None], a, whole[:3, None]),
            "filled": a.masked_fill(mask, one.detach()),
            "whole filled": whole.masked_fill(mask, 9),
            "of truths": torch.where(mask, mask, False),
        }

    mask = tensor(3, dtype=torch.bool, values=[True, False, True])
    check(program, tensor(3), mask, tensor(3, dtype=torch.int16), tensor()).values().expect("""\
out['of two'] = int64[3] [1, 2, 1]
out['of fractions'] = float32[3] [1.5, 2, 1.5]
out['whole or a fraction'] = float32[3] [6, 2.5, 0]
out['whole or a number'] = int16[3] [7, 7, 7]
out['of one'] = float32[3] [0.6865, -1.382, -0.239]
out['of a double'] = float32[3] [0.6865, -1.382, -0.239]
out['of low'] = bfloat16[3] [0.6875, -1.383, -0.2393]
out['broadcast'] = float32[3, 3] [[0.6865, -2.63, -0.239], [7, 7, 7], [0.6865, -2.63, -0.239]]
out['filled'] = float32[3] [-1.382, -2.63, -1.382]
out['whole filled'] = int16[3] [9, 7, 9]
out['of truths'] = bool[3] [True, False, True]
""")


@clause("numbers.options")
def test_parts_and_neighbours_of_numbers(check: Check) -> None:
    """Sign, exponent and fraction, the next number, and what is close or infinite by which sign."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "negative": torch.signbit(a),
            "parts": torch.frexp(b),
            # What is off in single precision is seen a thousand million times.
            "part of a double": (torch.frexp(b[0].double() / 3).mantissa - 2 / 3) * 1e9,
            "put together": torch.ldexp(b, torch.tensor([3, -2, 0, 1, 5, -1, 4, 2], device=b.device)),
            "next": torch.nextafter(b, b * 2),
            "infinite": torch.isposinf(a) | torch.isinf(b),
            "minus infinite": torch.isneginf(a),
            "close": torch.isclose(b, b * 1.01, rtol=0.0, atol=0.05),
            "close for its size": torch.isclose(b, b + 0.01, rtol=0.01, atol=0.0),
            "close to none": torch.isclose(a, a, equal_nan=True),
            "not close to none": torch.isclose(a, a.flip(0)),
            "real": torch.isreal(a),
            "inverse root": torch.rsqrt(b.abs()),
            "turned": torch.deg2rad(b) + torch.rad2deg(b),
            "powers of two": torch.exp2(b) + torch.log2(b.abs()) + torch.log10(b.abs()),
        }

    most = torch.finfo(torch.float32).max
    given = tensor(8, values=[-0.0, 0.0, -INF, INF, NAN, -2.5, most, -most])
    check(program, given, tensor(8, values=[0.5, -3.0, 1.0, 100.0, -0.0625, 7.0, 2.0, -1.5])).values().expect("""\
out['negative'] = bool[8] [True, False, True, False, False, True, False, True]
out['parts'][0] = float32[8] [0.5, -0.75, 0.5, 0.7812, -0.5, 0.875, 0.5, -0.75]
out['parts'][1] = int32[8] [0, 2, 1, 7, -3, 3, 2, 1]
out['part of a double'] = float64[] 0
out['put together'] = float32[8] [4, -0.75, 1, 200, -2, 3.5, 32, -6]
out['next'] = float32[8] [0.5, -3, 1, 100, -0.0625, 7, 2, -1.5]
out['infinite'] = bool[8] [False, False, False, True, False, False, False, False]
out['minus infinite'] = bool[8] [False, False, True, False, False, False, False, False]
out['close'] = bool[8] [True, True, True, False, True, False, True, True]
out['close for its size'] = bool[8] [False, True, True, True, False, True, True, True]
out['close to none'] = bool[8] [True, True, True, True, True, True, True, True]
out['not close to none'] = bool[8] [False, False, False, False, False, False, False, False]
out['real'] = bool[8] [True, True, True, True, True, True, True, True]
out['inverse root'] = float32[8] [1.414, 0.5774, 1, 0.1, 4, 0.378, 0.7071, 0.8165]
out['turned'] = float32[8] [28.66, -171.9, 57.31, 5731, -3.582, 401.2, 114.6, -85.97]
out['powers of two'] = float32[8] [0.1132, 2.187, 2, 1.268e+30, -4.247, 131.7, 5.301, 1.115]
""")


@clause("numbers.options", modes="train")
def test_complex_numbers_around_nought(check: Check) -> None:
    """Of nought a complex sign, a root and a modulus are nought, and slopes are conjugated."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sign": a.sgn(),
            "modulus": a.abs(),
            "square": a.square(),
            "hyperbolic": a.tanh(),
            "sigmoid": torch.sigmoid(a),
            "product": a * a.conj(),
        }

    values = [0j, 1 + 1j, -2j, -0.5 + 0.25j, 3 + 0j]
    check(program, tensor(5, dtype=torch.complex64, values=values)).computed()


@clause("numbers.options", modes="train")
def test_values_of_another_dtype_that_fill(check: Check) -> None:
    """What fills a tensor is of that tensor's dtype, whichever it was of."""

    def program(a: torch.Tensor, low: torch.Tensor, whole: torch.Tensor, mask: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "whole": a.masked_fill(mask, 3),
            "low": low.masked_fill(mask, 0.1),
            "low by a number": low.masked_fill(mask, torch.tensor(0.1)),
            "low by a double": low.masked_fill(mask, torch.tensor(0.1, dtype=torch.float64)),
            "whole by a flag": whole.masked_fill(mask, True),
            "whole by a number": whole.masked_fill(mask, torch.tensor(7, dtype=torch.int64)),
            "low by a whole number": low.masked_fill(mask, torch.tensor(7)),
            "mask": (whole > 0).masked_fill(mask, 1),
        }

    parts = tensor(4), tensor(4, dtype=torch.bfloat16), tensor(4, dtype=torch.int32)
    check(program, *parts, tensor(4, dtype=torch.bool, values=[True, False, True, False])).computed()


@clause("numbers.options")
def test_casts_there_and_back(check: Check) -> None:
    """What a cast to whole numbers or to a mask takes away does not come back."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "whole": a.to(torch.int32).to(torch.float32),
            "whole in double": b.to(torch.int64).to(torch.float64),
            "whole, then low": a.to(torch.int32).to(torch.bfloat16),
            "bytes": a.abs().to(torch.uint8).to(torch.float32),
            "mask": a.to(torch.bool).to(torch.float32),
            "mask of few": b.to(torch.bool).to(torch.float64),
            "mask of three": a[2:].to(torch.bool).to(torch.int64),
            "mask of low numbers": a[3:].bfloat16().to(torch.bool),
            "whole after double": a.to(torch.float64).to(torch.int64).to(torch.float32),
        }

    parts = tensor(5, values=[1.75, -2.5, 0.0, 100.25, -0.5]), tensor(3, dtype=torch.float64, values=[0.1, -7.9, 2e9])
    check(program, *parts).computed()


@clause("numbers.options", "numbers.special-values")
def test_numbers_for_infinities_of_each_precision(check: Check) -> None:
    """Infinities become the largest and the least finite number of their own dtype."""

    def program(*rows: torch.Tensor) -> list[torch.Tensor]:
        return [torch.nan_to_num(row) for row in rows] + [torch.nan_to_num(rows[0], posinf=2.0)]

    limits = [-INF, NAN, INF, 1.5]
    dtypes = torch.float64, torch.float16, torch.bfloat16, torch.float32
    check(program, *(tensor(4, dtype=dtype, values=limits) for dtype in dtypes)).computed()
