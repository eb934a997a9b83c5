"""Signed zero, infinity and NaN, in arithmetic that looks as if it could be simplified."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.special-values")
def test_sign_of_a_zero_in_its_reciprocal(check: Check) -> None:
    """Negative zero stays negative through a product, a sum with itself and a reciprocal."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return 1 / (a * 1), 1 / (a + a), 1 / (a - 0.0), 1 / (0 - a)

    check(program, tensor(4, values=[-0.0, 0.0, 2.0, -4.0])).values().expect("""\
out[0] = float32[4] [-inf, inf, 0.5, -0.25]
out[1] = float32[4] [-inf, inf, 0.25, -0.125]
out[2] = float32[4] [-inf, inf, 0.5, -0.25]
out[3] = float32[4] [inf, inf, -0.5, 0.25]
""")


@clause("numbers.special-values")
def test_sign_of_a_zero_that_was_rounded(check: Check) -> None:
    """Rounding, truncation and a rectifier keep or lose the sign of zero as eager does."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        ones = torch.ones(4, device=a.device)
        return [torch.copysign(ones, op) for op in (a.round(), a.trunc(), a.ceil(), a.relu(), a.clamp(min=0))]

    check(program, tensor(4, values=[-0.2, -0.0, 0.2, -0.4])).values().expect("""\
out[0] = float32[4] [-1, -1, 1, -1]
out[1] = float32[4] [-1, -1, 1, -1]
out[2] = float32[4] [-1, -1, 1, -1]
out[3] = float32[4] [1, -1, 1, 1]
out[4] = float32[4] [1, -1, 1, 1]
""")


@clause("numbers.special-values")
def test_sign_of_a_zero_in_a_constant(check: Check) -> None:
    """Noughts that a program writes as constants keep their sign, alone, in a list and in an expanded one."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "listed": a / torch.tensor([-0.0, 0.0, 2.0], device=at),
            "alone": a / torch.tensor(-0.0, device=at),
            "filled": a / torch.full((3,), -0.0, device=at),
            "chosen": a / torch.where(a > 2, -0.0, 0.0),
            "double": a / torch.tensor([-0.0, -0.0, 0.0], dtype=torch.float64, device=at),
        }

    check(program, tensor(3, values=[1.0, 2.0, 3.0])).values().expect("""\
out['listed'] = float32[3] [-inf, inf, 1.5]
out['alone'] = float32[3] [-inf, -inf, -inf]
out['filled'] = float32[3] [-inf, -inf, -inf]
out['chosen'] = float32[3] [inf, inf, -inf]
out['double'] = float64[3] [-inf, -inf, inf]
""")


@clause("numbers.special-values")
def test_angle_of_a_negative_zero(check: Check) -> None:
    """`atan2` tells zero from minus zero in both arguments."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.atan2(a * 2, b)

    result = check(program, tensor(4, values=[0.0, -0.0, 0.0, -0.0]), tensor(4, values=[-0.0, -0.0, 0.0, -1.0]))
    result.values().expect("""\
out = float32[4] [3.142, -3.142, 0, -3.142]
""")


@clause("numbers.special-values")
def test_zero_times_infinity(check: Check) -> None:
    """Zero times infinity is NaN, also where the zero is a constant."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a * 0, a * torch.zeros(4, device=a.device), a - a, a / a

    check(program, tensor(4, values=[INF, -INF, NAN, 2.0])).values().expect("""\
out[0] = float32[4] [nan, nan, nan, 0]
out[1] = float32[4] [nan, nan, nan, 0]
out[2] = float32[4] [nan, nan, nan, 0]
out[3] = float32[4] [nan, nan, nan, 1]
""")


# Apart from the clause above: what is known of a whole zero would hide a fault of this one.
@clause("numbers.special-values")
def test_a_float_of_zero_times_infinity(check: Check) -> None:
    """Infinity and NaN times a zero that is a Python float are NaN, from either side, and so is that plus one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * 0.0 + 1, 0.0 * a + a

    check(program, tensor(4, values=[1.0, INF, NAN, -2.0])).computed()


@clause("numbers.special-values")
def test_minimum_and_maximum_of_nan(check: Check) -> None:
    """`minimum`, `maximum` and `clamp` hand NaN on, `fmin` and `fmax` drop it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.minimum(a, b), torch.maximum(a, b), torch.fmin(a, b), torch.fmax(a, b), a.clamp(-1, 1)

    check(
        program,
        tensor(9, values=[1.0, NAN, 3.0, NAN, -INF, 0.0, 7.0, 8.0, NAN]),
        tensor(9, values=[NAN, 2.0, 1.0, NAN, INF, -0.5, NAN, 9.0, 1.0]),
    ).values().expect("""\
out[0] = float32[9] [nan, nan, 1, nan, -inf, -0.5, nan, 8, nan]
out[1] = float32[9] [nan, nan, 3, nan, inf, 0, nan, 9, nan]
out[2] = float32[9] [1, 2, 1, nan, -inf, -0.5, 7, 8, 1]
out[3] = float32[9] [1, 2, 3, nan, inf, 0, 7, 9, 1]
out[4] = float32[9] [1, nan, 1, nan, -1, 0, 1, 1, nan]
""")


@clause("numbers.special-values")
def test_comparisons_with_nan(check: Check) -> None:
    """No order holds with NaN, and no negation of one can be replaced by the opposite order."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a < b, ~(a < b), a >= b, a != b, a == a, torch.isclose(a, b, equal_nan=True)

    check(program, tensor(4, values=[1.0, NAN, 3.0, NAN]), tensor(4, values=[NAN, 2.0, 1.0, NAN])).values().expect("""\
out[0] = bool[4] [False, False, False, False]
out[1] = bool[4] [True, True, True, True]
out[2] = bool[4] [False, False, True, False]
out[3] = bool[4] [True, True, True, True]
out[4] = bool[4] [True, False, True, False]
out[5] = bool[4] [False, False, False, True]
""")


@clause("numbers.special-values")
def test_reductions_with_nan(check: Check) -> None:
    """Sums, extremes and means with a NaN are NaN, in vectors and in what is left over; `nansum` leaves it out."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.amax(1), a.amin(1), a.sum(1), a.nansum(1), a.mean(1), a.max(1).values

    check(
        program,
        tensor(
            2, 9, values=[[1.0, 2.0, NAN, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, NAN]]
        ),
    ).values().expect("""\
out[0] = float32[2] [nan, nan]
out[1] = float32[2] [nan, nan]
out[2] = float32[2] [nan, nan]
out[3] = float32[2] [42, 36]
out[4] = float32[2] [nan, nan]
out[5] = float32[2] [nan, nan]
""")


@clause("numbers.special-values")
def test_extremes_of_infinities(check: Check) -> None:
    """Of minus infinities alone the largest is minus infinity, and of infinities the least is one, of few and many."""

    def program(*rows: torch.Tensor) -> list[tuple[torch.Tensor, ...]]:
        def extremes(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
            most, least = a.aminmax(dim=1)
            return a.amax(1), (-a).amin(1), a.amax(), (-a).amin(), a.amax(0), (-a).amin(0), most, least, a.max(1).values

        return [found for a in rows for found in (extremes(a), extremes(a[:, :3]))]

    precisions = torch.float32, torch.float64, torch.float16
    check(program, *(tensor(2, 37, dtype=dtype, values=[[-INF] * 37] * 2) for dtype in precisions)).computed()


@clause("numbers.special-values")
def test_softmax_of_infinities(check: Check) -> None:
    """A softmax over minus infinities only is NaN, and over one finite number is one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.softmax(a, 1), torch.log_softmax(a, 1), torch.logsumexp(a, 1)

    check(program, tensor(3, 3, values=[[-INF, -INF, -INF], [-INF, 2.0, -INF], [INF, 1.0, 0.0]])).values().expect("""\
out[0] = float32[3, 3] [[nan, nan, nan], [0, 1, 0], [nan, nan, nan]]
out[1] = float32[3, 3] [[nan, nan, nan], [-inf, 0, -inf], [nan, nan, nan]]
out[2] = float32[3] [-inf, 2, inf]
""")


@clause("numbers.special-values")
def test_scans_of_infinities(check: Check) -> None:
    """Running sums, products, maxima and logarithms of sums over infinities are eager's."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.cumsum(0), a.cumprod(0), a.cummax(0).values, torch.logcumsumexp(a, 0)

    check(program, tensor(5, values=[-INF, -INF, 1.0, INF, 2.0])).values().expect("""\
out[0] = float32[5] [-inf, -inf, -inf, nan, nan]
out[1] = float32[5] [-inf, inf, inf, inf, inf]
out[2] = float32[5] [-inf, -inf, 1, inf, inf]
out[3] = float32[5] [-inf, -inf, 1, inf, inf]
""")


@clause("numbers.special-values")
def test_longest_sides_whose_squares_do_not_fit(check: Check) -> None:
    """The root of two squares is finite where the squares overflow, and no nought where they vanish."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            torch.hypot(a, a.flip(0)),
            torch.hypot(a[:2], b[:2]),
            torch.hypot(c, c.flip(0)),
            torch.hypot(c[:1], c[1:2]),
        )

    a = tensor(5, dtype=torch.float64, values=[3e200, -3e-200, 1.0, 4e-200, 4e200])
    b = tensor(2, dtype=torch.float64, values=[-4e200, 4e-200])
    check(program, a, b, tensor(4, values=[3e30, 5e-30, 12e-30, -4e30])).values().expect("""\
out[0] = float64[5] [5e+200, 5e-200, 1.414, 5e-200, 5e+200]
out[1] = float64[2] [5e+200, 5e-200]
out[2] = float32[4] [5e+30, 1.3e-29, 1.3e-29, 5e+30]
out[3] = float32[1] [3e+30]
""")


@clause("numbers.special-values")
def test_infinities_in_double(check: Check) -> None:
    """Infinity minus infinity, and overflow in double, are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a - b, a * b, torch.hypot(a, b), torch.logaddexp(a, b)

    check(
        program,
        tensor(4, dtype=torch.float64, values=[INF, 1e308, -INF, 1e-308]),
        tensor(4, dtype=torch.float64, values=[INF, 10.0, -INF, 1e-10]),
    ).values().expect("""\
out[0] = float64[4] [nan, 1e+308, nan, -1e-10]
out[1] = float64[4] [inf, inf, inf, 1e-318]
out[2] = float64[4] [inf, 1e+308, inf, 1e-10]
out[3] = float64[4] [inf, 1e+308, -inf, 0.6931]
""")


@clause("numbers.special-values")
def test_sign_of_a_negative_zero_plus_zeros(check: Check) -> None:
    """Minus zero plus a tensor of zeros is plus zero, whose reciprocal is plus infinity."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        zeros = torch.zeros(2, device=a.device)
        return 1 / (a + zeros), 1 / (a - zeros)

    check(program, tensor(2, values=[-0.0, 1.0])).values().expect("""\
out[0] = float32[2] [inf, 1]
out[1] = float32[2] [-inf, 1]
""")


@clause("numbers.special-values")
def test_sign_of_a_negative_zero_through_activations(check: Check) -> None:
    """Activations that are the identity at zero keep minus zero."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return 1 / functional.elu(a), 1 / functional.leaky_relu(a), 1 / functional.hardtanh(a)

    check(program, tensor(2, values=[-0.0, 1.0])).values().expect("""\
out[0] = float32[2] [-inf, 1]
out[1] = float32[2] [-inf, 1]
out[2] = float32[2] [-inf, 1]
""")


@clause("numbers.special-values", modes="train")
def test_roots_written_as_powers(check: Check) -> None:
    """A power of minus a half is one over the root: of minus nought minus infinity, of minus infinity NaN; so is the
    slope of a power of a half."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a**-0.5, torch.pow(a.double(), -0.5), b**0.5

    values = [-0.0, 0.0, 4.0, -INF, INF, -0.0, 16.0, -INF, 0.25]
    result = check(program, tensor(9, grad=False, values=values), tensor(9, values=values)).gradient(0)
    result.values().expect("""\
out[0] = float32[9] [-inf, inf, 0.5, nan, 0, -inf, 0.25, nan, 2]
out[1] = float64[9] [-inf, inf, 0.5, nan, 0, -inf, 0.25, nan, 2]
out[2] = float32[9] [-0, 0, 2, nan, inf, -0, 4, nan, 0.5]
""")


@clause("numbers.special-values", modes="train")
def test_slopes_of_products_with_nan_or_noughts(check: Check) -> None:
    """Each factor of a product with a NaN has the slope NaN, and of one with two noughts or more none has any."""

    def program(nan: torch.Tensor, noughts: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return nan.prod(), noughts.prod(), rows.prod(1)

    rows = [[NAN, 3.0, 2.0], [0.0, INF, 0.0], [4.0, 0.5, 3.0]]
    result = check(
        program, tensor(3, values=rows[0]), tensor(4, values=[0.0, 0.0, INF, 2.0]), tensor(3, 3, values=rows)
    )
    result.gradient(0, 1, 2)
    result.values().expect("""\
out[0] = float32[] nan
out[1] = float32[] nan
out[2] = float32[3] [nan, nan, 6]
""")


@clause("numbers.special-values", "numbers.near-misses")
def test_softmax_of_scaled_infinities(check: Check) -> None:
    """Rows with infinities and NaN have what eager has after they were scaled, by a softmax and what is like one."""

    def program(a: torch.Tensor, factor: torch.Tensor) -> dict[str, torch.Tensor]:
        def distances(b: torch.Tensor, dim: int) -> torch.Tensor:
            return b - b.amax(dim, keepdim=True)

        return {
            "scaled": (a * 0.5).softmax(-1),
            "divided": (a / 3).softmax(-1),
            "turned": (a * -2).softmax(-1),
            "first": (2 * a).softmax(0),
            "its logarithm": (a / 2).log_softmax(-1),
            "by a tensor": (a * factor).softmax(-1),
            "over a tensor": (a / factor).log_softmax(0),
            "distances": distances(a * 3, -1),
            "divided distances": distances(a / 3, 0),
            "turned distances": distances(a * -1.5, -1),
            "by nought": (a * 0.0).softmax(-1),
        }

    rows = [[-INF, -INF, -INF], [-INF, 2.0, -INF], [INF, 1.0, 0.0], [INF, -INF, 1.0], [NAN, 1.0, 2.0], [1.0, 3e38, 2.0]]
    check(program, tensor(6, 3, values=rows, grad=False), tensor(values=[-0.5], grad=False)).computed()
