"""Second names: functions that torch has by several names by the less usual one, and some that few programs call."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_angles_by_their_long_names(check: Check) -> None:
    """What `arcsin` and the like return is what `asin` does, as functions and as methods, with its gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        part = a.tanh() * 0.75
        return {
            "arccos": torch.arccos(part),
            "arcsin": part.arcsin(),
            "arctan": torch.arctan(a),
            "arctan2": a.arctan2(b),
            "arccosh": (a.abs() + 1.5).arccosh(),
            "arcsinh": torch.arcsinh(a),
            "arctanh": part.arctanh(),
            "expit": torch.special.expit(a),
            "psi": torch.special.psi(a.abs() + 0.5),
            "gammaln": torch.special.gammaln(a.abs() + 0.5),
        }

    check(program, tensor(3), tensor(3)).gradient(0, 1).values().expect("""\
out['arccos'] = float32[3] [1.108, 2.407, 1.748]
out['arcsin'] = float32[3] [0.4632, -0.8364, -0.1768]
out['arctan'] = float32[3] [0.6016, -1.207, -0.2346]
out['arctan2'] = float32[3] [2.681, -1.742, -0.2312]
out['arccosh'] = float32[3] [1.418, 2.096, 1.151]
out['arcsinh'] = float32[3] [0.6415, -1.694, -0.2368]
out['arctanh'] = float32[3] [0.4807, -0.9555, -0.1778]
out['expit'] = float32[3] [0.6652, 0.06723, 0.4405]
out['psi'] = float32[3] [-0.3063, 0.9729, -1.114]
out['gammaln'] = float32[3] [-0.08134, 0.8165, 0.2154]
""")


@clause("numbers.options")
def test_comparisons_and_bits_by_their_long_names(check: Check) -> None:
    """Comparisons, bits and quotients by their long names, of tensors and of numbers."""

    def program(a: torch.Tensor, whole: torch.Tensor, other: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "greater": torch.greater(a, 0.25),
            "at least": whole.greater_equal(other),
            "at most": torch.less_equal(whole, other),
            "unlike": whole.not_equal(2),
            "bits of both": torch.bitwise_or(whole, other),
            "bits of one": whole.bitwise_xor(other),
            "bits of a number": torch.bitwise_xor(whole, 6),
            "other bits": torch.bitwise_not(whole),
            "quotient": torch.divide(whole, other),
            "whole quotient": whole.divide(other, rounding_mode="floor"),
            "bounded": torch.clamp_max(a, 0.5) + a.clamp_max(torch.tensor(0.25, device=a.device)),
        }

    whole, other = (tensor(4, dtype=torch.int64, values=values) for values in ([5, -3, 2, 8], [3, 2, 2, -5]))
    check(program, tensor(4), whole, other).values().expect("""\
out['greater'] = bool[4] [True, False, False, False]
out['at least'] = bool[4] [True, False, True, True]
out['at most'] = bool[4] [False, True, True, False]
out['unlike'] = bool[4] [True, True, False, True]
out['bits of both'] = int64[4] [7, -1, 2, -5]
out['bits of one'] = int64[4] [6, -1, 0, -13]
out['bits of a number'] = int64[4] [3, -5, 4, 14]
out['other bits'] = int64[4] [-6, 2, -3, -9]
out['quotient'] = float32[4] [1.667, -1.5, 1, -1.6]
out['whole quotient'] = int64[4] [1, -2, 1, -2]
out['bounded'] = float32[4] [0.75, -5.26, -0.478, -2.764]
""")


@clause("numbers.options", modes="train")
def test_turned_and_cut_by_other_names(check: Check) -> None:
    """Dimensions are moved, split, joined and made by their second names, as views of the argument where these are."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "moved": torch.moveaxis(a, (0, 2), (1, 0)),
            "swapped": a.swapaxes(0, -1),
            "swapped, too": torch.swapdims(a, 1, 2),
            "adjoint": a.adjoint(),
            "columns": torch.hsplit(a, [1, 2]),
            "depths": a.dsplit(2),
            "upside down": torch.flipud(a),
            "flat": torch.ravel(a[0]),
            "as another": a.reshape_as(a.new_empty(4, 6)),
            "sizes": torch.split_with_sizes(a, [1, 2], dim=1),
            "joined": torch.concatenate((a, a * 2), dim=-1),
            "rows": torch.row_stack((a[0, 0], a[1, 1])),
            "one dimension": torch.atleast_1d(a[0, 0, 0]),
            "two": torch.atleast_2d(a[0, 0]),
            "three": torch.atleast_3d(a[0, 0])[0],
        }

    result = check(program, tensor(2, 3, 4)).gradient(0).aliases("out['moved']", 0).aliases("out['columns'][1]", 0)
    result.distinct("out['upside down']", 0).shape("out['three']", 4, 1).shape("out['moved']", 4, 2, 3).computed()


@clause("numbers.options")
def test_places_and_their_numbers(check: Check) -> None:
    """Where numbers are not nought, and which indices a flat place has in a shape, as tensors of rows."""

    def program(a: torch.Tensor, places: torch.Tensor) -> dict[str, object]:
        rows, columns = torch.unravel_index(places, (3, 4))
        return {
            "rows": rows,
            "columns": columns,
            "where": torch.argwhere(torch.ones_like(a)),
            "of a shape": torch.unravel_index(places[0], torch.Size([2, 2, 3])),
            "there": a[rows % 2, columns % 3],
        }

    places = tensor(3, dtype=torch.int64, values=[7, 0, 11])
    check(program, tensor(2, 3), places, config={"dynamo.capture_dynamic_output_shape_ops": True}).values().expect("""\
out['rows'] = int64[3] [1, 0, 2]
out['columns'] = int64[3] [3, 0, 3]
out['where'] = int64[6, 2] [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
out['of a shape'][0] = int64[] 1
out['of a shape'][1] = int64[] 0
out['of a shape'][2] = int64[] 1
out['there'] = float32[3] [-1.382, 0.6865, 0.6865]
""")


@clause("numbers.options", "numbers.linear-algebra", modes="train")
def test_products_by_other_names(check: Check) -> None:
    """Outer products, products of rows, areas over steps and over places, and distances of all pairs of rows."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "outer": torch.ger(a[0], b[1]),
            "of rows": torch.linalg.vecdot(a, b, dim=0),
            "area": torch.trapz(a, dx=0.5),
            "area over places": torch.trapz(a, b.cumsum(-1), dim=-1),
            "distances": torch.nn.functional.pdist(a, p=1.0),
        }

    check(program, tensor(4, 3), tensor(4, 3), exact=False).gradient(0, 1).values().expect("""\
out['outer'] = float32[3, 3] [[-0.2851, -1.539, -0.4444], [1.092, 5.896, 1.703], [0.09926, 0.5358, 0.1547]]
out['of rows'] = float32[3] [1.606, 2.658, 0.3081]
out['area'] = float32[4] [-1.203, -0.3197, -0.2293, -0.5075]
out['area over places'] = float32[4] [1.26, 1.879, 0.03026, 0.3791]
out['distances'] = float32[6] [5.497, 6.697, 5.803, 3.709, 2.62, 2.36]
""")


@clause("numbers.options", "numbers.linear-algebra", modes="train", fullgraph=False)
def test_how_rows_vary_with_one_another(check: Check) -> None:
    """Covariances, with weights of two kinds and without, and correlations, behind which the program goes on."""

    def program(a: torch.Tensor, often: torch.Tensor, much: torch.Tensor) -> dict[str, torch.Tensor]:
        doubled = a * 2
        return {
            "covariance": torch.cov(doubled, correction=0) + 1,
            "weighted": doubled.cov(fweights=often, aweights=much) * 2,
            "correlation": torch.corrcoef(doubled) * 3,
        }

    often = tensor(3, dtype=torch.int64, values=[1, 2, 1])
    much = tensor(3, grad=False, values=[0.5, 1.0, 2.0])
    check(program, calls=[(tensor(2, 3), often, much)], probe=False, exact=False).gradient(0).values().expect("""\
out['covariance'] = float32[2, 2] [[8.81, 0.2127], [0.2127, 4.897]]
out['weighted'] = float32[2, 2] [[19.84, 5.018], [5.018, 8.721]]
out['correlation'] = float32[2, 2] [[3, -0.4281], [-0.4281, 3]]
""")


@clause("numbers.linear-algebra", modes="train")
def test_inverses_of_tensors(check: Check) -> None:
    """A tensor of more dimensions is inverted, and solved for another, as the matrix that its dimensions make."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        square = a + 3 * torch.eye(6, device=a.device).reshape(2, 3, 6)
        return {
            "inverse": torch.linalg.tensorinv(square, ind=2)[..., 0],
            "solved": torch.linalg.tensorsolve(square, b),
            "by other dimensions": torch.linalg.tensorsolve(square.permute(2, 0, 1), b * 2, dims=(0,)),
            "pseudo": torch.pinverse(b),
        }

    check(program, tensor(2, 3, 6), tensor(2, 3), exact=False).gradient(0, 1).values().expect("""\
out['inverse'] = float32[6, 2] [[0.4351, 0.1386], [0.08036, 0.06298], [-0.07417, 0.1157], [-0.1482, 0.4608],
    [0.06703, 0.191], [-0.02814, -0.00807]]
out['solved'] = float32[6] [-0.7235, -0.2159, 0.1392, 0.6246, -0.7452, 0.188]
out['by other dimensions'] = float32[6] [-1.447, -0.4318, 0.2784, 1.249, -1.49, 0.3759]
out['pseudo'] = float32[3, 2] [[-0.5619, -0.1049], [-0.1249, -0.4108], [-0.2235, 0.1508]]
""")


@clause("numbers.fourier", modes="train")
def test_transforms_of_hermitian_halves(check: Check) -> None:
    """Transforms of several dimensions whose last one is half of a Hermitian signal, there and back, to sizes."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        half = torch.complex(a, a.flip(0) * 0.5)
        return {
            "several": torch.fft.hfftn(half, s=(2, 4), norm="ortho"),
            "to sizes": torch.fft.hfftn(half, s=(3,), dim=(1,), norm="backward"),
            "back": torch.view_as_real(torch.fft.ihfft2(a, s=(2, 2), norm="forward")),
            "over others": torch.view_as_real(torch.fft.ihfft2(a, dim=(1, 0))),
        }

    check(program, tensor(2, 3)).gradient(0).values().expect("""\
out['several'] = float32[2, 4] [[-2.154, -1.611, 2.211, 0.5708], [-1.249, 1.943, 1.825, 0.4061]]
out['to sizes'] = float32[2, 3] [[-4.574, 2.922, 3.712], [-2.294, -3.204, 1.352]]
out['back'] = float32[2, 2, 2] [[[-3.782, -0], [2.391, -0]], [[-0.1056, 0], [4.242, 0]]]
out['over others'] = float32[2, 3, 2] [[[-0.5009, -0], [0.07657, -0.5575], [0.07657, 0.5575]], [[-0.2266, -0],
    [0.6304, -0.1328], [0.6304, 0.1328]]]
""")


@clause("numbers.options")
def test_polynomials_of_chebyshev(check: Check) -> None:
    """Polynomials of each of Chebyshev's kinds, shifted and not, of a degree a number and of degrees in a tensor."""

    def program(a: torch.Tensor, degrees: torch.Tensor) -> dict[str, torch.Tensor]:
        part = a.tanh()
        return {
            "first": torch.special.chebyshev_polynomial_t(part, 3),
            "second": torch.special.chebyshev_polynomial_u(part, degrees),
            "third": torch.special.chebyshev_polynomial_v(part, 2),
            "fourth": torch.special.chebyshev_polynomial_w(0.5, degrees),
            "shifted": torch.special.shifted_chebyshev_polynomial_t(part.abs(), 3),
            "shifted second": torch.special.shifted_chebyshev_polynomial_u(part.abs(), degrees),
            "hermite": torch.special.hermite_polynomial_he(a, 4),
        }

    check(program, tensor(4), tensor(4, dtype=torch.int64, values=[0, 1, 4, 7])).values().expect("""\
out['first'] = float32[4] [-0.9415, -0.9083, 0.652, -0.0947]
out['second'] = float32[4] [1, -1.979, 0.3883, 1.51]
out['third'] = float32[4] [-0.772, 4.897, -0.3109, 3.87]
out['fourth'] = float32[4] [1, 2, -2, 2]
out['shifted'] = float32[4] [-0.5462, 0.8191, 0.9942, -0.513]
out['shifted second'] = float32[4] [1, 1.959, -1.111, -0.9455]
out['hermite'] = float32[4] [0.3947, 9.346, 2.661, -4.812]
""")


@clause("numbers.options", devices="cpu")
def test_counts_between_bounds(check: Check) -> None:
    """Numbers are counted between bounds that are given, or made, with weights and as shares."""

    def program(a: torch.Tensor, weight: torch.Tensor, bounds: torch.Tensor) -> dict[str, object]:
        return {
            "made": torch.histogram(a, 4, range=(-1.0, 1.0)),
            "given": torch.histogram(a, bounds),
            "weighted": torch.histogram(a, bounds, weight=weight),
            "shares": a.histogram(3, density=True).hist,
            "of all": torch.histc(a, bins=3),
            "whole bounds": torch.histc(a * 2, bins=4, min=-2, max=2),
        }

    bounds = tensor(4, values=[-1.0, -0.25, 0.5, 2.0])
    numbers = tensor(6, values=[0.75, -0.5, 0.125, -0.75, 1.5, 0.25])
    check(program, numbers, tensor(6, values=[1.0, 2.0, 0.5, 1.0, 4.0, 0.25]), bounds).values().expect("""\
out['made'][0] = float32[4] [1, 1, 2, 1]
out['made'][1] = float32[5] [-1, -0.5, 0, 0.5, 1]
out['given'][0] = float32[3] [2, 2, 2]
out['given'][1] = float32[4] [-1, -0.25, 0.5, 2]
out['weighted'][0] = float32[3] [3, 0.75, 5]
out['weighted'][1] = float32[4] [-1, -0.25, 0.5, 2]
out['shares'] = float32[3] [0.4444, 0.4444, 0.4444]
out['of all'] = float32[3] [2, 2, 2]
out['whole bounds'] = float32[4] [1, 1, 2, 1]
""")
