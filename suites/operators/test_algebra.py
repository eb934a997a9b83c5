"""Identities that hold for most numbers only, and constants that are folded."""

import torch

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.algebra")
def test_powers_with_special_exponents(check: Check) -> None:
    """Powers of 0, 0.5, -1, 2 and 3 are eager's for zeros, negative numbers, infinities and NaN."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        return [a**0, a**0.5, a**-1, a**2, a**3, 2**a]

    check(program, tensor(6, values=[-0.0, 0.0, -INF, INF, NAN, -2.0])).values().expect("""\
out[0] = float32[6] [1, 1, 1, 1, 1, 1]
out[1] = float32[6] [-0, 0, nan, inf, nan, nan]
out[2] = float32[6] [-inf, inf, -0, 0, nan, -0.5]
out[3] = float32[6] [0, 0, inf, inf, nan, 4]
out[4] = float32[6] [-0, 0, -inf, inf, nan, -8]
out[5] = float32[6] [1, 1, 0, inf, nan, 0.25]
""")


@clause("numbers.algebra")
def test_zero_to_the_power_of_zero(check: Check) -> None:
    """Zero to the power of zero is one, of a tensor of zeros too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a**b, torch.pow(0.0, b), torch.pow(a, 0)

    check(program, tensor(3, values=[0.0, 2.0, -3.0]), tensor(3, values=[0.0, 0.0, 2.0])).values().expect("""\
out[0] = float32[3] [1, 1, 9]
out[1] = float32[3] [1, 1, 0]
out[2] = float32[3] [1, 1, 1]
""")


@clause("numbers.algebra")
def test_a_number_divided_by_itself(check: Check) -> None:
    """A number over itself is NaN for zero and infinity, a difference with itself for infinity."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a / a, (a * 2) - (a * 2), a.exp() / a.exp()

    check(program, tensor(4, values=[0.0, INF, 3.0, NAN])).values().expect("""\
out[0] = float32[4] [nan, nan, 1, nan]
out[1] = float32[4] [0, nan, 0, nan]
out[2] = float32[4] [1, nan, 1, nan]
""")


@clause("numbers.algebra")
def test_sum_in_the_order_that_is_written(check: Check) -> None:
    """Sums are not regrouped: a small number added to a large one first is lost."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (a + b) - b, a + (b - b), (a * 1e30) * 1e-30 * 1e10

    check(program, tensor(3, values=[1.0, 3e10, 0.5]), tensor(3, values=[1e9, 1e20, -1e8])).values().expect("""\
out[0] = float32[3] [0, 0, 0]
out[1] = float32[3] [1, 3e+10, 0.5]
out[2] = float32[3] [1e+10, inf, 5e+09]
""")


@clause("numbers.algebra")
def test_constants_folded_in_their_own_dtype(check: Check) -> None:
    """Constants of int32 and float32 are folded at their own width."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        big = torch.full((3,), 2**31 - 1, dtype=torch.int32, device=a.device) + 1
        small = torch.tensor(0.1, device=a.device) + torch.tensor(0.2, device=a.device)
        return big + a.int(), small.double() + a

    check(program, tensor(3, values=[0.0, 1.0, 2.0])).values().expect("""\
out[0] = int32[3] [-2147483648, -2147483647, -2147483646]
out[1] = float32[3] [0.3, 1.3, 2.3]
""")


@clause("numbers.algebra")
def test_casts_there_and_back_through_integers(check: Check) -> None:
    """A cast to an integer and back truncates, and one through bool is zero or one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.to(torch.int32).to(torch.float32), a.bool().float(), a.long().double()

    check(program, tensor(5, values=[1.9, -1.9, 0.5, -0.0, 300.7])).values().expect("""\
out[0] = float32[5] [1, -1, 0, 0, 300]
out[1] = float32[5] [1, 1, 1, 0, 1]
out[2] = float64[5] [1, -1, 0, 0, 300]
""")


@clause("numbers.algebra")
def test_negation_and_absolute_value_twice(check: Check) -> None:
    """The absolute value of a square root, of a negation and of a square are what they are for NaN and zero."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (-a).abs(), 1 / (-a).relu(), a.neg().neg(), (a * a).sqrt()

    check(program, tensor(4, values=[-0.0, 0.0, NAN, -3.0])).values().expect("""\
out[0] = float32[4] [0, 0, nan, 3]
out[1] = float32[4] [inf, -inf, nan, 0.3333]
out[2] = float32[4] [-0, 0, nan, -3]
out[3] = float32[4] [0, 0, nan, 3]
""")


@clause("numbers.algebra", "numbers.special-values")
def test_numbers_to_the_power_of_a_tensor(check: Check) -> None:
    """A number to the power of a tensor is eager's for every base near one and two, of floats, doubles and integers."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        bases = (-1, -1.0, 1, 0, -0.0, 2, -2, 0.5, -0.5, 3, INF, -INF, NAN)
        return {
            "floats": [torch.pow(base, a) for base in bases],
            "doubles": [base ** a.double() for base in bases],
            "integers": [torch.pow(base, whole) for base in (-1, 1, 0, 2, -2, 3)],
            "floats to integers": [torch.pow(base, whole) for base in (-1.0, 0.5, -0.0, 2.0)],
            "truths": [torch.pow(-1.0, whole > 2), torch.pow(2, whole > 1)],
        }

    exponents = tensor(11, values=[0.0, -0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, INF, -INF, NAN])
    check(program, exponents, tensor(5, dtype=torch.int64, values=[0, 1, 2, 3, 6])).computed()
