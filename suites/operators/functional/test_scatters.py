"""Writes through indices, with each way to combine what meets, and with what was there before or without."""

import pytest
import torch

from suites.harness import Check, clause, tensor

NAN, INF = float("nan"), float("inf")


#: Rows that meet: one twice, one three times, one not at all.
ROWS = (1, 3, 1, 0, 3, 3)


@clause("numbers.options", modes="train")
def test_sums_by_index(check: Check) -> None:
    """What is added by index has a factor, meets and adds up, along either dimension."""

    def program(
        a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor, low: torch.Tensor, whole: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "rows": a.index_add(0, rows, b, alpha=-2),
            "columns": a.index_add(1, rows[3:5] % 3, b[:5, :2], alpha=0.5),
            "low": low.index_add(0, rows, low[[0, 1, 2, 3, 0, 1]], alpha=3),
            "whole": whole.index_add(0, rows, whole[[0, 1, 2, 3, 0, 1]], alpha=2),
        }

    index = tensor(6, dtype=torch.int64, values=ROWS)
    parts = tensor(5, 3), tensor(6, 3), index, tensor(4, 2, dtype=torch.bfloat16), tensor(4, dtype=torch.int64)
    check(program, *parts).values().expect("""\
out['rows'] = float32[5, 3] [[4.378, -6.065, 1.75], [-0.3142, -1.697, -2.068], [-1.587, 0.9008, -1.132], [-2.145,
    0.3237, 0.158], [-2.313, -0.5863, -0.4814]]
out['columns'] = float32[5, 3] [[0.9808, -2.63, -0.239], [-2.279, -0.4561, 1.015], [-1.838, 0.9008, -1.132],
    [-2.286, 0.1669, -0.1415], [-2.469, -0.5863, -0.4814]]
out['low'] = bfloat16[4, 2] [[0.8359, -0.1758], [-6.312, -1.578], [-1.469, 0.6094], [-4.875, -8.375]]
out['whole'] = int64[4] [19, 28, 4, 44]
""")


@clause("numbers.options", modes="train")
def test_reductions_by_scattered_index(check: Check) -> None:
    """Sum, product, mean and extremes of what meets, with what was there before or without it."""

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        index = rows[:, None].expand(6, 3)
        found: dict[str, torch.Tensor] = {}
        for way in ("sum", "prod", "mean", "amax", "amin"):
            found[way] = a.scatter_reduce(0, index, b, way)
            found[f"{way} without"] = a.scatter_reduce(0, index, b, way, include_self=False)
        return found

    check(program, tensor(5, 3), tensor(6, 3), tensor(6, dtype=torch.int64, values=ROWS)).values().expect("""\
out['sum'] = float32[5, 3] [[-1.16, -0.9124, -1.234], [-1.916, 0.1646, 2.557], [-1.587, 0.9008, -1.132], [-2.261,
    0.08854, -0.2913], [-2.313, -0.5863, -0.4814]]
out['sum without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [-0.5339, 0.6207, 1.542], [-1.587, 0.9008, -1.132],
    [-0.03871, -0.07838, -0.1498], [-2.313, -0.5863, -0.4814]]
out['prod'] = float32[5, 3] [[-1.267, -4.518, 0.2377], [-0.05286, 0.1971, -0.725], [-1.587, 0.9008, -1.132],
    [-0.05764, -0.1128, 0.107], [-2.313, -0.5863, -0.4814]]
out['prod without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [0.03825, -0.4322, -0.7141], [-1.587, 0.9008,
    -1.132], [0.02594, -0.676, -0.7561], [-2.313, -0.5863, -0.4814]]
out['mean'] = float32[5, 3] [[-0.5798, -0.4562, -0.6168], [-0.6386, 0.05487, 0.8523], [-1.587, 0.9008, -1.132],
    [-0.5653, 0.02214, -0.07283], [-2.313, -0.5863, -0.4814]]
out['mean without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [-0.267, 0.3103, 0.7708], [-1.587, 0.9008, -1.132],
    [-0.0129, -0.02613, -0.04992], [-2.313, -0.5863, -0.4814]]
out['amax'] = float32[5, 3] [[0.6865, 1.718, -0.239], [-0.08525, 1.037, 1.915], [-1.587, 0.9008, -1.132], [0.6289,
    1.359, 0.8519], [-2.313, -0.5863, -0.4814]]
out['amax without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [-0.08525, 1.037, 1.915], [-1.587, 0.9008, -1.132],
    [0.6289, 1.359, 0.8519], [-2.313, -0.5863, -0.4814]]
out['amin'] = float32[5, 3] [[-1.846, -2.63, -0.9946], [-1.382, -0.4561, -0.373], [-1.587, 0.9008, -1.132], [-2.222,
    -1.725, -1.568], [-2.313, -0.5863, -0.4814]]
out['amin without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [-0.4487, -0.4167, -0.373], [-1.587, 0.9008, -1.132],
    [-0.5988, -1.725, -1.568], [-2.313, -0.5863, -0.4814]]
""")


@clause("numbers.options", modes="train")
def test_reductions_by_index(check: Check) -> None:
    """The same by an index of rows, with what was there before or without it."""

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        found: dict[str, torch.Tensor] = {}
        for way in ("prod", "mean", "amax", "amin"):
            found[way] = a.index_reduce(0, rows, b, way)
            found[f"{way} without"] = a.index_reduce(0, rows, b, way, include_self=False)
        return found

    index = tensor(6, dtype=torch.int64, values=ROWS)
    check(program, tensor(5, 3, grad=False), tensor(6, 3, grad=False), index).values().expect("""\
out['prod'] = float32[5, 3] [[-1.267, -4.518, 0.2377], [-0.05286, 0.1971, -0.725], [-1.587, 0.9008, -1.132],
    [-0.05764, -0.1128, 0.107], [-2.313, -0.5863, -0.4814]]
out['prod without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [0.03825, -0.4322, -0.7141], [-1.587, 0.9008,
    -1.132], [0.02594, -0.676, -0.7561], [-2.313, -0.5863, -0.4814]]
out['mean'] = float32[5, 3] [[-0.5798, -0.4562, -0.6168], [-0.6386, 0.05487, 0.8523], [-1.587, 0.9008, -1.132],
    [-0.5653, 0.02214, -0.07283], [-2.313, -0.5863, -0.4814]]
out['mean without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [-0.267, 0.3103, 0.7708], [-1.587, 0.9008, -1.132],
    [-0.0129, -0.02613, -0.04992], [-2.313, -0.5863, -0.4814]]
out['amax'] = float32[5, 3] [[0.6865, 1.718, -0.239], [-0.08525, 1.037, 1.915], [-1.587, 0.9008, -1.132], [0.6289,
    1.359, 0.8519], [-2.313, -0.5863, -0.4814]]
out['amax without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [-0.08525, 1.037, 1.915], [-1.587, 0.9008, -1.132],
    [0.6289, 1.359, 0.8519], [-2.313, -0.5863, -0.4814]]
out['amin'] = float32[5, 3] [[-1.846, -2.63, -0.9946], [-1.382, -0.4561, -0.373], [-1.587, 0.9008, -1.132], [-2.222,
    -1.725, -1.568], [-2.313, -0.5863, -0.4814]]
out['amin without'] = float32[5, 3] [[-1.846, 1.718, -0.9946], [-0.4487, -0.4167, -0.373], [-1.587, 0.9008, -1.132],
    [-0.5988, -1.725, -1.568], [-2.313, -0.5863, -0.4814]]
""")


@clause("numbers.options", modes="train")
def test_reductions_of_ties_and_noughts(check: Check) -> None:
    """Extremes that meet as equals share the gradient with what was there; products over noughts have eager's."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "largest": a.scatter_reduce(0, rows, b, "amax"),
            "smallest": a.scatter_reduce(0, rows, b, "amin", include_self=False),
            "product": c.scatter_reduce(0, rows, b - 2, "prod"),
        }

    met = tensor(6, values=[2.0, 1.0, 2.0, 0.5, 3.0, 3.0])
    before = tensor(4, values=[0.5, 2.0, 7.0, 1.0])
    parts = before, met, tensor(4, values=[2.0, 3.0, 0.5, 0.0]), tensor(6, dtype=torch.int64, values=ROWS)
    check(program, *parts).values().expect("""\
out['largest'] = float32[4] [0.5, 2, 7, 3]
out['smallest'] = float32[4] [0.5, 2, 7, 1]
out['product'] = float32[4] [-3, 0, 0.5, -0]
""")


@clause("numbers.options", modes="train")
def test_writes_by_index(check: Check) -> None:
    """Values, rows and numbers put where an index says, and added up there if asked."""

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor, mask: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "copied": a.index_copy(0, rows[[0, 1, 3]], b[:3]),
            "filled": a.index_fill(1, rows[[0, 3]], 2.5),
            "put": a.put(rows * 2, b[:, 0], accumulate=True),
            "put at": a.index_put((rows, rows % 3), b[:, 1], accumulate=True),
            "masked": a.masked_scatter(mask, b),
            "masked fill": a.masked_fill(mask[:, :1], -1.0),
            "scattered": a.scatter(1, rows[:5, None] % 3, b[:5, :1]),
            "scattered sum": a.scatter_add(0, rows[:, None].expand(6, 3), b),
        }

    marked = [[True, False, True], [False, False, True], [True, True, True], [False, False, False], [True, False, True]]
    index, mask = tensor(6, dtype=torch.int64, values=ROWS), tensor(5, 3, dtype=torch.bool, values=marked)
    check(program, tensor(5, 3), tensor(6, 3), index, mask).values().expect("""\
out['copied'] = float32[5, 3] [[-0.08525, -0.4167, 1.915], [-0.4487, 1.037, -0.373], [-1.587, 0.9008, -1.132],
    [-0.06888, -1.725, 0.5661], [-2.313, -0.5863, -0.4814]]
out['filled'] = float32[5, 3] [[2.5, 2.5, -0.239], [2.5, 2.5, 1.015], [2.5, 2.5, -1.132], [2.5, 2.5, -0.1415], [2.5,
    2.5, -0.4814]]
out['put'] = float32[5, 3] [[-1.16, -2.63, -0.7729], [-1.382, -0.4561, 1.015], [-1.625, 0.9008, -1.132], [-2.222,
    0.1669, -0.1415], [-2.313, -0.5863, -0.4814]]
out['put at'] = float32[5, 3] [[2.404, -2.63, -0.239], [-1.382, 0.1646, 1.015], [-1.587, 0.9008, -1.132], [-2.301,
    0.1669, -0.1415], [-2.313, -0.5863, -0.4814]]
out['masked'] = float32[5, 3] [[-0.4487, -2.63, 1.037], [-1.382, -0.4561, -0.373], [-0.06888, -1.725, 0.5661],
    [-2.222, 0.1669, -0.1415], [-0.08525, -0.5863, -0.4167]]
out['masked fill'] = float32[5, 3] [[-1, -1, -1], [-1.382, -0.4561, 1.015], [-1, -1, -1], [-2.222, 0.1669, -0.1415],
    [-1, -1, -1]]
out['scattered'] = float32[5, 3] [[0.6865, -0.4487, -0.239], [-0.06888, -0.4561, 1.015], [-1.587, -0.08525, -1.132],
    [-1.846, 0.1669, -0.1415], [-0.5988, -0.5863, -0.4814]]
out['scattered sum'] = float32[5, 3] [[-1.16, -0.9124, -1.234], [-1.916, 0.1646, 2.557], [-1.587, 0.9008, -1.132],
    [-2.261, 0.08854, -0.2913], [-2.313, -0.5863, -0.4814]]
""")


@clause("numbers.options", modes="train")
def test_copies_along_any_dimension(check: Check) -> None:
    """Slices of a volume that an index names are overwritten along its second and its last dimension, in place too."""

    def program(a: torch.Tensor, b: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "second": a.index_copy(1, places, b[:, :2]),
            "last": a.index_copy(2, places, b[:, :, 1:]),
            "from the end": torch.index_copy(a, -1, places[:1], b[:, :, 2:]),
            "second in place": (a * 2).index_copy_(-2, places, b[:, 1:]),
            "last in place": (a * 2).index_copy_(2, places, b[..., :2]),
        }

    places = tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, tensor(2, 3, 3), tensor(2, 3, 3), places).gradient(0, 1).values().expect("""\
out['second'] = float32[2, 3, 3] [[[0.5661, -0.08525, -0.4167], [-0.8027, 0.6366, -0.2308], [0.1436, -2.784,
    -1.725]], [[-1.568, 0.6289, 1.359], [-1.218, 0.08515, -0.4192], [0.6482, -0.5988, 0.2883]]]
out['last'] = float32[2, 3, 3] [[[-1.725, -1.17, -2.784], [-0.4167, 0.6366, -0.08525], [-0.3785, -2.151, -1.846]],
    [[0.2883, -0.7093, -0.5988], [1.359, 0.08515, 0.6289], [-1.505, -0.5949, 0.7245]]]
out['from the end'] = float32[2, 3, 3] [[[-0.3922, -1.17, -1.725], [-0.8027, 0.6366, -0.4167], [-0.3132, -2.151,
    -0.3785]], [[-0.5113, -0.7093, 0.2883], [-1.218, 0.08515, 1.359], [-2.14, -0.5949, -1.505]]]
out['second in place'] = float32[2, 3, 3] [[[1.915, -1.846, -0.3785], [-1.605, 1.273, -0.4615], [0.5661, -0.08525,
    -0.4167]], [[0.8519, 0.7245, -1.505], [-2.436, 0.1703, -0.8384], [-1.568, 0.6289, 1.359]]]
out['last in place'] = float32[2, 3, 3] [[[-2.784, -2.339, 0.1436], [-0.08525, 1.273, 0.5661], [-1.846, -4.303,
    1.915]], [[-0.5988, -1.419, 0.6482], [0.6289, 0.1703, -1.568], [0.7245, -1.19, 0.8519]]]
""")


@clause("numbers.options", modes="train")
def test_reads_by_index(check: Check) -> None:
    """Elements taken flat, along a dimension or by several indices, from the end too; gradients add up."""

    def program(a: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "gathered": a.gather(0, rows[:, None].expand(6, 3)),
            "along": torch.take_along_dim(a, rows[None, :] % 3, 1),
            "flat": torch.take(a, rows * 2 - 4),
            "selected": a.index_select(1, rows[:4] % 3),
            "at": a[rows, rows % 3],
            "from the end": a[-rows - 1, None],
            "repeated": a.repeat_interleave(rows[:5] % 3, 0, output_size=2),
            "each": a.repeat_interleave(2, 1),
        }

    check(program, tensor(5, 3), tensor(6, dtype=torch.int64, values=ROWS)).values().expect("""\
out['gathered'] = float32[6, 3] [[-1.382, -0.4561, 1.015], [-2.222, 0.1669, -0.1415], [-1.382, -0.4561, 1.015],
    [0.6865, -2.63, -0.239], [-2.222, 0.1669, -0.1415], [-2.222, 0.1669, -0.1415]]
out['along'] = float32[5, 6] [[-2.63, 0.6865, -2.63, 0.6865, 0.6865, 0.6865], [-0.4561, -1.382, -0.4561, -1.382,
    -1.382, -1.382], [0.9008, -1.587, 0.9008, -1.587, -1.587, -1.587], [0.1669, -2.222, 0.1669, -2.222, -2.222,
    -2.222], [-0.5863, -2.313, -0.5863, -2.313, -2.313, -2.313]]
out['flat'] = float32[6] [-0.5863, -0.239, -0.5863, -0.1415, -0.239, -0.239]
out['selected'] = float32[5, 4] [[-2.63, 0.6865, -2.63, 0.6865], [-0.4561, -1.382, -0.4561, -1.382], [0.9008,
    -1.587, 0.9008, -1.587], [0.1669, -2.222, 0.1669, -2.222], [-0.5863, -2.313, -0.5863, -2.313]]
out['at'] = float32[6] [-0.4561, -2.222, -0.4561, 0.6865, -2.222, -2.222]
out['from the end'] = float32[6, 1, 3] [[[-2.222, 0.1669, -0.1415]], [[-1.382, -0.4561, 1.015]], [[-2.222, 0.1669,
    -0.1415]], [[-2.313, -0.5863, -0.4814]], [[-1.382, -0.4561, 1.015]], [[-1.382, -0.4561, 1.015]]]
out['repeated'] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.587, 0.9008, -1.132]]
out['each'] = float32[5, 6] [[0.6865, 0.6865, -2.63, -2.63, -0.239, -0.239], [-1.382, -1.382, -0.4561, -0.4561,
    1.015, 1.015], [-1.587, -1.587, 0.9008, 0.9008, -1.132, -1.132], [-2.222, -2.222, 0.1669, 0.1669, -0.1415,
    -0.1415], [-2.313, -2.313, -0.5863, -0.5863, -0.4814, -0.4814]]
""")


@clause("numbers.options")
def test_numbers_written_by_index(check: Check) -> None:
    """A number is written, added or multiplied in at each index, into rows, columns and what a mask chooses."""

    def program(
        a: torch.Tensor, rows: torch.Tensor, mask: torch.Tensor, whole: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        index = rows[:3, None] % 3
        columns = a.clone()
        columns[:, rows[:2] % 3] = 4.0
        crossed = a.clone()
        crossed[rows[:2, None], rows[1:3] % 3] -= 5
        chosen = a.clone()
        chosen[mask] = -1.5
        return {
            "number": a.scatter(1, index, 2.5),
            "added": a.scatter(0, index, 2.5, reduce="add"),
            "multiplied": a.scatter(-1, index, -2.0, reduce="multiply"),
            "products": a.scatter(0, index, a[:, :1] * 2, reduce="multiply"),
            "columns": columns,
            "crossed": crossed,
            "chosen": chosen,
            "filled": a.index_fill(-1, rows[:1] - 1, 3.5),
            "filled by a tensor": a.index_fill(0, rows[:1], a.sum()),
            "put": a.index_put((mask,), a.new_tensor(6.0)),
            "added where": a.index_put((mask,), a.new_tensor(6.0), accumulate=True),
            "whole": whole.index_put((rows,), whole[:3], accumulate=True),
            "once": whole.put(rows[:2], whole[1:3]),
            "without": whole.index_reduce(0, rows, whole[:3], "amax", include_self=False),
            "means below nought": (whole.int() - 9).index_reduce(0, rows, whole[:3].int() - 8, "mean"),
        }

    mask = tensor(4, 3, dtype=torch.bool, values=[[i % 2 == j % 3 for j in range(3)] for i in range(4)])
    rows = tensor(3, dtype=torch.int64, values=[3, 1, 2])
    check(program, tensor(4, 3), rows, mask, tensor(4, dtype=torch.int64)).values().expect("""\
out['number'] = float32[4, 3] [[2.5, -2.63, -0.239], [-1.382, 2.5, 1.015], [-1.587, 0.9008, 2.5], [-2.222, 0.1669,
    -0.1415]]
out['added'] = float32[4, 3] [[3.186, -2.63, -0.239], [1.118, -0.4561, 1.015], [0.9134, 0.9008, -1.132], [-2.222,
    0.1669, -0.1415]]
out['multiplied'] = float32[4, 3] [[-1.373, -2.63, -0.239], [-1.382, 0.9121, 1.015], [-1.587, 0.9008, 2.264],
    [-2.222, 0.1669, -0.1415]]
out['products'] = float32[4, 3] [[0.9425, -2.63, -0.239], [3.82, -0.4561, 1.015], [5.034, 0.9008, -1.132], [-2.222,
    0.1669, -0.1415]]
out['columns'] = float32[4, 3] [[4, 4, -0.239], [4, 4, 1.015], [4, 4, -1.132], [4, 4, -0.1415]]
out['crossed'] = float32[4, 3] [[0.6865, -2.63, -0.239], [-1.382, -5.456, -3.985], [-1.587, 0.9008, -1.132],
    [-2.222, -4.833, -5.142]]
out['chosen'] = float32[4, 3] [[-1.5, -2.63, -0.239], [-1.382, -1.5, 1.015], [-1.5, 0.9008, -1.132], [-2.222, -1.5,
    -0.1415]]
out['filled'] = float32[4, 3] [[0.6865, -2.63, 3.5], [-1.382, -0.4561, 3.5], [-1.587, 0.9008, 3.5], [-2.222, 0.1669,
    3.5]]
out['filled by a tensor'] = float32[4, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015], [-1.587, 0.9008,
    -1.132], [-7.02, -7.02, -7.02]]
out['put'] = float32[4, 3] [[6, -2.63, -0.239], [-1.382, 6, 1.015], [6, 0.9008, -1.132], [-2.222, 6, -0.1415]]
out['added where'] = float32[4, 3] [[6.686, -2.63, -0.239], [-1.382, 5.544, 1.015], [4.413, 0.9008, -1.132],
    [-2.222, 6.167, -0.1415]]
out['whole'] = int64[4] [3, 10, 8, 4]
out['once'] = int64[4] [3, 4, 4, 5]
out['without'] = int64[4] [3, 5, 4, 3]
out['means below nought'] = int32[4] [-6, -4, -5, -7]
""")


@clause("numbers.options", modes="train")
def test_sums_of_more_than_there_is_place_for(check: Check) -> None:
    """More numbers are added at the places of a dimension than there are places, by indices that come again."""

    def program(a: torch.Tensor, b: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "added": a.scatter_add(0, places, b),
            "reduced": a.scatter_reduce(0, places, b, "amax"),
            "by columns": a.t().scatter_add(1, places.t(), b.t()),
            "read": a.gather(0, places) * 2,
        }

    places = tensor(4, 3, dtype=torch.int64, values=[[0, 1, 1], [1, 0, 1], [0, 0, 1], [1, 1, 0]])
    check(program, tensor(2, 3), tensor(4, 3), places).gradient(0, 1).computed()


#: Numbers in tensors without dimensions, by the dtype of what they are written to.
NUMBERS = {
    "whole": (torch.float32, torch.int64, 7),
    "fraction in whole numbers": (torch.int64, torch.float32, 2.5),
    "wide": (torch.float32, torch.float64, 2.5),
    "truth": (torch.float32, torch.bool, True),
    "narrow": (torch.bfloat16, torch.float32, 1.0 + 2.0**-12),
}


@clause("numbers.options", "numbers.indices")
@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_of_other_dtypes_written_by_index(check: Check, number: str) -> None:
    """A number in a tensor is converted to the dtype of what it fills at an index, in place too."""
    dtype, own, value = NUMBERS[number]

    def program(a: torch.Tensor, rows: torch.Tensor, number: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"filled": a.index_fill(0, rows, number), "in place": (a * 2).index_fill_(1, rows[:1], number)}

    parts = tensor(3, 2, dtype=dtype, grad=False), tensor(2, dtype=torch.int64, values=[1, 0])
    check(program, *parts, tensor(dtype=own, grad=False, values=(value,))).computed()


@clause("numbers.options", "numbers.indices")
@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_of_other_dtypes_written_where_a_mask_says(check: Check, number: str) -> None:
    """A number in a tensor is converted to the dtype of what it fills where a mask says, in place too."""
    dtype, own, value = NUMBERS[number]

    def program(a: torch.Tensor, mask: torch.Tensor, number: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"filled": a.masked_fill(mask, number), "in place": (a * 2).masked_fill_(mask[:2], number)}

    parts = tensor(3, 2, dtype=dtype, grad=False), tensor(2, dtype=torch.bool, values=[True, False])
    check(program, *parts, tensor(dtype=own, grad=False, values=(value,))).computed()


@clause("numbers.options", modes="train")
def test_numbers_written_by_index_have_a_slope(check: Check) -> None:
    """A number in a tensor has the sum of the slopes where it was written, once for each place."""

    def program(
        a: torch.Tensor, number: torch.Tensor, rows: torch.Tensor, mask: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "rows": a.index_fill(0, rows, number),
            "one row": a.index_fill(-2, rows[0], number),
            "none": a.index_fill(0, rows[:0], number),
            "one number": number.index_fill(0, rows[1:2] * 0, number * 3),
            "where a mask says": a.masked_fill(mask, number),
            "copied to one number": number.index_copy(0, rows[:1] * 0, a[0, 0]),
            "copied": a[0].index_copy(0, rows[:1], number),
            "copied a row": a.index_copy(0, rows[0], a[:1] * 2),
        }

    rows, mask = tensor(3, dtype=torch.int64, values=[1, 0, 1]), tensor(2, dtype=torch.bool, values=[True, False])
    check(program, tensor(3, 2), tensor(), rows, mask).gradient(0, 1).values().expect("""\
out['rows'] = float32[3, 2] [[-1.587, -1.587], [-1.587, -1.587], [-0.4561, 1.015]]
out['one row'] = float32[3, 2] [[0.6865, -2.63], [-1.587, -1.587], [-0.4561, 1.015]]
out['none'] = float32[3, 2] [[0.6865, -2.63], [-0.239, -1.382], [-0.4561, 1.015]]
out['one number'] = float32[] -4.76
out['where a mask says'] = float32[3, 2] [[-1.587, -2.63], [-1.587, -1.382], [-1.587, 1.015]]
out['copied to one number'] = float32[] 0.6865
out['copied'] = float32[2] [0.6865, -1.587]
out['copied a row'] = float32[3, 2] [[0.6865, -2.63], [1.373, -5.26], [-0.4561, 1.015]]
""")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_reductions_by_index_of_edges(check: Check) -> None:
    """Of what meets by an index of rows NaN is the largest and the least, and equals share a slope."""

    def program(
        a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor, rows: torch.Tensor, few: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        found: dict[str, torch.Tensor] = {}
        for way in ("prod", "mean", "amax", "amin"):
            found[way] = a.index_reduce(0, rows, b, way)
            found[f"{way} without"] = a.index_reduce(0, rows, b, way, include_self=False)
            found[f"{way} of equals"] = c.index_reduce(0, few, d, way)
            found[f"{way} of equals without"] = c.index_reduce(0, few, d, way, include_self=False)
            found[f"{way} of none"] = c.index_reduce(0, few[:0], d[:0], way, include_self=False) * 2
        return found

    before, met = [1.0, NAN, 0.0, 2.0, -0.5, INF], [NAN, 1.0, 2.0, NAN, INF, 0.5, -INF, 3.0]
    parts = tensor(6, values=before), tensor(8, values=met)
    equals = tensor(3, values=[1.0, 2.0, 0.0]), tensor(6, values=[1.0, 1.0, 2.0, 0.0, 3.0, 0.0])
    rows = tensor(8, dtype=torch.int64, values=[0, 1, 1, 2, 3, 4, 5, 5])
    few = tensor(6, dtype=torch.int64, values=[0, 0, 1, 2, 2, 2])
    check(program, *parts, *equals, rows, few).gradient(2, 3).computed()


@clause("numbers.options")
def test_reductions_by_index_of_other_dtypes(check: Check) -> None:
    """Whole numbers, bytes, bfloat16 and a tensor without dimensions, by indices of 32 bits, along the last one."""

    def program(
        whole: torch.Tensor, small: torch.Tensor, low: torch.Tensor, one: torch.Tensor, rows: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        found: dict[str, torch.Tensor] = {}
        for way in ("prod", "mean", "amax", "amin"):
            for kept in (True, False):
                name = way if kept else f"{way} without"
                found[name] = whole.index_reduce(0, rows, whole[[2, 0, 1]], way, include_self=kept)
                found[f"{name} of bytes"] = small.index_reduce(0, rows.int(), small[1:], way, include_self=kept)
                found[f"{name} of low"] = low.index_reduce(-1, rows, low[:, :3], way, include_self=kept)
            found[f"{way} of one"] = one.index_reduce(0, rows[:1] * 0, low[0, 0].float(), way)
        return found

    parts = (
        tensor(4, dtype=torch.int64, values=[7, -2, 5, 30]),
        tensor(4, dtype=torch.uint8, values=[200, 3, 100, 60]),
        tensor(2, 4, dtype=torch.bfloat16, values=[[1.5, -2.0, 0.5, 4.0], [3.0, 0.25, -1.0, 2.0]]),
        tensor(values=(1.5,)),
    )
    check(program, *parts, tensor(3, dtype=torch.int64, values=[1, 3, 1])).values().expect("""\
out['prod'] = int64[4] [7, 20, 5, 210]
out['prod of bytes'] = uint8[4] [200, 28, 100, 112]
out['prod of low'] = bfloat16[2, 4] [[1.5, -1.5, 0.5, -8], [3, -0.75, -1, 0.5]]
out['prod without'] = int64[4] [7, -10, 5, 7]
out['prod without of bytes'] = uint8[4] [200, 180, 100, 100]
out['prod without of low'] = bfloat16[2, 4] [[1.5, 0.75, 0.5, -2], [3, -3, -1, 0.25]]
out['prod of one'] = float32[] 2.25
out['mean'] = int64[4] [7, 0, 5, 18]
out['mean of bytes'] = uint8[4] [200, 22, 100, 80]
out['mean of low'] = bfloat16[2, 4] [[1.5, 0, 0.5, 1], [3, 0.75, -1, 1.125]]
out['mean without'] = int64[4] [7, 1, 5, 7]
out['mean without of bytes'] = uint8[4] [200, 31, 100, 100]
out['mean without of low'] = bfloat16[2, 4] [[1.5, 1, 0.5, -2], [3, 1, -1, 0.25]]
out['mean of one'] = float32[] 1.5
out['amax'] = int64[4] [7, 5, 5, 30]
out['amax of bytes'] = uint8[4] [200, 60, 100, 100]
out['amax of low'] = bfloat16[2, 4] [[1.5, 1.5, 0.5, 4], [3, 3, -1, 2]]
out['amax without'] = int64[4] [7, 5, 5, 7]
out['amax without of bytes'] = uint8[4] [200, 60, 100, 100]
out['amax without of low'] = bfloat16[2, 4] [[1.5, 1.5, 0.5, -2], [3, 3, -1, 0.25]]
out['amax of one'] = float32[] 1.5
out['amin'] = int64[4] [7, -2, 5, 7]
out['amin of bytes'] = uint8[4] [200, 3, 100, 60]
out['amin of low'] = bfloat16[2, 4] [[1.5, -2, 0.5, -2], [3, -1, -1, 0.25]]
out['amin without'] = int64[4] [7, -2, 5, 7]
out['amin without of bytes'] = uint8[4] [200, 3, 100, 100]
out['amin without of low'] = bfloat16[2, 4] [[1.5, 0.5, 0.5, -2], [3, -1, -1, 0.25]]
out['amin of one'] = float32[] 1.5
""")


@clause("numbers.options", modes="train")
def test_sums_at_places_of_which_some_are_outside(check: Check) -> None:
    """What a mask says no to is added nowhere, be it NaN and its place outside; the rest meets and adds up."""
    operators = torch.ops.aten

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        inside = (rows >= 0) & (rows < 5)
        columns = rows % 3
        return {
            "elements": operators._unsafe_masked_index_put_accumulate(a, inside, [rows, columns], b),
            "computed": operators._unsafe_masked_index_put_accumulate(a * 2, inside, [rows, columns], b.exp()),
            "columns": operators._unsafe_masked_index_put_accumulate(a.t(), inside[None], [None, rows], b.expand(3, 6)),
            "whole": operators._unsafe_masked_index_put_accumulate(whole, inside, [rows], whole[0] + rows),
        }

    index = tensor(6, dtype=torch.int64, values=[1, -9, 3, 1, 700, 3])
    values = tensor(6, values=[0.5, NAN, -1.5, 2, INF, 3])
    check(program, tensor(5, 3), values, index, tensor(5, dtype=torch.int64)).gradient(0).values().expect("""\
out['elements'] = float32[5, 3] [[0.6865, -2.63, -0.239], [-1.382, 2.044, 1.015], [-1.587, 0.9008, -1.132],
    [-0.7223, 0.1669, -0.1415], [-2.313, -0.5863, -0.4814]]
out['computed'] = float32[5, 3] [[1.373, -5.26, -0.478], [-2.764, 8.126, 2.03], [-3.173, 1.802, -2.264], [15.86,
    0.3338, -0.2831], [-4.627, -1.173, -0.9627]]
out['columns'] = float32[3, 5] [[0.6865, 1.118, -1.587, -0.7223, -2.313], [-2.63, 2.044, 0.9008, 1.667, -0.5863],
    [-0.239, 3.515, -1.132, 1.358, -0.4814]]
out['whole'] = int64[5] [2, 10, 7, 10, 6]
""")


@clause("numbers.options", "numbers.integers", devices="cpu")
def test_truths_added_up_by_index(check: Check) -> None:
    """A sum of truths by index is one truth, and so are their product and extremes; of few bits a sum wraps around."""

    def program(truths: torch.Tensor, small: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {}
        for name, a in (("truths", truths), ("small", small)):
            source = a.flip(0)
            found[f"{name}, scattered"] = a.scatter_add(0, rows, source)
            found[f"{name}, into nothing"] = torch.zeros_like(a).scatter_add(0, rows, source)
            found[f"{name}, put"] = a.index_put((rows,), source, accumulate=True)
            found[f"{name}, by index"] = a.index_add(0, rows, source)
            for way in ("sum", "prod", "amax", "amin"):
                for own in (True, False):
                    found[f"{name}, {way}, {own}"] = a.scatter_reduce(0, rows, source, way, include_self=own)
        return found

    check(
        program,
        tensor(6, dtype=torch.bool, values=[True, False, False, True, False, False]),
        tensor(6, dtype=torch.uint8, values=[200, 0, 3, 90, 1, 250]),
        tensor(6, dtype=torch.int64, values=ROWS),
    ).computed()
