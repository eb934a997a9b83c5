"""Pooling by maxima and fractions: windows that overhang, leave gaps or are padded, ties, and pooling undone."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


#: A window of every layout of windows has the one NaN.
ONE_NAN = [[2.0, 1.0, 2.0, 2.0], [2.0, 2.0, 0.0, 2.0], [1.0, 1.0, NAN, 0.0], [0.0, 1.0, 0.0, 0.0]]


@clause("numbers.options", modes="train")
def test_maximum_pooling(check: Check) -> None:
    """Dilation, padding and rounding up choose the windows, and the indices are those of the unpadded image."""

    def program(a: torch.Tensor) -> dict[str, object]:
        pool = functional.max_pool2d
        return {
            "dilated": pool(a, 2, stride=1, dilation=(2, 3)),
            "overhang": pool(a, (3, 2), stride=(2, 3), padding=(1, 0), ceil_mode=True),
            "indices": pool(a, 3, stride=2, padding=1, return_indices=True),
            "dilated indices": pool(a, 2, stride=(1, 2), padding=1, dilation=(2, 1), return_indices=True),
            "overhanging indices": pool(a, 2, stride=3, ceil_mode=True, return_indices=True),
            "dilated overhang": pool(a, 2, stride=2, dilation=(2, 3), ceil_mode=True),
            "by its own size": pool(a, (1, 3), return_indices=True),
        }

    check(program, tensor(1, 2, 5, 6)).values().expect("""\
out['dilated'] = float32[1, 2, 3, 3] [[[[0.1921, 0.4689, 1.512], [0.6474, 1.979, 0.9823], [1.239, 0.4689, 1.057]],
    [[1.378, 1.434, 1.203], [1.832, 1.029, 1.095], [1.378, 1.434, 1.203]]]]
out['overhang'] = float32[1, 2, 3, 2] [[[[1.979, -0.2048], [1.979, 0.4689], [1.239, -0.2308]], [[0.8814, 1.037],
    [1.378, 1.832], [1.029, 1.832]]]]
out['indices'][0] = float32[1, 2, 3, 3] [[[[1.979, 1.979, 0.9823], [1.979, 1.979, 0.9823], [1.239, 0.6366,
    0.08515]], [[0.8814, 1.037, 1.095], [1.378, 1.832, 1.832], [1.029, 1.832, 1.832]]]]
out['indices'][1] = int64[1, 2, 3, 3] [[[[7, 7, 11], [7, 7, 11], [24, 20, 29]], [[6, 3, 11], [12, 21, 21], [19, 21,
    21]]]]
out['dilated indices'][0] = float32[1, 2, 5, 4] [-0.7813, 1.979, -0.2048, 0.9823, 0.1921, 1.512, 0.4689, 0.8879,
    0.6474, 1.979, -0.2048, 0.9823, ..., 0.07107, 1.029, 1.832, 0.159]
out['dilated indices'][1] = int64[1, 2, 5, 4] [6, 7, 9, 11, 12, 2, 16, 5, 18, 7, 9, 11, ..., 18, 19, 21, 23]
out['overhanging indices'][0] = float32[1, 2, 2, 2] [[[[1.979, -0.2048], [1.239, -0.2308]], [[0.8814, 1.037],
    [1.029, 1.832]]]]
out['overhanging indices'][1] = int64[1, 2, 2, 2] [[[[7, 9], [24, 21]], [[6, 3], [19, 21]]]]
out['dilated overhang'] = float32[1, 2, 2, 2] [[[[0.1921, 1.512], [1.239, 1.057]], [[1.378, 1.203], [1.378,
    1.203]]]]
out['by its own size'][0] = float32[1, 2, 5, 2] [[[[1.512, 0.8879], [1.979, 0.9823], [1.057, 0.4689], [0.6474,
    -0.2308], [1.239, 0.08515]], [[-0.4192, 1.037], [0.8814, 1.095], [1.378, 1.434], [1.029, 1.832], [0.8059,
    -0.1179]]]]
out['by its own size'][1] = int64[1, 2, 5, 2] [[[[2, 5], [7, 11], [14, 16], [18, 21], [24, 29]], [[0, 3], [6, 11],
    [12, 16], [19, 21], [24, 29]]]]
""")


@clause("numbers.options", modes="train")
def test_maximum_pooling_of_signals_and_volumes(check: Check) -> None:
    """In one and three dimensions dilation and overhang mean what they mean in two."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "signal": functional.max_pool1d(a, 3, stride=2, padding=1, dilation=2),
            "signal's indices": functional.max_pool1d(a, 2, ceil_mode=True, return_indices=True),
            "volume": functional.max_pool3d(b, (2, 3, 1), stride=(1, 2, 3), padding=(1, 1, 0)),
            "volume's indices": functional.max_pool3d(b, 2, dilation=(1, 2, 3), return_indices=True),
            "overhang": functional.max_pool3d(b, 2, ceil_mode=True),
            "by its own size": functional.max_pool3d(b, (1, 2, 3), padding=(0, 1, 1)),
        }

    check(program, tensor(2, 2, 7), tensor(1, 2, 3, 4, 5)).values().expect("""\
out['signal'] = float32[2, 2, 3] [[[-0.8268, 0.8879, 0.8879], [0.2331, 0.2331, -0.6802]], [[1.037, 1.037, 1.037],
    [1.383, 1.383, 1.378]]]
out["signal's indices"][0] = float32[2, 2, 4] [[[-0.3922, 1.512, 0.8879, -0.7813], [1.979, -0.2048, 0.9823,
    -0.1038]], [[-0.4176, 1.037, 0.1436, 1.294], [1.383, -0.9878, 1.378, 0.1756]]]
out["signal's indices"][1] = int64[2, 2, 4] [[[0, 2, 5, 6], [0, 2, 4, 6]], [[0, 3, 4, 6], [1, 2, 5, 6]]]
out['volume'] = float32[1, 2, 4, 2, 2] [[[[[0.866, 0.0127], [0.556, 1.434]], [[0.866, 1.832], [0.8921, 1.434]],
    [[0.6194, 1.832], [0.8921, 0.6387]], [[0.6194, -0.8719], [0.7535, 0.1134]]], [[[1.067, -0.6679], [0.8134,
    0.7619]], [[1.067, 0.8416], [0.8134, 0.7619]], [[2.56, 0.8416], [2.56, 0.7643]], [[2.56, -0.776], [2.56,
    0.7643]]]]]
out["volume's indices"][0] = float32[1, 2, 1, 1, 1] [[[[[1.832]]], [[[1.067]]]]]
out["volume's indices"][1] = int64[1, 2, 1, 1, 1] [[[[[23]]], [[[0]]]]]
out['overhang'] = float32[1, 2, 2, 2, 3] [[[[[1.029, 1.832, 1.383], [1.223, 1.434, 1.718]], [[0.6194, 0.9077,
    1.253], [2.517, 0.7308, 1.592]]], [[[1.067, 0.8416, 1.076], [1.034, 1.3, 0.7301]], [[2.56, 0.5628, 0.07107],
    [0.1401, 0.7643, 0.1303]]]]]
out['by its own size'] = float32[1, 2, 3, 3, 2] [[[[[0.866, 1.383], [0.8677, 1.718], [1.203, 1.434]], [[1.029,
    1.832], [0.8059, 0.6387], [1.223, 0.9018]], [[0.1709, 1.253], [2.517, 0.7308], [0.08675, 1.592]]], [[[1.067,
    -0.1561], [1.034, 1.076], [-1.111, 0.6407]], [[-0.0578, 0.8416], [1.052, 1.3], [0.9287, 0.4238]], [[1.214,
    -0.003642], [2.56, 0.6003], [0.1064, 0.7643]]]]]
""")


@clause("numbers.options", modes="train")
def test_infinities_in_maximum_pooling(check: Check) -> None:
    """Padding is lower than minus infinity: a window of minus infinities and padding has an index inside."""
    image = [[-INF, -INF, 2.0, 1.0], [-INF, -INF, NAN, 0.0], [3.0, 4.0, 5.0, INF]]

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.max_pool2d(a, 2, stride=2, padding=1)

    check(program, tensor(1, 1, 3, 4, values=[[image]])).values().expect("""\
out = float32[1, 1, 2, 3] [[[[-inf, 2, 1], [3, nan, inf]]]]
""")


@clause("numbers.options", "numbers.special-values")
def test_windows_of_minus_infinities(check: Check) -> None:
    """Beside minus infinities alone padding, overhang and gaps are minus infinities too, in each precision."""

    def program(*images: torch.Tensor) -> list[dict[str, torch.Tensor]]:
        return [
            {
                "padded": functional.max_pool2d(a, 2, 2, padding=1),
                "overhang": functional.max_pool2d(a, 2, ceil_mode=True),
                "dilated": functional.max_pool2d(a, 2, 1, padding=1, dilation=2),
                "signal": functional.max_pool1d(a[0], 3, 2, padding=1),
                "volume": functional.max_pool3d(a[None], (1, 2, 2), 2, padding=(0, 1, 1)),
            }
            for a in images
        ]

    image = [[-INF, -INF, -INF], [-INF, -INF, -1.0], [-INF, 2.0, -INF]]
    precisions = torch.float32, torch.float64, torch.bfloat16
    check(program, *(tensor(1, 3, 3, dtype=dtype, values=[image]) for dtype in precisions)).computed()


@clause("numbers.options")
def test_places_in_windows_of_minus_infinities(check: Check) -> None:
    """Where a window has minus infinities and padding alone, the place of its maximum is its first inside the image."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        pooled, places = functional.max_pool2d(a, 3, 2, 1, return_indices=True)
        return pooled.clamp(min=-3), places

    rows = [[-INF] * 4, [-INF] * 4, [-INF, -INF, 0.5, 1.0], [-INF, -INF, 2.0, 0.0]]
    check(program, tensor(1, 4, 4, values=[rows])).values().expect("""\
out[0] = float32[1, 2, 2] [[[-3, -3], [-3, 2]]]
out[1] = int64[1, 2, 2] [[[0, 1], [4, 14]]]
""")


@clause("numbers.options", modes="train")
def test_pooling_undone(check: Check) -> None:
    """What was pooled goes back to its indices, into an image of the size that is asked for, and all else is nought."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        image, places = functional.max_pool2d(a, 2, return_indices=True)
        signal, where = functional.max_pool1d(b, 2, stride=3, return_indices=True)
        return {
            "image": functional.max_unpool2d(image, places, [2, 2]),
            "larger": functional.max_unpool2d(image, places, [2, 2], output_size=(5, 7)),
            "signal": functional.max_unpool1d(signal, where, [2], stride=[3], output_size=(8,)),
        }

    check(program, tensor(1, 2, 5, 6), tensor(1, 2, 8)).values().expect("""\
out['image'] = float32[1, 2, 4, 6] [0, 0, 1.512, 0, 0, 0, 0, 1.979, 0, 0, 0, 0.9823, ..., 0, 1.832, 0, 0]
out['larger'] = float32[1, 2, 5, 7] [0, 0, 1.512, 0, 0, 0, 0, 1.979, 0, 0, 0, 0.9823, ..., 0, 0, 0, 0]
out['signal'] = float32[1, 2, 8] [[[0, 0.6387, 0, 0, 1.223, 0, 0, 0.9018], [0.1709, 0, 0, 0, 1.253, 0, 0, 0.5847]]]
""")


@clause("numbers.options", modes="train")
def test_maximum_pooling_to_a_size(check: Check) -> None:
    """The same windows for the maximum, and indices into the image."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "uneven": functional.adaptive_max_pool2d(a, (3, 4), return_indices=True),
            "kept": functional.adaptive_max_pool2d(a, (None, 2)),  # type: ignore[arg-type]
            "one": functional.adaptive_max_pool2d(a, 1),
            "signal": functional.adaptive_max_pool1d(a[0], 4, return_indices=True),
            "volume": functional.adaptive_max_pool3d(b, (2, 3, 2)),
            "flat volume": functional.adaptive_max_pool3d(b, (1, 3, 2)),
            "divided volume": functional.adaptive_max_pool3d(b, (3, 2, 1), return_indices=True),
            "one of a volume": functional.adaptive_max_pool3d(b, 1, return_indices=True),
        }

    check(program, tensor(1, 2, 5, 6), tensor(1, 1, 3, 4, 3)).values().expect("""\
out['uneven'][0] = float32[1, 2, 3, 4] [[[[1.979, 1.979, -0.2048, 0.9823], [1.979, 1.979, 0.4689, 0.9823], [1.239,
    0.6366, -0.2308, 0.08515]], [[0.8814, 0.8374, 1.037, 1.095], [1.378, 1.203, 1.832, 1.434], [1.029, 1.029, 1.832,
    0.4049]]]]
out['uneven'][1] = int64[1, 2, 3, 4] [[[[7, 7, 9, 11], [7, 7, 16, 11], [24, 20, 21, 29]], [[6, 8, 3, 11], [12, 14,
    21, 16], [19, 19, 21, 22]]]]
out['kept'] = float32[1, 2, 5, 2] [[[[1.512, 0.8879], [1.979, 0.9823], [1.057, 0.4689], [0.6474, -0.2308], [1.239,
    0.08515]], [[-0.4192, 1.037], [0.8814, 1.095], [1.378, 1.434], [1.029, 1.832], [0.8059, -0.1179]]]]
out['one'] = float32[1, 2, 1, 1] [[[[1.979]], [[1.832]]]]
out['signal'][0] = float32[2, 5, 4] [-0.3922, 1.512, -0.3905, 0.8879, 1.979, 1.979, -0.2048, 0.9823, 0.1921, 1.057,
    0.4689, 0.4689, ..., 0.8059, 0.4492, -0.2637, -0.1179]
out['signal'][1] = int64[2, 5, 4] [0, 2, 4, 5, 1, 1, 3, 5, 0, 2, 4, 4, ..., 0, 2, 3, 5]
out['volume'] = float32[1, 1, 2, 3, 2] [[[[[1.253, 1.223], [2.517, 2.517], [2.517, 2.517]], [[1.309, 0.6407],
    [2.517, 2.517], [2.517, 2.517]]]]]
out['flat volume'] = float32[1, 1, 1, 3, 2] [[[[[1.309, 1.223], [2.517, 2.517], [2.517, 2.517]]]]]
out['divided volume'][0] = float32[1, 1, 3, 2, 1] [[[[[1.223], [0.9077]], [[1.253], [2.517]], [[1.309], [0.911]]]]]
out['divided volume'][1] = int64[1, 1, 3, 2, 1] [[[[[4], [10]], [[12], [19]], [[24], [32]]]]]
out['one of a volume'][0] = float32[1, 1, 1, 1, 1] [[[[[2.517]]]]]
out['one of a volume'][1] = int64[1, 1, 1, 1, 1] [[[[[19]]]]]
""")


@clause("numbers.options", modes="train")
def test_maximum_pooling_to_unlike_sizes(check: Check) -> None:
    """Where a size does not divide, some windows are longer than others, and none of their numbers is left out."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        pool = functional.adaptive_max_pool2d
        return {
            "wide": pool(a, (3, 4), return_indices=True),
            "tall": pool(a.transpose(2, 3), (4, 3)),
            "almost": pool(b, (7, 5)),
            "more": pool(b, (11, 3), return_indices=True),
            "rows that divide": pool(b, (4, 4), return_indices=True),
            "columns that divide": pool(b, (3, 3), return_indices=True),
        }

    check(program, tensor(1, 2, 5, 7), tensor(1, 1, 8, 6)).gradient(0, 1).computed()


@clause("numbers.options", modes="train")
def test_place_of_a_maximum_that_ties(check: Check) -> None:
    """Of several largest numbers in a window the first is the one."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "to a size": functional.adaptive_max_pool2d(a, (2, 2), return_indices=True),
            "to a size unevenly": functional.adaptive_max_pool2d(a, (3, 3), return_indices=True),
            "to one": functional.adaptive_max_pool2d(a, 1, return_indices=True),
            "signal to a size": functional.adaptive_max_pool1d(a[:, 0], 2, return_indices=True),
            "volume to a size": functional.adaptive_max_pool3d(a[None], (1, 1, 2), return_indices=True),
            "windows": functional.max_pool2d(a * 2, 2, return_indices=True),
            "windows that overlap": functional.max_pool2d(a, 3, 1, return_indices=True),
            "signal": functional.max_pool1d(a[:, 1], 2, return_indices=True),
        }

    ties = [[2.0, 1.0, 2.0, 2.0], [2.0, 2.0, 0.0, 2.0], [1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    check(program, tensor(1, 4, 4, values=[ties])).gradient(0).values().expect("""\
out['to a size'][0] = float32[1, 2, 2] [[[2, 2], [1, 1]]]
out['to a size'][1] = int64[1, 2, 2] [[[0, 2], [8, 10]]]
out['to a size unevenly'][0] = float32[1, 3, 3] [[[2, 2, 2], [2, 2, 2], [1, 1, 1]]]
out['to a size unevenly'][1] = int64[1, 3, 3] [[[0, 2, 2], [4, 5, 7], [8, 9, 10]]]
out['to one'][0] = float32[1, 1, 1] [[[2]]]
out['to one'][1] = int64[1, 1, 1] [[[0]]]
out['signal to a size'][0] = float32[1, 2] [[2, 2]]
out['signal to a size'][1] = int64[1, 2] [[0, 2]]
out['volume to a size'][0] = float32[1, 1, 1, 2] [[[[2, 2]]]]
out['volume to a size'][1] = int64[1, 1, 1, 2] [[[[0, 2]]]]
out['windows'][0] = float32[1, 2, 2] [[[4, 4], [2, 2]]]
out['windows'][1] = int64[1, 2, 2] [[[0, 2], [8, 10]]]
out['windows that overlap'][0] = float32[1, 2, 2] [[[2, 2], [2, 2]]]
out['windows that overlap'][1] = int64[1, 2, 2] [[[0, 2], [4, 5]]]
out['signal'][0] = float32[1, 2] [[2, 2]]
out['signal'][1] = int64[1, 2] [[0, 3]]
""")


@clause("numbers.options", modes="train")
def test_place_of_none_in_a_window(check: Check) -> None:
    """NaN is larger than every number, and its place is that of the maximum."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "to a size": functional.adaptive_max_pool2d(a, (2, 2), return_indices=True),
            "to one": functional.adaptive_max_pool2d(a, 1, return_indices=True),
            "volume to a size": functional.adaptive_max_pool3d(a[None], (1, 1, 2), return_indices=True),
            "windows": functional.max_pool2d(a * 2, 2, return_indices=True),
            "windows that overlap": functional.max_pool2d(a, 3, 1, return_indices=True),
            "signal": functional.max_pool1d(a[:, 2], 2, return_indices=True),
        }

    check(program, tensor(1, 4, 4, values=[ONE_NAN])).gradient(0).values().expect("""\
out['to a size'][0] = float32[1, 2, 2] [[[2, 2], [1, nan]]]
out['to a size'][1] = int64[1, 2, 2] [[[0, 2], [8, 10]]]
out['to one'][0] = float32[1, 1, 1] [[[nan]]]
out['to one'][1] = int64[1, 1, 1] [[[10]]]
out['volume to a size'][0] = float32[1, 1, 1, 2] [[[[2, nan]]]]
out['volume to a size'][1] = int64[1, 1, 1, 2] [[[[0, 10]]]]
out['windows'][0] = float32[1, 2, 2] [[[4, 4], [2, nan]]]
out['windows'][1] = int64[1, 2, 2] [[[0, 2], [8, 10]]]
out['windows that overlap'][0] = float32[1, 2, 2] [[[nan, nan], [nan, nan]]]
out['windows that overlap'][1] = int64[1, 2, 2] [[[10, 10], [10, 10]]]
out['signal'][0] = float32[1, 2] [[1, nan]]
out['signal'][1] = int64[1, 2] [[0, 2]]
""")


@clause("numbers.options", modes="train")
def test_place_of_none_in_an_uneven_window(check: Check) -> None:
    """NaN is larger than every number also where windows of an adaptive maximum differ in their size."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return functional.adaptive_max_pool2d(a, (3, 3), return_indices=True)

    check(program, tensor(1, 4, 4, values=[ONE_NAN])).gradient(0).values().expect("""\
out[0] = float32[1, 3, 3] [[[2, 2, 2], [2, nan, nan], [1, nan, nan]]]
out[1] = int64[1, 3, 3] [[[0, 2, 2], [4, 10, 10], [8, 10, 10]]]
""")


@clause("numbers.options", modes="train")
def test_place_of_several_none_in_a_window(check: Check) -> None:
    """Of several NaNs in a window the last is the one."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "to a size": functional.adaptive_max_pool2d(a, (2, 2), return_indices=True),
            "windows": functional.max_pool2d(a * 2, 2, return_indices=True),
            "of a volume": functional.max_pool3d(a[None] * 3, (1, 2, 2), return_indices=True),
        }

    some = [[2.0, NAN, 2.0, 2.0], [NAN, 2.0, 0.0, 2.0], [1.0, 1.0, NAN, 0.0], [0.0, 1.0, 0.0, NAN]]
    check(program, tensor(1, 4, 4, values=[some])).gradient(0).values().expect("""\
out['to a size'][0] = float32[1, 2, 2] [[[nan, 2], [1, nan]]]
out['to a size'][1] = int64[1, 2, 2] [[[4, 2], [8, 15]]]
out['windows'][0] = float32[1, 2, 2] [[[nan, 4], [2, nan]]]
out['windows'][1] = int64[1, 2, 2] [[[4, 2], [8, 15]]]
out['of a volume'][0] = float32[1, 1, 2, 2] [[[[nan, 6], [3, nan]]]]
out['of a volume'][1] = int64[1, 1, 2, 2] [[[[4, 2], [8, 15]]]]
""")


@clause("numbers.options")
def test_fractional_pooling(check: Check) -> None:
    """Windows at fractions that the caller draws, each image or volume its own: of a size, of a ratio, with indices."""
    samples = tensor(2, 2, 2, grad=False, values=[[[0.1, 0.9], [0.5, 0.3]], [[0.7, 0.2], [0.0, 0.8]]])

    def program(a: torch.Tensor, b: torch.Tensor, samples: torch.Tensor) -> dict[str, object]:
        pool, alike = functional.fractional_max_pool2d, samples[:, :, :1].expand(2, 2, 3).clone()
        return {
            "size": pool(a, 2, output_size=(3, 4), _random_samples=samples),
            "ratio": pool(a, (2, 1), output_ratio=(0.5, 0.7), _random_samples=samples),
            "indices": pool(a, 2, output_size=(2, 2), _random_samples=samples, return_indices=True),
            "one image": pool(a[1], 2, output_size=(1, 3), _random_samples=samples[1:]),
            "volumes": functional.fractional_max_pool3d(b, 2, output_size=(2, 3, 3), _random_samples=alike),
        }

    check(program, tensor(2, 2, 6, 7), tensor(2, 2, 4, 5, 6), samples).values().expect("""\
out['size'] = float32[2, 2, 3, 4] [1.979, 1.512, 0.9823, 0.8879, 1.057, 0.4689, 1.239, 0.6366, 0.8814, 0.8814,
    0.8374, 1.095, ..., 0.7643, 0.7643, -0.08124, 0.1116]
out['ratio'] = float32[2, 2, 3, 4] [1.979, 1.512, 0.9823, -0.2701, 1.057, 0.4689, 0.6474, 0.6366, -1.218, -0.4192,
    -0.4487, 1.095, ..., 0.1401, -0.3078, -0.08124, -0.2189]
out['indices'][0] = float32[2, 2, 2, 2] [[[[1.979, 0.8879], [0.8814, 1.095]], [[1.378, 1.383], [0.2353, 0.9018]]],
    [[[0.5847, 0.7308], [1.076, 0.911]], [[1.253, 0.5595], [0.7643, 0.1116]]]]
out['indices'][1] = int64[2, 2, 2, 2] [[[[7, 5], [36, 41]], [[0, 6], [35, 41]]], [[[7, 12], [29, 40]], [[7, 13],
    [36, 33]]]]
out['one image'] = float32[2, 1, 3] [[[1.076, 1.309, 0.911]], [[0.7643, -0.261, 0.1116]]]
out['volumes'] = float32[2, 2, 2, 3, 3] [0.8831, 1.441, 0.8503, 1.872, 0.921, 1.369, 1.132, 1.452, 1.648, 1.66,
    0.4853, 0.8674, ..., 2.168, 1.498, 2.098, 1.404]
""")


@clause("numbers.options")
def test_pooling_of_large_windows(check: Check) -> None:
    """Windows of more than twenty-five elements, and images without a batch, are pooled as others are."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "largest": functional.max_pool2d(a, (6, 5), stride=(2, 3), padding=(1, 2), return_indices=True),
            "mean": functional.avg_pool2d(a, (5, 6), stride=(3, 2), padding=(2, 1), count_include_pad=False),
            "divisor": functional.avg_pool2d(a, (6, 5), stride=2, divisor_override=11),
            "volume": functional.avg_pool3d(b, 3, stride=2, padding=1, count_include_pad=False),
            "one volume": functional.avg_pool3d(b[0], (1, 2, 2), stride=1, ceil_mode=True, divisor_override=3),
            "one image": functional.max_pool2d(a[0], 2, stride=1, padding=1, return_indices=True),
            "one mean": functional.avg_pool2d(a[0], (3, 2), stride=(1, 2), padding=1, ceil_mode=True),
            "overhanging": functional.max_pool2d(a, (6, 5), stride=4, ceil_mode=True, return_indices=True),
            "overhanging mean": functional.avg_pool2d(a, (5, 6), stride=(4, 3), padding=1, ceil_mode=True),
            "dilated": functional.max_pool2d(a, (4, 7), dilation=(2, 1), return_indices=True),
        }

    check(program, tensor(1, 2, 7, 8), tensor(1, 1, 4, 5, 4)).values().expect("""\
out['largest'][0] = float32[1, 2, 2, 3] [[[[1.512, 1.512, 1.979], [1.383, 1.378, 1.289]], [[1.718, 1.832, 2.041],
    [1.253, 1.832, 2.041]]]]
out['largest'][1] = int64[1, 2, 2, 3] [[[[2, 2, 7], [48, 42, 47]], [[2, 11, 31], [32, 11, 31]]]]
out['mean'] = float32[1, 2, 3, 3] [[[[-0.03995, -0.03111, -0.08533], [-0.1016, -0.1197, -0.4097], [-0.06391,
    -0.04882, -0.2926]], [[0.107, 3.282e-05, -0.1823], [0.3049, 0.002216, -0.07417], [0.001952, -0.1657,
    -0.01131]]]]
out['divisor'] = float32[1, 2, 1, 2] [[[[-0.3462, -0.3878]], [[0.5996, -0.2757]]]]
out['volume'] = float32[1, 1, 2, 3, 2] [[[[[0.2668, 0.1754], [0.07349, -0.05519], [-0.5656, -0.2146]], [[-0.02517,
    0.2176], [0.07369, 0.2125], [-0.005442, 0.5418]]]]]
out['one volume'] = float32[1, 4, 4, 3] [0.3038, 1.005, 0.2173, 0.4755, 0.04913, -1.113, -0.1306, -0.5071, -0.7752,
    -0.7859, -0.2241, -0.2656, ..., -0.1379, -0.04577, 0.7386, 1.322]
out['one image'][0] = float32[2, 8, 9] [-0.3922, -0.3922, 1.512, 1.512, -0.3905, 0.8879, 0.8879, 1.979, 1.979,
    0.2331, 0.2331, 1.512, ..., 1.119, 1.806, 1.806, 0.0655]
out['one image'][1] = int64[2, 8, 9] [0, 0, 2, 2, 4, 5, 5, 7, 7, 8, 8, 2, ..., 52, 54, 54, 55]
out['one mean'] = float32[2, 7, 5] [-0.02651, -0.09046, -0.007132, 0.1488, 0.1219, 0.05163, -0.1167, -0.03481,
    0.05818, -0.2367, 0.3236, -0.2998, ..., -0.501, -0.09263, -0.2363, -0.06052]
out['overhanging'][0] = float32[1, 2, 2, 2] [[[[1.512, 1.979], [1.383, 1.289]], [[1.832, 2.041], [1.253, 1.806]]]]
out['overhanging'][1] = int64[1, 2, 2, 2] [[[[2, 7], [48, 47]], [[11, 31], [32, 54]]]]
out['overhanging mean'] = float32[1, 2, 2, 3] [[[[-0.1026, -0.1982, -0.1772], [-0.1146, -0.3128, -0.1462]],
    [[0.1509, -0.02819, -0.1784], [0.09835, -0.06784, -0.03686]]]]
out['dilated'][0] = float32[1, 2, 1, 1] [[[[1.512]], [[1.806]]]]
out['dilated'][1] = int64[1, 2, 1, 1] [[[[2]], [[54]]]]
""")


@clause("numbers.options", devices="cpu")
def test_pooling_of_whole_numbers(check: Check) -> None:
    """Beside whole numbers below nought the padding is less than all of them, and their mean is cut towards nought."""

    def program(whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "largest": functional.max_pool2d(whole, 2, stride=2, padding=1),
            "mean": functional.avg_pool2d(whole, (3, 2)),
            "mean of rows": functional.avg_pool2d(whole, (1, 3), stride=1),
            "mean by a number": functional.avg_pool2d(whole, 2, stride=1, divisor_override=3),
        }

    whole = tensor(1, 3, 4, dtype=torch.int64, values=[[[-7, -3, -9, -4], [-8, -2, -6, -5], [-11, -1, -12, -10]]])
    check(program, whole).values().expect("""\
out['largest'] = int64[1, 2, 3] [[[-7, -3, -4], [-8, -1, -5]]]
out['mean'] = int64[1, 1, 2] [[[-5, -7]]]
out['mean of rows'] = int64[1, 3, 2] [[[-6, -5], [-5, -4], [-8, -7]]]
out['mean by a number'] = int64[1, 2, 3] [[[-6, -6, -8], [-7, -7, -11]]]
""")


@clause("numbers.options")
def test_fractional_pooling_of_volumes(check: Check) -> None:
    """In three dimensions each has a fraction of its own, of a size or of a ratio."""
    samples = tensor(1, 2, 3, grad=False, values=[[[0.1, 0.9, 0.6], [0.5, 0.3, 0.8]]])

    def program(a: torch.Tensor, samples: torch.Tensor) -> dict[str, object]:
        pool = functional.fractional_max_pool3d
        return {
            "size": pool(a, 2, output_size=(2, 3, 1), _random_samples=samples, return_indices=True),
            "ratio": pool(a, (2, 1, 2), output_ratio=(0.5, 0.6, 0.7), _random_samples=samples),
        }

    check(program, tensor(1, 2, 4, 5, 6), samples).values().expect("""\
out['size'][0] = float32[1, 2, 2, 3, 1] [[[[[1.095], [1.289], [1.718]], [[1.029], [0.2692], [1.253]]], [[[1.789],
    [1.3], [1.295]], [[1.475], [1.475], [1.15]]]]]
out['size'][1] = int64[1, 2, 2, 3, 1] [[[[[41], [47], [58]], [[65], [76], [88]]], [[[35], [16], [23]], [[71], [71],
    [89]]]]]
out['ratio'] = float32[1, 2, 2, 3, 4] [-0.3922, 1.512, 1.037, 0.8879, 1.378, 1.057, 0.4689, 1.289, 1.239, -0.5673,
    1.718, 1.718, ..., 1.63, 1.63, 0.8462, 1.15]
""")


@clause("numbers.options", modes="train")
def test_overlapping_pooling_undone(check: Check) -> None:
    """A number that is the greatest of several windows goes back to its place once."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        image, places = functional.max_pool2d(a, 3, stride=1, return_indices=True)
        signal, where = functional.max_pool1d(b, 3, stride=1, padding=1, return_indices=True)
        return {
            "image": functional.max_unpool2d(image.detach(), places, [3, 3], stride=[1, 1]),
            "signal": functional.max_unpool1d(signal.detach(), where, [3], stride=[1], padding=[1]),
            "pooled": image,
            "pooled signal": signal,
        }

    check(program, tensor(1, 2, 5, 6), tensor(1, 2, 8)).computed()


@clause("numbers.options")
def test_images_pooled_to_no_size(check: Check) -> None:
    """What is pooled to a size of nought is as many images as it was, of their dtype, and of no elements."""

    def program(a: torch.Tensor) -> dict[str, object]:
        half, wide = a.half(), a.double()
        return {
            "no rows": functional.adaptive_avg_pool2d(half, (0, 2)),
            "no columns": functional.adaptive_avg_pool2d(wide, (5, 0)),
            "no rows of the largest": functional.adaptive_max_pool2d(half, (0, 3), return_indices=True),
            "no columns of the largest": functional.adaptive_max_pool2d(wide, (4, 0), return_indices=True),
            "no rows of volumes": functional.adaptive_avg_pool3d(wide, (3, 0, 2)),
            "no columns of the largest of volumes": functional.adaptive_max_pool3d(wide, (1, 4, 0)),
            "no places": functional.adaptive_avg_pool1d(half[0], 0),
            "no places of the largest": functional.adaptive_max_pool1d(wide[0], 0, return_indices=True),
            "columns": a[0].amax(1),
        }

    check(program, tensor(2, 3, 5, 6)).computed()


@clause("numbers.options", modes="train")
def test_volume_pooled_to_its_own_size(check: Check) -> None:
    """A volume in channels last, pooled to its own size, is that volume, and its gradient what comes in."""

    def program(a: torch.Tensor) -> torch.Tensor:
        laid_out = a.contiguous(memory_format=torch.channels_last_3d)
        return functional.adaptive_max_pool3d(laid_out, (None, None, None)).contiguous()  # type: ignore[arg-type]

    check(program, tensor(1, 4, 2, 3, 5)).gradient(0).computed()


@clause("numbers.options", modes="train")
def test_volume_pooled_to_a_smaller_size(check: Check) -> None:
    """A volume in channels last is pooled as one that is contiguous, and so is its gradient."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        laid_out = a.contiguous(memory_format=torch.channels_last_3d)
        return {
            "smaller": functional.adaptive_max_pool3d(laid_out, (2, 3, 2)),
            "one": functional.adaptive_max_pool3d(laid_out, 1),
            "mean": functional.adaptive_avg_pool3d(laid_out, (2, 1, 5)),
            "windows": functional.max_pool3d(laid_out, 2, stride=1),
            "means": functional.avg_pool3d(laid_out, (1, 2, 2), stride=1, padding=(0, 1, 0)),
        }

    check(program, tensor(1, 4, 2, 3, 5)).gradient(0).computed()
