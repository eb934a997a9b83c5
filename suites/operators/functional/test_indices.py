"""Advanced indices: where the dimension of the index comes to stand, counted from the end, of any dtype."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options")
def test_reads_by_indices_with_one_dimension_between(check: Check) -> None:
    """Of indices with a dimension between them the places come first, however near to each other any two are."""

    def program(a: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        before = a.unsqueeze(2) * 2
        after, later = before.clone(), places - 1
        before[:, places, :, places, later] = a[0, :2, 0, :4, None]
        after[:, places, 0, later, 1:] += a[:, :2, 0, 1:]
        return {
            "one before two": a.unsqueeze(2)[:, places, :, places, later] - 1,
            "two before one": a.unsqueeze(3)[:, places, later, :, places] - 2,
            "three": a[:, places, later, places - 2] - 3,
            "written": before,
            "added": after,
            "second and last": a[:, places, :, places] * 2,
            "first and third": a[places, :, places],
            "with a step": a[:, places, 1:, places] + 1,
            "with a new one": a[:, places, None, places] * 3,
        }

    check(program, tensor(4, 5, 3, 6), tensor(2, dtype=torch.int64, values=[0, 2])).shape(
        "out['second and last']", 2, 4, 3
    ).computed()


@clause("numbers.options", modes="train")
def test_reads_by_several_indices(check: Check) -> None:
    """Indices side by side put their dimensions in place, indices apart put them first, and each may be broadcast."""

    def program(
        a: torch.Tensor, rows: torch.Tensor, places: torch.Tensor, narrow: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "in the middle": a[:, rows],
            "last": a[..., rows],
            "side by side": a[:, rows, places],
            "apart": a[rows, :, places],
            "crossed": a[rows[:, None], :, places],
            "of two dimensions": a[:, places.view(3, 1) % 3, :],
            "beside a number": a[1, :, rows],
            "with steps": a[:, rows, 1::2],
            "new dimension": a[rows, None, rows.flip(0)],
            "narrow": a[:, narrow],
            "one": a[:, rows[:1]] * 2,
            "flipped": (a * 2).flip(1)[:, -rows - 1],
        }

    rows, places = (tensor(3, dtype=torch.int64, values=values) for values in ([2, -1, 0], [-4, 3, 1]))
    narrow = tensor(2, dtype=torch.int32, values=[1, -3])
    check(program, tensor(3, 3, 5), rows, places, narrow).gradient(0).values().expect("""\
out['in the middle'] = float32[3, 3, 5] [-0.6802, 0.9823, 0.1921, -0.2701, 1.057, -0.6802, 0.9823, 0.1921, -0.2701,
    1.057, -0.3922, -1.17, ..., 0.0127, 1.383, 0.556, -0.373]
out['last'] = float32[3, 3, 3] [[[1.512, -0.3905, -0.3922], [1.979, -0.2048, 0.8879], [0.1921, 1.057, -0.6802]],
    [[-0.8049, -0.8027, -1.248], [-0.3132, 1.239, 0.6366], [-1.743, 0.5296, -0.04738]], [[1.383, -0.373, -0.03569],
    [1.178, 0.8677, -0.06888], [1.718, -0.5988, -0.5837]]]
out['side by side'] = float32[3, 3] [[0.9823, -0.2701, -1.17], [-0.7093, -1.218, 0.4689], [-0.5673, -0.9946,
    0.0127]]
out['apart'] = float32[3, 3] [[0.0127, -1.725, -0.5673], [0.556, -0.1337, -0.9946], [-1.17, -0.7813, 0.9823]]
out['crossed'] = float32[3, 3, 3] [[[0.0127, -1.725, -0.5673], [0.556, -0.1337, -0.9946], [0.0127, -1.725,
    -0.5673]], [[0.0127, -1.725, -0.5673], [0.556, -0.1337, -0.9946], [0.0127, -1.725, -0.5673]], [[-1.17, -0.7813,
    0.9823], [-0.8268, 0.2331, -0.2701], [-1.17, -0.7813, 0.9823]]]
out['of two dimensions'] = float32[3, 3, 1, 5] [-0.6802, 0.9823, 0.1921, -0.2701, 1.057, -0.3922, -1.17, 1.512,
    -0.8268, -0.3905, 0.8879, -0.7813, ..., -1.725, 1.178, -0.1337, 0.8677]
out['beside a number'] = float32[3, 3] [[-0.8049, -0.8027, -1.248], [-0.3132, 1.239, 0.6366], [-1.743, 0.5296,
    -0.04738]]
out['with steps'] = float32[3, 3, 2] [[[0.9823, -0.2701], [0.9823, -0.2701], [-1.17, -0.8268]], [[-0.7093, -1.218],
    [-0.7093, -1.218], [0.4689, 0.6474]], [[-0.5673, -0.9946], [-0.5673, -0.9946], [0.0127, 0.556]]]
out['new dimension'] = float32[3, 1, 5] [[[-0.03569, 0.0127, 1.383, 0.556, -0.373]], [[-0.5837, -0.5673, 1.718,
    -0.9946, -0.5988]], [[-0.6802, 0.9823, 0.1921, -0.2701, 1.057]]]
out['narrow'] = float32[3, 2, 5] [[[0.8879, -0.7813, 1.979, 0.2331, -0.2048], [-0.3922, -1.17, 1.512, -0.8268,
    -0.3905]], [[0.6366, -0.2308, -0.3132, -2.151, 1.239], [-1.248, 0.4689, -0.8049, 0.6474, -0.8027]], [[-0.06888,
    -1.725, 1.178, -0.1337, 0.8677], [-0.03569, 0.0127, 1.383, 0.556, -0.373]]]
out['one'] = float32[3, 1, 5] [[[-1.36, 1.965, 0.3842, -0.5403, 2.113]], [[-0.09477, -1.419, -3.486, -2.436,
    1.059]], [[-1.167, -1.135, 3.435, -1.989, -1.198]]]
out['flipped'] = float32[3, 3, 5] [-1.36, 1.965, 0.3842, -0.5403, 2.113, -1.36, 1.965, 0.3842, -0.5403, 2.113,
    -0.7843, -2.339, ..., 0.02541, 2.767, 1.112, -0.746]
""")


@clause("numbers.options", modes="train")
def test_writes_by_several_indices(check: Check) -> None:
    """What is put side by side, apart or crossed lands where it would be read, added up where it meets."""

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        middle, apart, crossed, low = a.clone(), a * 2, a.clone(), a.bfloat16()
        middle[:, rows] = b[:, :3]
        apart[rows, :, places] += 1.5
        crossed[rows[:, None], places - 2] = b[0, 0]
        low[:, :, places] = b[:, :1, :3].bfloat16()
        return {
            "middle": middle,
            "apart": apart,
            "crossed": crossed,
            "low": low,
            "added": a.index_put((rows.new_tensor(1), rows[[0, 0, 1]]), b[0, :3], accumulate=True),
            "added in the middle": torch.ops.aten.index_put(a, [None, rows[[0, 0, 2]]], b[:, :1], True),
            "one": a.index_put((rows, places[0]), b[0, 0, 0]),
        }

    rows, places = (tensor(3, dtype=torch.int64, values=values) for values in ([1, -1, 0], [-2, 4, 1]))
    check(program, tensor(3, 4, 5), tensor(3, 3, 5), rows, places).gradient(0, 1).values().expect("""\
out['middle'] = float32[3, 4, 5] [0.9077, -0.8719, 1.253, 0.6194, -0.9415, 0.5543, 0.6387, -0.6786, 0.8921, 1.223,
    -0.6802, 0.9823, ..., -1.292, -0.3297, 0.7289, -2.218]
out['apart'] = float32[3, 4, 5] [-0.7843, -0.839, 3.023, -1.654, -0.7809, 1.776, -0.06252, 3.958, 0.4662, -0.4096,
    -1.36, 3.465, ..., 0.8983, -0.5274, -1.774, 1.264]
out['crossed'] = float32[3, 4, 5] [0.5543, 0.6387, -0.6786, 0.8921, 1.223, 0.8879, -0.7813, 1.979, 0.2331, -0.2048,
    0.5543, 0.6387, ..., 0.6387, -0.6786, 0.8921, 1.223]
out['low'] = bfloat16[3, 4, 5] [-0.3926, -0.6797, 1.508, 0.5547, 0.6406, 0.8867, -0.6797, 1.977, 0.5547, 0.6406,
    -0.6797, -0.6797, ..., -0.05786, -0.2637, -1.719, 0.5195]
out['added'] = float32[3, 4, 5] [-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331, -0.2048,
    -0.6802, 0.9823, ..., 0.4492, -0.2637, -0.8868, -0.1179]
out['added in the middle'] = float32[3, 4, 5] [0.1621, -0.5308, 0.8331, 0.06537, 0.8328, 1.996, 0.4961, 0.6218,
    2.017, 2.242, -0.6802, 0.9823, ..., 0.4492, -0.2637, -0.8868, -0.1179]
out['one'] = float32[3, 4, 5] [-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331, -0.2048,
    0.5543, 0.5543, ..., 0.4492, -0.2637, -0.8868, -0.1179]
""")


@clause("numbers.options")
def test_no_rows_of_what_has_none(check: Check) -> None:
    """Where there are no rows, none are read and written by index, and what is made of those few is whole."""

    def program(a: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        nothing = a[:0] * 2
        return {
            "read": nothing[rows] + 1,
            "read in the middle": a[:, :0][:, rows] - 1,
            "crossed": a[:, 3:][rows[:, None], rows],
            "sum": nothing[rows].sum(0) + 1,
            "largest of what is put together": torch.cat([nothing[rows], a]).amax(0),
            "written": nothing.index_put((rows,), a[:0]).sum() + a,
        }

    result = check(program, tensor(2, 3, values=[[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]]), tensor(0, dtype=torch.int64))
    result.values("out['sum']", "out['largest of what is put together']", "out['written']").expect("""\
out['sum'] = float32[3] [1, 1, 1]
out['largest of what is put together'] = float32[3] [4, 2, 6]
out['written'] = float32[2, 3] [[1, 2, 3], [4, -5, 6]]
""")


@clause("numbers.options")
def test_writes_of_other_dtypes_by_index(check: Check) -> None:
    """Whole numbers, booleans, doubles and a tensor without dimensions are written and added up by index, too."""

    def program(
        whole: torch.Tensor, small: torch.Tensor, true: torch.Tensor, wide: torch.Tensor, one: torch.Tensor,
        rows: torch.Tensor,
    ) -> dict[str, torch.Tensor]:  # fmt: skip
        return {
            "whole": whole.index_put((rows,), whole[:3] + 1, accumulate=True),
            "chosen rows": (wide[:3, None] * whole[:2]).index_put((rows > 1,), wide[3]),
            "added to those": (wide[:3, None] * whole[:2]).index_put((rows > 1,), wide[3], accumulate=True),
            "small": small.index_put((rows,), small[:3], accumulate=True),
            "true": true.index_put((rows[:2],), true[2:] ^ True),
            "wide": wide.index_put((rows,), wide[:3], accumulate=True),
            "columns": torch.ops.aten.index_put(whole.view(2, 2) * 3, [None, rows - 2], whole[:3], True),
            "one": one.index_add(0, rows[0] - rows[0], one * 2),
            "scattered in one": one.scatter(0, rows[0] - rows[0], one * 3),
            "added in one": one.scatter_add(0, rows[0] - rows[0], one * 4),
            "gathered of one": one.gather(0, rows - rows),
            "scattered": small.scatter(0, rows[:2], small[1:3]),
            "number": true.scatter(-1, rows[:2], True),
            "summed": wide.scatter_add(-1, rows, wide[1:]),
            "mean": whole.scatter_reduce(0, rows, whole[:3], "mean", include_self=True),
            "least": small.scatter_reduce(0, rows, small[:3], "amin", include_self=False),
            "sum of whole": whole.scatter_reduce(0, rows[:2], whole[:3], "sum", include_self=False),
        }

    parts = (
        tensor(4, dtype=torch.int64, values=[7, -2, 5, 30]),
        tensor(4, dtype=torch.uint8, values=[200, 3, 100, 60]),
        tensor(4, dtype=torch.bool, values=[True, False, True, True]),
        tensor(4, dtype=torch.float64),
        tensor(),
    )
    check(program, *parts, tensor(3, dtype=torch.int64, values=[1, 3, 1])).values().expect("""\
out['whole'] = int64[4] [7, 12, 5, 29]
out['chosen rows'] = float64[3, 2] [[4.805, -1.373], [-1.382, -1.382], [-1.673, 0.478]]
out['added to those'] = float64[3, 2] [[4.805, -1.373], [-19.79, 3.878], [-1.673, 0.478]]
out['small'] = uint8[4] [200, 47, 100, 63]
out['true'] = bool[4] [True, False, True, False]
out['wide'] = float64[4] [0.6865, -2.183, -0.239, -4.012]
out['columns'] = int64[2, 2] [[21, 4], [15, 100]]
out['one'] = float32[] -1.368
out['scattered in one'] = float32[] -1.368
out['added in one'] = float32[] -2.28
out['gathered of one'] = float32[3] [-0.4561, -0.4561, -0.4561]
out['scattered'] = uint8[4] [200, 3, 100, 100]
out['number'] = bool[4] [True, True, True, True]
out['summed'] = float64[4] [0.6865, -6.642, -0.239, -1.621]
out['mean'] = int64[4] [7, 3, 5, 14]
out['least'] = uint8[4] [200, 100, 100, 3]
out['sum of whole'] = int64[4] [7, 7, 5, -2]
""")


@clause("numbers.options", modes="train")
def test_gradients_of_one_number_for_chosen_rows(check: Check) -> None:
    """A number that is written to the rows of a mask, or added to them, has the sum of their gradients."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.index_put((rows > 0,), b), a.index_put((rows > 0,), c, accumulate=True)

    rows = tensor(3, dtype=torch.int64, values=[1, -1, 2])
    check(program, tensor(3, 4), tensor(), tensor(), rows).gradient(0, 1, 2).computed()


@clause("numbers.options")
def test_reads_after_writes_where_a_mask_says(check: Check) -> None:
    """What is computed is written where truths say, and read afterwards, as is what it was computed of."""

    def program(
        a: torch.Tensor, mask: torch.Tensor, given: torch.Tensor, places: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        where, summed, filled = a * 2, a * 3, a * 4
        where.index_put_((mask,), given)
        summed.index_put_((places,), given, accumulate=True)
        filled[mask] = 1.5
        return {"where": where + a, "summed": summed - a, "filled": filled * a, "both": where * summed}

    mask = tensor(4, dtype=torch.bool, values=[True, False, True, False])
    places = tensor(2, dtype=torch.int64, values=[3, 3])
    check(program, tensor(4), mask, tensor(2), places).computed()


@clause("numbers.options", modes="train")
def test_reads_at_places_of_which_some_are_outside(check: Check) -> None:
    """Where a mask says no, a number of any kind is read in place of what the index, outside or not, would be."""
    operators = torch.ops.aten

    def program(a: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> dict[str, torch.Tensor]:
        inside = (rows >= 0) & (rows < 3) & (columns >= 0) & (columns < 4)
        whole = a.detach().ceil().int()
        return {
            "fraction": operators._unsafe_masked_index(a, inside, [rows, columns], 2.5),
            "nought": operators._unsafe_masked_index(a, inside, [rows, columns], 0) * 2,
            "infinity": operators._unsafe_masked_index(a * 3, inside, [rows, columns], float("-inf")),
            "one mask": operators._unsafe_masked_index(a.t(), inside[:1], [None, rows[0] % 3], 7) - 1,
            "half": operators._unsafe_masked_index(a.bfloat16(), inside, [rows, columns], -1.5),
            "double": operators._unsafe_masked_index(a.double(), inside, [rows, columns], 1e200),
            "whole": operators._unsafe_masked_index(whole, inside, [rows, columns], -7),
            "byte": operators._unsafe_masked_index((whole + 9).byte(), inside, [rows, columns], 255),
            "yes": operators._unsafe_masked_index(a > 0, inside, [rows, columns], True),
        }

    rows = tensor(2, 5, dtype=torch.int64, values=[[0, -1, 2, 3, 1], [900, 1, -70, 2, 0]])
    columns = tensor(2, 5, dtype=torch.int64, values=[[3, 0, 0, 1, -2], [0, 2, 900, 3, 4]])
    check(program, tensor(3, 4), rows, columns).gradient(0).values().expect("""\
out['fraction'] = float32[2, 5] [[-1.382, 2.5, -1.132, 2.5, 2.5], [2.5, -1.587, 2.5, -0.1415, 2.5]]
out['nought'] = float32[2, 5] [[-2.764, 0, -2.264, 0, 0], [0, -3.173, 0, -0.2831, 0]]
out['infinity'] = float32[2, 5] [[-4.146, -inf, -3.396, -inf, -inf], [-inf, -4.76, -inf, -0.4246, -inf]]
out['one mask'] = float32[4, 5] [[-0.3135, 6, -2.132, 6, 6], [-3.63, 6, -3.222, 6, 6], [-1.239, 6, -0.8331, 6, 6],
    [-2.382, 6, -1.142, 6, 6]]
out['half'] = bfloat16[2, 5] [[-1.383, -1.5, -1.133, -1.5, -1.5], [-1.5, -1.586, -1.5, -0.1416, -1.5]]
out['double'] = float64[2, 5] [[-1.382, 1e+200, -1.132, 1e+200, 1e+200], [1e+200, -1.587, 1e+200, -0.1415, 1e+200]]
out['whole'] = int32[2, 5] [[-1, -7, -1, -7, -7], [-7, -1, -7, 0, -7]]
out['byte'] = uint8[2, 5] [[8, 255, 8, 255, 255], [255, 8, 255, 9, 255]]
out['yes'] = bool[2, 5] [[False, True, False, True, True], [True, False, True, False, True]]
""")


@clause("numbers.options", modes="train")
def test_reads_of_rows_longer_than_a_register(check: Check) -> None:
    """The same of as many as fill vectors: the number is read in each lane that the mask says no to, and only there."""
    operators = torch.ops.aten

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        places = torch.arange(37, device=a.device) * 5 - 60
        inside = (places >= 0) & (places < 50)
        read = operators._unsafe_masked_index(a, inside, [places], -3.0)
        return read.exp() + 1, (read == -3).sum()

    result = check(program, tensor(50)).gradient(0)
    result.values("out[1]").expect("""\
out[1] = int64[] 27
""")


@clause("numbers.options", modes="train")
def test_reads_by_a_mask_of_fewer_dimensions(check: Check) -> None:
    """A mask of one dimension says the same of each row that is read, and of where the gradient goes."""
    operators = torch.ops.aten

    def program(a: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        return operators._unsafe_masked_index(a, columns < 4, [None, columns], 7) * 2

    columns = tensor(5, dtype=torch.int64, values=[3, 900, 0, 4, 3])
    check(program, tensor(3, 4), columns).gradient(0).values().expect("""\
out = float32[3, 5] [[-2.764, 14, 1.373, 14, -2.764], [1.802, 14, -0.9121, 14, 1.802], [-0.2831, 14, -2.264, 14,
    -0.2831]]
""")


@clause("numbers.options", modes=("train", "no_grad"))
def test_rows_chosen_of_what_has_no_columns(check: Check) -> None:
    """Rows that have no numbers are chosen all the same, in front, behind, two at once, as many as are named."""

    def program(a: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        none, cube = a[:, :0] * 2, a.view(3, 2, 2)[..., :0]
        spread = places[:, None].expand(4, 0)
        chosen = {
            "rows": none[places] + 1,
            "columns": none.t()[:, places],
            "from the end": none[places - 3] * 2,
            "of each": none[places[:, None]],
            "none of each": cube[places] - 1,
            "two": cube[places, places % 2],
            "crossed": cube[places[:, None], places % 2],
            "around": cube.transpose(1, 2)[places, :, places % 2],
            "selected": none.index_select(0, places),
            "gathered": none.gather(0, spread) + 1,
            "along": torch.take_along_dim(none, spread, 0),
            "written": none.index_put((places,), none[:1] + 1),
            "added": none.index_put((places,), none[places], accumulate=True),
            "copied": none.index_copy(0, places[:2], none[:2]),
            "rows added": none.index_add(0, places, none[places]),
        }
        counted = {name: found.sum(-1 if name != "columns" else 0) + a[0, 0] for name, found in chosen.items()}
        return {**counted, **{f"no {name}": found for name, found in chosen.items()}}

    places = tensor(4, dtype=torch.int64, values=[0, 2, 1, 2])
    result = check(program, tensor(3, 4), places).gradient(0).shape("out['no rows']", 4, 0)
    result.shape("out['no two']", 4, 0).shape("out['no around']", 4, 0).shape("out['no crossed']", 4, 4, 0).computed()


@clause("numbers.options", modes=("train", "no_grad"), devices="cpu")
def test_words_that_have_no_numbers(check: Check) -> None:
    """Words of a table without columns have none, and their gradient has none. On a GPU eager's backward ends CUDA."""

    def program(a: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = torch.nn.functional.embedding(places, a[:, :0] * 2)
        return found, found.sum(-1) + a[0, 0]

    places = tensor(4, dtype=torch.int64, values=[0, 2, 1, 2])
    check(program, tensor(3, 4), places).gradient(0).shape("out[0]", 4, 0).shape("out[1]", 4).computed()
