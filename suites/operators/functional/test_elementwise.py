"""Elementwise operators with factors, bounds and roundings, and their slopes where two pieces meet."""

from collections.abc import Callable

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
def test_linear_interpolation(check: Check) -> None:
    """From the start or from the end, by whichever is nearer; with a weight of one the end is met exactly."""
    weights = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5]

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor, image: torch.Tensor) -> dict[str, torch.Tensor]:
        last = image.to(memory_format=torch.channels_last)
        return {
            "below half": torch.lerp(a, b, 0.3),
            "above half": torch.lerp(a, b, 0.7),
            "beyond": torch.lerp(a, b, -1.5),
            "end": torch.lerp(a * 1e8, b, 1.0),
            "weights": torch.lerp(a, b, weight),
            "broadcast": torch.lerp(a[:1], b, weight),
            "in the order of the start": torch.lerp(last, image.flip(1), 0.25),
            "near the end, in the order of the start": torch.lerp(last, image.flip(1), 0.75),
        }

    check(program, tensor(7), tensor(7), tensor(7, values=weights), tensor(1, 2, 2, 2)).values().expect("""\
out['below half'] = float32[7] [0.7508, -2.181, -0.834, -0.9173, -0.3617, 0.01664, -1.287]
out['above half'] = float32[7] [0.8365, -1.581, -1.627, -0.2978, -0.2359, -1.315, -0.8864]
out['beyond'] = float32[7] [0.365, -4.877, 2.736, -3.705, -0.9278, 6.008, -3.087]
out['end'] = float32[7] [0.9008, -1.132, -2.222, 0.1669, -0.1415, -2.313, -0.5863]
out['weights'] = float32[7] [0.5793, -2.63, -0.7348, -0.6075, -0.2202, -2.313, -0.08619]
out['broadcast'] = float32[7] [0.5793, 0.6865, -0.04073, 0.4267, 0.06545, -2.313, -1.223]
out['in the order of the start'] = float32[1, 2, 2, 2] [[[[-0.1232, -0.2686], [-1.874, -0.9501]], [[0.5932, 0.0248],
    [-1.138, -1.556]]]]
out['near the end, in the order of the start'] = float32[1, 2, 2, 2] [[[[0.5932, 0.0248], [-1.138, -1.556]],
    [[-0.1232, -0.2686], [-1.874, -0.9501]]]]
""")


@clause("numbers.options", modes="train")
def test_interpolation_in_the_order_of_its_start(check: Check) -> None:
    """With weights that lie otherwise in memory, what comes between lies as the start does."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.lerp(a.to(memory_format=torch.channels_last), b, b.abs())

    check(program, tensor(1, 2, 2, 2), tensor(1, 2, 2, 2)).gradient(0, 1).strides("out", 8, 1, 4, 2)


@clause("numbers.options", modes="train")
def test_interpolation_by_a_number_in_the_order_of_its_start(check: Check) -> None:
    """What comes between by a number lies as the start does, near it, near the end and beyond both."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        start = a.to(memory_format=torch.channels_last)
        return tuple(torch.lerp(start, b, weight) for weight in (0.25, 0.75, 1.5, -0.5))

    result = check(program, tensor(1, 2, 2, 2), tensor(1, 2, 2, 2)).gradient(0, 1)
    for number in range(4):
        result.strides(f"out[{number}]", 8, 1, 4, 2)


@clause("numbers.options", modes="train")
def test_interpolation_towards_an_end_in_another_order(check: Check) -> None:
    """What is interpolated lies in memory as the start does, also where it is nearer to an end that lies otherwise."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.lerp(a, b.to(memory_format=torch.channels_last), 0.75)

    check(program, tensor(1, 2, 2, 2), tensor(1, 2, 2, 2)).gradient(0, 1).strides("out", 8, 4, 2, 1)


@clause("numbers.options", modes="train")
def test_interpolation_by_a_complex_weight(check: Check) -> None:
    """A complex weight leads from one complex number towards another, and beyond, also where it is a number."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"number": torch.lerp(a, b, 0.3 + 1j), "weights": torch.lerp(a, b, weight)}

    given = [tensor(3, dtype=torch.complex64, values=values) for values in ([1, 2j, -1 + 1j], [2, 1, 4j], [1j, 1, 2])]
    check(program, *given).gradient(0, 1, 2).values().expect("""\
out['number'] = complex64[3] [1.3+1j, 2.3+2.4j, -3.7+2.9j]
out['weights'] = complex64[3] [1+1j, 1+0j, 1+7j]
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


@clause("numbers.options", modes="train")
def test_powers(check: Check) -> None:
    """Powers of nought and one, by numbers and tensors, with the slopes of base and exponent at the edges."""

    def program(a: torch.Tensor, b: torch.Tensor, signed: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "nought": signed**0,
            "square": signed**2,
            "cube": signed**3,
            "inverse": (signed + 5) ** -1.0,
            "half": a**0.5,
            "tensor": a**b,
            "of a number": 2.0**b,
            "of one": 1.0**b,
            "of nought": 0.0 ** b.abs(),
            "in double": torch.float_power(a, 2),
        }

    first = tensor(6, values=[0.5, 1.0, 2.0, 3.0, 0.25, 4.0])
    second = tensor(6, values=[0.0, 1.0, -1.0, 2.0, 0.5, -0.5])
    check(program, first, second, tensor(6, values=[-2.0, -0.0, 0.0, 1.0, 3.0, -1.0])).values().expect("""\
out['nought'] = float32[6] [1, 1, 1, 1, 1, 1]
out['square'] = float32[6] [4, 0, 0, 1, 9, 1]
out['cube'] = float32[6] [-8, -0, 0, 1, 27, -1]
out['inverse'] = float32[6] [0.3333, 0.2, 0.2, 0.1667, 0.125, 0.25]
out['half'] = float32[6] [0.7071, 1, 1.414, 1.732, 0.5, 2]
out['tensor'] = float32[6] [1, 1, 0.5, 9, 0.5, 0.5]
out['of a number'] = float32[6] [1, 2, 0.5, 4, 1.414, 0.7071]
out['of one'] = float32[6] [1, 1, 1, 1, 1, 1]
out['of nought'] = float32[6] [1, 0, 0, 0, 0, 0]
out['in double'] = float64[6] [0.25, 1, 4, 9, 0.0625, 16]
""")


@clause("numbers.options", "numbers.near-misses", modes=("train", "no_grad"))
def test_powers_of_whole_exponents(check: Check) -> None:
    """A power of one is the number, and that of minus one its reciprocal; neither is what an even one makes of it."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "one": a**1 + 1,
            "minus one": a**-1 + 1,
            "two": a**2 + 1,
            "minus two": a**-2 + 1,
            "nought": a**0 + 1,
            "three": a**3 + 1,
        }

    check(program, tensor(4, values=[0.5, -2.0, 4.0, -0.25])).values().expect("""\
out['one'] = float32[4] [1.5, -1, 5, 0.75]
out['minus one'] = float32[4] [3, 0.5, 1.25, -3]
out['two'] = float32[4] [1.25, 5, 17, 1.062]
out['minus two'] = float32[4] [5, 1.25, 1.062, 17]
out['nought'] = float32[4] [2, 2, 2, 2]
out['three'] = float32[4] [1.125, -7, 65, 0.9844]
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


@clause("numbers.options", modes="train")
def test_logarithms(check: Check) -> None:
    """Nought times a logarithm of nought is nought, and sums of exponentials do not overflow."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "xlogy": torch.xlogy(a, b),
            "xlog1py": torch.special.xlog1py(a, b),
            "entropy": torch.special.entr(b),
            "sum": torch.logaddexp(c, c.flip(0)),
            "sum of twos": torch.logaddexp2(c, c.flip(0)),
            "log1p": torch.log1p(b),
            "expm1": torch.expm1(c * 1e-3),
            "longest side": torch.hypot(c, c.flip(0)),
        }

    first = tensor(4, grad=False, values=[0.0, 0.0, 2.0, 1.0])
    second = tensor(4, values=[3.0, 1.0, 0.5, 1e-6])
    check(program, first, second, tensor(4, values=[200.0, -200.0, 1.0, -88.0])).values().expect("""\
out['xlogy'] = float32[4] [0, 0, -1.386, -13.82]
out['xlog1py'] = float32[4] [0, 0, 0.8109, 1e-06]
out['entropy'] = float32[4] [-3.296, -0, 0.3466, 1.382e-05]
out['sum'] = float32[4] [200, 1, 1, 200]
out['sum of twos'] = float32[4] [200, 1, 1, 200]
out['log1p'] = float32[4] [1.386, 0.6931, 0.4055, 1e-06]
out['expm1'] = float32[4] [0.2214, -0.1813, 0.001001, -0.08424]
out['longest side'] = float32[4] [218.5, 200, 200, 218.5]
""")


@clause("numbers.options", modes="train")
def test_special_functions(check: Check) -> None:
    """Functions that compilers write out by hand: near their zeros, far out, and of several orders."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sinc": torch.sinc(a),
            "erfinv": torch.erfinv(b),
            "erfc": torch.erfc(a),
            "lgamma": torch.lgamma(a.abs() + 0.5),
            "digamma": torch.digamma(a.abs() + 0.5),
            "polygamma": torch.polygamma(2, b.abs() + 0.5),
            "mvlgamma": torch.mvlgamma(a.abs() + 2, 3),
            "i0": torch.i0(a),
            "i1e": torch.special.i1e(a),
            "ndtri": torch.special.ndtri(b.abs()),
            "log_ndtr": torch.special.log_ndtr(a),
            "angle": torch.where(a > 7, float("nan"), a).angle(),
        }

    given = tensor(6, values=[0.0, 0.5, -1.25, 2.5, -4.0, 7.75])
    check(program, given, tensor(6, values=[0.1, 0.5, -0.25, 0.9, -0.75, 0.3])).values().expect("""\
out['sinc'] = float32[6] [1, 0.6366, -0.1801, 0.1273, 2.783e-08, -0.02904]
out['erfinv'] = float32[6] [0.08886, 0.4769, -0.2253, 1.163, -0.8134, 0.2725]
out['erfc'] = float32[6] [1, 0.4795, 1.923, 0.000407, 2, 5.94e-28]
out['lgamma'] = float32[6] [0.5724, 0, -0.0844, 0.6931, 2.454, 9.033]
out['digamma'] = float32[6] [-1.964, -0.5772, 0.2475, 0.9228, 1.389, 2.048]
out['polygamma'] = float32[6] [-9.963, -2.404, -5.303, -0.9891, -1.328, -4.43]
out['mvlgamma'] = float32[6] [1.596, 1.881, 3.253, 7.164, 13.64, 35.18]
out['i0'] = float32[6] [1, 1.063, 1.43, 3.29, 11.3, 338.5]
out['i1e'] = float32[6] [0, 0.1564, -0.2164, 0.2066, -0.1788, 0.1361]
out['ndtri'] = float32[6] [-1.282, 0, -0.6745, 1.282, 0.6745, -0.5244]
out['log_ndtr'] = float32[6] [-0.6931, -0.3689, -2.248, -0.006229, -10.36, -4.595e-15]
out['angle'] = float32[6] [0, 0, 3.142, 0, 3.142, nan]
""")


@clause("numbers.options")
def test_functions_that_equations_are_solved_by(check: Check) -> None:
    """Bessel's functions, incomplete gammas, tails of the normal law and families of polynomials are those told."""
    special = torch.special

    def program(a: torch.Tensor, b: torch.Tensor, order: torch.Tensor) -> dict[str, torch.Tensor]:
        below = a / 8 - 0.5
        found = {
            "airy": special.airy_ai(a),
            "first kind": torch.stack([special.bessel_j0(a), special.bessel_j1(a), special.spherical_bessel_j0(a)]),
            "second kind": torch.stack([special.bessel_y0(a), special.bessel_y1(a)]),
            "modified": torch.stack([special.modified_bessel_i0(a), special.modified_bessel_i1(a)]),
            "modified, second kind": torch.stack([special.modified_bessel_k0(a), special.modified_bessel_k1(a)]),
            "scaled": torch.stack([special.scaled_modified_bessel_k0(a), special.scaled_modified_bessel_k1(a)]),
            "on both sides": torch.stack([special.i0e(below), special.i1(below), special.erfcx(below)]),
            "normal": torch.stack([special.ndtr(below), special.ndtri(a / 16)]),
            "zeta": torch.stack([special.zeta(b + 1, a), torch.polygamma(1, a), torch.polygamma(3, b)]),
            "incomplete": torch.stack([torch.igamma(a, b), torch.igammac(a, b)]),
            "incomplete, by name": torch.stack([special.gammainc(b, a), special.gammaincc(b, a)]),
            "Legendre": special.legendre_polynomial_p(below, order),
            "Hermite": torch.stack([special.hermite_polynomial_h(a, order), special.hermite_polynomial_he(a, order)]),
            "Laguerre": special.laguerre_polynomial_l(a, order),
        }
        for kind in "tuvw":
            plain, shifted = (getattr(special, f"{name}chebyshev_polynomial_{kind}") for name in ("", "shifted_"))
            found[f"Chebyshev {kind}"] = torch.stack([plain(below, order), shifted(a / 16, order)])
        return found

    numbers = (0.25, 0.5, 1.0, 1.75, 3.0, 4.5, 7.5, 12.0), (3.0, 0.5, 2.0, 1.5, 4.0, 1.0, 2.5, 9.0), range(8)
    check(program, *(tensor(8, dtype=torch.float64, values=list(row)) for row in numbers)).computed()


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


@clause("numbers.options")
def test_digits_of_constants_in_double(check: Check) -> None:
    """Functions that a constant is part of have all digits of double precision: what is off is seen a million times."""
    functions: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "degrees": torch.rad2deg,
        "radians": torch.deg2rad,
        "decimal": torch.log10,
        "binary": torch.log2,
        "power of two": torch.exp2,
        "sum of twos": lambda a: torch.logaddexp2(a, a * 2),
        "cardinal sine": torch.sinc,
        "normal": torch.special.ndtr,
        "logarithm of normal": torch.special.log_ndtr,
        "back from normal": lambda a: torch.special.ndtri(a / 4),
        "entropy": torch.special.entr,
        "multivariate": lambda a: torch.special.multigammaln(a + 2, 3),
        "gaussian": functional.gelu,
        "by a tangent": lambda a: functional.gelu(a, approximate="tanh"),
        "self-normalising": lambda a: functional.selu(-a),
        "hard": lambda a: functional.hardswish(a) + functional.hardsigmoid(a),
        "poisson": lambda a: functional.poisson_nll_loss(a, a * 3, full=True, reduction="none"),
    }
    numbers = torch.tensor([0.375, 1.25, 2.8, 3.9], dtype=torch.float64)
    known = torch.stack([function(numbers) for function in functions.values()]).tolist()

    def program(a: torch.Tensor, known: torch.Tensor) -> dict[str, torch.Tensor]:
        found = zip(functions.items(), known, strict=True)
        return {name: a + (function(a) - expected) * 2.0**20 for (name, function), expected in found}

    double = torch.float64
    parts = tensor(4, dtype=double, values=numbers.tolist()), tensor(len(known), 4, dtype=double, values=known)
    check(program, *parts).computed()


@clause("numbers.options", modes="train")
def test_logarithms_next_to_one(check: Check) -> None:
    """A logarithm of one and a little more is that little, in each number by itself."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"times": torch.special.xlog1py(a, b) * 1e8, "logarithm": torch.log1p(b) * 1e8}

    tiny = tensor(4, values=[1e-8, -2e-8, 3e-7, 4e-9])
    check(program, tensor(4, grad=False, values=[1.0, 2.0, -1.0, 3.0]), tiny).computed()


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
def test_logarithms_of_noughts_beside_nan(check: Check) -> None:
    """Nought times a logarithm is nought but for that of NaN; below nought there is no entropy."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "product": torch.xlogy(a, b),
            "product of one more": torch.special.xlog1py(a, b),
            "number": torch.xlogy(0.0, b),
            "entropy": torch.special.entr(a),
        }

    numbers = tensor(5, values=[0.0, 0.0, 1.0, NAN, -1.0]), tensor(5, values=[NAN, 0.0, 1.0, 1.0, 1.0])
    check(program, *numbers).values().expect("""\
out['product'] = float32[5] [nan, 0, 0, nan, -0]
out['product of one more'] = float32[5] [nan, 0, 0.6931, nan, -0.6931]
out['number'] = float32[5] [nan, 0, 0, 0, 0]
out['entropy'] = float32[5] [0, 0, -0, nan, -inf]
""")


@clause("numbers.options", "numbers.special-values")
def test_numbers_for_infinities_of_each_precision(check: Check) -> None:
    """Infinities become the largest and the least finite number of their own dtype."""

    def program(*rows: torch.Tensor) -> list[torch.Tensor]:
        return [torch.nan_to_num(row) for row in rows] + [torch.nan_to_num(rows[0], posinf=2.0)]

    limits = [-INF, NAN, INF, 1.5]
    dtypes = torch.float64, torch.float16, torch.bfloat16, torch.float32
    check(program, *(tensor(4, dtype=dtype, values=limits) for dtype in dtypes)).computed()


@clause("numbers.options", modes="train")
def test_sums_of_exponentials_of_infinities(check: Check) -> None:
    """The logarithm of a sum of exponentials is the larger one where both are infinite, of one sign or of two."""
    pairs = [(one, other) for one in (-INF, 2.0, INF) for other in (-INF, -1.0, INF)]
    left, right = tensor(9, values=[one for one, _ in pairs]), tensor(9, values=[other for _, other in pairs])

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        both = torch.stack([a, b])
        return {
            "two": torch.logaddexp(a, b),
            "to the base of two": torch.logaddexp2(a, b),
            "double": torch.logaddexp2(a.double(), b.double()),
            "column": both.logsumexp(0),
            "running": both.logcumsumexp(0),
            "root": torch.hypot(a, b),
        }

    check(program, left, right).values().expect("""\
out['two'] = float32[9] [-inf, -1, inf, 2, 2.049, inf, inf, inf, inf]
out['to the base of two'] = float32[9] [-inf, -1, inf, 2, 2.17, inf, inf, inf, inf]
out['double'] = float64[9] [-inf, -1, inf, 2, 2.17, inf, inf, inf, inf]
out['column'] = float32[9] [-inf, -1, inf, 2, 2.049, inf, inf, inf, inf]
out['running'] = float32[2, 9] [[-inf, -inf, -inf, 2, 2, 2, inf, inf, inf], [-inf, -1, inf, 2, 2.049, inf, inf, inf,
    inf]]
out['root'] = float32[9] [inf, inf, inf, inf, 2.236, inf, inf, inf, inf]
""")
