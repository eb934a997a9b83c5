"""Products of matrices and vectors: with factors, in groups, of one row, of nothing, of whole numbers and bfloat16."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

NAN, INF = float("nan"), float("inf")


@clause("numbers.options")
def test_products_with_factors(check: Check) -> None:
    """Each product that is added to something has a factor for either, of a row that is broadcast too."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "matrices": torch.addmm(c, a, b, beta=-0.5, alpha=2),
            "row": torch.addmm(c[0], a, b, beta=3, alpha=0.25),
            "column": torch.addmm(c[:, :1], a, b, alpha=-1.5),
            "vector": torch.addmv(c[0, :2], a, b[:, 1], beta=0.5, alpha=-2),
            "only the product": torch.addmv(c[0, :2], a, b[:, 1], beta=0, alpha=2),
            "outer": torch.addr(c, a[:, 0], b[0], beta=-1, alpha=3),
            "only the outer": torch.addr(c, a[:, 0], b[0], beta=0),
            "batches": torch.baddbmm(c, d, b.expand(3, 3, 4), beta=0.5, alpha=-1),
            "sum of batches": torch.addbmm(c, d, b.expand(3, 3, 4), beta=2, alpha=0.5),
        }

    check(program, tensor(2, 3), tensor(3, 4), tensor(2, 4), tensor(3, 2, 3)).values().expect("""\
out['matrices'] = float32[2, 4] [[-3.302, 2.094, 12.07, 1.272], [3.439, -3.281, 1.036, 5.136]]
out['row'] = float32[2, 4] [[2.501, 0.787, -0.8506, -5.532], [3.261, 0.114, -2.225, -4.904]]
out['column'] = float32[2, 4] [[3.071, -0.6834, -7.813, 0.6945], [-2.809, 2.036, -0.8824, -4.389]]
out['vector'] = float32[2] [-1.704, 3.29]
out['only the product'] = float32[2] [2.18, -3.204]
out['outer'] = float32[2, 4] [[-4.219, 1.684, -1.561, -2.718], [6.945, -3.889, 5.391, 8.759]]
out['only the outer'] = float32[2, 4] [[-1.089, 0.6184, -0.7771, -1.526], [2.193, -1.245, 1.564, 3.071]]
out['batches'] = float32[3, 2, 4] [[[-2.552, 1.551, -1.941, -4.695], [-3.083, 1.7, -2.132, -3.709]], [[-1.229,
    1.304, -7.375, -5.633], [0.5922, -0.6837, -0.5245, 1.382]], [[-0.7125, 1.369, 6.29, -0.5314], [1.224, -1.239,
    -0.376, 2.36]]]
out['sum of batches'] = float32[2, 4] [[4.863, -1.64, -0.6058, 0.3193], [-0.3759, 0.5365, -0.4036, 1.233]]
""")


@clause("numbers.options")
def test_products_of_one_row_or_column(check: Check) -> None:
    """Products of matrices with one row, one column or one element in common, of vectors, of batches."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "one row": a[:1] @ b,
            "one column": a @ b[:, :1],
            "one between": a[:, :1] @ b[:1],
            "one with a factor": torch.addmm(c, a[:, :1], b[:1], beta=2, alpha=-3),
            "row with a factor": torch.addmm(c[:1], a[:1], b, beta=0.5, alpha=2),
            "number": a[:1] @ b[:, 1:2],
            "number with a factor": torch.addmm(c[:1, :1], a[1:], b[:, 2:3], beta=0.5, alpha=-3),
            "nothing between": a[:, :0] @ b[:0],
            "nothing between, added": torch.addmm(c, a[:, :0], b[:0], beta=0.5),
            "batch of one": torch.bmm(a[None], b[None]),
            "batch of numbers": torch.bmm(a[:, None], b[:, :1].expand(2, 3, 1)),
            "batch of columns": torch.bmm(a.expand(2, 2, 3), b[:, :1].expand(2, 3, 1)),
            "batch of turned columns": torch.bmm(b.t()[:, :, None], b.t()[:, None, :2]),
            "batch of rows": torch.bmm(a[:1].expand(2, 1, 3), b.expand(2, 3, 4)),
            "vector": a @ b[:, 0],
            "from a vector": b[:, 0] @ b,
            "vector by one column": a[0] @ b[:, :1],
            "one row by a vector": a[:1] @ b[:, 0],
            "vector by one number": a[0, :1] @ b[:1, :1],
            "of vectors": torch.dot(a[0], b[:, 2]) * torch.vdot(a[1], b[:, 3]),
            "outer": torch.outer(a[0], b[1]),
            "inner": torch.inner(a, b.t()),
            "along two": torch.tensordot(a, b.t()[:2], 2),
            "vector with a batch": a[0] @ (b.expand(2, 3, 4) + 1),
            "matrix with a batch": a @ (b.expand(2, 3, 4) * 2),
            "batch with a vector": (b.expand(2, 3, 4) * 3) @ c[0],
            "batch with a matrix": (b.expand(2, 3, 4) * 4) @ c.t(),
            "one with a batch": a[None] @ (b.expand(3, 3, 4) * 5),
            "batches of batches": a.expand(2, 1, 2, 3) @ b.expand(1, 3, 3, 4),
            "chain": torch.linalg.multi_dot([a, b, c.t()]),
        }

    check(program, tensor(2, 3), tensor(3, 4), tensor(2, 4)).values().expect("""\
out['one row'] = float32[1, 4] [[-1.413, 1.09, 5.843, 0.1712]]
out['one column'] = float32[2, 1] [[-1.413], [1.628]]
out['one between'] = float32[2, 4] [[-1.089, 0.6184, -0.7771, -1.526], [2.193, -1.245, 1.564, 3.071]]
out['one with a factor'] = float32[2, 4] [[5.17, -1.512, 0.7903, 0.86], [-7.312, 4.044, -6.09, -8.305]]
out['row with a factor'] = float32[1, 4] [[-2.35, 2.266, 11.3, -0.5866]]
out['number'] = float32[1, 1] [[1.09]]
out['number with a factor'] = float32[1, 1] [[-0.5551]]
out['nothing between'] = float32[2, 4] [[0, 0, 0, 0], [0, 0, 0, 0]]
out['nothing between, added'] = float32[2, 4] [[0.4757, 0.08575, -0.3852, -0.9291], [-0.1835, 0.07735, -0.3491,
    0.2271]]
out['batch of one'] = float32[1, 2, 4] [[[-1.413, 1.09, 5.843, 0.1712], [1.628, -1.602, 0.3436, 2.681]]]
out['batch of numbers'] = float32[2, 1, 1] [[[-1.413]], [[1.628]]]
out['batch of columns'] = float32[2, 2, 1] [[[-1.413], [1.628]], [[-1.413], [1.628]]]
out['batch of turned columns'] = float32[4, 3, 2] [[[2.517, -0.2648], [-0.2648, 0.02786], [0.7637, -0.08035]],
    [[0.8114, -0.1275], [-0.1275, 0.02004], [-0.3741, 0.05879]], [[1.281, 2.619], [2.619, 5.351], [2.538, 5.186]],
    [[4.939, 1.303], [1.303, 0.3438], [1.439, 0.3795]]]
out['batch of rows'] = float32[2, 1, 4] [[[-1.413, 1.09, 5.843, 0.1712]], [[-1.413, 1.09, 5.843, 0.1712]]]
out['vector'] = float32[2] [-1.413, 1.628]
out['from a vector'] = float32[4] [2.777, -1.253, 2.489, 3.74]
out['vector by one column'] = float32[1] [-1.413]
out['one row by a vector'] = float32[1] [-1.413]
out['vector by one number'] = float32[1] [-1.089]
out['of vectors'] = float32[] 15.67
out['outer'] = float32[3, 4] [[0.1146, -0.09717, -1.588, -0.4025], [-0.439, 0.3723, 6.084, 1.542], [-0.03989,
    0.03383, 0.5529, 0.1401]]
out['inner'] = float32[2, 4] [[-1.413, 1.09, 5.843, 0.1712], [1.628, -1.602, 0.3436, 2.681]]
out['along two'] = float32[] -3.015
out['vector with a batch'] = float32[2, 4] [[-3.596, -1.093, 3.66, -2.011], [-3.596, -1.093, 3.66, -2.011]]
out['matrix with a batch'] = float32[2, 2, 4] [[[-2.826, 2.18, 11.69, 0.3425], [3.256, -3.204, 0.6872, 5.363]],
    [[-2.826, 2.18, 11.69, 0.3425], [3.256, -3.204, 0.6872, 5.363]]]
out['batch with a vector'] = float32[2, 3] [[10.94, 9.019, 7.203], [10.94, 9.019, 7.203]]
out['batch with a matrix'] = float32[2, 3, 2] [[[14.59, 2.01], [12.03, 5.062], [9.603, 5.534]], [[14.59, 2.01],
    [12.03, 5.062], [9.603, 5.534]]]
out['one with a batch'] = float32[3, 2, 4] [[[-7.065, 5.449, 29.21, 0.8562], [8.139, -8.01, 1.718, 13.41]],
    [[-7.065, 5.449, 29.21, 0.8562], [8.139, -8.01, 1.718, 13.41]], [[-7.065, 5.449, 29.21, 0.8562], [8.139, -8.01,
    1.718, 13.41]]]
out['batches of batches'] = float32[2, 3, 2, 4] [-1.413, 1.09, 5.843, 0.1712, 1.628, -1.602, 0.3436, 2.681, -1.413,
    1.09, 5.843, 0.1712, ..., 1.628, -1.602, 0.3436, 2.681]
out['chain'] = float32[2, 2] [[-5.977, -3.314], [-3.974, 0.133]]
""")


@clause("numbers.options", devices="cpu")
def test_products_of_whole_numbers(check: Check) -> None:
    """Products of whole numbers, which CUDA has none of, wrap around at their width."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "whole": a @ b,
            "one column": a @ b[:, :1],
            "one between": a[:, :1] @ b[:1],
            "added": torch.addmm(a[:, :1], a, b, beta=2, alpha=-3),
            "vector": torch.mv(a, b[:, 0]),
            "vector added": torch.addmv(a[:, 0], a, b[:, 0], beta=3, alpha=-1),
            "sum alone": torch.addmv(a[:, 0], a, b[:, 0], beta=2, alpha=0),
            "outer": torch.addr(a[:, :1], a[:, 1], b[0], beta=-2, alpha=3),
            "outer alone": torch.addr(a[:, :1], a[:, 1], b[0], beta=0, alpha=-1),
            "outer of truths": torch.addr(a[:2] > 4, a[:2, 0] > 3, b[0, :2] > 4, beta=False),
            "batches": torch.baddbmm(a[:, :1], a.expand(2, 3, 2), b.expand(2, 2, 3), beta=2, alpha=-1),
            "sum of batches": torch.addbmm(a[:, :1], a.expand(2, 3, 2), b.expand(2, 2, 3), beta=0, alpha=2),
            "narrow": (a * 100).to(torch.int8) @ b.to(torch.int8),
        }

    check(program, tensor(3, 2, dtype=torch.int32), tensor(2, 3, dtype=torch.int32)).values().expect("""\
out['whole'] = int32[3, 3] [[49, 30, 37], [77, 30, 41], [77, 20, 31]]
out['one column'] = int32[3, 1] [[49], [77], [77]]
out['one between'] = int32[3, 3] [[42, 30, 36], [42, 30, 36], [28, 20, 24]]
out['added'] = int32[3, 3] [[-135, -78, -99], [-219, -78, -111], [-223, -52, -85]]
out['vector'] = int32[3] [49, 77, 77]
out['vector added'] = int32[3] [-31, -59, -65]
out['sum alone'] = int32[3] [12, 12, 8]
out['outer'] = int32[3, 3] [[9, 3, 6], [93, 63, 78], [139, 97, 118]]
out['outer alone'] = int32[3, 3] [[-7, -5, -6], [-35, -25, -30], [-49, -35, -42]]
out['outer of truths'] = bool[2, 2] [[True, True], [True, True]]
out['batches'] = int32[2, 3, 3] [[[-37, -18, -25], [-65, -18, -29], [-69, -12, -23]], [[-37, -18, -25], [-65, -18,
    -29], [-69, -12, -23]]]
out['sum of batches'] = int32[3, 3] [[196, 120, 148], [308, 120, 164], [308, 80, 124]]
out['narrow'] = int8[3, 3] [[36, -72, 116], [20, -72, 4], [20, -48, 28]]
""")


@clause("numbers.options")
def test_products_of_bfloat16(check: Check) -> None:
    """Products of bfloat16 are added up in more."""

    def program(low: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"low": low @ low.t(), "low row": low[:1] @ low.t(), "low column": low @ low[:1].t()}

    check(program, tensor(3, 5, dtype=torch.bfloat16)).values().expect("""\
out['low'] = bfloat16[3, 3] [[9.562, 7.219, 2.062], [7.219, 10.56, 0.03735], [2.062, 0.03735, 5.969]]
out['low row'] = bfloat16[1, 3] [[9.562, 7.219, 2.062]]
out['low column'] = bfloat16[3, 1] [[9.562], [7.219], [2.062]]
""")


@clause("numbers.options")
def test_products_that_take_nothing_of_nan(check: Check) -> None:
    """A factor of nought leaves out what is added, NaN and infinities too, however the product is taken apart."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "matrices": torch.addmm(c, a, b, beta=0),
            "row": torch.addmm(c[0], a, b, beta=0, alpha=2),
            "vector": torch.addmv(c[:, 0], a, b[:, 1], beta=0),
            "vector times two": torch.addmv(c[:, 0], a, b[:, 1], beta=0, alpha=2),
            "outer": torch.addr(c, a[:, 0], b[0], beta=0, alpha=-1),
            "batches": torch.baddbmm(c, d, b.expand(3, 3, 4), beta=0),
            "sum of batches": torch.addbmm(c, d, b.expand(3, 3, 4), beta=0),
        }

    none = tensor(2, 4, values=[[float("nan")] * 4, [float("inf"), float("nan"), 1.0, float("-inf")]])
    check(program, tensor(2, 3), tensor(3, 4), none, tensor(3, 2, 3)).values().expect("""\
out['matrices'] = float32[2, 4] [[-1.413, 1.09, 5.843, 0.1712], [1.628, -1.602, 0.3436, 2.681]]
out['row'] = float32[2, 4] [[-2.826, 2.18, 11.69, 0.3425], [3.256, -3.204, 0.6872, 5.363]]
out['vector'] = float32[2] [1.09, -1.602]
out['vector times two'] = float32[2] [2.18, -3.204]
out['outer'] = float32[2, 4] [[1.089, -0.6184, 0.7771, 1.526], [-2.193, 1.245, -1.564, -3.071]]
out['batches'] = float32[3, 2, 4] [[[-1.607, 1.041, 2.647, -1.028], [1.869, 0.1203, 0.181, 0.9984]], [[0.1297,
    -0.9323, -3.768, -0.3176], [-1.138, 0.2862, 1.808, -0.2909]], [[-2.362, 0.8024, -5.133, -3.988], [2.379, -1.479,
    0.4109, 3.005]]]
out['sum of batches'] = float32[2, 4] [[-3.839, 0.9108, -6.254, -5.334], [3.111, -1.073, 2.4, 3.713]]
""")


@clause("numbers.options", devices="cpu")
def test_products_of_whole_numbers_of_one_row(check: Check) -> None:
    """Products of whole numbers in batches of one row or column are of their dtype, and wrap around."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "row": torch.bmm(a, b),
            "column": torch.bmm(b.mT, a.mT),
            "wider": torch.matmul(a.int(), b.int()),
        }

    rows = tensor(2, 1, 4, dtype=torch.int8, values=[[[100, 3, -7, 2]], [[1, -2, 3, -4]]])
    columns = tensor(2, 4, 3, dtype=torch.int8)
    check(program, rows, columns).values().expect("""\
out['row'] = int8[2, 1, 3] [[[68, 77, 69]], [[2, -12, 10]]]
out['column'] = int8[2, 3, 1] [[[68], [77], [69]], [[2], [-12], [10]]]
out['wider'] = int32[2, 1, 3] [[[580, 77, 581]], [[2, -12, 10]]]
""")


@clause("numbers.options")
def test_products_of_one_row_by_themselves(check: Check) -> None:
    """By a beta of nought what a product of one row is added to does not count, be it no number."""

    def program(a: torch.Tensor, b: torch.Tensor, none: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "number": torch.addmm(none[:, :1], a, b[:, :1], beta=0),
            "row": torch.addmm(none, a, b, beta=0, alpha=2),
        }

    none = tensor(1, 2, values=[[float("nan"), float("inf")]])
    check(program, tensor(1, 3), tensor(3, 2), none).values().expect("""\
out['number'] = float32[1, 1] [[-3.834]]
out['row'] = float32[1, 2] [[-7.668, 8.261]]
""")


@clause("numbers.options")
def test_what_is_too_large_for_a_product_of_one_row(check: Check) -> None:
    """What a product of one row is added to may be spread to its size, and is not larger."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.addmm(c, a, b)

    check(program, tensor(1, 3), tensor(3, 1), tensor(3)).raised("must match the existing size")


@clause("numbers.options", modes="train")
def test_products_of_conjugates(check: Check) -> None:
    """Of conjugates on either side, products are those of the conjugated numbers."""

    def program(a: torch.Tensor, b: torch.Tensor, matrix: torch.Tensor) -> dict[str, torch.Tensor]:
        results = {}
        for name, (one, other) in {
            "left": (a.conj(), b),
            "right": (a, b.conj()),
            "both": (a.conj(), b.conj()),
            "none": (a, b),
        }.items():
            results[f"dot {name}"] = torch.dot(one, other)
            results[f"conjugated dot {name}"] = torch.vdot(one, other)
            results[f"rows {name}"] = torch.outer(one, other).sum(0)
        return results | {"columns": matrix.mH @ a, "turned": matrix.conj() @ b.conj()}

    check(program, *(tensor(*shape, dtype=torch.complex64) for shape in ((3,), (3,), (3, 3))), exact=False).computed()


@clause("numbers.options")
def test_products_in_groups(check: Check) -> None:
    """Rows, or the numbers that are summed, fall into groups by where each ends, and each has a matrix of its own."""

    def program(
        a: torch.Tensor,
        one: torch.Tensor,
        several: torch.Tensor,
        batches: torch.Tensor,
        ends: torch.Tensor,
        ends_of_columns: torch.Tensor,
    ) -> dict[str, torch.Tensor]:
        grouped = functional.grouped_mm
        return {
            "rows": grouped(a, several, offs=ends).float().sin(),
            "summed": grouped(a, one, offs=ends).float().sin(),
            "batches": grouped(batches, several).float() * 2,
            "columns": grouped(batches, one, offs=ends_of_columns).float() + 1,
        }

    low = torch.bfloat16
    parts = [tensor(*shape, dtype=low) for shape in ((16, 16), (16, 24), (2, 16, 24), (2, 8, 16))]
    ends = (tensor(2, dtype=torch.int32, values=values) for values in ([8, 16], [8, 24]))
    check(program, *parts, *ends, exact=False).computed()


#: Products that are added to something, of shapes for two operands.
ADDED: dict[str, tuple[Callable[..., torch.Tensor], tuple[tuple[int, ...], ...]]] = {
    "matrices": (torch.addmm, ((2, 4), (2, 3), (3, 4))),
    "row": (torch.addmm, ((1, 4), (1, 3), (3, 4))),
    "vector": (torch.addmv, ((2,), (2, 3), (3,))),
    "outer": (torch.addr, ((2, 3), (2,), (3,))),
    "batches": (torch.baddbmm, ((2, 2, 4), (2, 2, 3), (2, 3, 4))),
    "rows": (torch.baddbmm, ((2, 1, 4), (2, 1, 3), (2, 3, 4))),
    "sum of batches": (torch.addbmm, ((2, 4), (2, 2, 3), (2, 3, 4))),
}


@clause("numbers.options", "numbers.special-values")
@pytest.mark.parametrize("product", ADDED)
def test_products_by_nought(check: Check, product: str) -> None:
    """A product of NaN and infinity by a factor of nought is not looked at, or is NaN, as eager's kernel has it."""
    operator, (sum_, one, other) = ADDED[product]

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sum alone": operator(c, a, b, alpha=0),
            "more of the sum": operator(c, a, b, beta=-2, alpha=0),
            "neither": operator(c, a, b, beta=0, alpha=0),
        }

    first = [NAN, *(1.0 - place for place in range(torch.Size(one).numel() - 1))]
    last = [*(place + 1.0 for place in range(torch.Size(other).numel() - 1)), INF]
    check(program, tensor(*one, values=first), tensor(*other, values=last), tensor(*sum_)).computed()


@clause("numbers.options", modes="train")
def test_products_of_nothing_with_factors(check: Check) -> None:
    """With nothing to sum a product is nought: what it is added to counts by its factor, and by one of nought not."""

    def program(a: torch.Tensor, b: torch.Tensor, none: torch.Tensor) -> dict[str, torch.Tensor]:
        empty, batch = a[:, :0], a.expand(2, 2, 3)
        return {
            "matrices": torch.addmm(b, empty, a[:0], beta=2, alpha=3),
            "matrices alone": torch.addmm(none, empty, a[:0], beta=0),
            "vector": torch.addmv(b[:, 0], empty, a[0, :0], beta=-0.5),
            "vector alone": torch.addmv(none[0, :2], empty, a[0, :0], beta=0),
            "batches": torch.baddbmm(b, batch[..., :0], batch[:, :0], beta=0.25),
            "batches alone": torch.baddbmm(none, batch[..., :0], batch[:, :0], beta=0),
            "sum of batches": torch.addbmm(b, batch[..., :0], batch[:, :0], beta=3),
            "sum of no batches": torch.addbmm(b, batch[:0], b[:0, None].expand(0, 3, 3), beta=4),
            "sum of none alone": torch.addbmm(none, batch[:0], b[:0, None].expand(0, 3, 3), beta=0),
        }

    none = tensor(2, 3, values=[[NAN, INF, 1.0], [-INF, 2.0, NAN]])
    check(program, tensor(2, 3), tensor(2, 3), none).gradient(1).computed()


@clause("numbers.options", modes="train")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=["float32", "float16"])
def test_products_in_groups_of_other_dtypes(check: Check, dtype: torch.dtype) -> None:
    """Products in groups are of single and half precision, too."""

    def program(a: torch.Tensor, b: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        return functional.grouped_mm(a, b, offs=ends).float().sin()

    parts = tensor(16, 16, dtype=dtype), tensor(2, 16, 24, dtype=dtype)
    check(program, *parts, tensor(2, dtype=torch.int32, values=[8, 16]), exact=False).computed()


@clause("numbers.options", modes="train")
def test_products_in_empty_groups(check: Check) -> None:
    """A group that ends where it begins has no rows, or a product of nought; matrices may lie turned."""

    def program(
        rows: torch.Tensor, columns: torch.Tensor, one: torch.Tensor, several: torch.Tensor, turned: torch.Tensor,
        ends: torch.Tensor,
    ) -> dict[str, torch.Tensor]:  # fmt: skip
        grouped = functional.grouped_mm
        return {
            "rows": grouped(rows, several, offs=ends).float().sin(),
            "turned": grouped(rows.detach(), turned.transpose(-2, -1), offs=ends, out_dtype=rows.dtype).float().sin(),
            "summed": grouped(columns, one, offs=ends).float().sin(),
        }

    shapes = (16, 16), (16, 16), (16, 24), (3, 16, 24), (3, 24, 16)
    parts = [tensor(*shape, dtype=torch.bfloat16) for shape in shapes]
    ends = tensor(3, dtype=torch.int32, values=[8, 8, 16])
    check(program, *parts, ends, exact=False).gradient(0, 1, 2, 3, 4).computed()
