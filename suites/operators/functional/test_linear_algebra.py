"""Linear algebra: factors, solutions, eigenvalues, powers and numbers of matrices, by their options and of nothing.

Factors are unique but for signs, or for the phase of a complex number: those of vectors are returned without.
"""

import torch

from suites.harness import Check, clause, tensor

#: Far from singular, and without symmetry; what is added to its transpose is positive definite.
SQUARES = [
    [[4.0, 1.0, -0.5], [0.5, 3.0, 1.5], [-1.0, 0.25, 5.0]],
    [[3.0, -0.75, 0.5], [1.25, 6.0, -1.0], [0.5, 2.0, 4.5]],
]


@clause("numbers.linear-algebra", modes="train", shapes=("dynamic", "static"))
def test_factors(check: Check) -> None:
    """Of square matrices and of high and wide ones, whole or reduced, upper or lower, of transposed memory too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        definite = a + a.mT
        return {
            "lower": torch.linalg.cholesky(definite),
            "upper": torch.linalg.cholesky(definite.mT, upper=True),
            "and a check": torch.linalg.cholesky_ex(definite)[1],
            "orthogonal": [part.abs() for part in torch.linalg.qr(b)],
            "of wide ones": [part.abs() for part in torch.linalg.qr(b.mT)],
            "triangles": torch.linalg.lu(a),
            "triangles of high ones": torch.linalg.lu(b),
            "packed": torch.linalg.lu_factor(a.mT),
            "singular": [part.abs() for part in torch.linalg.svd(b, full_matrices=False)],
            "singular values": torch.linalg.svdvals(b.mT),
        }

    result = check(program, tensor(2, 3, 3, values=SQUARES), tensor(2, 3, 2))
    result.gradient(0, 1).values().expect("""\
out['lower'] = float32[2, 3, 3] [[[2.828, 0, 0], [0.5303, 2.391, 0], [-0.5303, 0.8494, 3]], [[2.449, 0, 0], [0.2041,
    3.458, 0], [0.4082, 0.2651, 2.96]]]
out['upper'] = float32[2, 3, 3] [[[2.828, 0.5303, -0.5303], [0, 2.391, 0.8494], [0, 0, 3]], [[2.449, 0.2041,
    0.4082], [0, 3.458, 0.2651], [0, 0, 2.96]]]
out['and a check'] = int32[2] [0, 0]
out['orthogonal'][0] = float32[2, 3, 2] [[[0.8, 0.3775], [0.2785, 0.9221], [0.5315, 0.08493]], [[0.8111, 0.5733],
    [0.5787, 0.8154], [0.08533, 0.08031]]]
out['orthogonal'][1] = float32[2, 2, 2] [[[0.8581, 2.259], [0, 2.181]], [[1.956, 0.5433], [0, 2.34]]]
out['of wide ones'][0] = float32[2, 2, 2] [[[0.2525, 0.9676], [0.9676, 0.2525]], [[0.8696, 0.4937], [0.4937,
    0.8696]]]
out['of wide ones'][1] = float32[2, 2, 3] [[[2.718, 1.277, 1.097], [0, 0.5803, 0.1849]], [[1.824, 0.1128, 0.215],
    [0, 2.491, 0.04068]]]
out['triangles'][0] = float32[2, 3, 3] [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
out['triangles'][1] = float32[2, 3, 3] [[[1, 0, 0], [0.125, 1, 0], [-0.25, 0.1739, 1]], [[1, 0, 0], [0.4167, 1, 0],
    [0.1667, 0.3366, 1]]]
out['triangles'][2] = float32[2, 3, 3] [[[4, 1, -0.5], [0, 2.875, 1.562], [0, 0, 4.603]], [[3, -0.75, 0.5], [0,
    6.312, -1.208], [0, 0, 4.823]]]
out['triangles of high ones'][0] = float32[2, 3, 3] [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0,
    0, 1]]]
out['triangles of high ones'][1] = float32[2, 3, 2] [[[1, 0], [-0.3482, 1], [-0.6644, 0.3187]], [[1, 0], [0.7135,
    1], [-0.1052, 0.01633]]]
out['triangles of high ones'][2] = float32[2, 2, 2] [[[0.6865, -2.63], [0, -2.298]], [[-1.587, 0.9008], [0,
    -2.865]]]
out['packed'][0] = float32[2, 3, 3] [[[4, 0.5, -1], [0.25, 2.875, 0.5], [-0.125, 0.5435, 4.603]], [[3, 1.25, 0.5],
    [-0.25, 6.312, 2.125], [0.1667, -0.1914, 4.823]]]
out['packed'][1] = int32[2, 3] [[1, 2, 3], [1, 2, 3]]
out['singular'][0] = float32[2, 3, 2] [[[0.8477, 0.2528], [0.408, 0.8726], [0.3391, 0.418]], [[0.07388, 0.9905],
    [0.997, 0.07626], [0.02491, 0.1145]]]
out['singular'][1] = float32[2, 2] [[3.202, 0.5845], [2.498, 1.833]]
out['singular'][2] = float32[2, 2, 2] [[[0.1996, 0.9799], [0.9799, 0.1996]], [[0.4032, 0.9151], [0.9151, 0.4032]]]
out['singular values'] = float32[2, 2] [[3.202, 0.5845], [2.498, 1.833]]
""")


@clause("numbers.linear-algebra", modes="no_grad")
def test_what_has_no_gradient(check: Check) -> None:
    """Whole bases of singular vectors, factors alone, those of symmetric matrices, and what eager cannot take back."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "orthogonal, of all sizes": [part.abs() for part in torch.linalg.qr(b, mode="complete")],
            "right one": torch.linalg.qr(a, mode="r")[1].abs(),
            "condition of columns": torch.linalg.cond(a, 1),
            "falling powers": torch.vander(b[0, :, 0], 3, increasing=False),
            "singular vectors": [part.shape for part in torch.linalg.svd(b)],
            "of a wide one": [part.abs() for part in torch.linalg.svd(b.mT, full_matrices=True)][1:],
            "symmetric": torch.linalg.ldl_factor(a + a.mT),
            "symmetric, checked": torch.linalg.ldl_factor_ex(a + a.mT, hermitian=True)[2],
        }

    # Compiled, what is written into an inverse is another tensor, laid out in rows, and a GPU sums those otherwise.
    exact = check.device == "cpu"
    result = check(program, tensor(2, 3, 3, values=SQUARES), tensor(2, 3, 2), exact=exact)
    result.values().expect("""\
out['orthogonal, of all sizes'][0] = float32[2, 3, 3] [[[0.8, 0.3775, 0.4664], [0.2785, 0.9221, 0.2686], [0.5315,
    0.08493, 0.8428]], [[0.8111, 0.5733, 0.1161], [0.5787, 0.8154, 0.01622], [0.08533, 0.08031, 0.9931]]]
out['orthogonal, of all sizes'][1] = float32[2, 3, 2] [[[0.8581, 2.259], [0, 2.181], [0, 0]], [[1.956, 0.5433], [0,
    2.34], [0, 0]]]
out['right one'] = float32[2, 3, 3] [[[4.153, 1.264, 1.505], [0, 2.909, 2.458], [0, 0, 4.381]], [[3.288, 1.901,
    0.7603], [0, 6.079, 0.1941], [0, 0, 4.57]]]
out['condition of columns'] = float32[2] [3.521, 3.413]
out['falling powers'] = float32[3, 3] [[0.4712, 0.6865, 1], [0.05712, -0.239, 1], [0.208, -0.4561, 1]]
out['singular vectors'][0][0] = int 2
out['singular vectors'][0][1] = int 3
out['singular vectors'][0][2] = int 3
out['singular vectors'][1][0] = int 2
out['singular vectors'][1][1] = int 2
out['singular vectors'][2][0] = int 2
out['singular vectors'][2][1] = int 2
out['singular vectors'][2][2] = int 2
out['of a wide one'][0] = float32[2, 2] [[3.202, 0.5845], [2.498, 1.833]]
out['of a wide one'][1] = float32[2, 3, 3] [[[0.8477, 0.408, 0.3391], [0.2528, 0.8726, 0.418], [0.4664, 0.2686,
    0.8428]], [[0.07388, 0.997, 0.02491], [0.9905, 0.07626, 0.1145], [0.1161, 0.01622, 0.9931]]]
out['symmetric'][0] = float32[2, 3, 3] [[[8, 0, 0], [0.1875, 5.719, 0], [-0.1875, 0.3552, 8.997]], [[6, 0, 0],
    [0.08333, 11.96, 0], [0.1667, 0.07666, 8.763]]]
out['symmetric'][1] = int32[2, 3] [[1, 2, 3], [1, 2, 3]]
out['symmetric, checked'] = int32[2] [0, 0]
""")


@clause("numbers.linear-algebra", modes="train", shapes=("dynamic", "static"))
def test_solutions(check: Check) -> None:
    """Of equations from either side, of triangles of either kind, by factors, and of a vector and of rows."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        factor = torch.linalg.cholesky(a + a.mT)
        packed, pivots = torch.linalg.lu_factor(a)
        return {
            "left": torch.linalg.solve(a, b),
            "right": torch.linalg.solve(a, b.mT, left=False),
            "vectors": torch.linalg.solve(a, b[..., 0]),
            "one matrix": torch.linalg.solve(a[0], b),
            "upper": torch.linalg.solve_triangular(a, b, upper=True),
            "lower": torch.linalg.solve_triangular(a, b, upper=False),
            "ones on the diagonal": torch.linalg.solve_triangular(a, b, upper=True, unitriangular=True),
            "upper, right": torch.linalg.solve_triangular(a, b.mT, upper=True, left=False),
            "by lower factors": torch.cholesky_solve(b, factor),
            "by upper factors": torch.cholesky_solve(b, factor.mT, upper=True),
            "inverse by factors": torch.cholesky_inverse(factor),
            "by packed factors": torch.linalg.lu_solve(packed, pivots, b),
            "of transposed ones": torch.linalg.lu_solve(packed, pivots, b, adjoint=True),
            "right, by packed factors": torch.linalg.lu_solve(packed, pivots, b.mT, left=False),
            "inverse": torch.linalg.inv(a),
            "inverse and a check": torch.linalg.inv_ex(a.mT)[0],
            "pseudoinverse": torch.linalg.pinv(b),
            "of symmetric ones": torch.linalg.pinv(a + a.mT, hermitian=True),
        }

    result = check(program, tensor(2, 3, 3, values=SQUARES), tensor(2, 3, 2))
    result.gradient(0, 1).values().expect("""\
out['left'] = float32[2, 3, 2] [[[0.1869, -0.5353], [-0.08606, -0.4302], [-0.04952, 0.1175]], [[-0.562, 0.183],
    [-0.05119, -0.3884], [0.1223, 0.1208]]]
out['right'] = float32[2, 2, 3] [[[0.1808, -0.1373, -0.03195], [-0.5623, -0.2928, 0.2347]], [[-0.4287, -0.2518,
    0.02876], [0.4358, -0.2693, -0.1397]]]
out['vectors'] = float32[2, 3] [[0.1869, -0.08606, -0.04952], [-0.562, -0.05119, 0.1223]]
out['one matrix'] = float32[2, 3, 2] [[[0.1869, -0.5353], [-0.08606, -0.4302], [-0.04952, 0.1175]], [[-0.3193,
    0.456], [-0.3168, -0.87], [-0.01463, 0.1064]]]
out['upper'] = float32[2, 3, 2] [[[0.1687, -0.4916], [-0.03406, -0.5622], [-0.09121, 0.203]], [[-0.5807, 0.2116],
    [-0.1825, -0.3756], [0.03709, -0.03146]]]
out['lower'] = float32[2, 3, 2] [[[0.1716, -0.6575], [-0.1083, -0.3511], [-0.05148, 0.08909]], [[-0.5289, 0.3003],
    [-0.07849, -0.4329], [0.1307, 0.1276]]]
out['ones on the diagonal'] = float32[2, 3, 2] [[[0.01333, 0.7823], [0.4451, -2.905], [-0.4561, 1.015]], [[-2.394,
    -0.8013], [-0.9651, -2.364], [0.1669, -0.1415]]]
out['upper, right'] = float32[2, 2, 3] [[[0.1716, -0.1369, -0.03299], [-0.6575, -0.2415, 0.2097]], [[-0.5289,
    -0.2548, 0.03924], [0.3003, -0.3329, -0.1388]]]
out['by lower factors'] = float32[2, 3, 2] [[[0.09231, -0.276], [-0.05653, -0.1885], [-0.02187, 0.09311]],
    [[-0.2668, 0.1683], [-0.08805, -0.1911], [0.05797, -0.01319]]]
out['by upper factors'] = float32[2, 3, 2] [[[0.09231, -0.276], [-0.05653, -0.1885], [-0.02187, 0.09311]],
    [[-0.2668, 0.1683], [-0.08805, -0.1911], [0.05797, -0.01319]]]
out['inverse by factors'] = float32[2, 3, 3] [[[0.1383, -0.04282, 0.02824], [-0.04282, 0.1889, -0.03948], [0.02824,
    -0.03948, 0.1111]], [[0.1702, -0.005567, -0.01829], [-0.005567, 0.08429, -0.008748], [-0.01829, -0.008748,
    0.1141]]]
out['by packed factors'] = float32[2, 3, 2] [[[0.1869, -0.5353], [-0.08606, -0.4302], [-0.04952, 0.1175]], [[-0.562,
    0.183], [-0.05119, -0.3884], [0.1223, 0.1208]]]
out['of transposed ones'] = float32[2, 3, 2] [[[0.1808, -0.5623], [-0.1373, -0.2928], [-0.03195, 0.2347]],
    [[-0.4287, 0.4358], [-0.2518, -0.2693], [0.02876, -0.1397]]]
out['right, by packed factors'] = float32[2, 2, 3] [[[0.1808, -0.1373, -0.03195], [-0.5623, -0.2928, 0.2347]],
    [[-0.4287, -0.2518, 0.02876], [0.4358, -0.2693, -0.1397]]]
out['inverse'] = float32[2, 3, 3] [[[0.2763, -0.09681, 0.05667], [-0.07556, 0.3684, -0.1181], [0.05903, -0.03778,
    0.2172]], [[0.3175, 0.0479, -0.02463], [-0.06705, 0.1451, 0.03969], [-0.005474, -0.06979, 0.2073]]]
out['inverse and a check'] = float32[2, 3, 3] [[[0.2763, -0.07556, 0.05903], [-0.09681, 0.3684, -0.03778], [0.05667,
    -0.1181, 0.2172]], [[0.3175, -0.06705, -0.005474], [0.0479, 0.1451, -0.06979], [-0.02463, 0.03969, 0.2073]]]
out['pseudoinverse'] = float32[2, 2, 3] [[[0.4767, -1.437, -0.7219], [-0.1731, -0.4228, -0.03894]], [[-0.4827,
    -0.199, 0.05316], [0.245, -0.3485, -0.03432]]]
out['of symmetric ones'] = float32[2, 3, 3] [[[0.1383, -0.04282, 0.02824], [-0.04282, 0.1889, -0.03948], [0.02824,
    -0.03948, 0.1111]], [[0.1702, -0.005567, -0.01829], [-0.005567, 0.08429, -0.008748], [-0.01829, -0.008748,
    0.1141]]]
""")


@clause("numbers.linear-algebra", modes="train")
def test_strides_told_of_solutions(check: Check) -> None:
    """A matrix for several right sides, or the other way round, has solutions that lie as a program is told."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[dict[str, torch.Tensor], dict[str, tuple[int, ...]]]:
        factor = torch.linalg.cholesky(a + a.mT)
        packed, pivots = torch.linalg.lu_factor(a)
        row = b[0].mT
        found = {
            "left": torch.linalg.solve(a, b),
            "right": torch.linalg.solve(a, b.mT, left=False),
            "one right side": torch.linalg.solve(a, b[0]),
            "one from the right": torch.linalg.solve_ex(a, row, left=False)[0],
            "one matrix": torch.linalg.solve(a[:1], b),
            "one matrix from the right": torch.linalg.solve(a[0], b.mT, left=False),
            "vectors": torch.linalg.solve(a, b[..., 0]),
            "one of a triangle": torch.linalg.solve_triangular(a, b[0], upper=True),
            "one triangle from the right": torch.linalg.solve_triangular(a[:1], b.mT, upper=False, left=False),
            "one by factors": torch.cholesky_solve(b[0], factor),
            "by one factor": torch.cholesky_solve(b, factor[:1]),
            "one by packed factors": torch.linalg.lu_solve(packed, pivots, b[0]),
            "by packed factors from the right": torch.linalg.lu_solve(packed, pivots, b.mT, left=False),
            "of transposed ones": torch.linalg.lu_solve(packed, pivots, b.mT, left=False, adjoint=True),
        }
        return found, {name: each.stride() for name, each in found.items()}

    result = check(program, tensor(2, 3, 3, values=SQUARES), tensor(2, 3, 4)).gradient(0, 1).computed()
    result.shape("out[0]['one right side']", 2, 3, 4).holds("out[1]['right'][2]", 1)


@clause("numbers.linear-algebra", modes="train", shapes=("dynamic", "static"))
def test_eigenvalues(check: Check) -> None:
    """Of symmetric matrices by either triangle, and of any, which are complex."""

    def program(a: torch.Tensor) -> dict[str, object]:
        values, vectors = torch.linalg.eigh(a)
        other_values, other_vectors = torch.linalg.eigh(a, UPLO="U")
        return {
            "of the lower triangle": [values, vectors.abs()],
            "of the upper triangle": [other_values, other_vectors.abs()],
            "alone": torch.linalg.eigvalsh(a - a.mT / 2, UPLO="U"),
            "of a complex one": torch.linalg.eigvalsh(torch.complex(a, a - a.mT)),
            "of any, their sizes": torch.linalg.eigvals(a).abs().sum(-1),
            "of any, whole": torch.linalg.eig(a)[1].abs().sum(-1),
        }

    check(program, tensor(2, 3, 3, values=SQUARES)).gradient(0).values().expect("""\
out['of the lower triangle'][0] = float32[2, 3] [[2.602, 3.779, 5.619], [2.5, 3.25, 7.75]]
out['of the lower triangle'][1] = float32[2, 3, 3] [[[0.5012, 0.6841, 0.5299], [0.8139, 0.5807, 0.02023], [0.2938,
    0.4414, 0.8478]], [[0.8729, 0.4082, 0.2673], [0.4364, 0.4082, 0.8018], [0.2182, 0.8165, 0.5345]]]
out['of the upper triangle'][0] = float32[2, 3] [[1.663, 4.534, 5.803], [2.775, 4.009, 6.716]]
out['of the upper triangle'][1] = float32[2, 3, 3] [[[0.4314, 0.9019, 0.02128], [0.7969, 0.3699, 0.4776], [0.4228,
    0.223, 0.8783]], [[0.9686, 0.08369, 0.2343], [0.1685, 0.4723, 0.8652], [0.1831, 0.8774, 0.4434]]]
out['alone'] = float32[2, 3] [[0.3061, 2.104, 3.589], [0.1362, 1.528, 5.086]]
out['of a complex one'] = float32[2, 3] [[2.294, 3.372, 6.334], [0.3399, 3.737, 9.423]]
out['of any, their sizes'] = float32[2] [12.01, 13.76]
out['of any, whole'] = float32[2, 3] [[1.13, 2.061, 1.698], [1.296, 1.464, 1.844]]
""")


@clause("numbers.linear-algebra", modes="train", shapes=("dynamic", "static"))
def test_numbers_of_matrices(check: Check) -> None:
    """Determinants, norms of each order, conditions, ranks and traces, of one matrix and of batches."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "determinant": torch.linalg.det(a),
            "sign and size": torch.linalg.slogdet(-a),
            "logarithm": torch.logdet(a),
            "frobenius": torch.linalg.matrix_norm(b),
            "nuclear": torch.linalg.matrix_norm(b, "nuc"),
            "rows": torch.linalg.matrix_norm(b, float("inf"), keepdim=True),
            "smallest row": torch.linalg.matrix_norm(b, -float("inf")),
            "columns": torch.linalg.matrix_norm(b, 1),
            "smallest column": torch.linalg.matrix_norm(b, -1, dim=(0, 1)),
            "largest": torch.linalg.matrix_norm(b, 2),
            "smallest": torch.linalg.matrix_norm(b, -2, dim=(2, 0)),
            "in double": torch.linalg.matrix_norm(b, dtype=torch.float64),
            "condition": torch.linalg.cond(a),
            "rank": torch.linalg.matrix_rank(b),
            "rank by a bound": torch.linalg.matrix_rank(a, atol=4.0, rtol=0.0),
            "trace": torch.trace(b[0]),
        }

    result = check(program, tensor(2, 3, 3, values=SQUARES), tensor(2, 3, 2))
    result.gradient(0, 1).values().expect("""\
out['determinant'] = float32[2] [52.94, 91.34]
out['sign and size'][0] = float32[2] [-1, -1]
out['sign and size'][1] = float32[2] [3.969, 4.515]
out['logarithm'] = float32[2] [3.969, 4.515]
out['frobenius'] = float32[2] [3.255, 3.098]
out['nuclear'] = float32[2] [3.786, 4.33]
out['rows'] = float32[2, 1, 1] [[[3.317]], [[3.354]]]
out['smallest row'] = float32[2] [1.471, 0.3085]
out['columns'] = float32[2] [5.027, 3.265]
out['smallest column'] = float32[2] [0.623, 1.157]
out['largest'] = float32[2] [3.202, 2.498]
out['smallest'] = float32[3] [1.161, 0.3641, 0.0928]
out['in double'] = float64[2] [3.255, 3.098]
out['condition'] = float32[2] [2.556, 2.139]
out['rank'] = int64[2] [2, 2]
out['rank by a bound'] = int64[2] [2, 2]
out['trace'] = float32[] -0.6955
""")


@clause("numbers.linear-algebra", modes="train", shapes=("dynamic", "static"))
def test_powers_and_made_matrices(check: Check) -> None:
    """Powers, of less than one too, exponentials, powers of numbers as columns, reflections, products across."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, object]:
        return {
            "third": torch.linalg.matrix_power(a, 3),
            "none": torch.linalg.matrix_power(a, 0),
            "less than none": torch.linalg.matrix_power(a, -2),
            "exponential": torch.linalg.matrix_exp(a / 4),
            "of one matrix": torch.matrix_exp(a[0] - 4),
            "columns of powers": torch.linalg.vander(c, N=4),
            "reflections": torch.linalg.householder_product(b.mT[..., :2, :1], c[:1].expand(2, 1)),
            "across": torch.linalg.cross(a, a.mT, dim=-2),
            "across the last": torch.cross(a, a * a, dim=2),
            "diagonals": torch.linalg.diagonal(a, offset=1, dim1=0, dim2=2),
            "from diagonals": torch.diag_embed(b, offset=-1, dim1=0, dim2=-1),
            "by blocks": torch.kron(b[0], a[1, :2]),
            "on a diagonal": torch.block_diag(b[0], c, a[0]),
        }

    result = check(program, tensor(2, 3, 3, values=SQUARES), tensor(2, 2, 3), tensor(4))
    result.gradient(0, 1, 2).values().expect("""\
out['third'] = float32[2, 3, 3] [[[74.44, 36.88, -13.19], [1.188, 34.56, 72.56], [-60.88, 0.5938, 135.3]], [[20,
    -31.73, 30.16], [68.64, 170.6, -72.12], [53.78, 156.1, 65.75]]]
out['none'] = float32[2, 3, 3] [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
out['less than none'] = float32[2, 3, 3] [[[0.08699, -0.06455, 0.0394], [-0.05568, 0.1475, -0.07342], [0.03199,
    -0.02784, 0.055]], [[0.09772, 0.02387, -0.01103], [-0.03123, 0.01506, 0.01564], [0.001807, -0.02486, 0.04035]]]
out['exponential'] = float32[2, 3, 3] [[[2.793, 0.5991, -0.2619], [0.176, 2.173, 1.022], [-0.771, 0.08798, 3.564]],
    [[2.068, -0.4783, 0.3828], [0.9091, 4.149, -0.8497], [0.5508, 1.783, 2.898]]]
out['of one matrix'] = float32[3, 3] [[82.4, 16.31, -96.24], [-13.33, 3.431, 9.933], [-85.36, -23.93, 106.2]]
out['columns of powers'] = float32[4, 4] [[1, -2.313, 5.351, -12.38], [1, -0.5863, 0.3438, -0.2016], [1, -0.4814,
    0.2317, -0.1115], [1, -0.4153, 0.1725, -0.07163]]
out['reflections'] = float32[2, 2, 1] [[[3.313], [-6.084]], [[3.313], [2.084]]]
out['across'] = float32[2, 3, 3] [[[0.75, 3.75, 6.25], [-2, -1.375, -2.5], [2, 1.5, 1.375]], [[1, -18, -13.5], [0,
    1.75, 0], [-6, -12, 1.5]]]
out['across the last'] = float32[2, 3, 3] [[[0.75, -9, -12], [-6.75, -0.75, 3.75], [5.938, 30, -0.3125]], [[-0.4688,
    3.75, 8.438], [42, -2.812, 35.62], [22.5, -9, 1.5]]]
out['diagonals'] = float32[3, 2] [[1, 0.5], [3, -1], [0.25, 4.5]]
out['from diagonals'] = float32[4, 2, 2, 4] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ..., 0, 0, -0.1415, 0]
out['by blocks'] = float32[4, 9] [[2.059, -0.5148, 0.3432, -7.89, 1.973, -1.315, -0.717, 0.1792, -0.1195], [0.8581,
    4.119, -0.6865, -3.288, -15.78, 2.63, -0.2987, -1.434, 0.239], [-4.146, 1.036, -0.691, -1.368, 0.342, -0.228,
    3.046, -0.7614, 0.5076], [-1.727, -8.292, 1.382, -0.5701, -2.736, 0.4561, 1.269, 6.091, -1.015]]
out['on a diagonal'] = float32[6, 10] [0.6865, -2.63, -0.239, 0, 0, 0, 0, 0, 0, 0, -1.382, -0.4561, ..., 0, -1,
    0.25, 5]
""")


@clause("numbers.linear-algebra", modes="train", shapes=("dynamic", "static"))
def test_matrices_of_nothing(check: Check) -> None:
    """Matrices without rows have determinant one, norm nought and no eigenvalues; no matrices have no solutions."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        none = a[:, :0, :0]
        return {
            "determinant": torch.linalg.det(none) + 1,
            "sign and size": torch.linalg.slogdet(none),
            "norm": torch.linalg.matrix_norm(none) + b[:, 0, 0],
            "inverse": torch.linalg.inv(none),
            "exponential": torch.linalg.matrix_exp(none),
            "solutions without rows": torch.linalg.solve(none, b[:, :0]),
            "no solutions": torch.linalg.solve(a[:0], b[:0]),
            "no right side": torch.linalg.solve(a, b[..., :0]),
            "eigenvalues": torch.linalg.eigvalsh(none),
            "factors": torch.linalg.qr(b[:, :0]),
            "singular": torch.linalg.svdvals(b[..., :0]),
            "triangle": torch.linalg.cholesky(a[:0]),
        }

    result = check(program, tensor(2, 3, 3, values=SQUARES), tensor(2, 3, 2))
    result.gradient(1).values().expect("""\
out['determinant'] = float32[2] [2, 2]
out['sign and size'][0] = float32[2] [1, 1]
out['sign and size'][1] = float32[2] [0, 0]
out['norm'] = float32[2] [0.6865, -1.587]
out['inverse'] = float32[2, 0, 0] [[], []]
out['exponential'] = float32[2, 0, 0] [[], []]
out['solutions without rows'] = float32[2, 0, 2] [[], []]
out['no solutions'] = float32[0, 3, 2] []
out['no right side'] = float32[2, 3, 0] [[[], [], []], [[], [], []]]
out['eigenvalues'] = float32[2, 0] [[], []]
out['factors'][0] = float32[2, 0, 0] [[], []]
out['factors'][1] = float32[2, 0, 2] [[], []]
out['singular'] = float32[2, 0] [[], []]
out['triangle'] = float32[0, 3, 3] []
""")


@clause("numbers.options")
def test_sizes_of_whole_and_of_reduced_factors(check: Check) -> None:
    """What a program is told of the sizes of factors is whole or reduced as it asked, of wide and of tall matrices."""

    def program(wide: torch.Tensor, tall: torch.Tensor) -> dict[str, list[tuple[int, ...]]]:
        factors = {
            f"{name} of {which}": factor(matrix)
            for which, matrix in {"wide": wide, "tall": tall}.items()
            for name, factor in {
                "whole values": torch.linalg.svd,
                "values": lambda each: torch.linalg.svd(each, full_matrices=False),
                "whole": lambda each: torch.linalg.qr(each, mode="complete"),
                "reduced": torch.linalg.qr,
                "triangles": torch.linalg.lu,
                "pivots": torch.linalg.lu_factor,
            }.items()
        }
        return {name: [tuple(part.shape) for part in parts] for name, parts in factors.items()}

    result = check(program, tensor(2, 4), tensor(4, 2))
    result.holds("out['whole values of wide']", [(2, 2), (2,), (4, 4)])
    result.holds("out['whole of tall']", [(4, 4), (4, 2)])
