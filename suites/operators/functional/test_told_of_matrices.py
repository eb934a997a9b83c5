"""What a program is told, before they are there, of factors, solutions, products and transforms of matrices."""

import torch

from suites.harness import Check, clause, tensor
from suites.operators.table.told import told_of


@clause("T7.10", "numbers.options")
def test_factors_of_matrices(check: Check) -> None:
    """A program is told truly what factors and functions of matrices are: of wide, tall, turned and complex ones."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        square = a @ a.mT + 3 * torch.eye(3, device=a.device)
        complex_ = torch.complex(square, square.mT * 0.5)
        found = {
            "singular numbers": torch.linalg.svdvals(complex_),
            "singular numbers of wide": torch.linalg.svdvals(a),
            "tall": torch.linalg.qr(a.mT)[1].abs(),
            "only the second": torch.linalg.qr(a, mode="r")[1].abs(),
            "lower": torch.linalg.cholesky(square),
            "upper": torch.linalg.cholesky(square, upper=True),
            "proper numbers": torch.linalg.eigvalsh(complex_ + complex_.mH),
            "three": torch.linalg.lu(square.mT),
            "packed": torch.linalg.lu_factor(a),
            "exponential": torch.matrix_exp(square.mT * 0.1),
            "power": torch.linalg.matrix_power(square.mT, 3),
            "inverse": torch.linalg.inv(square.mT),
            "solved": torch.linalg.solve(square, a),
            "solved from the left": torch.linalg.solve(square, square.mT, left=False),
            "determinant": torch.linalg.slogdet(complex_),
            "triangle solved": torch.linalg.solve_triangular(square.triu(), a, upper=True),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_factors_of_tall_and_of_empty_matrices(check: Check) -> None:
    """A program is told truly what factors of tall matrices are, what these do to others, and those of nothing."""

    def program(a: torch.Tensor, b: torch.Tensor, none: torch.Tensor) -> tuple[object, object]:
        reflectors, factors = torch.geqrf(a)
        packed, pivots = torch.linalg.lu_factor(a)
        symmetric = a.mT @ a + torch.eye(3, device=a.device)
        halved, places = torch.linalg.ldl_factor(symmetric)
        found = {
            "reflected": torch.ormqr(reflectors, factors, b),
            "reflected from the right": torch.ormqr(reflectors, factors, b.mT, left=False, transpose=True),
            "three": torch.lu_unpack(packed, pivots),
            "three of it": torch.linalg.lu(a),
            "triangle solved": torch.triangular_solve(b[:3], symmetric)[0],
            "solved by halves": torch.linalg.ldl_solve(halved, places, b[:3]),
            "solved by a square root": torch.cholesky_solve(b[:3], torch.linalg.cholesky(symmetric)),
            "solved by factors": torch.linalg.lu_solve(*torch.linalg.lu_factor(symmetric), b[:3]),
            "inverse of none": torch.linalg.inv(none),
            "proper numbers of none": torch.linalg.eigvalsh(none),
            "determinant of none": torch.linalg.det(none),
            "at right angles": torch.linalg.cross(symmetric, b[:3, :1].mT[:, :1].expand(1, 3)),
        }
        return found, told_of(found)

    check(
        program, tensor(5, 3, grad=False), tensor(5, 2, grad=False), tensor(2, 0, 0, grad=False), exact=False
    ).computed()


@clause("T7.10", "numbers.fourier")
def test_transforms_of_what_is_turned(check: Check) -> None:
    """A program is told truly how transforms lie, to and fro, of several dimensions that are turned in memory."""

    def program(a: torch.Tensor, both: torch.Tensor) -> tuple[object, object]:
        found = {}
        for way in ((0, 2, 1), (2, 1, 0), (1, 2, 0)):
            real, complex_ = a.permute(way), both.permute(way)
            found[way] = {
                "two": torch.fft.fft2(complex_),
                "all": torch.fft.fftn(complex_),
                "two that are apart": torch.fft.ifft2(complex_, dim=(0, 2)),
                "first": torch.fft.fft(complex_, dim=0),
                "half": torch.fft.rfft2(real),
                "half of all": torch.fft.rfftn(real),
                "half of one": torch.fft.rfft(real, dim=1),
                "back from a half": torch.fft.irfft2(complex_),
                "back from a half of all": torch.fft.irfftn(complex_),
                "real": torch.fft.hfft2(complex_),
                "half, back": torch.fft.ihfft2(real),
                "filled": torch.fft.ifft(complex_, n=7, dim=1),
            }
        return found, told_of(found)

    inputs = tensor(2, 3, 4, grad=False), tensor(2, 3, 4, dtype=torch.complex64, grad=False)
    check(program, *inputs, exact=False).computed()


@clause("T7.10", "numbers.linear-algebra")
def test_factors_that_lie_by_columns(check: Check) -> None:
    """A program is told truly how vectors lie that belong to matrices, and solutions of what is turned."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[object, ...]:
        lower = a.tril() + 3 * torch.eye(3, device=a.device)
        packed, pivots = torch.linalg.lu_factor(lower)
        found = {
            "mirrors": torch.linalg.householder_product(*torch.geqrf(b)),
            "turned triangle": torch.linalg.solve_triangular(lower.mT, b, upper=True),
            "turned triangle, from the right": torch.linalg.solve_triangular(lower.mT, a, upper=True, left=False),
            "factors alone": torch.lu_unpack(packed, pivots, unpack_pivots=False),
            "order alone": torch.lu_unpack(packed, pivots, unpack_data=False),
            "inverse of less": torch.linalg.pinv(b),
            "at right angles": torch.linalg.cross(a.mT, a),
        }
        # Of either sign.
        vectors = {
            "of each": torch.linalg.eig(lower),
            "of symmetric ones": torch.linalg.eigh(a + a.mT),
            "of tall ones": torch.linalg.svd(b, full_matrices=False),
            "of wide ones": torch.linalg.svd(b.mT, full_matrices=True),
            "of all of it": torch.linalg.qr(b, mode="complete"),
            "by halves": torch.linalg.ldl_factor(a + a.mT),
        }
        return found, told_of(found), told_of(vectors)

    check(program, tensor(2, 3, 3, grad=False), tensor(2, 3, 2, grad=False), exact=False).computed()


@clause("T7.10", "numbers.linear-algebra")
def test_solutions_of_conjugate_triangles(check: Check) -> None:
    """A program is told truly how solutions lie of a triangle that is turned and conjugated."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        lower = a.tril() + 3 * torch.eye(3, device=a.device)
        found = torch.linalg.solve_triangular(lower.mH, a[..., :2], upper=True)
        return found, told_of(found)

    check(program, tensor(2, 3, 3, dtype=torch.complex64, grad=False), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_places_and_products_of_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what is read or written by places that are turned, and sums with products."""

    def program(a: torch.Tensor, batch: torch.Tensor, places: torch.Tensor) -> tuple[object, object]:
        turned, planes = a.t(), batch.permute(2, 0, 1)
        found = {
            "put": torch.index_put(turned, (places[0, :2],), turned[2:] * 2),
            "put and added": torch.index_put(turned, (places[0],), a[:, 0], accumulate=True),
            "read by turned places": torch.gather(a, 0, places.t()),
            "read of what is turned": torch.gather(turned, 0, places),
            "written by turned places": torch.scatter(a, 1, places.t(), a.exp()),
            "greatest": torch.scatter_reduce(turned, 0, places, turned.exp(), "amax"),
            "means": torch.scatter_reduce(turned, 0, places, turned.exp(), "mean", include_self=False),
            "added": torch.scatter_add(turned, 0, places, turned.exp()),
            "sum of products": torch.addbmm(turned, batch, batch.mT[..., :3]),
            "products": torch.baddbmm(batch.mT, batch, batch),
            "product": torch.addmm(turned, batch[0], turned),
            "product of two rows": torch.addr(turned, a[0], a[:, 0]),
            "upper": torch.triu(planes),
            "lower": torch.tril(planes, -1),
            "upper truths": torch.triu(planes > 0, 1),
        }
        return found, told_of(found)

    places = tensor(2, 3, dtype=torch.int64, values=[[0, 1, 1], [1, 0, 2]])
    check(program, tensor(3, 4, grad=False), tensor(2, 4, 4, grad=False), places, exact=False).computed()


@clause("T7.10", "numbers.linear-algebra")
def test_inverses_and_solutions_that_lie_by_columns(check: Check) -> None:
    """A program is told truly how lie inverses, factors beside their states, and solutions of rows and of triangles."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[object, object]:
        square = a @ a.mT + 3 * torch.eye(3, device=a.device)
        factor = torch.linalg.cholesky(square)
        six = 2 * torch.eye(6, device=a.device)
        found = {
            "inverse by a square root": torch.cholesky_inverse(factor),
            "inverse by an upper one": torch.cholesky_inverse(factor.mT, upper=True),
            "square root and state": torch.linalg.cholesky_ex(square.mT, upper=True),
            "inverse and state": torch.linalg.inv_ex(square.mT),
            "halves and state": torch.linalg.ldl_factor_ex(square),
            "factors and state": torch.linalg.lu_factor_ex(square.mT),
            "triangle and its copy": torch.triangular_solve(b, square),
            "one triangle for each": torch.triangular_solve(b, square[0], transpose=True),
            "a row for each": torch.linalg.solve(square, b[..., 0]),
            "one row": torch.linalg.solve(square, b[0, :, 0]),
            "solution and state": torch.linalg.solve_ex(square, b),
            "solution of tensors": torch.linalg.tensorsolve(six.view(2, 3, 6), b[:, :, 0]),
            "inverse of tensors": torch.linalg.tensorinv(six.view(6, 2, 3), 1),
            "determinants": torch.det(square.mT),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 3, grad=False), tensor(2, 3, 2, grad=False), exact=False).computed()
