"""Pieces: how tensors are turned, moved along, spread, resized by functions and taken apart."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options")
def test_pieces_turned_and_moved_along(check: Check) -> None:
    """Turned by any number of quarters, flipped along several dimensions, rolled backwards and further than around."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "quarter": torch.rot90(a) * 1,
            "half": torch.rot90(a, 2) * 2,
            "other plane": torch.rot90(a, 1, (2, 0)) * 3,
            "back": torch.rot90(a, -1, (1, 2)) * 4,
            "around": torch.rot90(a, 4, (1, 2)) * 5,
            "flipped": a.flip(0, -1) * 6,
            "flipped in all": a.flip(0, 2, 1) * 6,
            "left and right": torch.fliplr(a) * 7,
            "rolled back": a.roll(-1, 1),
            "rolled around": a.roll((5, -7), (-1, 0)),
            "rolled flat": a.roll(-4),
            "rolled twice": a.roll((1, 1), (2, 2)),
            "moved": a.movedim(0, -1) * 8,
        }

    check(program, tensor(2, 3, 4)).values().expect("""\
out['quarter'] = float32[3, 2, 4] [[[0.2713, -0.5113, -1.494, 1.5], [1.294, -1.078, 1.383, -0.9878]], [[-0.3905,
    0.8879, -0.7813, 1.979], [-0.5949, -1.078, -1.347, -0.1935]], [[-0.3922, -1.17, 1.512, -0.8268], [-1.353,
    -0.1038, -0.4176, -0.9918]]]
out['half'] = float32[2, 3, 4] [[[2.588, -2.156, 2.766, -1.976], [-1.19, -2.157, -2.694, -0.387], [-2.706, -0.2077,
    -0.8351, -1.984]], [[0.5425, -1.023, -2.988, 3], [-0.7809, 1.776, -1.563, 3.958], [-0.7843, -2.339, 3.023,
    -1.654]]]
out['other plane'] = float32[4, 3, 2] [[[-4.059, -1.176], [-1.785, -1.171], [3.882, 0.8138]], [[-0.3115, -3.509],
    [-3.235, 2.664], [-3.234, -1.534]], [[-1.253, 4.535], [-4.041, -2.344], [4.15, -4.482]], [[-2.975, -2.48],
    [-0.5804, 5.937], [-2.963, 4.5]]]
out['back'] = float32[2, 4, 3] [[[1.085, -1.562, -1.569], [-2.045, 3.552, -4.678], [-5.975, -3.125, 6.047], [6,
    7.916, -3.307]], [[5.176, -2.38, -5.412], [-4.312, -4.313, -0.4153], [5.533, -5.388, -1.67], [-3.951, -0.7739,
    -3.967]]]
out['around'] = float32[2, 3, 4] [[[-1.961, -5.848, 7.559, -4.134], [-1.952, 4.44, -3.906, 9.895], [1.356, -2.557,
    -7.469, 7.5]], [[-6.765, -0.5192, -2.088, -4.959], [-2.974, -5.391, -6.735, -0.9674], [6.47, -5.39, 6.916,
    -4.939]]]
out['flipped'] = float32[2, 3, 4] [[[-5.951, -2.505, -0.623, -8.118], [-1.161, -8.082, -6.47, -3.569], [-5.927,
    8.299, -6.468, 7.764]], [[-4.961, 9.07, -7.017, -2.353], [11.87, -4.688, 5.327, -2.343], [8.999, -8.963, -3.068,
    1.628]]]
out['flipped in all'] = float32[2, 3, 4] [[[-5.927, 8.299, -6.468, 7.764], [-1.161, -8.082, -6.47, -3.569], [-5.951,
    -2.505, -0.623, -8.118]], [[8.999, -8.963, -3.068, 1.628], [11.87, -4.688, 5.327, -2.343], [-4.961, 9.07,
    -7.017, -2.353]]]
out['left and right'] = float32[2, 3, 4] [[[1.899, -3.579, -10.46, 10.5], [-2.733, 6.215, -5.469, 13.85], [-2.745,
    -8.187, 10.58, -5.787]], [[9.058, -7.547, 9.682, -6.914], [-4.164, -7.548, -9.429, -1.354], [-9.471, -0.7268,
    -2.923, -6.943]]]
out['rolled back'] = float32[2, 3, 4] [[[-0.3905, 0.8879, -0.7813, 1.979], [0.2713, -0.5113, -1.494, 1.5], [-0.3922,
    -1.17, 1.512, -0.8268]], [[-0.5949, -1.078, -1.347, -0.1935], [1.294, -1.078, 1.383, -0.9878], [-1.353, -0.1038,
    -0.4176, -0.9918]]]
out['rolled around'] = float32[2, 3, 4] [[[-0.9918, -1.353, -0.1038, -0.4176], [-0.1935, -0.5949, -1.078, -1.347],
    [-0.9878, 1.294, -1.078, 1.383]], [[-0.8268, -0.3922, -1.17, 1.512], [1.979, -0.3905, 0.8879, -0.7813], [1.5,
    0.2713, -0.5113, -1.494]]]
out['rolled flat'] = float32[2, 3, 4] [[[-0.3905, 0.8879, -0.7813, 1.979], [0.2713, -0.5113, -1.494, 1.5], [-1.353,
    -0.1038, -0.4176, -0.9918]], [[-0.5949, -1.078, -1.347, -0.1935], [1.294, -1.078, 1.383, -0.9878], [-0.3922,
    -1.17, 1.512, -0.8268]]]
out['rolled twice'] = float32[2, 3, 4] [[[1.512, -0.8268, -0.3922, -1.17], [-0.7813, 1.979, -0.3905, 0.8879],
    [-1.494, 1.5, 0.2713, -0.5113]], [[-0.4176, -0.9918, -1.353, -0.1038], [-1.347, -0.1935, -0.5949, -1.078],
    [1.383, -0.9878, 1.294, -1.078]]]
out['moved'] = float32[3, 4, 2] [[[-3.137, -10.82], [-9.356, -0.8307], [12.09, -3.341], [-6.614, -7.934]], [[-3.124,
    -4.759], [7.103, -8.626], [-6.25, -10.78], [15.83, -1.548]], [[2.17, 10.35], [-4.09, -8.625], [-11.95, 11.07],
    [12, -7.902]]]
""")


@clause("numbers.options")
def test_pieces_taken_apart(check: Check) -> None:
    """Parts of uneven sizes, at places from the end, by steps, by masks and by lists, in one dimension or several."""

    def program(a: torch.Tensor, places: torch.Tensor) -> dict[str, object]:
        return {
            "chunks": [part * 1 for part in a.chunk(3, 1)],
            "at places": [part * 2 for part in a.tensor_split((1, 3), -1)],
            "evenly": [part * 3 for part in a.tensor_split(3, 1)],
            "sizes": [part * 4 for part in a.split([1, 0, 4], 1)],
            "last": a.select(-1, -2) * 5,
            "steps": a[::2, -4:-1:2] * 6,
            "beyond": a[1:9, -9:2] * 7,
            "list": a[:, [0, -1, 0]] * 8,
            "lists": a[[0, 2], :, None][..., [0]] * 9,
            "crossed": a[places[:, None], places[:2]],
            "middle": a.view(3, 5, 1)[:, places] * 10,
            "narrow": a.narrow(1, -3, 2) * 11,
        }

    check(program, tensor(3, 5), tensor(3, dtype=torch.int64, values=[2, -1, 0])).values().expect("""\
out['chunks'][0] = float32[3, 2] [[0.6865, -2.63], [1.015, -1.587], [0.1669, -0.1415]]
out['chunks'][1] = float32[3, 2] [[-0.239, -1.382], [0.9008, -1.132], [-2.313, -0.5863]]
out['chunks'][2] = float32[3, 1] [[-0.4561], [-2.222], [-0.4814]]
out['at places'][0] = float32[3, 1] [[1.373], [2.03], [0.3338]]
out['at places'][1] = float32[3, 2] [[-5.26, -0.478], [-3.173, 1.802], [-0.2831, -4.627]]
out['at places'][2] = float32[3, 2] [[-2.764, -0.9121], [-2.264, -4.445], [-1.173, -0.9627]]
out['evenly'][0] = float32[3, 2] [[2.059, -7.89], [3.046, -4.76], [0.5008, -0.4246]]
out['evenly'][1] = float32[3, 2] [[-0.717, -4.146], [2.702, -3.396], [-6.94, -1.759]]
out['evenly'][2] = float32[3, 1] [[-1.368], [-6.667], [-1.444]]
out['sizes'][0] = float32[3, 1] [[2.746], [4.061], [0.6677]]
out['sizes'][1] = float32[3, 0] [[], [], []]
out['sizes'][2] = float32[3, 4] [[-10.52, -0.956, -5.528, -1.824], [-6.346, 3.603, -4.528, -8.889], [-0.5662,
    -9.253, -2.345, -1.925]]
out['last'] = float32[3] [-6.91, -5.66, -2.932]
out['steps'] = float32[2, 2] [[-15.78, -8.292], [-0.8493, -3.518]]
out['beyond'] = float32[2, 2] [[7.106, -11.11], [1.168, -0.9908]]
out['list'] = float32[3, 3] [[5.492, -3.649, 5.492], [8.121, -17.78, 8.121], [1.335, -3.851, 1.335]]
out['lists'] = float32[2, 5, 1] [[[6.178], [-23.67], [-2.151], [-12.44], [-4.105]], [[1.502], [-1.274], [-20.82],
    [-5.277], [-4.332]]]
out['crossed'] = float32[3, 2] [[-2.313, -0.4814], [-2.313, -0.4814], [-0.239, -0.4561]]
out['middle'] = float32[3, 3, 1] [[[-2.39], [-4.561], [6.865]], [[9.008], [-22.22], [10.15]], [[-23.13], [-4.814],
    [1.669]]]
out['narrow'] = float32[3, 2] [[-2.629, -15.2], [9.909, -12.45], [-25.45, -6.45]]
""")


@clause("numbers.options", modes="train")
def test_slices(check: Check) -> None:
    """Bounds from the end, beyond it and crossed, steps that leave some over, of arguments and of what is computed."""

    def program(a: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, of in (("", a), (" of a product", a * 2), (" of columns", (a + 1).t())):
            found["from the end" + name] = of[-3:, :-1] + 0
            found["beyond" + name] = of[-100:2, 1:100] + 1
            found["crossed" + name] = of[4:2].sum(0) + of[:, -2:-4].sum()
            found["steps" + name] = of[1::3, ::2] * 3
            found["steps to a bound" + name] = of[:-2:2, 1:4:3] * 4
            found["row" + name] = of[-2] + of[1, -1]
            found["narrow" + name] = of.narrow(1, -3, 2) * 5
            pieces = of[1::3, ::2], of[:-2:2, 1:4:3], of[::4], of[-100:2, 1:100], of[4:2, -2:], of.narrow(1, -3, 2)
            found["sizes and strides" + name] = torch.tensor([(*each.shape, *each.stride()) for each in pieces])
        return found

    check(program, tensor(6, 5)).gradient(0).values().expect("""\
out['from the end'] = float32[3, 4] [[-0.9918, -0.4487, 1.037, 0.1436], [0.8814, -1.493, 1.383, -0.9878], [1.095,
    1.378, 0.1756, -0.4177]]
out['beyond'] = float32[2, 4] [[-0.1695, 2.512, 0.1732, 0.6095], [0.2187, 2.979, 1.233, 0.7952]]
out['crossed'] = float32[5] [0, 0, 0, 0, 0]
out['steps'] = float32[2, 3] [[2.664, 5.937, -0.6144], [2.644, 4.15, -5.373]]
out['steps to a bound'] = float32[2, 1] [[-4.678], [3.929]]
out['row'] = float32[5] [0.6766, -1.698, 1.178, -1.193, -1.996]
out['narrow'] = float32[6, 2] [[7.559, -4.134], [9.895, 1.165], [0.9606, -1.351], [5.187, 0.7178], [6.916, -4.939],
    [0.8778, -2.089]]
out['sizes and strides'] = int64[6, 4] [[2, 3, 15, 2], [2, 1, 10, 3], [2, 5, 20, 1], [2, 4, 5, 1], [0, 2, 5, 1], [6,
    2, 5, 1]]
out['from the end of a product'] = float32[3, 4] [[-1.984, -0.8973, 2.075, 0.2871], [1.763, -2.986, 2.766, -1.976],
    [2.191, 2.755, 0.3511, -0.8354]]
out['beyond of a product'] = float32[2, 4] [[-1.339, 4.023, -0.6536, 0.2191], [-0.5625, 4.958, 1.466, 0.5904]]
out['crossed of a product'] = float32[5] [0, 0, 0, 0, 0]
out['steps of a product'] = float32[2, 3] [[5.327, 11.87, -1.229], [5.289, 8.299, -10.75]]
out['steps to a bound of a product'] = float32[2, 1] [[-9.356], [7.859]]
out['row of a product'] = float32[5] [1.353, -3.396, 2.357, -2.385, -3.991]
out['narrow of a product'] = float32[6, 2] [[15.12, -8.268], [19.79, 2.331], [1.921, -2.701], [10.37, 1.436],
    [13.83, -9.878], [1.756, -4.177]]
out['sizes and strides of a product'] = int64[6, 4] [[2, 3, 15, 2], [2, 1, 10, 3], [2, 5, 20, 1], [2, 4, 5, 1], [0,
    2, 5, 1], [6, 2, 5, 1]]
out['from the end of columns'] = float32[3, 5] [[2.512, 2.979, 1.192, 2.037, 2.383], [0.1732, 1.233, 0.7299, 1.144,
    0.01225], [0.6095, 0.7952, 0.5824, -1.784, -0.7909]]
out['beyond of columns'] = float32[2, 5] [[2.888, 1.32, 1.008, 2.881, 3.095], [1.219, 2.982, 1.551, 0.507, 3.378]]
out['crossed of columns'] = float32[6] [0, 0, 0, 0, 0, 0]
out['steps of columns'] = float32[2, 3] [[-0.5086, 5.947, -1.479], [1.829, 1.747, -2.373]]
out['steps to a bound of columns'] = float32[2, 1] [[7.552], [11.92]]
out['row of columns'] = float32[6] [2.551, 3.611, 3.107, 3.521, 2.39, 2.96]
out['narrow of columns'] = float32[5, 2] [[0.04097, 9.407], [2.757, -2.465], [10.19, 11.92], [5.718, 0.06123],
    [-8.921, -3.954]]
out['sizes and strides of columns'] = int64[6, 4] [[2, 3, 3, 10], [2, 1, 2, 15], [2, 6, 4, 5], [2, 5, 1, 5], [0, 2,
    1, 5], [5, 2, 1, 5]]
""")


@clause("numbers.options", modes="train")
def test_gradients_of_pieces_taken_apart(check: Check) -> None:
    """Each piece of what is computed has a gradient of its own, the last one of what is left over."""

    def program(a: torch.Tensor) -> dict[str, object]:
        product = a * 2
        return {
            "pieces": [piece * 2 for piece in product.split(3, 1)],
            "evenly": [piece * 4 for piece in product.tensor_split(3, -1)],
            "columns": [piece * 5 for piece in product.unbind(1)][::3],
            "heights": [piece * 6 for piece in torch.vsplit(a, 2)],
            "swapped": torch.cat(product.chunk(2, 0)[::-1], 1),
            "diagonal": product.diagonal(-1, -1, -2) * 7,
            "diagonal beyond": product.diagonal(9).sum() + a.diagonal(offset=3, dim1=1, dim2=0).sum(),
        }

    check(program, tensor(2, 7)).gradient(0).values().expect("""\
out['pieces'][0] = float32[2, 3] [[2.746, -10.52, -0.956], [3.603, -4.528, -8.889]]
out['pieces'][1] = float32[2, 3] [[-5.528, -1.824, 4.061], [0.6677, -0.5662, -9.253]]
out['pieces'][2] = float32[2, 1] [[-6.346], [-2.345]]
out['evenly'][0] = float32[2, 3] [[5.492, -21.04, -1.912], [7.206, -9.056, -17.78]]
out['evenly'][1] = float32[2, 2] [[-11.06, -3.649], [1.335, -1.132]]
out['evenly'][2] = float32[2, 2] [[8.121, -12.69], [-18.51, -4.691]]
out['columns'][0] = float32[2] [6.865, 9.008]
out['columns'][1] = float32[2] [-13.82, 1.669]
out['columns'][2] = float32[2] [-15.87, -5.863]
out['heights'][0] = float32[1, 7] [[4.119, -15.78, -1.434, -8.292, -2.736, 6.091, -9.519]]
out['heights'][1] = float32[1, 7] [[5.405, -6.792, -13.33, 1.002, -0.8493, -13.88, -3.518]]
out['swapped'] = float32[1, 14] [[1.802, -2.264, -4.445, 0.3338, -0.2831, -4.627, -1.173, 1.373, -5.26, -0.478,
    -2.764, -0.9121, 2.03, -3.173]]
out['diagonal'] = float32[2] [-36.82, -31.11]
out['diagonal beyond'] = float32[] 0
""")


@clause("numbers.options")
def test_pieces_turned_by_nothing(check: Check) -> None:
    """What is turned, rolled or flipped by nothing is a copy in eager's order, as a later write shows."""

    def program(a: torch.Tensor) -> dict[str, dict[str, torch.Tensor]]:
        kept = {
            order: {
                "none": torch.rot90(b, 0),
                "around": torch.rot90(b, -4, (1, 2)),
                "rolled": b.roll(0, 1),
                "rolled around": b.roll(12, -1),
                "flipped": b.flip(()),
                "repeated": b.repeat(1, 1, 1),
            }
            for order, b in {"as it lies": a, "transposed": a.permute(2, 0, 1)}.items()
        }
        a.mul_(3)
        return kept

    check(program, tensor(2, 3, 4)).mutated(0)


@clause("numbers.options", modes="train")
def test_diagonals_spread_in_any_order(check: Check) -> None:
    """Of the dimensions that a diagonal is put between either may come first, and the offset counts from the first."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "turned": torch.diag_embed(a, offset=1, dim1=-1, dim2=-2),
            "turned back": torch.diag_embed(a, offset=-2, dim1=2, dim2=0),
            "in order": torch.diag_embed(a, offset=1, dim1=0, dim2=2),
            "taken": torch.diag_embed(a, dim1=1, dim2=0).diagonal(1, 1, 0) * 2,
            "taken turned": a.expand(2, 2, 3).diagonal(1, 2, 0) * 3,
        }

    check(program, tensor(2, 3)).computed()


@clause("numbers.options")
def test_pieces_that_are_copies(check: Check) -> None:
    """Pieces that are copied are contiguous, of whatever they are pieces."""

    def program(a: torch.Tensor) -> dict[str, object]:
        turned = a.transpose(0, 2)
        operators: Any = torch  # Whose stubs know no results of some of these.
        copies = {
            "of sizes": operators.split_with_sizes_copy(turned, [1, 3], 0),
            "split": operators.split_copy(turned, 2, 1),
            "unbound": operators.unbind_copy(turned, 1),
            "narrowed": operators.narrow_copy(turned, 1, 1, 2),
            "selected": operators.select_copy(turned, 1, -1),
            "permuted": operators.permute_copy(turned, (1, 0, 2)),
            "flat": operators.view_copy(a, (24,)),
            "bits": operators.view_copy(a, dtype=torch.int32),
            "narrower bits": operators.view_copy(a, dtype=torch.int16),
        }
        a.add_(1)
        return copies

    check(program, tensor(2, 3, 4)).mutated(0)


@clause("numbers.options")
def test_copies_by_strides(check: Check) -> None:
    """What is copied by sizes and strides begins where it is told, in what is stored and in what is computed."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        operators: Any = torch  # Whose stubs know no such operator.
        copies = {
            "from an offset": operators.as_strided_copy(a, (2,), (2,), 1),
            "from where it begins": operators.as_strided_copy(a[1:], (2, 2), (1, 2)),
            "overlapping": operators.as_strided_copy(a, (3, 2), (1, 1), 2),
            "of what is computed": operators.as_strided_copy(a.exp(), (2, 2), (0, 3), 1),
        }
        a.mul_(2)
        return copies

    check(program, tensor(6)).mutated(0).values().expect("""\
out['from an offset'] = float32[2] [-2.63, -1.382]
out['from where it begins'] = float32[2, 2] [[-2.63, -1.382], [-0.239, -0.4561]]
out['overlapping'] = float32[3, 2] [[-0.239, -1.382], [-1.382, -0.4561], [-0.4561, 1.015]]
out['of what is computed'] = float32[2, 2] [[0.07207, 0.6338], [0.07207, 0.6338]]
arg[0] = float32[6] [1.373, -5.26, -0.478, -2.764, -0.9121, 2.03]
""")


@clause("numbers.options", modes="train")
def test_pieces_permuted_twice(check: Check) -> None:
    """Two orders of dimensions undo each other only where they do so in every dimension."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        turned = a.permute(1, 0, 2, 3)
        return {
            "undone": turned.permute(1, 0, 2, 3) * 2,
            "but for the last": turned.permute(1, 0, 3, 2) * 3,
            "in the last": a.permute(0, 1, 3, 2).permute(1, 0, 2, 3) * 4,
            "around": a.permute(3, 0, 1, 2).permute(3, 0, 1, 2) * 5,
            "of a matrix": a[0, 0].permute(1, 0).permute(0, 1) * 6,
            "of three": a[0].permute(0, 2, 1).permute(0, 1, 2) * 7,
        }

    check(program, tensor(2, 3, 4, 4)).computed()


@clause("numbers.options", "T7.10", modes="train")
def test_dimensions_put_in_order_from_the_end(check: Check) -> None:
    """Every order of dimensions is that order where some or all are counted from the end, of what is computed too."""
    orders = (0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)

    def program(a: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, of in (("argument", a), ("sum", a + 1), ("turned", (a * 2).transpose(-3, -1))):
            for order in orders:
                last = of.permute([dim - 3 if dim == 2 else dim for dim in order])
                two = of.permute(*(dim - 3 if dim else dim for dim in order))
                found[f"{name} {order}"] = last * 2, two.sum(-1), of.permute([dim - 3 for dim in order]) - 3
            found[f"{name}, moved"] = [of.movedim(-1, 0) * 4, of.movedim((-1, -3), (0, -1)) * 5, of.swapdims(-2, 0) * 6]
            found[f"{name}, of pairs"] = [
                of.transpose(-1, -2) * 7,
                of.mT * 8,
                of.unsqueeze(-2).permute(-1, 0, 2, -3) * 9,
            ]
            found[f"{name}, copied"] = torch.permute_copy(of, (-1, -3, -2)) * 10
        return found

    result = check(program, tensor(2, 3, 4))
    result.gradient(0).shape("out['sum (2, 0, 1)'][0]", 4, 2, 3)


@clause("numbers.options", modes="train")
def test_pieces_of_what_has_no_elements(check: Check) -> None:
    """What has no elements along a dimension is taken apart into as many pieces as in eager, which have gradients."""

    def program(a: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, of in (("", a), (" of a product", a * 2), (" of columns", a.t())):
            along = 1 if name == " of columns" else 0
            found["sizes" + name] = [piece * 2 for piece in of.split(2, along)]
            found["of no size" + name] = [piece * 3 for piece in of.split(0, along)]
            found["of two sizes" + name] = [piece * 4 for piece in of.split([0, 0], along)]
            found["chunks" + name] = [piece * 5 for piece in of.chunk(3, along)]
            found["evenly" + name] = [piece * 6 for piece in of.tensor_split(2, along)]
            found["across" + name] = [piece * 7 for piece in of.split(2, 1 - along)]
        return found

    check(program, tensor(0, 3)).gradient(0).values().expect("""\
out['sizes'][0] = float32[0, 3] []
out['of no size'][0] = float32[0, 3] []
out['of two sizes'][0] = float32[0, 3] []
out['of two sizes'][1] = float32[0, 3] []
out['chunks'][0] = float32[0, 3] []
out['chunks'][1] = float32[0, 3] []
out['chunks'][2] = float32[0, 3] []
out['evenly'][0] = float32[0, 3] []
out['evenly'][1] = float32[0, 3] []
out['across'][0] = float32[0, 2] []
out['across'][1] = float32[0, 1] []
out['sizes of a product'][0] = float32[0, 3] []
out['of no size of a product'][0] = float32[0, 3] []
out['of two sizes of a product'][0] = float32[0, 3] []
out['of two sizes of a product'][1] = float32[0, 3] []
out['chunks of a product'][0] = float32[0, 3] []
out['chunks of a product'][1] = float32[0, 3] []
out['chunks of a product'][2] = float32[0, 3] []
out['evenly of a product'][0] = float32[0, 3] []
out['evenly of a product'][1] = float32[0, 3] []
out['across of a product'][0] = float32[0, 2] []
out['across of a product'][1] = float32[0, 1] []
out['sizes of columns'][0] = float32[3, 0] [[], [], []]
out['of no size of columns'][0] = float32[3, 0] [[], [], []]
out['of two sizes of columns'][0] = float32[3, 0] [[], [], []]
out['of two sizes of columns'][1] = float32[3, 0] [[], [], []]
out['chunks of columns'][0] = float32[3, 0] [[], [], []]
out['chunks of columns'][1] = float32[3, 0] [[], [], []]
out['chunks of columns'][2] = float32[3, 0] [[], [], []]
out['evenly of columns'][0] = float32[3, 0] [[], [], []]
out['evenly of columns'][1] = float32[3, 0] [[], [], []]
out['across of columns'][0] = float32[2, 0] [[], []]
out['across of columns'][1] = float32[1, 0] [[]]
""")


@clause("numbers.options", modes="train")
def test_pieces_taken_apart_without_views(check: Check) -> None:
    """Pieces that are no views of what they are cut out of are as many and as long as others, along any dimension."""

    def program(a: torch.Tensor) -> dict[str, object]:
        operators: Any = torch
        return {
            "chunks": [piece * 9 for piece in operators.unsafe_chunk(a, 4, 1)],
            "fewer chunks": [piece * 2 for piece in operators.unsafe_chunk(a, 6, -1)],
            "more chunks than rows": [piece * 3 for piece in operators.unsafe_chunk(a, 5)],
            "chunks of nothing": [piece * 4 for piece in operators.unsafe_chunk(a[:0], 3)],
            "split": [piece * 5 for piece in operators.unsafe_split(a, 4, 1)],
            "sizes": [piece * 7 for piece in operators.unsafe_split_with_sizes(a, [1, 0, 9], 1)],
            "sizes of rows": [piece * 8 for piece in operators.unsafe_split_with_sizes(a, [2, 1])],
        }

    check(program, tensor(3, 10)).gradient(0).values().expect("""\
out['chunks'][0] = float32[3, 3] [[-3.529, -10.53, 13.61], [-6.121, 8.841, 1.729], [7.933, -13.44, 12.45]]
out['chunks'][1] = float32[3, 3] [[-7.441, -3.514, 7.991], [-2.431, -3.758, -8.926], [-8.89, -16.12, 9.858]]
out['chunks'][2] = float32[3, 3] [[-7.031, 17.81, 2.098], [-4.038, 9.336, 1.292], [12.4, 1.58, -3.759]]
out['chunks'][3] = float32[3, 1] [[-1.843], [-25.06], [-5.866]]
out['fewer chunks'][0] = float32[3, 2] [[-0.7843, -2.339], [-1.36, 1.965], [1.763, -2.986]]
out['fewer chunks'][1] = float32[3, 2] [[3.023, -1.654], [0.3842, -0.5403], [2.766, -1.976]]
out['fewer chunks'][2] = float32[3, 2] [[-0.7809, 1.776], [-0.8351, -1.984], [-3.582, 2.191]]
out['fewer chunks'][3] = float32[3, 2] [[-1.563, 3.958], [-0.8973, 2.075], [2.755, 0.3511]]
out['fewer chunks'][4] = float32[3, 2] [[0.4662, -0.4096], [0.2871, -5.568], [-0.8354, -1.303]]
out['more chunks than rows'][0] = float32[1, 10] [[-1.176, -3.509, 4.535, -2.48, -1.171, 2.664, -2.344, 5.937,
    0.6993, -0.6144]]
out['more chunks than rows'][1] = float32[1, 10] [[-2.04, 2.947, 0.5764, -0.8104, -1.253, -2.975, -1.346, 3.112,
    0.4307, -8.353]]
out['more chunks than rows'][2] = float32[1, 10] [[2.644, -4.479, 4.15, -2.963, -5.373, 3.286, 4.133, 0.5267,
    -1.253, -1.955]]
out['chunks of nothing'][0] = float32[0, 10] []
out['chunks of nothing'][1] = float32[0, 10] []
out['chunks of nothing'][2] = float32[0, 10] []
out['split'][0] = float32[3, 4] [[-1.961, -5.848, 7.559, -4.134], [-3.401, 4.912, 0.9606, -1.351], [4.407, -7.465,
    6.916, -4.939]]
out['split'][1] = float32[3, 4] [[-1.952, 4.44, -3.906, 9.895], [-2.088, -4.959, -2.243, 5.187], [-8.954, 5.477,
    6.888, 0.8778]]
out['split'][2] = float32[3, 2] [[1.165, -1.024], [0.7178, -13.92], [-2.089, -3.259]]
out['sizes'][0] = float32[3, 1] [[-2.745], [-4.761], [6.17]]
out['sizes'][1] = float32[3, 0] [[], [], []]
out['sizes'][2] = float32[3, 9] [[-8.187, 10.58, -5.787, -2.733, 6.215, -5.469, 13.85, 1.632, -1.434], [6.876,
    1.345, -1.891, -2.923, -6.943, -3.141, 7.262, 1.005, -19.49], [-10.45, 9.682, -6.914, -12.54, 7.667, 9.643,
    1.229, -2.924, -4.562]]
out['sizes of rows'][0] = float32[2, 10] [[-3.137, -9.356, 12.09, -6.614, -3.124, 7.103, -6.25, 15.83, 1.865,
    -1.638], [-5.441, 7.859, 1.537, -2.161, -3.341, -7.934, -3.589, 8.299, 1.148, -22.27]]
out['sizes of rows'][1] = float32[1, 10] [[7.051, -11.94, 11.07, -7.902, -14.33, 8.763, 11.02, 1.405, -3.342,
    -5.214]]
""")


@clause("numbers.options")
def test_triangles_of_each_dtype(check: Check) -> None:
    """What is cut off a triangle is false, or nought of its own dtype, on either side of any diagonal."""

    def program(*given: torch.Tensor) -> list[torch.Tensor]:
        found = []
        for a in given:
            found.append(torch.stack([a.tril(), a.tril(-1), a.triu(1), a.triu(-1)]))
            found += [a.mT.tril(1), a.expand(2, 3, 3).triu(), a[:, :2].tril(-2)]
        return found

    values = [[1, 1, 1], [0, 1, 1], [1, 0, 1]]
    truths = tensor(3, 3, dtype=torch.bool, values=values)
    bytes_ = tensor(3, 3, dtype=torch.uint8, values=[[250 + place - row for place in range(3)] for row in range(3)])
    numbers = [[1.5, -2.0, 0.5], [3.0, 4.0, -1.0], [8.0, -0.25, 6.0]]
    others = [tensor(3, 3, dtype=dtype, values=numbers) for dtype in (torch.float16, torch.complex64)]
    check(program, truths, bytes_, *others).values().expect("""\
out[0] = bool[4, 3, 3] [[[True, False, False], [False, True, False], [True, False, True]], [[False, False, False],
    [False, False, False], [True, False, False]], [[False, True, True], [False, False, True], [False, False,
    False]], [[True, True, True], [False, True, True], [False, False, True]]]
out[1] = bool[3, 3] [[True, False, False], [True, True, False], [True, True, True]]
out[2] = bool[2, 3, 3] [[[True, True, True], [False, True, True], [False, False, True]], [[True, True, True],
    [False, True, True], [False, False, True]]]
out[3] = bool[3, 2] [[False, False], [False, False], [True, False]]
out[4] = uint8[4, 3, 3] [[[250, 0, 0], [249, 250, 0], [248, 249, 250]], [[0, 0, 0], [249, 0, 0], [248, 249, 0]],
    [[0, 251, 252], [0, 0, 251], [0, 0, 0]], [[250, 251, 252], [249, 250, 251], [0, 249, 250]]]
out[5] = uint8[3, 3] [[250, 249, 0], [251, 250, 249], [252, 251, 250]]
out[6] = uint8[2, 3, 3] [[[250, 251, 252], [0, 250, 251], [0, 0, 250]], [[250, 251, 252], [0, 250, 251], [0, 0,
    250]]]
out[7] = uint8[3, 2] [[0, 0], [0, 0], [248, 0]]
out[8] = float16[4, 3, 3] [[[1.5, 0, 0], [3, 4, 0], [8, -0.25, 6]], [[0, 0, 0], [3, 0, 0], [8, -0.25, 0]], [[0, -2,
    0.5], [0, 0, -1], [0, 0, 0]], [[1.5, -2, 0.5], [3, 4, -1], [0, -0.25, 6]]]
out[9] = float16[3, 3] [[1.5, 3, 0], [-2, 4, -0.25], [0.5, -1, 6]]
out[10] = float16[2, 3, 3] [[[1.5, -2, 0.5], [0, 4, -1], [0, 0, 6]], [[1.5, -2, 0.5], [0, 4, -1], [0, 0, 6]]]
out[11] = float16[3, 2] [[0, 0], [0, 0], [8, 0]]
out[12] = complex64[4, 3, 3] [[[1.5+0j, 0+0j, 0+0j], [3+0j, 4+0j, 0+0j], [8+0j, -0.25+0j, 6+0j]], [[0+0j, 0+0j,
    0+0j], [3+0j, 0+0j, 0+0j], [8+0j, -0.25+0j, 0+0j]], [[0+0j, -2+0j, 0.5+0j], [0+0j, 0+0j, -1+0j], [0+0j, 0+0j,
    0+0j]], [[1.5+0j, -2+0j, 0.5+0j], [3+0j, 4+0j, -1+0j], [0+0j, -0.25+0j, 6+0j]]]
out[13] = complex64[3, 3] [[1.5+0j, 3+0j, 0+0j], [-2+0j, 4+0j, -0.25+0j], [0.5+0j, -1+0j, 6+0j]]
out[14] = complex64[2, 3, 3] [[[1.5+0j, -2+0j, 0.5+0j], [0+0j, 4+0j, -1+0j], [0+0j, 0+0j, 6+0j]], [[1.5+0j, -2+0j,
    0.5+0j], [0+0j, 4+0j, -1+0j], [0+0j, 0+0j, 6+0j]]]
out[15] = complex64[3, 2] [[0+0j, 0+0j], [0+0j, 0+0j], [8+0j, 0+0j]]
""")


@clause("numbers.options")
def test_sizes_that_a_function_changes(check: Check) -> None:
    """What a function resizes is read in the order of its memory, to fewer elements and in another format too."""
    resize = torch.ops.aten.resize.default

    def program(a: torch.Tensor, images: torch.Tensor) -> dict[str, torch.Tensor]:
        computed = a * 2
        return {
            "all": resize(computed, [4, 3]),
            "fewer": resize(computed, [2, 3]) + 1,
            "of one dimension": resize(a, [5]),
            "turned": resize(a.t(), [2, 5]),
            "turned and computed": resize(computed.t(), [3, 4]),
            "channels last": resize(images * 2, [1, 3, 2, 2], memory_format=torch.channels_last),
            "from channels last": resize(images.to(memory_format=torch.channels_last), [3, 4]),
        }

    check(program, tensor(3, 4), tensor(1, 2, 2, 3)).values().expect("""\
out['all'] = float32[4, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03], [-3.173, 1.802, -2.264], [-4.445,
    0.3338, -0.2831]]
out['fewer'] = float32[2, 3] [[2.373, -4.26, 0.522], [-1.764, 0.08787, 3.03]]
out['of one dimension'] = float32[5] [0.6865, -2.63, -0.239, -1.382, -0.4561]
out['turned'] = float32[2, 5] [[0.6865, -2.63, -0.239, -1.382, -0.4561], [1.015, -1.587, 0.9008, -1.132, -2.222]]
out['turned and computed'] = float32[3, 4] [[1.373, -5.26, -0.478, -2.764], [-0.9121, 2.03, -3.173, 1.802], [-2.264,
    -4.445, 0.3338, -0.2831]]
out['channels last'] = float32[1, 3, 2, 2] [[[[-4.627, -0.8306], [1.903, -3.717]], [[-1.173, -4.484], [0.343,
    -0.734]], [[-0.9627, -1.295], [-1.541, 0.3094]]]]
out['from channels last'] = float32[3, 4] [[-2.313, 0.9514, -0.5863, 0.1715], [-0.4814, -0.7704, -0.4153, -1.858],
    [-2.242, -0.367, -0.6473, 0.1547]]
""")


@clause("numbers.options")
def test_part_of_an_argument_that_a_function_resizes(check: Check) -> None:
    """A part of an argument that a function resizes begins where the part does."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.resize.default(a[1:], [2, 3])

    check(program, tensor(3, 4)).values().expect("""\
out = float32[2, 3] [[-0.4561, 1.015, -1.587], [0.9008, -1.132, -2.222]]
""")


@clause("numbers.options")
def test_spread_tensor_that_a_function_resizes(check: Check) -> None:
    """A row that is spread over others has as many elements as it shows, and is resized in the order of these."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.resize.default(a[0].expand(2, 4), [4, 2])

    check(program, tensor(3, 4)).values().expect("""\
out = float32[4, 2] [[0.6865, -2.63], [-0.239, -1.382], [0.6865, -2.63], [-0.239, -1.382]]
""")


@clause("numbers.options", fullgraph=False)
def test_diagonal_of_no_blocks(check: Check) -> None:
    """Of no blocks the matrix that has them on its diagonal is one row of nothing."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.block_diag(), a * 2

    check(program, tensor(2)).shape("out[0]", 1, 0).computed()
