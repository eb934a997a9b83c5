"""Writes into slices, rows, diagonals and triangles, by functions that give the whole back."""

from collections.abc import Callable

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options")
def test_writes_into_parts(check: Check) -> None:
    """A part that is replaced: a row, every other column, a diagonal beside the main one, and what strides choose."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "row": torch.select_scatter(a, b[0], 0, -2),
            "columns": torch.slice_scatter(a, b[:, :2], 1, 1, 5, 2),
            "diagonal": torch.diagonal_scatter(a, b[:, 0], offset=1),
            "lower diagonal": torch.diagonal_scatter(a, b[:2, 1], offset=-2),
            "strides": torch.as_strided_scatter(a, b[:2, :2], (2, 2), (5, 2), 1),
        }

    check(program, tensor(4, 5), tensor(4, 5)).values().expect("""\
out['row'] = float32[4, 5] [[-0.3922, -1.17, 1.512, -0.8268, 0.6366], [-0.2308, -0.3132, -2.151, 0.2713, -0.5113],
    [0.8814, -1.493, 0.8374, -0.546, 1.915], [-2.14, -0.5949, -1.078, -1.347, -0.1935]]
out['columns'] = float32[4, 5] [[-0.3922, 0.8814, 1.512, -1.493, 0.6366], [-0.2308, -1.846, -2.151, -0.3785,
    -0.5113], [-1.494, 1.434, -1.218, 0.402, -0.4192], [-2.14, -1.505, -1.078, 0.4049, -0.1935]]
out['diagonal'] = float32[4, 5] [[-0.3922, 0.8814, 1.512, -0.8268, 0.6366], [-0.2308, -0.3132, -1.846, 0.2713,
    -0.5113], [-1.494, 1.5, -1.218, 1.434, -0.4192], [-2.14, -0.5949, -1.078, -1.347, -1.505]]
out['lower diagonal'] = float32[4, 5] [[-0.3922, -1.17, 1.512, -0.8268, 0.6366], [-0.2308, -0.3132, -2.151, 0.2713,
    -0.5113], [-1.493, 1.5, -1.218, 0.08515, -0.4192], [-2.14, -0.3785, -1.078, -1.347, -0.1935]]
out['strides'] = float32[4, 5] [[-0.3922, 0.8814, 1.512, -1.493, 0.6366], [-0.2308, -1.846, -2.151, -0.3785,
    -0.5113], [-1.494, 1.5, -1.218, 0.08515, -0.4192], [-2.14, -0.5949, -1.078, -1.347, -0.1935]]
""")


@clause("numbers.options", modes="train")
def test_writes_into_parts_of_parts(check: Check) -> None:
    """A part with a part replaced goes to its place, to another one or into another tensor, and so does its own."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        x, y = a.sin(), b.cos()
        row, other = x[1].slice_scatter(c, 0, 0, 2), y[1].slice_scatter(c, 0, 1, 3)
        further, columns = x[2].select_scatter(c[0], 0, 1), x[:, 1:4].select_scatter(b[:, 0], 1, 1)
        rows = y[1:3]
        deep = rows[0].slice_scatter(c, 0, 3)
        return {
            "own place": x.select_scatter(x[3].slice_scatter(c, 0, 2, 4), 0, 3),
            "another place": x.select_scatter(row, 0, 0),
            "another tensor": x.select_scatter(other, 0, 1),
            "another place of another": x.select_scatter(y[2].slice_scatter(c, 0, 0, 2), 0, 3),
            "another dimension": x[:, :4].select_scatter(x[:4, 0].slice_scatter(c, 0, 1, 3), 0, 0),
            "also handed out": x.select_scatter(further, 0, 2) * 2,
            "the part": further * 3,
            "both": (x * 5).slice_scatter(columns, 1, 1, 4),
            "moved along": x.slice_scatter(columns, 1, 2, 5),
            "three deep": y.slice_scatter(rows.select_scatter(deep, 0, 0), 0, 1, 3),
            "three deep and elsewhere": y.slice_scatter(rows.select_scatter(deep, 0, 1), 0, 1, 3),
        }

    check(program, tensor(4, 5), tensor(4, 5), tensor(2)).gradient(0, 1, 2).computed()


@clause("numbers.options", "T7.10")
def test_sums_in_place_in_parts_of_parts_of_parts(check: Check) -> None:
    """What is added in place to a part of a part of a part reaches the numbers that all three name, and no others."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        def changed(part: Callable[[torch.Tensor], torch.Tensor], factor: int) -> torch.Tensor:
            copied = a * factor
            part(copied).add_(100)
            return copied + 1

        return {
            "rest of a diagonal": changed(lambda x: x.diagonal()[1:][1:], 2),
            "rows of columns of rows": changed(lambda x: x[1:].t()[:3].t()[1:], 3),
            "number of a turned row": changed(lambda x: x.t()[2][1:][0], 4),
            "every second of a part": changed(lambda x: x[:, 1:][::2][1:], 5),
        }

    check(program, tensor(4, 4)).values().expect("""\
out['rest of a diagonal'] = float32[4, 4] [[0.2157, -1.339, 4.023, -0.6536], [0.2191, 2.776, -0.5625, 4.958],
    [1.466, 0.5904, 99.64, 2.965], [1.384, 0.4597, 3.113, 98.5]]
out['rows of columns of rows'] = float32[4, 4] [[-0.1765, -2.509, 5.535, -1.48], [-0.1714, 3.664, -1.344, 6.937],
    [101.7, 100.4, 98.96, 3.947], [101.6, 100.2, 104.2, -2.743]]
out['number of a turned row'] = float32[4, 4] [[-0.5686, -3.678, 7.047, -2.307], [-0.5619, 4.552, 97.87, 8.916],
    [1.932, 0.1808, -1.721, 4.929], [1.768, -0.0806, 5.226, -3.991]]
out['every second of a part'] = float32[4, 4] [[-0.9608, -4.848, 8.559, -3.134], [-0.9523, 5.44, -2.906, 10.9],
    [2.165, 99.98, 97.6, 105.9], [1.961, -0.3507, 6.283, -5.239]]
""")


@clause("numbers.options")
def test_triangles_and_diagonals(check: Check) -> None:
    """Triangles and diagonals above and below the main one, also of batches, beyond the corner too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "upper": b.triu(1),
            "upper from below": b.triu(-1),
            "lower": b.tril(-2),
            "nothing": b.tril(-7),
            "embedded": torch.diag_embed(a, offset=-1, dim1=0, dim2=2),
            "flat": torch.diagflat(a[0], 1),
            "taken": b.diagonal(1, 1, 2) * 2,
            "of a matrix": torch.diag(b[0], -1) * 2,
            "vandermonde": torch.vander(a[0].detach(), 4, increasing=True),
            "kronecker": torch.kron(a, b[0, :2, :2]),
        }

    check(program, tensor(2, 3), tensor(2, 3, 4)).values().expect("""\
out['upper'] = float32[2, 3, 4] [[[0, 2.43, 0.6456, 2.193], [0, 0, 0.6474, -0.8027], [0, 0, 0, -0.546]], [[0,
    -0.0678, 0.1664, -0.9018], [0, 0, 0.05021, 1.289], [0, 0, 0, 0.7303]]]
out['upper from below'] = float32[2, 3, 4] [[[-0.8092, 2.43, 0.6456, 2.193], [0.4689, -0.8049, 0.6474, -0.8027], [0,
    -1.493, 0.8374, -0.546]], [[-0.7062, -0.0678, 0.1664, -0.9018], [-0.4177, -0.6517, 0.05021, 1.289], [0, 0.5219,
    -0.71, 0.7303]]]
out['lower'] = float32[2, 3, 4] [[[0, 0, 0, 0], [0, 0, 0, 0], [0.8814, 0, 0, 0]], [[0, 0, 0, 0], [0, 0, 0, 0],
    [-1.408, 0, 0, 0]]]
out['nothing'] = float32[2, 3, 4] [[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0,
    0, 0]]]
out['embedded'] = float32[4, 2, 4] [[[0, 0, 0, 0], [0, 0, 0, 0]], [[0.6865, 0, 0, 0], [-1.382, 0, 0, 0]], [[0,
    -2.63, 0, 0], [0, -0.4561, 0, 0]], [[0, 0, -0.239, 0], [0, 0, 1.015, 0]]]
out['flat'] = float32[4, 4] [[0, 0.6865, 0, 0], [0, 0, -2.63, 0], [0, 0, 0, -0.239], [0, 0, 0, 0]]
out['taken'] = float32[2, 3] [[4.859, 1.295, -1.092], [-0.1356, 0.1004, 1.461]]
out['of a matrix'] = float32[2] [0.9378, -2.986]
out['vandermonde'] = float32[3, 4] [[1, 0.6865, 0.4712, 0.3235], [1, -2.63, 6.917, -18.19], [1, -0.239, 0.05712,
    -0.01365]]
out['kronecker'] = float32[4, 6] [[-0.5555, 1.668, 2.128, -6.39, 0.1934, -0.5807], [0.3219, -0.5525, -1.233, 2.117,
    -0.1121, 0.1924], [1.118, -3.358, 0.369, -1.108, -0.8215, 2.467], [-0.648, 1.112, -0.2138, 0.3671, 0.476,
    -0.8171]]
""")


@clause("numbers.options", modes="train")
def test_writes_into_parts_with_bounds_left_out(check: Check) -> None:
    """Bounds may be missing, from the end or beyond it, steps may leave some over, and what is written is converted."""

    def program(a: torch.Tensor, b: torch.Tensor, whole: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "to the end": torch.slice_scatter(a, b[:4], 0, 2),
            "from the start": torch.slice_scatter(a, b[:, :3], 1, None, -2),
            "from the end": torch.slice_scatter(a, b[:2], 0, -2, 100),
            "beyond": torch.slice_scatter(a, b, 0, -100, 6),
            "steps": torch.slice_scatter(a, b[:2], 0, 1, 6, 3),
            "steps over": torch.slice_scatter(a, b[:, :2], -1, 0, 4, 2),
            "whole": torch.slice_scatter(whole, whole[:, :2] * 10, 1, 1, 5, 3),
            "row": torch.select_scatter(a, b[0] * 2, -2, 3),
            "column": torch.select_scatter(a, b[:, 1], 1, -1),
            "converted": torch.select_scatter(low, a[0], 0, 1),
            "diagonal": torch.diagonal_scatter(a, b[:4, 1], -2, -2, -1),
            "swapped diagonal": torch.diagonal_scatter(a, b[:4, 2], 2, 1, 0),
            "strides": torch.as_strided_scatter(a, b[:2, :3], (2, 3), (10, 2), 7),
        }

    parts = tensor(6, 5), tensor(6, 5), tensor(2, 5, dtype=torch.int64), tensor(3, 5, dtype=torch.bfloat16)
    check(program, *parts).gradient(0, 1, 2).values().expect("""\
out['to the end'] = float32[6, 5] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905], [0.8879, -0.7813, 1.979, 0.2331,
    -0.2048], [-0.03569, 0.0127, 1.383, 0.556, -0.373], [-0.06888, -1.725, 0.5661, -0.1337, 0.8677], [-0.5837,
    -0.5673, 1.718, -0.9946, 0.5543], [0.6387, -0.6786, 0.8921, 1.223, 0.4462]]
out['from the start'] = float32[6, 5] [[-0.03569, 0.0127, 1.383, -0.8268, -0.3905], [-0.06888, -1.725, 0.5661,
    0.2331, -0.2048], [-0.5837, -0.5673, 1.718, -0.2701, -0.4176], [0.6387, -0.6786, 0.8921, 0.1436, -2.784],
    [0.4915, 0.9018, 0.1709, -0.9878, -1.791], [-0.8719, 1.253, 0.6194, -0.4177, -0.6517]]
out['from the end'] = float32[6, 5] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905], [0.8879, -0.7813, 1.979, 0.2331,
    -0.2048], [-0.6802, 0.9823, 0.1921, -0.2701, -0.4176], [-0.9918, -0.4487, 1.037, 0.1436, -2.784], [-0.03569,
    0.0127, 1.383, 0.556, -0.373], [-0.06888, -1.725, 0.5661, -0.1337, 0.8677]]
out['beyond'] = float32[6, 5] [[-0.03569, 0.0127, 1.383, 0.556, -0.373], [-0.06888, -1.725, 0.5661, -0.1337,
    0.8677], [-0.5837, -0.5673, 1.718, -0.9946, 0.5543], [0.6387, -0.6786, 0.8921, 1.223, 0.4462], [0.4915, 0.9018,
    0.1709, -0.7623, 0.9077], [-0.8719, 1.253, 0.6194, -0.9415, 0.5847]]
out['steps'] = float32[6, 5] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905], [-0.03569, 0.0127, 1.383, 0.556, -0.373],
    [-0.6802, 0.9823, 0.1921, -0.2701, -0.4176], [-0.9918, -0.4487, 1.037, 0.1436, -2.784], [-0.06888, -1.725,
    0.5661, -0.1337, 0.8677], [1.095, 1.378, 0.1756, -0.4177, -0.6517]]
out['steps over'] = float32[6, 5] [[-0.03569, -1.17, 0.0127, -0.8268, -0.3905], [-0.06888, -0.7813, -1.725, 0.2331,
    -0.2048], [-0.5837, 0.9823, -0.5673, -0.2701, -0.4176], [0.6387, -0.4487, -0.6786, 0.1436, -2.784], [0.4915,
    -1.493, 0.9018, -0.9878, -1.791], [-0.8719, 1.378, 1.253, -0.4177, -0.6517]]
out['whole'] = int64[2, 5] [[5, 50, 7, 1, 10], [6, 60, 3, 1, 40]]
out['row'] = float32[6, 5] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905], [0.8879, -0.7813, 1.979, 0.2331, -0.2048],
    [-0.6802, 0.9823, 0.1921, -0.2701, -0.4176], [-0.07139, 0.02541, 2.767, 1.112, -0.746], [0.8814, -1.493, 1.383,
    -0.9878, -1.791], [1.095, 1.378, 0.1756, -0.4177, -0.6517]]
out['column'] = float32[6, 5] [[-0.3922, -1.17, 1.512, -0.8268, 0.0127], [0.8879, -0.7813, 1.979, 0.2331, -1.725],
    [-0.6802, 0.9823, 0.1921, -0.2701, -0.5673], [-0.9918, -0.4487, 1.037, 0.1436, -0.6786], [0.8814, -1.493, 1.383,
    -0.9878, 0.9018], [1.095, 1.378, 0.1756, -0.4177, 1.253]]
out['converted'] = bfloat16[3, 5] [[-0.2246, 0.6953, 0.08252, 0.8398, 0.2354], [-0.3926, -1.172, 1.508, -0.8281,
    -0.3906], [-1.438, -0.9492, -0.9961, -0.6602, -0.5977]]
out['diagonal'] = float32[6, 5] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905], [0.8879, -0.7813, 1.979, 0.2331,
    -0.2048], [0.0127, 0.9823, 0.1921, -0.2701, -0.4176], [-0.9918, -1.725, 1.037, 0.1436, -2.784], [0.8814, -1.493,
    -0.5673, -0.9878, -1.791], [1.095, 1.378, 0.1756, -0.6786, -0.6517]]
out['swapped diagonal'] = float32[6, 5] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905], [0.8879, -0.7813, 1.979, 0.2331,
    -0.2048], [1.383, 0.9823, 0.1921, -0.2701, -0.4176], [-0.9918, 0.5661, 1.037, 0.1436, -2.784], [0.8814, -1.493,
    1.718, -0.9878, -1.791], [1.095, 1.378, 0.1756, 0.8921, -0.6517]]
out['strides'] = float32[6, 5] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905], [0.8879, -0.7813, -0.03569, 0.2331,
    0.0127], [-0.6802, 1.383, 0.1921, -0.2701, -0.4176], [-0.9918, -0.4487, -0.06888, 0.1436, -1.725], [0.8814,
    0.5661, 1.383, -0.9878, -1.791], [1.095, 1.378, 0.1756, -0.4177, -0.6517]]
""")


@clause("numbers.options")
def test_writes_into_parts_along_any_dimension(check: Check) -> None:
    """Parts may lie along any dimension, be counted from the end, and stop before it, in steps too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {}
        for dim, size in enumerate(a.shape):
            for place in (0, 1 - size, -1):
                found[f"{place} of {dim}"] = torch.select_scatter(a, b.select(dim, 0) * 2, dim, place)
                found[f"{place} of {dim - 3}"] = torch.select_scatter(a * 3, b.select(dim, 1), dim - 3, place)
            for start, end, step in ((0, size - 1, 2), (1, -1, 2), (-size, 2, 3), (1, size - 1, 1), (2, None, 2)):
                part = b.narrow(dim, 0, len(range(size)[start:end:step])) * 4
                found[f"{start}, {end}, {step} of {dim}"] = torch.slice_scatter(a, part, dim, start, end, step)
        for offset in (-2, 0, 1):
            for one, two in ((0, 1), (1, 0), (-1, 1), (2, 0)):
                part = b.diagonal(offset, one, two) * 5
                found[f"diagonal {offset} of {one}, {two}"] = torch.diagonal_scatter(a, part, offset, one, two)
        return found

    check(program, tensor(4, 5, 6, grad=False), tensor(4, 5, 6, grad=False)).computed()


#: Writes into a copy of four rows of four: by the copy, places in rows, and a row to write.
COPIES: dict[str, Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "put": lambda made, places, row: made.index_put((places,), row),
    "added": lambda made, places, row: made.index_put((places,), row, accumulate=True),
    "put beside": lambda made, places, row: made.index_put((places, places - 1), row[:2]),
    "put where it is large": lambda made, places, row: made.index_put((made > 0.5,), row[0]),
    "put unchecked": lambda made, places, row: torch.ops.aten._unsafe_index_put(made, [None, places], row[:2]),
    "copied": lambda made, places, row: made.index_copy(0, places, row.expand(2, 4)),
    "filled": lambda made, places, row: made.index_fill(1, places, 1.5),
    "scattered": lambda made, places, row: made.scatter(1, places[:, None], 2.5),
    "row": lambda made, places, row: torch.select_scatter(made, row, 0, -2),
    "rows": lambda made, places, row: torch.slice_scatter(made, row.expand(2, 4), 0, 0, 4, 2),
    "diagonal": lambda made, places, row: torch.diagonal_scatter(made, row),
    "in place": lambda made, places, row: _written(made.clone(), lambda copy: copy[1:3].copy_(row)),
    "columns in place": lambda made, places, row: _written(made.clone(), lambda copy: copy.t()[:2].mul_(3)),
    "by index in place": lambda made, places, row: _written(made.clone(), lambda copy: copy.index_put_((places,), row)),
}


def _written(copy: torch.Tensor, write: Callable[[torch.Tensor], object]) -> torch.Tensor:
    write(copy)
    return copy


@clause("numbers.options", "T3.5", modes=("train", "no_grad"))
def test_product_that_is_read_after_a_copy_of_it_was_written(check: Check) -> None:
    """What is put into a copy of a product is not in the product, which is read afterwards, whole or by a view."""

    def program(a: torch.Tensor, b: torch.Tensor, places: torch.Tensor, row: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = {}
        for number, (name, copied) in enumerate(COPIES.items()):
            whole, seen = (a + number) @ b, (a - number) @ b
            found[name] = copied(whole, places, row), whole * 2, copied(seen, places, row), seen.t()[1:].sum(1)
        return found

    places = tensor(2, dtype=torch.int64, values=[1, 2])
    check(program, tensor(4, 3), tensor(3, 4), places, tensor(4)).gradient(0, 1, 2).computed()
