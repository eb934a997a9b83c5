"""Complex numbers whose parts are infinities, NaN or noughts of either sign."""

import itertools

import torch

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import TensorSpec

INF, NAN = float("inf"), float("nan")
#: Every pair of the parts that a formula may not see coming.
PAIRS = [complex(*pair) for pair in itertools.product((0.0, -0.0, 1.0, -2.0, INF, -INF, NAN), repeat=2)]


def _numbers(dtype: torch.dtype = torch.complex64) -> tuple[TensorSpec, TensorSpec]:
    size = len(PAIRS)
    others = PAIRS[-4::-1] + PAIRS[:-4:-1]
    return tensor(size, dtype=dtype, grad=False, values=PAIRS), tensor(size, dtype=dtype, grad=False, values=others)


@clause("numbers.special-values", profile="default")
def test_functions_of_complex_special_values(check: Check) -> None:
    """Exponentials, logarithms, roots, angles and their inverses are eager's where a part is none or minus nought."""
    names = ("exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "square", "sigmoid")
    turned = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh")
    parts = ("abs", "angle", "neg", "conj_physical", "isnan", "isinf", "isfinite", "isreal", "logical_not")

    def program(a: torch.Tensor, wide: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {name: getattr(torch, name)(a) for name in (*names, *turned, *parts)}
        return found | {f"wide {name}": getattr(torch, name)(wide) for name in ("exp", "log", "sqrt", "abs", "angle")}

    check(program, _numbers()[0], _numbers(torch.complex128)[0]).computed()


@clause("numbers.special-values", profile="default")
def test_arithmetic_of_complex_special_values(check: Check) -> None:
    """Products and quotients by real and by complex numbers, powers, conjugates and choices are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "quotients": a / b,
            "products": a * b,
            "differences": a - b,
            "squares": a**2,
            "cubes": a**3,
            "inverses": a**-1,
            "roots": a**0.5,
            "powers": a**b,
            "halves": a / 2.0,
            "turned": a * 1j,
            "turned back": a / 1j,
            "one more": a + 1,
            "of one": 1 - a,
            "one over": 1 / a,
            "by real ones": a * b.real,
            "divided by real ones": a / b.real,
            "real ones divided": b.real / a,
            "equal": a == b,
            "conjugated": a.conj() * b,
            "less conjugates": -a.conj(),
            "imaginary parts": a.conj().imag * 1,
            "polar": torch.polar(a.real, b.imag),
            "of parts": torch.complex(a.real, b.real),
            "added products": torch.addcmul(a, b, b, value=2),
            "chosen": torch.where(a.real > 0, a, b),
            "filled": a.masked_fill(a.real > 0, 1j),
            "truths": a.bool(),
            "any": a.view(7, 7).any(0),
            "wider": a.to(torch.complex128),
            "of real ones": a.real.to(torch.complex64),
            "angles of real ones": a.real.angle(),
        }

    check(program, *_numbers()).computed()


@clause("numbers.special-values", profile="default")
def test_signs_of_complex_noughts_and_numbers(check: Check) -> None:
    """The sign of a finite complex number is of size one, and that of nought is nought."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sgn()

    finite = [0j, complex(0.0, -0.0), complex(-0.0, 0.0), 3 + 4j, -2j, complex(NAN, 1), complex(1, NAN), 1e-30 + 1e-30j]
    check(program, tensor(8, dtype=torch.complex64, values=finite)).computed()


@clause("T4.8", "numbers.promotion", profile="default")
def test_complex_conversions_without_a_gradient(check: Check) -> None:
    """Real and complex numbers that are converted to complex ones under no_grad require no grad afterwards."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.to(torch.complex128), b.to(torch.complex64), a.real.to(torch.complex64)

    check(program, tensor(2, dtype=torch.complex64), tensor(2)).computed()


@clause("numbers.special-values", profile="default")
def test_sums_of_complex_infinities(check: Check) -> None:
    """What eager adds to a complex number it multiplies by one first, as complex numbers: of infinities that is NaN."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a + b, torch.add(a, b, alpha=2)

    check(program, *_numbers()).computed()


@clause("numbers.special-values", profile="default")
def test_complex_infinities_between_two(check: Check) -> None:
    """A number between two of which one is infinite has eager's parts."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.lerp(a, b, 0.25), torch.lerp(a, b, 0.75)

    check(program, *_numbers()).computed()


@clause("numbers.special-values", profile="default")
def test_noughts_of_a_complex_constant(check: Check) -> None:
    """A complex constant keeps the signs of its noughts, of either part, in products and where it fills."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "product": a * complex(-0.0, -0.0),
            "imaginary": torch.full((2,), complex(1.0, -0.0), device=a.device),
            "real": torch.full((2,), complex(-0.0, 1.0), device=a.device),
            "both": a.new_full((2,), complex(-0.0, -0.0)),
            "filled": a.masked_fill(a.real > 0, complex(2.0, -0.0)),
            "argument": torch.full((2,), complex(-1.0, -0.0), device=a.device).angle(),
        }

    check(program, tensor(3, dtype=torch.complex64, values=[1 + 2j, 3j, 0j])).computed()


@clause("numbers.special-values", profile="default")
def test_sums_of_complex_noughts(check: Check) -> None:
    """A sum has the signs of noughts that its parts have: minus nought of two, and of a difference of unlike ones."""
    noughts = [complex(*pair) for pair in itertools.product((0.0, -0.0), repeat=2)]

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        sums = a + b, torch.add(a, b, alpha=2), a - b, a.view(4, 4).t() + b[:4], a[0] + b
        names = "sums", "multiples", "differences", "rows", "beside one"
        return {name: torch.view_as_real(each).signbit() for name, each in zip(names, sums, strict=True)}

    pairs = list(zip(*itertools.product(noughts, repeat=2), strict=True))
    check(program, *(tensor(16, dtype=torch.complex64, grad=False, values=list(each)) for each in pairs)).computed()
