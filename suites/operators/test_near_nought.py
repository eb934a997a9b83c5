"""Functions near nought: what some are for is the digits that a difference from one, taken as written, would lose.

A result that is a quotient or a logarithm shows them: beside it an absolute error of a rounding is all of the number.
"""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: Ever smaller numbers and two that are not, more than a vector register has.
SMALL = (1e-3, 1e-5, 1e-7, 1e-8, 1e-10, 1e-20, 0.5, 0.875) * 5


@clause("numbers.vectors", "numbers.algebra")
def test_quotients_of_exponentials_less_one(check: Check) -> None:
    """The exponential of a small number, less one by `expm1`, is that number: their quotient is one."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"interest": a / torch.expm1(a), "decay": torch.expm1(-a) / a}

    check(program, tensor(40, values=SMALL)).values().expect("""\
out['interest'] = float32[40] [0.9995, 1, 1, 1, 1, 1, 0.7707, 0.6255, 0.9995, 1, 1, 1, ..., 1, 1, 0.7707, 0.6255]
out['decay'] = float32[40] [-0.9995, -1, -1, -1, -1, -1, -0.7869, -0.6664, -0.9995, -1, -1, -1, ..., -1, -1,
    -0.7869, -0.6664]
""")


@clause("numbers.vectors", "numbers.algebra")
def test_quotients_of_exponentials_less_one_in_double(check: Check) -> None:
    """The exponential of a small double, less one by `expm1`, is that number: their quotient is one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a / torch.expm1(a)

    check(program, tensor(40, dtype=torch.float64, values=SMALL)).values().expect("""\
out = float64[40] [0.9995, 1, 1, 1, 1, 1, 0.7707, 0.6255, 0.9995, 1, 1, 1, ..., 1, 1, 0.7707, 0.6255]
""")


@clause("numbers.vectors", "numbers.algebra")
def test_logarithm_of_what_an_exponential_leaves_of_one(check: Check) -> None:
    """What the exponential of a small number below nought leaves of one has a logarithm, which is finite."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.log(-torch.expm1(-a))

    check(program, tensor(40, values=SMALL)).values().expect("""\
out = float32[40] [-6.908, -11.51, -16.12, -18.42, -23.03, -46.05, -0.9328, -0.5393, -6.908, -11.51, -16.12, -18.42,
    ..., -23.03, -46.05, -0.9328, -0.5393]
""")


@clause("numbers.vectors", "numbers.algebra", modes="train")
def test_inverse_of_a_softplus(check: Check) -> None:
    """The inverse of a softplus, as scales are parametrised, is finite for small scales, and so is its gradient."""

    def program(scale: torch.Tensor) -> torch.Tensor:
        return scale + torch.log(-torch.expm1(-scale))

    scales = tensor(40, values=(2.0, 1.0, 0.25, 1e-3, 1e-7, 1e-8, 1e-10, 1e-12) * 5)
    check(program, scales).gradient(0).values().expect("""\
out = float32[40] [1.855, 0.5413, -1.259, -6.907, -16.12, -18.42, -23.03, -27.63, 1.855, 0.5413, -1.259, -6.907,
    ..., -16.12, -18.42, -23.03, -27.63]
""")


@clause("numbers.vectors", "numbers.algebra")
def test_signs_of_exponential_units_just_below_nought(check: Check) -> None:
    """An exponential linear unit of a small number below nought is below nought."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"elu": functional.elu(-a) < 0, "selu": functional.selu(-a) < 0, "celu": functional.celu(-a) < 0}

    check(program, tensor(40, values=SMALL)).values().expect("""\
out['elu'] = bool[40] [True, True, True, True, True, True, True, True, True, True, True, True, ..., True, True,
    True, True]
out['selu'] = bool[40] [True, True, True, True, True, True, True, True, True, True, True, True, ..., True, True,
    True, True]
out['celu'] = bool[40] [True, True, True, True, True, True, True, True, True, True, True, True, ..., True, True,
    True, True]
""")


@clause("numbers.vectors", "numbers.algebra")
def test_quotients_of_inverse_hyperbolic_tangents(check: Check) -> None:
    """The inverse hyperbolic tangent of a small number is that number: a point near a ball's centre stays there."""

    def program(a: torch.Tensor, point: torch.Tensor) -> dict[str, torch.Tensor]:
        norm = point.norm(dim=-1, keepdim=True)
        return {"of numbers": torch.atanh(a) / a, "of points": torch.atanh(norm) / norm}

    points = tensor(20, 1, values=[[size] for size in (1e-9, 1e-8, 1e-3, 0.5) * 5])
    check(program, tensor(40, values=SMALL), points).values().expect("""\
out['of numbers'] = float32[40] [1, 1, 1, 1, 1, 1, 1.099, 1.547, 1, 1, 1, 1, ..., 1, 1, 1.099, 1.547]
out['of points'] = float32[20, 1] [[1], [1], [1], [1.099], [1], [1], [1], [1.099], [1], [1], [1], [1.099], [1], [1],
    [1], [1.099], [1], [1], [1], [1.099]]
""")


@clause("numbers.vectors", "numbers.algebra")
def test_quotients_of_inverse_hyperbolic_tangents_in_double(check: Check) -> None:
    """The inverse hyperbolic tangent of a small double is that number: their quotient is one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.atanh(a) / a

    check(program, tensor(40, dtype=torch.float64, values=SMALL)).values().expect("""\
out = float64[40] [1, 1, 1, 1, 1, 1, 1.099, 1.547, 1, 1, 1, 1, ..., 1, 1, 1.099, 1.547]
""")


@clause("numbers.vectors", "numbers.algebra")
def test_quotients_of_error_functions(check: Check) -> None:
    """The error function of a small number is that number times two by the root of pi."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.erf(a) / a

    check(program, tensor(40, values=SMALL)).values().expect("""\
out = float32[40] [1.128, 1.128, 1.128, 1.128, 1.128, 1.128, 1.041, 0.8961, 1.128, 1.128, 1.128, 1.128, ..., 1.128,
    1.128, 1.041, 0.8961]
""")


@clause("numbers.vectors", "numbers.algebra")
def test_quotients_of_other_functions(check: Check) -> None:
    """Other functions are their operand near nought in each place of a register, the error one in double."""

    def program(a: torch.Tensor, double: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "logarithm": torch.log1p(a) / a,
            "hyperbolic": torch.stack([torch.sinh(a) / a, torch.tanh(a) / a]),
            "sines": torch.stack([torch.sin(a) / a, torch.asin(a) / a]),
            "errors": torch.erf(double) / double,
            "far": torch.expm1(a + 3) / a.clamp(min=0.5),
        }

    check(program, tensor(40, values=SMALL), tensor(40, dtype=torch.float64, values=SMALL)).values().expect("""\
out['logarithm'] = float32[40] [0.9995, 1, 1, 1, 1, 1, 0.8109, 0.7184, 0.9995, 1, 1, 1, ..., 1, 1, 0.8109, 0.7184]
out['hyperbolic'] = float32[2, 40] [1, 1, 1, 1, 1, 1, 1.042, 1.133, 1, 1, 1, 1, ..., 1, 1, 0.9242, 0.8045]
out['sines'] = float32[2, 40] [1, 1, 1, 1, 1, 1, 0.9589, 0.8772, 1, 1, 1, 1, ..., 1, 1, 1.047, 1.218]
out['errors'] = float64[40] [1.128, 1.128, 1.128, 1.128, 1.128, 1.128, 1.041, 0.8961, 1.128, 1.128, 1.128, 1.128,
    ..., 1.128, 1.128, 1.041, 0.8961]
out['far'] = float32[40] [38.21, 38.17, 38.17, 38.17, 38.17, 38.17, 64.23, 53.92, 38.21, 38.17, 38.17, 38.17, ...,
    38.17, 38.17, 64.23, 53.92]
""")


@clause("numbers.vectors", "numbers.algebra")
def test_quotient_of_one_small_number(check: Check) -> None:
    """A number by itself, which no register holds, is kept by each of these functions where it is small."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "exponential": a / torch.expm1(a),
            "logarithm": torch.log(-torch.expm1(-a)),
            "tangent": torch.atanh(a) / a,
            "error": torch.erf(a) / a,
            "unit": functional.elu(-a) < 0,
        }

    check(program, tensor(values=[1e-8])).values().expect("""\
out['exponential'] = float32[] 1
out['logarithm'] = float32[] -18.42
out['tangent'] = float32[] 1
out['error'] = float32[] 1.128
out['unit'] = bool[] True
""")
