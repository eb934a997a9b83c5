"""Numbers, and tensors of one number, as arguments and as factors: of which dtype they are, and in which they count."""

from typing import Any

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

HALF, WHOLE = torch.float16, torch.int64


@clause("numbers.options")
def test_tensors_filled_with_a_tensor(check: Check) -> None:
    """What is filled with a tensor's one number is whole, or of truths, or complex, as that number is."""

    def program(whole: Any, truth: Any, number: Any) -> dict[str, torch.Tensor]:
        return {
            "whole": torch.full((2,), whole),
            "truth": torch.full((2, 1), truth),
            "complex": torch.full((3,), number),
        }

    whole = tensor(dtype=WHOLE, values=(2**24 + 1,))
    truth = tensor(dtype=torch.bool, values=(True,))
    check(program, whole, truth, tensor(grad=False, dtype=torch.complex64, values=(1 + 2j,))).values().expect("""\
out['whole'] = int64[2] [16777217, 16777217]
out['truth'] = bool[2, 1] [[True], [True]]
out['complex'] = complex64[3] [1+2j, 1+2j, 1+2j]
""")


@clause("numbers.options")
def test_tensors_of_a_dtype_filled_with_a_tensor(check: Check) -> None:
    """Where a dtype is told, or a tensor is there to be filled, a tensor's one number is converted to that."""

    def program(a: torch.Tensor, whole: Any, part: Any) -> dict[str, torch.Tensor]:
        return {
            "whole": torch.full((2,), whole, dtype=torch.int64),
            "truth": torch.full((2, 1), whole, dtype=torch.bool),
            "fraction cut off": torch.full((2,), part, dtype=torch.int16),
            "low": torch.full((2,), part, dtype=torch.bfloat16),
            "written": (a * 1).fill_(whole),
            "fraction": torch.full((3,), part),
            "numbers": torch.fill(a, whole),
            "whole numbers": torch.fill(a.to(WHOLE), part),
            "truths": torch.fill(a > 0, part),
            "columns": torch.fill(a.expand(2, 3).clone().t(), part),
        }

    whole = tensor(dtype=WHOLE, values=(2**24 + 1,))
    check(program, tensor(3), whole, tensor(grad=False, values=(-2.75,))).values().expect("""\
out['whole'] = int64[2] [16777217, 16777217]
out['truth'] = bool[2, 1] [[True], [True]]
out['fraction cut off'] = int16[2] [-2, -2]
out['low'] = bfloat16[2] [-2.75, -2.75]
out['written'] = float32[3] [1.678e+07, 1.678e+07, 1.678e+07]
out['fraction'] = float32[3] [-2.75, -2.75, -2.75]
out['numbers'] = float32[3] [1.678e+07, 1.678e+07, 1.678e+07]
out['whole numbers'] = int64[3] [-2, -2, -2]
out['truths'] = bool[3] [True, True, True]
out['columns'] = float32[3, 2] [[-2.75, -2.75], [-2.75, -2.75], [-2.75, -2.75]]
""")


@clause("numbers.options")
def test_products_of_narrow_numbers_added_in_place(check: Check) -> None:
    """A product that `addcmul_` adds is made in the dtype of the sum, and not in the narrower one of its operands."""

    def program(
        a: torch.Tensor, short: torch.Tensor, low: torch.Tensor, double: torch.Tensor, large: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "bytes": (a * 1).addcmul_(short, short, value=0.5),
            "half": (a * 1).addcmul_(low, low, value=0.5),
            "single": (double * 1).addcmul_(large, large, value=0.5),
        }

    short = tensor(2, dtype=torch.int8, values=[100, -50])
    low = tensor(2, dtype=HALF, values=[300.0, -(2.0**-14)])
    wide = tensor(2, dtype=torch.float64, values=[1.0, 0.0]), tensor(2, values=[1e30, -1e-30])
    check(program, tensor(2, values=[1.0, 0.0]), short, low, *wide).values().expect("""\
out['bytes'] = float32[2] [5001, 1250]
out['half'] = float32[2] [4.5e+04, 1.863e-09]
out['single'] = float64[2] [5e+59, 5e-61]
""")


@clause("numbers.options")
def test_narrow_numbers_added_in_place_by_a_tensor(check: Check) -> None:
    """What `add_` adds by a tensor of one number is multiplied in the dtype of the sum."""

    def program(
        a: torch.Tensor, short: torch.Tensor, low: torch.Tensor, two: Any, factor: Any
    ) -> dict[str, torch.Tensor]:
        return {
            "bytes": (a * 1).add_(short, alpha=two),
            "half": (a * 1).add_(low, alpha=factor),
        }

    short = tensor(2, dtype=torch.int8, values=[100, -50])
    low = tensor(2, dtype=HALF, values=[60000.0, -3.0])
    two, factor = tensor(dtype=WHOLE, values=(2,)), tensor(grad=False, values=(2.5,))
    check(program, tensor(2, values=[1.0, 0.0]), short, low, two, factor).values().expect("""\
out['bytes'] = float32[2] [201, -100]
out['half'] = float32[2] [1.5e+05, -7.5]
""")


@clause("numbers.options")
def test_fraction_as_the_factor_of_whole_numbers(check: Check) -> None:
    """Whole numbers are not added in place by a fraction, be it the number of a tensor."""

    def program(a: torch.Tensor, b: torch.Tensor, factor: Any) -> torch.Tensor:
        return (a * 1).add_(b, alpha=factor)

    factor = tensor(grad=False, values=(2.5,))
    check(program, tensor(2, dtype=WHOLE), tensor(2, dtype=WHOLE), factor).raised("alpha must not be")


@clause("numbers.options")
def test_whole_numbers_added_in_place_with_a_factor(check: Check) -> None:
    """What is added in place to whole numbers, by a factor, leaves them whole, and exact however large they are."""

    def program(a: torch.Tensor, b: torch.Tensor, two: Any) -> dict[str, torch.Tensor]:
        return {
            "product": (a * 1).addcmul_(b, b, value=2),
            "sum": (a * 1).add_(b, alpha=two),
        }

    first = tensor(2, dtype=WHOLE, values=[2**24 + 1, 5])
    two = tensor(dtype=WHOLE, values=(2,))
    check(program, first, tensor(2, dtype=WHOLE, values=[3, -4]), two).values().expect("""\
out['product'] = int64[2] [16777235, 37]
out['sum'] = int64[2] [16777223, -3]
""")


@clause("numbers.options")
def test_quotients_added_with_a_factor(check: Check) -> None:
    """A quotient by a factor may be more than half precision holds, if what it is added to brings it back."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sum": torch.addcdiv(a, b, c, value=2),
            "in place": (a * 1).addcdiv_(b, c, value=1.5),
        }

    given = tensor(2, dtype=HALF, values=[-60000.0, 60000.0]), tensor(2, dtype=HALF, values=[60000.0, -30000.0])
    check(program, *given, tensor(2, dtype=HALF, values=[1.0, 0.5])).values().expect("""\
out['sum'] = float16[2] [6e+04, -6e+04]
out['in place'] = float16[2] [3e+04, -3e+04]
""")


@clause("numbers.options")
def test_quotients_of_whole_numbers_added_with_a_factor(check: Check) -> None:
    """The quotients of whole numbers are not added by a factor: whether they would be whole is not said."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.addcdiv(a, b, c, value=2)

    whole = tensor(2, dtype=WHOLE, values=[7, 8]), tensor(2, dtype=WHOLE, values=[2, 3])
    check(program, tensor(2), *whole).raised("Integer division with addcdiv")


@clause("numbers.options")
def test_places_of_a_number(check: Check) -> None:
    """The place of a number among boundaries is looked for in their dtype, in which it may be one of them."""

    def program(double: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "place": torch.searchsorted(double, 0.1),
            "bucket": torch.bucketize(0.1, double),
            "place after": torch.searchsorted(double, 0.7, right=True),
            "low": torch.searchsorted(low, 0.1),
        }

    bounds = [0.05, 0.1, 0.2, 0.7, 0.9]
    low = tensor(5, dtype=HALF, values=bounds)
    check(program, tensor(5, dtype=torch.float64, values=bounds), low).values().expect("""\
out['place'] = int64[] 1
out['bucket'] = int64[] 1
out['place after'] = int64[] 4
out['low'] = int64[] 1
""")


@clause("numbers.options")
def test_places_of_a_number_in_few_bits(check: Check) -> None:
    """The place of a number before or after an equal bound is told in 32 bits where that is asked, as those of many."""

    def program(bounds: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "place": torch.searchsorted(bounds, 0.5, out_int32=True),
            "place after": torch.searchsorted(bounds, 0.5, out_int32=True, right=True),
            "place on the right": torch.searchsorted(whole, 4, out_int32=True, side="right"),
            "bucket": torch.bucketize(0.5, bounds, out_int32=True),
            "bucket after": torch.bucketize(0.5, bounds, out_int32=True, right=True),
            "bucket after, in many bits": torch.bucketize(0.5, bounds, right=True),
            "bucket of whole numbers": torch.bucketize(4, whole, out_int32=True),
            "of many": torch.bucketize(bounds, bounds.flip(0).neg(), out_int32=True, right=True),
        }

    whole = tensor(4, dtype=torch.int64, values=[1, 4, 4, 9])
    check(program, tensor(4, values=[-1.0, 0.25, 0.5, 2.0]), whole).values().expect("""\
out['place'] = int32[] 2
out['place after'] = int32[] 3
out['place on the right'] = int32[] 3
out['bucket'] = int32[] 2
out['bucket after'] = int32[] 3
out['bucket after, in many bits'] = int64[] 3
out['bucket of whole numbers'] = int32[] 1
out['of many'] = int32[4] [1, 3, 3, 4]
""")


@clause("numbers.options")
def test_membership_of_a_number(check: Check) -> None:
    """Whether a number is among others is asked of the number as it is, not of its neighbour in single precision."""

    def program(double: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "fraction": torch.isin(0.1, double),
            "not a fraction": torch.isin(0.1, double, invert=True),
            "neighbour": torch.isin(2**24 + 1, whole),
        }

    double = tensor(2, dtype=torch.float64, values=[0.1, 3.0])
    check(program, double, tensor(2, dtype=WHOLE, values=[2**24, 3])).values().expect("""\
out['fraction'] = bool[] True
out['not a fraction'] = bool[] False
out['neighbour'] = bool[] False
""")


@clause("numbers.options")
def test_whole_points_between_fractions(check: Check) -> None:
    """For points that are to be whole the fractions of both bounds are cut off before, not after, they are spread."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "up": torch.linspace(0.5, 9.7, 6, dtype=torch.int64, device=a.device),
            "down": torch.linspace(9.9, -3.9, 6, dtype=torch.int32, device=a.device),
            "added": torch.linspace(-0.75, 5.5, 6, dtype=torch.int16, device=a.device) + a,
        }

    check(program, tensor(6, dtype=WHOLE)).values().expect("""\
out['up'] = int64[6] [0, 1, 3, 5, 7, 9]
out['down'] = int32[6] [9, 6, 4, 1, 0, -3]
out['added'] = int64[6] [6, 2, 8, 8, 8, 12]
""")


@clause("numbers.options")
def test_points_beyond_a_dtype(check: Check) -> None:
    """A bound that the dtype of the points does not hold is refused."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.linspace(0, 2**40, 3, dtype=torch.int32, device=a.device) + a

    check(program, tensor(3, dtype=torch.int32)).raised("without overflow")


@clause("numbers.options")
def test_complex_sums_with_a_wider_number(check: Check) -> None:
    """A tensor of one complex number does not widen the complex numbers that it is added to."""

    def program(a: torch.Tensor, wide: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sum": a + wide,
            "reversed": wide + a,
            "by a factor": torch.add(a, wide, alpha=-2),
            "of one dtype by a factor": torch.add(a, a.flip(0), alpha=3),
        }

    numbers = tensor(2, 2, dtype=torch.complex64, values=[[1 + 1j, -2j], [0.5, 3 - 1j]])
    check(program, numbers, tensor(dtype=torch.complex128, values=(1 + 2j,))).values().expect("""\
out['sum'] = complex64[2, 2] [[2+3j, 1+0j], [1.5+2j, 4+1j]]
out['reversed'] = complex64[2, 2] [[2+3j, 1+0j], [1.5+2j, 4+1j]]
out['by a factor'] = complex64[2, 2] [[-1-3j, -2-6j], [-1.5-4j, 1-5j]]
out['of one dtype by a factor'] = complex64[2, 2] [[2.5+1j, 9-5j], [3.5+3j, 3-7j]]
""")


@clause("numbers.options")
def test_complex_sums_of_nothing(check: Check) -> None:
    """Where there are no complex numbers there is their sum all the same, and it is empty."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a[:0] + b[:0], a + b

    numbers = tensor(2, 4, dtype=torch.complex64), tensor(2, 4, dtype=torch.complex64)
    check(program, *numbers).shape("out[0]", 0, 4).computed()


@clause("numbers.options", devices="cpu")
def test_decimals_in_half_precision(check: Check) -> None:
    """Decimals of numbers in half precision are kept though the number times its power of ten is beyond it.

    On a GPU eager loses them itself: the product overflows.
    """

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "three": torch.round(a, decimals=3),
            "five": torch.round(a, decimals=5),
            "in place": (a * 1).round_(decimals=4),
        }

    check(program, tensor(3, dtype=HALF, values=[100.5, 1.541, -70.25])).values().expect("""\
out['three'] = float16[3] [100.5, 1.541, -70.25]
out['five'] = float16[3] [100.5, 1.541, -70.25]
out['in place'] = float16[3] [100.5, 1.541, -70.25]
""")


@clause("numbers.options")
def test_decimals_of_whole_numbers(check: Check) -> None:
    """Whole numbers are not rounded to tens or decimals, and do not turn into fractions."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.round(a, decimals=-1)

    check(program, tensor(2, dtype=WHOLE, values=[14, 15])).raised("not implemented for 'Long'")


@clause("numbers.options")
def test_constants_of_double_precision(check: Check) -> None:
    """A Python number beside double precision keeps all its digits: what equals it does, what is next to it not."""
    number = 0.12345678901234568

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "equal": a == number,
            "below": a < number,
            "difference": (a - number) * 2.0**50,
            "product": (a.sign() * number - a) * 2.0**50,
            "filled": torch.full_like(a, number) == a,
            "chosen": torch.where(a > 0, number, a) == a,
            "bounded": a.clamp(max=number) == a,
            "added": (torch.zeros_like(a).add(number) - a) * 2.0**50,
            "scalar": torch.tensor(number, dtype=torch.float64, device=a.device) == a,
            "padded": functional.pad(a, (1, 0), value=number)[:1] == a[:1],
        }

    near = [number, number + 2.0**-50, number - 2.0**-50, -number]
    check(program, tensor(4, dtype=torch.float64, values=near)).values().expect("""\
out['equal'] = bool[4] [True, False, False, False]
out['below'] = bool[4] [False, False, True, True]
out['difference'] = float64[4] [0, 1, -1, -2.78e+14]
out['product'] = float64[4] [0, -1, 1, 0]
out['filled'] = bool[4] [True, False, False, False]
out['chosen'] = bool[4] [True, False, False, True]
out['bounded'] = bool[4] [True, False, True, True]
out['added'] = float64[4] [0, -1, 1, 2.78e+14]
out['scalar'] = bool[4] [True, False, False, False]
out['padded'] = bool[1] [True]
""")
