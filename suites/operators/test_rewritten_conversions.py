"""Chains of conversions: which of them may be left out, and which say something."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.near-misses", "numbers.low-precision")
def test_chains_of_conversions(check: Check) -> None:
    """A conversion on the way to another is left out only where it loses nothing."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "wider and back": a.double().float() * 3,
            "narrower and back": a.bfloat16().float(),
            "narrower and wider": a.half().double(),
            "whole and back": a.int().float() + a.long().double(),
            "bytes and back": whole.to(torch.int8).int() + whole.to(torch.uint8).long(),
            "truth and back": whole.bool().int() * 3,
            "as it is": whole.int() + whole,
            "rounded whole": whole.round() + whole.floor() - whole.trunc() * whole.ceil(),
            "rounded": a.round() + a.floor() - a.trunc() * a.ceil(),
            "power of one": a.pow(1) + a.pow(2) * whole.pow(1) - a.pow(3),
        }

    values = [1.0009765625, 300.7, -2.3, 70000.1, -0.3, 1.5]
    check(program, tensor(6, values=values), tensor(6, dtype=torch.int32)).values().expect("""\
out['wider and back'] = float32[6] [3.003, 902.1, -6.9, 2.1e+05, -0.9, 4.5]
out['narrower and back'] = float32[6] [1, 300, -2.297, 7.014e+04, -0.3008, 1.5]
out['narrower and wider'] = float64[6] [1.001, 300.8, -2.301, inf, -0.3, 1.5]
out['whole and back'] = float64[6] [2, 600, -4, 1.4e+05, 0, 2]
out['bytes and back'] = int64[6] [12, 2, 12, 10, 8, 14]
out['truth and back'] = int32[6] [3, 3, 3, 3, 3, 3]
out['as it is'] = int32[6] [12, 2, 12, 10, 8, 14]
out['rounded whole'] = int32[6] [-24, 1, -24, -15, -8, -35]
out['rounded'] = float32[6] [0, -8.97e+04, -9, -4.9e+09, -1, 1]
out['power of one'] = float32[6] [6.01, -2.71e+07, 41.61, -3.43e+14, 0.087, 13.88]
""")


@clause("numbers.near-misses")
def test_conversion_through_half_to_bfloat16(check: Check) -> None:
    """What half precision holds as an infinity or nought stays one in bfloat16, which has its width and more range."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.half().bfloat16(), a.abs().half().bfloat16() * 2

    check(program, tensor(4, values=[1.5, 2.0**17, -(2.0**20), 2.0**-40])).values().expect("""\
out[0] = bfloat16[4] [1.5, inf, -inf, 0]
out[1] = bfloat16[4] [3, inf, inf, 0]
""")


@clause("numbers.near-misses", "numbers.low-precision")
def test_conversions_through_another_dtype(check: Check) -> None:
    """Of three dtypes in a row the middle one rounds, overflows and drops what it does, whatever the first and last."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        first = torch.float16, torch.bfloat16, torch.float32
        through = *first, torch.float64, torch.int32, torch.bool
        last = torch.float16, torch.float32, torch.float64
        return {
            f"{one}, {two}, {three}": a.to(one).to(two).to(three)
            for one in first
            for two in through
            for three in last
            if one != two != three
        }

    check(program, tensor(6, grad=False, values=[1.0009765625, 300.7, -2.3, 1.001953125, 0.0, 2049.0])).computed()


@clause("numbers.near-misses", "numbers.low-precision")
def test_given_numbers_converted_twice(check: Check) -> None:
    """An argument of any precision is rounded by the dtype that it is converted to on the way to another."""

    def program(half: torch.Tensor, low: torch.Tensor, double: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "half": half.bfloat16().float(),
            "half to double": half.bfloat16().double() * 2,
            "low": low.half().float(),
            "low to double": low.half().double() + 1,
            "double": double.float().double() - double,
            "double by low": double.bfloat16().float(),
            "double by half": double.half().double() - 1,
            "double and back": double.half().float() * 3,
        }

    halves, lows = [1.0009765625, 300.75, -2.30078125, 65504.0], [1.0078125, 300.0, -3e38, 1e-30]
    check(
        program,
        tensor(4, dtype=torch.float16, values=halves, grad=False),
        tensor(4, dtype=torch.bfloat16, values=lows, grad=False),
        tensor(4, dtype=torch.float64, values=[1 / 3, 1e300, -2.3, 65536.5], grad=False),
    ).computed()


@clause("numbers.near-misses", "numbers.low-precision")
def test_halves_converted_to_bfloat16_and_back(check: Check) -> None:
    """Halves that are converted to bfloat16 and back have lost digits, or have become infinite, and the other way."""

    def program(half: torch.Tensor, low: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return half.bfloat16().half(), low.half().bfloat16()

    check(
        program,
        tensor(4, dtype=torch.float16, values=[1.0009765625, 300.75, -2.30078125, 65504.0], grad=False),
        tensor(4, dtype=torch.bfloat16, values=[1.0078125, 300.0, -3e38, 1e-30], grad=False),
    ).values().expect("""\
out[0] = float16[4] [1, 300, -2.297, inf]
out[1] = bfloat16[4] [1.008, 300, -inf, 0]
""")
