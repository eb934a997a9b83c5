"""Images that are resampled to another size: every mode, with corners aligned or apart, of bytes, too."""

from typing import Any

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_nearest_elements(check: Check) -> None:
    """The nearest element, counted from corners or from centres, of signals, images and volumes."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "up": functional.interpolate(a, size=(5, 7), mode="nearest"),
            "exact up": functional.interpolate(a, size=(5, 7), mode="nearest-exact"),
            "down": functional.interpolate(a, size=(2, 3), mode="nearest"),
            "exact down": functional.interpolate(a, size=(2, 3), mode="nearest-exact"),
            "doubled": functional.interpolate(a, scale_factor=2),
            "signal": functional.interpolate(b, scale_factor=1.5, mode="nearest"),
            "exact signal": functional.interpolate(b, size=3, mode="nearest-exact"),
            "smaller signal": functional.interpolate(b, scale_factor=0.7, mode="nearest"),
            "volume": functional.interpolate(c, size=(1, 3, 4), mode="nearest"),
            "exact volume": functional.interpolate(c, scale_factor=(2, 1, 0.5), mode="nearest-exact"),
        }

    check(program, tensor(1, 1, 3, 4), tensor(1, 2, 5), tensor(1, 1, 2, 2, 4)).values().expect("""\
out['up'] = float32[1, 1, 5, 7] [[[[0.6865, 0.6865, -2.63, -2.63, -0.239, -0.239, -1.382], [0.6865, 0.6865, -2.63,
    -2.63, -0.239, -0.239, -1.382], [-0.4561, -0.4561, 1.015, 1.015, -1.587, -1.587, 0.9008], [-0.4561, -0.4561,
    1.015, 1.015, -1.587, -1.587, 0.9008], [-1.132, -1.132, -2.222, -2.222, 0.1669, 0.1669, -0.1415]]]]
out['exact up'] = float32[1, 1, 5, 7] [[[[0.6865, 0.6865, -2.63, -0.239, -0.239, -1.382, -1.382], [0.6865, 0.6865,
    -2.63, -0.239, -0.239, -1.382, -1.382], [-0.4561, -0.4561, 1.015, -1.587, -1.587, 0.9008, 0.9008], [-1.132,
    -1.132, -2.222, 0.1669, 0.1669, -0.1415, -0.1415], [-1.132, -1.132, -2.222, 0.1669, 0.1669, -0.1415, -0.1415]]]]
out['down'] = float32[1, 1, 2, 3] [[[[0.6865, -2.63, -0.239], [-0.4561, 1.015, -1.587]]]]
out['exact down'] = float32[1, 1, 2, 3] [[[[0.6865, -0.239, -1.382], [-1.132, 0.1669, -0.1415]]]]
out['doubled'] = float32[1, 1, 6, 8] [0.6865, 0.6865, -2.63, -2.63, -0.239, -0.239, -1.382, -1.382, 0.6865, 0.6865,
    -2.63, -2.63, ..., 0.1669, 0.1669, -0.1415, -0.1415]
out['signal'] = float32[1, 2, 7] [[[-2.313, -2.313, -0.5863, -0.4814, -0.4814, -0.4153, -2.242], [-0.6473, -0.6473,
    0.9514, 0.1715, 0.1715, -0.7704, -1.858]]]
out['exact signal'] = float32[1, 2, 3] [[[-2.313, -0.4814, -2.242], [-0.6473, 0.1715, -1.858]]]
out['smaller signal'] = float32[1, 2, 3] [[[-2.313, -0.5863, -0.4814], [-0.6473, 0.9514, 0.1715]]]
out['volume'] = float32[1, 1, 1, 3, 4] [[[[[0.866, 0.5296, -0.03569, 0.0127], [0.866, 0.5296, -0.03569, 0.0127],
    [1.383, 0.556, -0.373, -0.06888]]]]]
out['exact volume'] = float32[1, 1, 4, 2, 2] [[[[[0.5296, 0.0127], [0.556, -0.06888]], [[0.5296, 0.0127], [0.556,
    -0.06888]], [[1.178, 0.8677], [-0.5673, -0.9946]], [[1.178, 0.8677], [-0.5673, -0.9946]]]]]
""")


# Sizes below are such that binary fractions hold the weights, and values are whole: no order of adding up rounds.


@clause("numbers.options", modes="train")
def test_linear_resampling(check: Check) -> None:
    """Corners aligned or apart, by a size, a factor, or the factor computed anew from the size it gave."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        resized = functional.interpolate
        return {
            "apart": resized(a, size=(4, 2), mode="bilinear"),
            "aligned": resized(a, size=(5, 3), mode="bilinear", align_corners=True),
            "factor": resized(a, scale_factor=(1.6, 0.5), mode="bilinear"),
            "factor anew": resized(a, scale_factor=(1.6, 0.5), mode="bilinear", recompute_scale_factor=True),
            "aligned factor": resized(a, scale_factor=(1.7, 0.5), mode="bilinear", align_corners=True),
            "to one": resized(a, size=(1, 1), mode="bilinear", align_corners=True),
            "signal": resized(b, size=8, mode="linear"),
            "aligned signal": resized(b, scale_factor=0.7, mode="linear", align_corners=True),
        }

    image = [[[[1.0, -3.0, 8.0, 0.0, 5.0], [4.0, 2.0, -7.0, 9.0, -1.0], [6.0, 11.0, -2.0, 3.0, 12.0]]]]
    signal = [[[2.0, -5.0, 7.0, 1.0, 3.0], [0.0, 4.0, -6.0, 8.0, 10.0]]]
    check(program, tensor(1, 1, 3, 5, values=image), tensor(1, 2, 5, values=signal)).values().expect("""\
out['apart'] = float32[1, 1, 4, 2] [[[[-2, 1.25], [0.8125, 4.531], [5.219, 6.031], [9.75, 5.25]]]]
out['aligned'] = float32[1, 1, 5, 3] [[[[1, 8, 5], [2.5, 0.5, 2], [4, -7, -1], [5, -4.5, 5.5], [6, -2, 12]]]]
out['factor'] = float32[1, 1, 4, 2] [[[[-1, 4], [0.75, 2.688], [3.344, 0.9688], [6.781, 0.6562]]]]
out['factor anew'] = float32[1, 1, 4, 2] [[[[-2, 1.25], [0.8125, 4.531], [5.219, 6.031], [9.75, 5.25]]]]
out['aligned factor'] = float32[1, 1, 5, 2] [[[[1, 5], [2.5, 2], [4, -1], [5, 5.5], [6, 12]]]]
out['to one'] = float32[1, 1, 1, 1] [[[[1]]]]
out['signal'] = float32[1, 2, 8] [[[2, -1.062, -4.25, 3.25, 5.125, 1.375, 2.125, 3], [0, 1.75, 3.375, -2.875,
    -1.625, 7.125, 9.125, 10]]]
out['aligned signal'] = float32[1, 2, 3] [[[2, 7, 3], [0, -6, 10]]]
""")


@clause("numbers.options", devices="cpu")
def test_linear_resampling_of_bytes(check: Check) -> None:
    """Bytes are resampled to the nearest whole number."""

    def program(small: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(small, size=(1, 10), mode="bilinear")

    small = tensor(1, 1, 1, 5, dtype=torch.uint8, values=[[[[1, 2, 5, 10, 9]]]])
    check(program, small).values().expect("""\
out = uint8[1, 1, 1, 10] [[[[1, 1, 2, 3, 4, 6, 9, 10, 9, 9]]]]
""")


@clause("numbers.options", modes="train")
def test_linear_resampling_of_volumes(check: Check) -> None:
    """In three dimensions corners are aligned or apart as in two, and a size of one is resampled as well."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "apart": functional.interpolate(a, size=(4, 1, 4), mode="trilinear"),
            "aligned": functional.interpolate(a, size=(3, 2, 5), mode="trilinear", align_corners=True),
            "factor": functional.interpolate(a, scale_factor=(2.0, 1.0, 1.6), mode="trilinear"),
            "from one": functional.interpolate(a[:, :, :1], size=(2, 4, 2), mode="trilinear"),
        }

    volume = [[[[[1.0, -3.0, 8.0], [4.0, 2.0, -7.0]], [[6.0, 11.0, -2.0], [5.0, 0.0, 9.0]]]]]
    check(program, tensor(1, 1, 2, 2, 3, values=volume)).values().expect("""\
out['apart'] = float32[1, 1, 4, 1, 4] [[[[[2.5, 0.625, -0.125, 0.5]], [[3.25, 1.844, 1.094, 1.25]], [[4.75, 4.281,
    3.531, 2.75]], [[5.5, 5.5, 4.75, 3.5]]]]]
out['aligned'] = float32[1, 1, 3, 2, 5] [[[[[1, -1, -3, 2.5, 8], [4, 3, 2, -2.5, -7]], [[3.5, 3.75, 4, 3.5, 3],
    [4.5, 2.75, 1, 1, 1]], [[6, 8.5, 11, 4.5, -2], [5, 2.5, 0, 4.5, 9]]]]]
out['factor'] = float32[1, 1, 4, 2, 4] [[[[[1, -0.75, -2.312, 4.562], [4, 3.125, 1.438, -4.188]], [[2.25, 1.484,
    0.8125, 3.938], [4.25, 3.047, 1.219, -1.594]], [[4.75, 5.953, 7.062, 2.688], [4.75, 2.891, 0.7812, 3.594]], [[6,
    8.188, 10.19, 2.062], [5, 2.812, 0.5625, 6.188]]]]]
out['from one'] = float32[1, 1, 2, 4, 2] [[[[[0, 5.25], [0.875, 2.75], [2.625, -2.25], [3.5, -4.75]], [[0, 5.25],
    [0.875, 2.75], [2.625, -2.25], [3.5, -4.75]]]]]
""")


@clause("numbers.options", modes="train")
def test_cubic_resampling(check: Check) -> None:
    """A cubic kernel overshoots, takes its border as it is repeated, and is aligned to corners if asked."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        resized = functional.interpolate
        return {
            "apart": resized(a, size=(4, 2), mode="bicubic"),
            "aligned": resized(a, size=(5, 3), mode="bicubic", align_corners=True),
        }

    image = [[[[1.0, -3.0, 8.0, 0.0, 5.0], [4.0, 2.0, -7.0, 9.0, -1.0], [6.0, 11.0, -2.0, 3.0, 12.0]]]]
    check(program, tensor(1, 1, 3, 5, values=image)).values().expect("""\
out['apart'] = float32[1, 1, 4, 2] [[[[-3.732, -0.2947], [0.1429, 5.805], [6.957, 8.286], [11.8, 5.361]]]]
out['aligned'] = float32[1, 1, 5, 3] [[[[1, 8, 5], [2.312, 0.03125, 0.7812], [4, -7, -1], [5.281, -5.906, 4.938],
    [6, -2, 12]]]]
""")


@clause("numbers.options", modes="train")
def test_smoothed_resampling(check: Check) -> None:
    """Antialiasing widens the kernel where the image shrinks, and only there; an area is a mean of all it covers."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        resized = functional.interpolate
        return {
            "linear": resized(a, size=(2, 3), mode="bilinear", antialias=True),
            "cubic": resized(a, size=(2, 7), mode="bicubic", antialias=True),
            "aligned": resized(a, size=(3, 2), mode="bilinear", antialias=True, align_corners=True),
            "cubic, aligned": resized(a, size=(3, 2), mode="bicubic", antialias=True, align_corners=True),
            "area": resized(a, size=(2, 3), mode="area"),
            "larger area": resized(a, scale_factor=1.5, mode="area"),
        }

    check(program, tensor(1, 1, 5, 4)).values().expect("""\
out['linear'] = float32[1, 1, 2, 3] [[[[-0.07429, -0.2923, -0.6314], [-0.5483, -0.6944, -0.7718]]]]
out['cubic'] = float32[1, 1, 2, 7] [[[[0.2372, -0.07942, -0.5736, -0.2493, 0.04414, -0.5679, -0.9534], [-0.6316,
    -0.537, -0.4206, -0.7584, -1.056, -0.7854, -0.6008]]]]
out['aligned'] = float32[1, 1, 3, 2] [[[[-0.2743, -0.608], [-0.5066, -0.6637], [-0.8467, -0.8251]]]]
out['cubic, aligned'] = float32[1, 1, 3, 2] [[[[-0.2084, -0.7217], [-0.5235, -0.6628], [-0.9165, -0.8416]]]]
out['area'] = float32[1, 1, 2, 3] [[[[-0.2326, -0.3678, -0.2956], [-0.5076, -0.7941, -0.6822]]]]
out['larger area'] = float32[1, 1, 7, 6] [-0.3922, -0.7808, -1.17, 1.512, 0.3425, -0.8268, 0.1222, -0.289, -0.7001,
    0.5992, -0.4449, -1.489, ..., -1.078, -1.347, -0.7703, -0.1935]
""")


@clause("numbers.options", modes="train", torch=">=2.12")
def test_resampling_by_waves(check: Check) -> None:
    """Lanczos' kernel of waves widens where the image shrinks, in each dimension by a factor of its own."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        def resized(**how: Any) -> torch.Tensor:
            return functional.interpolate(a, mode="lanczos", antialias=True, **how)

        return {
            "smaller": resized(size=(3, 2)),
            "larger": resized(size=(7, 9)),
            "smaller and larger": resized(scale_factor=(0.7, 1.3)),
            "by factors": resized(scale_factor=(0.55, 0.7)),
            "by factors of sizes": resized(scale_factor=(0.55, 0.7), recompute_scale_factor=True),
        }

    check(program, tensor(1, 1, 5, 6), exact=False).gradient(0).values().expect("""\
out['smaller'] = float32[1, 1, 3, 2] [[[[0.1334, 0.09265], [-0.3095, -0.1449], [-0.2347, -0.05665]]]]
out['larger'] = float32[1, 1, 7, 9] [-0.1435, -1.214, -1.094, 1.376, 0.6922, -1.16, -0.6768, 0.431, 0.981, -0.8251,
    -0.1351, 0.9199, ..., 0.1201, -0.5318, -0.6592, -0.5441]
out['smaller and larger'] = float32[1, 1, 3, 7] [[[[-0.6385, -0.3916, 0.7911, 1.023, -0.4863, -0.853, 0.3117],
    [-0.1684, 0.498, 0.429, -0.4999, -0.7164, -0.8024, 0.3938], [-0.1223, -1.54, -0.6472, 0.7375, -1.062, 0.3745,
    0.1826]]]]
out['by factors'] = float32[1, 1, 2, 4] [[[[-0.2737, 0.8494, -0.5655, 0.2084], [-0.262, -0.3104, -0.6229, 0.2482]]]]
out['by factors of sizes'] = float32[1, 1, 2, 4] [[[[-0.1533, 0.3631, -0.6562, 0.4985], [-0.6616, 0.06224, -0.2058,
    -0.103]]]]
""")


@clause("numbers.options", "layout.memory-formats", torch=">=2.12")
def test_resampling_of_bytes_and_of_channels_last_by_waves(check: Check) -> None:
    """What waves swing beyond black and white is cut off, of bytes; an image keeps its memory format and its dtype."""

    def program(byte: torch.Tensor, last: torch.Tensor, double: torch.Tensor) -> dict[str, object]:
        def resized(a: torch.Tensor, *size: int) -> torch.Tensor:
            return functional.interpolate(a, size=size, mode="lanczos", antialias=True)

        images = {
            "bytes": resized(byte, 2, 7),
            "bytes, larger": resized(byte, 5, 3),
            "channels last": resized(last, 2, 3),
            "double": resized(double, 2, 3),
        }
        return {name: (image, image.dtype, image.stride()) for name, image in images.items()}

    byte = tensor(1, 1, 3, 4, dtype=torch.uint8, values=[[[[0, 255, 255, 0], [255, 0, 3, 255], [9, 0, 255, 0]]]])
    last = tensor(1, 2, 3, 4, strides=(24, 1, 8, 2), grad=False)
    check(program, byte, last, tensor(1, 1, 3, 4, dtype=torch.float64, grad=False), exact=False).values().expect("""\
out['bytes'][0] = uint8[1, 1, 2, 7] [[[[105, 124, 162, 155, 145, 117, 107], [119, 71, 0, 88, 155, 134, 107]]]]
out['bytes'][1] = dtype torch.uint8
out['bytes'][2][0] = int 14
out['bytes'][2][1] = int 14
out['bytes'][2][2] = int 7
out['bytes'][2][3] = int 1
out['bytes, larger'][0] = uint8[1, 1, 5, 3] [[[[37, 255, 39], [124, 157, 115], [197, 0, 198], [79, 70, 138], [0,
    167, 70]]]]
out['bytes, larger'][1] = dtype torch.uint8
out['bytes, larger'][2][0] = int 15
out['bytes, larger'][2][1] = int 15
out['bytes, larger'][2][2] = int 3
out['bytes, larger'][2][3] = int 1
out['channels last'][0] = float32[1, 2, 2, 3] [[[[-0.54, 0.2487, 0.4321], [0.2656, -0.8457, 0.9202]], [[-0.9831,
    -0.6571, -0.7871], [0.08153, -0.4399, -0.2269]]]]
out['channels last'][1] = dtype torch.float32
out['channels last'][2][0] = int 12
out['channels last'][2][1] = int 1
out['channels last'][2][2] = int 6
out['channels last'][2][3] = int 2
out['double'][0] = float64[1, 1, 2, 3] [[[[-0.8276, -0.936, -0.0897], [-0.2193, -0.8911, -0.178]]]]
out['double'][1] = dtype torch.float64
out['double'][2][0] = int 6
out['double'][2][1] = int 6
out['double'][2][2] = int 3
out['double'][2][3] = int 1
""")


@clause("layout.memory-formats", modes="train")
def test_layout_of_smoothed_images(check: Check) -> None:
    """Resampled images keep their memory format, smoothed or not, and a program is told so before they are there."""

    def program(a: torch.Tensor) -> dict[str, object]:
        resized = functional.interpolate
        last = a.contiguous(memory_format=torch.channels_last)
        images = {
            "smoothed": resized(last, size=(2, 3), mode="bilinear", antialias=True),
            "smoothed by cubes": resized(last, size=(5, 3), mode="bicubic", antialias=True),
            "linear": resized(last, size=(2, 3), mode="bilinear"),
            "rows first": resized(a, size=(2, 3), mode="bilinear", antialias=True),
        }
        return {name: (image, image.stride()) for name, image in images.items()}

    check(program, tensor(2, 3, 4, 5), exact=False).values().expect("""\
out['smoothed'][0] = float32[2, 3, 2, 3] [[[[-0.2323, 0.6266, -0.1851], [-0.1809, 0.1679, 0.129]], [[-0.1936,
    -0.9706, -0.2192], [-1.063, -0.6031, 0.1782]], [[-0.4224, 0.7713, 0.3479], [-0.3634, -0.2427, 0.2851]]],
    [[[0.02722, 0.1443, 0.008301], [-0.3213, 0.152, -0.3804]], [[-0.1977, 0.8715, 0.6189], [-0.2056, 0.5081,
    0.3457]], [[-0.6666, -0.5941, -0.3886], [-0.5192, -0.3564, -0.2975]]]]
out['smoothed'][1][0] = int 18
out['smoothed'][1][1] = int 1
out['smoothed'][1][2] = int 9
out['smoothed'][1][3] = int 3
out['smoothed by cubes'][0] = float32[2, 3, 5, 3] [-0.7641, 0.3911, -0.5858, -0.07799, 0.88, -0.1842, 0.1985,
    0.6919, 0.3146, -0.1245, 0.1128, 0.3139, ..., 0.1006, -1.147, -0.1071, -0.6672]
out['smoothed by cubes'][1][0] = int 45
out['smoothed by cubes'][1][1] = int 1
out['smoothed by cubes'][1][2] = int 9
out['smoothed by cubes'][1][3] = int 3
out['linear'][0] = float32[2, 3, 2, 3] [[[[-0.1599, 1.745, -0.2974], [-0.4008, -0.3064, 0.1475]], [[0.03974, -1.028,
    -0.12], [-1.278, -0.9709, 0.1783]], [[-0.6233, 1.333, 0.3059], [-0.372, -1.146, 0.02067]]], [[[0.2025, 0.1323,
    0.06412], [-0.4297, 0.3422, -0.4851]], [[-0.2159, 1.266, 0.5183], [-0.1453, 0.1959, 0.2089]], [[-0.6849, -0.374,
    -0.5419], [-0.6418, -0.8738, -0.1474]]]]
out['linear'][1][0] = int 18
out['linear'][1][1] = int 1
out['linear'][1][2] = int 9
out['linear'][1][3] = int 3
out['rows first'][0] = float32[2, 3, 2, 3] [[[[-0.2323, 0.6266, -0.1851], [-0.1809, 0.1679, 0.129]], [[-0.1936,
    -0.9706, -0.2192], [-1.063, -0.6031, 0.1782]], [[-0.4224, 0.7713, 0.3479], [-0.3634, -0.2427, 0.2851]]],
    [[[0.02722, 0.1443, 0.008301], [-0.3213, 0.152, -0.3804]], [[-0.1977, 0.8715, 0.6189], [-0.2056, 0.5081,
    0.3457]], [[-0.6666, -0.5941, -0.3886], [-0.5192, -0.3564, -0.2975]]]]
out['rows first'][1][0] = int 18
out['rows first'][1][1] = int 6
out['rows first'][1][2] = int 3
out['rows first'][1][3] = int 1
""")


@clause("numbers.options", modes="train")
def test_resampling_by_unlike_factors(check: Check) -> None:
    """Each dimension is resampled by its own factor, which is not that of the sizes where these are rounded."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        resized = functional.interpolate
        return {
            "nearest": resized(a, scale_factor=(2.0, 1.3), mode="nearest"),
            "nearest of sizes": resized(a, scale_factor=(1.7, 0.6), mode="nearest", recompute_scale_factor=True),
            "exact": resized(a, scale_factor=(1.7, 0.6), mode="nearest-exact"),
            "linear": resized(a, scale_factor=(1.7, 1.3), mode="bilinear"),
            "cubic": resized(a, scale_factor=(1.7, 1.3), mode="bicubic"),
            "cubic, aligned": resized(a, scale_factor=(1.3, 2.0), mode="bicubic", align_corners=True),
            "smoothed": resized(a, scale_factor=(0.7, 0.55), mode="bilinear", antialias=True),
            "smoothed cubic": resized(a, scale_factor=(0.7, 0.55), mode="bicubic", antialias=True),
        }

    check(program, tensor(1, 1, 3, 4), exact=False).gradient(0).values().expect("""\
out['nearest'] = float32[1, 1, 6, 5] [[[[0.6865, 0.6865, -2.63, -0.239, -1.382], [0.6865, 0.6865, -2.63, -0.239,
    -1.382], [-0.4561, -0.4561, 1.015, -1.587, 0.9008], [-0.4561, -0.4561, 1.015, -1.587, 0.9008], [-1.132, -1.132,
    -2.222, 0.1669, -0.1415], [-1.132, -1.132, -2.222, 0.1669, -0.1415]]]]
out['nearest of sizes'] = float32[1, 1, 5, 2] [[[[0.6865, -0.239], [0.6865, -0.239], [-0.4561, -1.587], [-0.4561,
    -1.587], [-1.132, 0.1669]]]]
out['exact'] = float32[1, 1, 5, 2] [[[[0.6865, -0.239], [0.6865, -0.239], [-0.4561, -1.587], [-1.132, 0.1669],
    [-1.132, 0.1669]]]]
out['linear'] = float32[1, 1, 5, 5] [[[[0.6865, -1.482, -1.618, -0.4588, -1.338], [0.2496, -0.7219, -1.032, -0.7071,
    -0.5186], [-0.4225, 0.4474, -0.1306, -1.089, 0.7421], [-0.8338, -0.8078, -0.7148, -0.4288, 0.2827], [-1.132,
    -1.845, -1.211, 0.1076, -0.1297]]]]
out['cubic'] = float32[1, 1, 5, 5] [[[[1.054, -2.061, -2.078, -0.08908, -1.556], [0.4046, -0.6381, -1.155, -0.7695,
    -0.4816], [-0.512, 0.822, -0.1139, -1.422, 0.7942], [-0.9598, -0.6351, -0.6457, -0.519, 0.4608], [-1.098,
    -2.366, -1.424, 0.4804, -0.2063]]]]
out['cubic, aligned'] = float32[1, 1, 3, 8] [[[[0.6865, -0.8941, -2.417, -2.312, -0.89, -0.1891, -0.7139, -1.382],
    [-0.4561, 0.3664, 1.042, 0.3808, -1.108, -1.49, -0.3483, 0.9008], [-1.132, -1.778, -2.278, -1.698, -0.4774,
    0.3177, 0.176, -0.1415]]]]
out['smoothed'] = float32[1, 1, 2, 2] [[[[-0.4992, -0.79], [-0.8273, -0.3425]]]]
out['smoothed cubic'] = float32[1, 1, 2, 2] [[[[-0.4419, -0.8442], [-0.8883, -0.2752]]]]
""")


@clause("numbers.options", devices="cpu")
def test_cubic_resampling_of_bytes(check: Check) -> None:
    """What a cubic goes beyond the least and the greatest byte is cut off, and does not come around."""

    def program(small: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "larger": functional.interpolate(small, scale_factor=2, mode="bicubic"),
            "wider": functional.interpolate(small, size=(3, 10), mode="bicubic"),
        }

    small = tensor(1, 1, 3, 5, dtype=torch.uint8, values=[0, 255, 0, 255, 255, 0, 0, 255, 0, 0, 255, 0, 255, 255, 0])
    check(program, small).computed()


@clause("numbers.options", devices="cpu")
def test_cubic_resampling_of_bytes_by_whole_weights(check: Check) -> None:
    """Weights of bytes are rounded to the nearest whole number of parts, so that a half is not less than a half."""

    def program(small: torch.Tensor, other: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "larger": functional.interpolate(small, scale_factor=2, mode="bicubic"),
            "aligned": functional.interpolate(other, size=(5, 7), mode="bicubic", align_corners=True),
        }

    small = tensor(1, 1, 3, 4, dtype=torch.uint8, values=[13, 15, 11, 4, 6, 6, 12, 8, 14, 6, 0, 2])
    other = tensor(1, 1, 3, 4, dtype=torch.uint8, values=[5, 14, 10, 3, 8, 9, 15, 0, 5, 7, 2, 4])
    check(program, small, other).values().expect("""\
out['larger'] = uint8[1, 1, 6, 8] [14, 15, 16, 16, 13, 9, 5, 2, 11, 12, 13, 14, ..., 0, 0, 0, 1]
out['aligned'] = uint8[1, 1, 5, 7] [[[[5, 10, 14, 14, 10, 6, 3], [7, 9, 12, 15, 14, 7, 1], [8, 8, 9, 14, 15, 8, 0],
    [7, 7, 8, 10, 9, 6, 2], [5, 6, 7, 5, 2, 3, 4]]]]
""")


@clause("numbers.options", modes="train")
def test_linear_by_a_factor_that_leaves_the_size(check: Check) -> None:
    """A factor that leaves all sizes as they were leaves all elements as they were."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "signal": functional.interpolate(a, scale_factor=1.1, mode="linear"),
            "image": functional.interpolate(b, scale_factor=(1.2, 1.1), mode="bilinear"),
            "volume": functional.interpolate(c, scale_factor=1.3, mode="trilinear"),
        }

    check(program, tensor(1, 2, 4), tensor(1, 1, 3, 4), tensor(1, 1, 2, 2, 3)).gradient(0, 1, 2).values().expect("""\
out['signal'] = float32[1, 2, 4] [[[0.6865, -2.63, -0.239, -1.382], [-0.4561, 1.015, -1.587, 0.9008]]]
out['image'] = float32[1, 1, 3, 4] [[[[-1.132, -2.222, 0.1669, -0.1415], [-2.313, -0.5863, -0.4814, -0.4153],
    [-2.242, -0.6473, 0.9514, 0.1715]]]]
out['volume'] = float32[1, 1, 2, 2, 3] [[[[[-0.7704, -1.858, -0.367], [0.1547, -0.6982, 0.4543]], [[-1.482, 0.08611,
    -0.7961], [0.04209, -2.061, 1.046]]]]]
""")


@clause("numbers.options", modes="train", devices="cpu")
def test_nearest_by_a_factor_that_doubles_the_size(check: Check) -> None:
    """A factor of a little more than two that doubles a size doubles each element of it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(a, scale_factor=(1.0, 2.1), mode="nearest") * 1

    check(program, tensor(1, 1, 1, 7)).gradient(0).values().expect("""\
out = float32[1, 1, 1, 14] [[[[0.6865, 0.6865, -2.63, -2.63, -0.239, -0.239, -1.382, -1.382, -0.4561, -0.4561,
    1.015, 1.015, -1.587, -1.587]]]]
""")


@clause("numbers.options", "numbers.special-values", devices="cpu")
def test_linear_resampling_of_infinities(check: Check) -> None:
    """A sample of a number and an infinity, or of two of one sign, is infinite, as their sum by any weights is."""
    infinite = float("inf")

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "beside one": functional.interpolate(a, size=3, mode="linear"),
            "between two": functional.interpolate(b, size=2, mode="linear"),
            "between four": functional.interpolate(c, size=(1, 1), mode="bilinear"),
        }

    signals = [[[1.0, infinite, 3.0, 4.0]]], [[[-infinite, -infinite, 3.0, 4.0]]]
    image = tensor(1, 1, 2, 2, values=[[[[1.0, -infinite], [-infinite, 2.0]]]])
    check(program, *(tensor(1, 1, 4, values=signal) for signal in signals), image).values().expect("""\
out['beside one'] = float32[1, 1, 3] [[[inf, inf, 3.833]]]
out['between two'] = float32[1, 1, 2] [[[-inf, 3.5]]]
out['between four'] = float32[1, 1, 1, 1] [[[[-inf]]]]
""")


@clause("numbers.options", "numbers.special-values", modes="train", devices="cpu")
def test_other_resampling_of_infinities(check: Check) -> None:
    """An infinity that is the nearest, or one of an area, is all that a sample consists of; others do not see it."""
    infinite = float("inf")

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "nearest": functional.interpolate(a, size=8, mode="nearest"),
            "exactly nearest": functional.interpolate(b, size=(2, 3), mode="nearest-exact"),
            "area": functional.interpolate(b, size=(1, 2), mode="area"),
            "linear beside it": functional.interpolate(a[..., 2:], size=3, mode="linear"),
        }

    image = [[[[-infinite, 1.0, 5.0], [7.0, 2.0, 0.0], [3.0, 4.0, infinite]]]]
    signal = [[[1.0, infinite, 3.0, 4.0]]]
    check(program, tensor(1, 1, 4, values=signal), tensor(1, 1, 3, 3, values=image)).values().expect("""\
out['nearest'] = float32[1, 1, 8] [[[1, 1, inf, inf, 3, 3, 4, 4]]]
out['exactly nearest'] = float32[1, 1, 2, 3] [[[[-inf, 1, 5], [3, 4, inf]]]]
out['area'] = float32[1, 1, 1, 2] [[[[-inf, inf]]]]
out['linear beside it'] = float32[1, 1, 3] [[[3, 3.5, 4]]]
""")


@clause("numbers.options", devices="cpu")
def test_bytes_halfway_between_two(check: Check) -> None:
    """A sample of bytes that lies halfway between two whole numbers is the greater one."""

    def program(small: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "one": functional.interpolate(small, size=(2, 1), mode="bilinear"),
            "aligned": functional.interpolate(small, size=(2, 3), mode="bilinear", align_corners=True),
        }

    check(program, tensor(1, 1, 2, 2, dtype=torch.uint8, values=[[[[4, 5], [9, 4]]]])).values().expect("""\
out['one'] = uint8[1, 1, 2, 1] [[[[5], [7]]]]
out['aligned'] = uint8[1, 1, 2, 3] [[[[4, 5, 5], [9, 7, 4]]]]
""")


@clause("numbers.options", modes="train")
def test_cubic_resampling_of_tall_and_wide_images(check: Check) -> None:
    """Each side of an image that is not square ends where it ends, however short the other one is."""

    def program(tall: torch.Tensor, wide: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "tall": functional.interpolate(tall, size=(7, 3), mode="bicubic"),
            "wide": functional.interpolate(wide, size=(2, 7), mode="bicubic"),
            "tall, by its corners": functional.interpolate(tall, size=(6, 2), mode="bicubic", align_corners=True),
            "wide, by its corners": functional.interpolate(wide, size=(3, 6), mode="bicubic", align_corners=True),
        }

    check(program, tensor(1, 1, 5, 2), tensor(1, 1, 2, 5), exact=False).values().expect("""\
out['tall'] = float32[1, 1, 7, 3] [[[[1.062, -0.9845, -3.031], [0.3746, -0.9926, -2.36], [-0.3254, -0.478, -0.6306],
    [-0.5838, 0.2796, 1.143], [-1.584, 0.01488, 1.614], [-1.609, -0.9684, -0.3276], [-0.9771, -1.782, -2.587]]]]
out['wide'] = float32[1, 1, 2, 7] [[[[0.1912, 0.2159, -0.8238, -2.313, -1.148, -0.361, -0.4731], [-0.2715, -1.642,
    -2.091, -0.6473, 0.6846, 0.7918, 0.1101]]]]
out['tall, by its corners'] = float32[1, 1, 6, 2] [[[[0.6865, -2.63], [-0.05528, -1.832], [-0.3164, 0.1873],
    [-0.9509, 1.455], [-1.615, 0.3401], [-1.132, -2.222]]]]
out['wide, by its corners'] = float32[1, 1, 3, 6] [[[[0.1669, 0.1212, -1.679, -1.885, -0.4021, -0.4814], [-0.1242,
    -0.9761, -1.625, -0.842, 0.2828, -0.1549], [-0.4153, -2.073, -1.57, 0.2013, 0.9676, 0.1715]]]]
""")
