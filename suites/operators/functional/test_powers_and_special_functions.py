"""Powers, logarithms and special functions, to their last digits and at their edges."""

from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


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


@clause("numbers.options", "numbers.special-values")
def test_noughts_times_infinite_logarithms(check: Check) -> None:
    """Nought times an infinite logarithm is nought in the functions that say so, and NaN stays NaN."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "logarithm": torch.xlogy(a, b),
            "logarithm of one more": torch.special.xlog1py(a, b - 1),
            "of a number": torch.special.xlog1py(0.0, b - 1),
            "by a number": torch.xlogy(a, 0.0),
            "one less, by a number": torch.special.xlog1py(a, -1.0),
            "entropy": torch.special.entr(b),
            "divergence": functional.kl_div(b, a.abs(), reduction="none"),
        }

    first = tensor(8, grad=False, values=[0.0, -0.0, 0.0, 0.0, 1.0, -2.0, NAN, 0.0])
    second = tensor(8, grad=False, values=[0.0, 0.0, -1.0, NAN, 0.0, 0.0, 0.0, INF])
    result = check(program, first, second)
    result.happened(result.value("out['logarithm of one more']")[:2].tolist() == [0.0, 0.0], "noughts")
