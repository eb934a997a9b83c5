"""Padding, sliding windows, and elements that move between channels and places."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_padding_with_a_value(check: Check) -> None:
    """Padding by another number of elements on each side, less than none of them, with a value, infinity too."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "uneven": functional.pad(a, (1, 2, 0, 3), value=0.5),
            "cropped": functional.pad(a, (-1, 2, 1, -2), value=-1.5),
            "cropped only": functional.pad(a, (0, -1, -1, 0)),
            "infinite": functional.pad(a, (1, 0, 0, 0, 1, 0), value=float("inf")),
            "whole": functional.pad(whole, (2, 1), value=7),
            "nothing left": functional.pad(a, (-2, -2)),
            "moved along": functional.pad(a * 2, (1, -1)) + 1,
        }

    check(program, tensor(2, 3, 4), tensor(2, 3, dtype=torch.int64)).values().expect("""\
out['uneven'] = float32[2, 6, 7] [0.5, -0.3922, -1.17, 1.512, -0.8268, 0.5, 0.5, 0.5, -0.3905, 0.8879, -0.7813,
    1.979, ..., 0.5, 0.5, 0.5, 0.5]
out['cropped'] = float32[2, 2, 5] [[[-1.5, -1.5, -1.5, -1.5, -1.5], [-1.17, 1.512, -0.8268, -1.5, -1.5]], [[-1.5,
    -1.5, -1.5, -1.5, -1.5], [-0.1038, -0.4176, -0.9918, -1.5, -1.5]]]
out['cropped only'] = float32[2, 2, 3] [[[-0.3905, 0.8879, -0.7813], [0.2713, -0.5113, -1.494]], [[-0.5949, -1.078,
    -1.347], [1.294, -1.078, 1.383]]]
out['infinite'] = float32[3, 3, 5] [inf, inf, inf, inf, inf, inf, inf, inf, inf, inf, inf, inf, ..., 1.294, -1.078,
    1.383, -0.9878]
out['whole'] = int64[2, 6] [[7, 7, 1, 5, 0, 7], [7, 7, 6, 7, 6, 7]]
out['nothing left'] = float32[2, 3, 0] [[[], [], []], [[], [], []]]
out['moved along'] = float32[2, 3, 4] [[[1, 0.2157, -1.339, 4.023], [1, 0.2191, 2.776, -0.5625], [1, 1.543,
    -0.02262, -1.988]], [[1, -1.706, 0.7923, 0.1649], [1, -0.1898, -1.157, -1.694], [1, 3.588, -1.156, 3.766]]]
""")


@clause("numbers.options", "numbers.integers")
def test_padding_of_large_numbers(check: Check) -> None:
    """Beside padding numbers that no single precision holds stay what they are, and so does the padding."""

    def program(whole: torch.Tensor, a: torch.Tensor) -> dict[str, torch.Tensor]:
        pad = functional.pad
        return {
            "few": pad(whole, (1, 0), value=7) + 1,
            "few, of double precision": pad(a, (0, 1), value=0.1) * 2,
            "many": pad(whole.repeat(20), (2, 3), value=16777217) - 1,
            "large padding": pad(whole, (1, 1), value=-16777217) * 3,
        }

    whole = tensor(2, dtype=torch.int64, values=[2**40 + 1, -5])
    check(program, whole, tensor(2, dtype=torch.float64, values=[1e300, 0.3])).values().expect("""\
out['few'] = int64[3] [8, 1099511627778, -4]
out['few, of double precision'] = float64[3] [2e+300, 0.6, 0.2]
out['many'] = int64[45] [16777216, 16777216, 1099511627776, -6, 1099511627776, -6, 1099511627776, -6, 1099511627776,
    -6, 1099511627776, -6, ..., -6, 16777216, 16777216, 16777216]
out['large padding'] = int64[4] [-50331651, 3298534883331, -15, -50331651]
""")


@clause("numbers.options", modes=("train", "no_grad"))
def test_padding_that_only_crops(check: Check) -> None:
    """Padding that takes away and adds nothing is a slice, at the beginning, at the end or both, of any dimension."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "the end": functional.pad(a, (0, -1)) * 2,
            "the beginning": functional.pad(a, (-1, 0)) * 3,
            "both": functional.pad(a, (-1, -2)) * 4,
            "ends": functional.pad(a * 5, (0, -2, 0, -1)),
            "an end before": functional.pad(a, (0, 0, 0, -1), value=7.0) + 1,
            "ends apart": functional.pad(a, (0, -3, 0, 0, 0, -1)) + 2,
            "beginnings": functional.pad(a, (-1, 0, -1, 0, -1, 0)) + 3,
            "whole": functional.pad(whole, (0, -2), value=7) + 1,
            "truths": functional.pad(whole > 2, (0, -1), value=True),
        }

    check(program, tensor(2, 3, 4), tensor(2, 3, dtype=torch.int64)).gradient(0).computed()


@clause("numbers.options", modes="train")
def test_padding_by_reflection_and_border(check: Check) -> None:
    """Reflection leaves out the border itself, replication repeats it, each by uneven numbers of elements."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "reflected": functional.pad(a, (2, 1, 0, 2), mode="reflect"),
            "reflected signal": functional.pad(a[0], (3, 0), mode="reflect"),
            "replicated": functional.pad(a, (3, 1, 2, 0), mode="replicate"),
            "replicated signal": functional.pad(a[0], (0, 5), mode="replicate"),
            "replicated volume": functional.pad(b, (2, 0, 0, 1, 1, 2), mode="replicate"),
        }

    check(program, tensor(1, 2, 3, 4), tensor(1, 1, 2, 2, 3)).values().expect("""\
out['reflected'] = float32[1, 2, 5, 7] [1.512, -1.17, -0.3922, -1.17, 1.512, -0.8268, 1.512, -0.7813, 0.8879,
    -0.3905, 0.8879, -0.7813, ..., -0.1038, -0.4176, -0.9918, -0.4176]
out['reflected signal'] = float32[2, 3, 7] [-0.8268, 1.512, -1.17, -0.3922, -1.17, 1.512, -0.8268, 1.979, -0.7813,
    0.8879, -0.3905, 0.8879, ..., 1.294, -1.078, 1.383, -0.9878]
out['replicated'] = float32[1, 2, 5, 8] [-0.3922, -0.3922, -0.3922, -0.3922, -1.17, 1.512, -0.8268, -0.8268,
    -0.3922, -0.3922, -0.3922, -0.3922, ..., -1.078, 1.383, -0.9878, -0.9878]
out['replicated signal'] = float32[2, 3, 9] [-0.3922, -1.17, 1.512, -0.8268, -0.8268, -0.8268, -0.8268, -0.8268,
    -0.8268, -0.3905, 0.8879, -0.7813, ..., -0.9878, -0.9878, -0.9878, -0.9878]
out['replicated volume'] = float32[1, 1, 5, 3, 5] [-0.7704, -0.7704, -0.7704, -1.858, -0.367, 0.1547, 0.1547,
    0.1547, -0.6982, 0.4543, 0.1547, 0.1547, ..., 0.04209, 0.04209, -2.061, 1.046]
""")


@clause("numbers.options", modes="train")
def test_padding_by_a_crop(check: Check) -> None:
    """A negative number of elements to pad crops, by replication too."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "replicated": functional.pad(a, (-1, 2, 1, -1), mode="replicate"),
            "reflected": functional.pad(a, (2, -1, -1, 1), mode="reflect"),
            "around": functional.pad(a, (-1, 2, 2, -1), mode="circular"),
        }

    check(program, tensor(1, 2, 3, 4)).values().expect("""\
out['replicated'] = float32[1, 2, 3, 5] [[[[-1.17, 1.512, -0.8268, -0.8268, -0.8268], [-1.17, 1.512, -0.8268,
    -0.8268, -0.8268], [0.8879, -0.7813, 1.979, 1.979, 1.979]], [[-0.1038, -0.4176, -0.9918, -0.9918, -0.9918],
    [-0.1038, -0.4176, -0.9918, -0.9918, -0.9918], [-1.078, -1.347, -0.1935, -0.1935, -0.1935]]]]
out['reflected'] = float32[1, 2, 3, 5] [[[[-0.7813, 0.8879, -0.3905, 0.8879, -0.7813], [-1.494, -0.5113, 0.2713,
    -0.5113, -1.494], [-0.7813, 0.8879, -0.3905, 0.8879, -0.7813]], [[-1.347, -1.078, -0.5949, -1.078, -1.347],
    [1.383, -1.078, 1.294, -1.078, 1.383], [-1.347, -1.078, -0.5949, -1.078, -1.347]]]]
out['around'] = float32[1, 2, 4, 5] [-1.17, 1.512, -0.8268, -1.17, 1.512, 0.8879, -0.7813, 1.979, 0.8879, -0.7813,
    -1.17, 1.512, ..., -1.347, -0.1935, -1.078, -1.347]
""")


@clause("numbers.options", modes="train")
def test_padding_around(check: Check) -> None:
    """Padding around takes from the other end, up to all of it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "image": functional.pad(a, (2, 1, 3, 0), mode="circular"),
            "signal": functional.pad(a[0], (4, 1), mode="circular"),
            "volume": functional.pad(b, (1, 2, 0, 1, 2, 0), mode="circular"),
        }

    check(program, tensor(1, 2, 3, 4), tensor(1, 1, 2, 2, 3)).values().expect("""\
out['image'] = float32[1, 2, 6, 7] [1.512, -0.8268, -0.3922, -1.17, 1.512, -0.8268, -0.3922, -0.7813, 1.979,
    -0.3905, 0.8879, -0.7813, ..., -1.078, 1.383, -0.9878, 1.294]
out['signal'] = float32[2, 3, 9] [-0.3922, -1.17, 1.512, -0.8268, -0.3922, -1.17, 1.512, -0.8268, -0.3922, -0.3905,
    0.8879, -0.7813, ..., -1.078, 1.383, -0.9878, 1.294]
out['volume'] = float32[1, 1, 4, 3, 6] [-0.367, -0.7704, -1.858, -0.367, -0.7704, -1.858, 0.4543, 0.1547, -0.6982,
    0.4543, 0.1547, -0.6982, ..., 0.08611, -0.7961, -1.482, 0.08611]
""")


@clause("numbers.options", modes="train")
def test_columns_of_windows(check: Check) -> None:
    """Windows with dilation, padding and strides that differ by dimension become columns."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "plain": functional.unfold(a, (2, 3)),
            "dilated": functional.unfold(a, 2, dilation=(1, 2), stride=(2, 1)),
            "padded": functional.unfold(a, (3, 2), padding=(1, 0), stride=(1, 2)),
            "all": functional.unfold(a, 2, dilation=(2, 1), padding=1, stride=3),
            "unbatched": functional.unfold(a[0], 2, stride=2),
        }

    check(program, tensor(2, 2, 4, 5)).values().expect("""\
out['plain'] = float32[2, 12, 9] [-0.3922, -1.17, 1.512, 0.8879, -0.7813, 1.979, -0.6802, 0.9823, 0.1921, -1.17,
    1.512, -0.8268, ..., -0.8868, 0.2353, 0.06739, -0.4703]
out['dilated'] = float32[2, 8, 6] [-0.3922, -1.17, 1.512, -0.6802, 0.9823, 0.1921, 1.512, -0.8268, -0.3905, 0.1921,
    -0.2701, 1.057, ..., -0.2849, 0.2353, 0.06739, -0.4703]
out['padded'] = float32[2, 12, 8] [0, 0, -0.3922, 1.512, 0.8879, 1.979, -0.6802, 0.1921, 0, 0, -1.17, -0.8268, ...,
    0.2692, 0.06739, 0, 0]
out['all'] = float32[2, 8, 4] [0, 0, 0, 0.1921, 0, 0, -0.6802, -0.2701, 0, 1.979, 0, 0, ..., 1.029, 0.1834, 0, 0]
out['unbatched'] = float32[8, 4] [[-0.3922, 1.512, -0.6802, 0.1921], [-1.17, -0.8268, 0.9823, -0.2701], [0.8879,
    1.979, -1.248, -0.8049], [-0.7813, 0.2331, 0.4689, 0.6474], [0.6366, -0.3132, -0.4192, -0.4487], [-0.2308,
    -2.151, -2.14, 1.037], [-0.04738, -1.743, -2.784, -1.493], [-0.7093, -1.218, 0.8814, 0.8374]]
""")


@clause("numbers.options", modes="train")
def test_windows_of_columns(check: Check) -> None:
    """Columns are added up where their windows overlap, with dilation, padding and strides."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "overlapping": functional.fold(a, (3, 4), 2),
            "dilated": functional.fold(b, (4, 5), 2, dilation=(1, 2), stride=(2, 1)),
            "padded": functional.fold(c, (3, 4), (3, 2), padding=(1, 0), stride=(1, 2)),
            "unbatched": functional.fold(a[0], (3, 4), 2),
        }

    check(program, tensor(2, 8, 6), tensor(1, 4, 6), tensor(1, 6, 6)).values().expect("""\
out['overlapping'] = float32[2, 2, 3, 4] [-0.3922, -1.951, 3.491, 0.2331, -0.6347, -0.218, 0.4616, 1.619, -1.248,
    0.2381, -1.118, -2.151, ..., 2.041, 1.874, 1.454, -0.1523]
out['dilated'] = float32[1, 1, 4, 5] [[[[0.7308, 0.1134, -0.8308, -0.4286, 0.5132], [-0.0578, -1.896, 0.3774,
    -2.218, 0.4474], [-0.7377, -0.2692, -1.591, -1.716, 0.5212], [0.8416, -1.213, -0.8648, -0.1749, -0.9189]]]]
out['padded'] = float32[1, 1, 3, 4] [[[[1.733, 0.8403, 0.6792, -0.9458], [-1.077, 1.79, 0.7772, -1.36], [0.787,
    -0.2017, 3.115, 0.5435]]]]
out['unbatched'] = float32[2, 3, 4] [[[-0.3922, -1.951, 3.491, 0.2331], [-0.6347, -0.218, 0.4616, 1.619], [-1.248,
    0.2381, -1.118, -2.151]], [[1.239, -0.4666, -2.849, -0.4487], [-0.8618, -0.2959, 1.242, -3.202], [-0.546,
    -2.443, 1.146, 1.289]]]
""")


@clause("numbers.options", modes="train")
def test_windows_of_a_dimension(check: Check) -> None:
    """Windows along one dimension overlap, touch or leave gaps, and gradients add up where they overlap."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "overlapping": a.unfold(1, 3, 1) * 1,
            "touching": a.unfold(1, 2, 2) * 2,
            "gaps": a.unfold(0, 1, 2) * 3,
            "all": a.unfold(-1, 7, 1) * 4,
            "summed": a.unfold(1, 4, 2).sum(-1),
        }

    check(program, tensor(3, 7)).values().expect("""\
out['overlapping'] = float32[3, 5, 3] [-0.3922, -1.17, 1.512, -1.17, 1.512, -0.8268, 1.512, -0.8268, -0.3905,
    -0.8268, -0.3905, -0.2308, ..., -0.1935, -1.347, -0.1935, 1.294]
out['touching'] = float32[3, 3, 2] [[[-0.7843, -2.339], [3.023, -1.654], [-0.7809, -0.4615]], [[-4.303, 0.5425],
    [-1.023, -2.988], [3, -2.706]], [[-0.8384, -4.279], [-1.19, -2.157], [-2.694, -0.387]]]
out['gaps'] = float32[2, 7, 1] [[[-1.176], [-3.509], [4.535], [-2.48], [-1.171], [-0.6923], [-0.9396]], [[-1.258],
    [-6.419], [-1.785], [-3.235], [-4.041], [-0.5804], [3.882]]]
out['all'] = float32[3, 1, 7] [[[-1.569, -4.678, 6.047, -3.307, -1.562, -0.9231, -1.253]], [[-8.606, 1.085, -2.045,
    -5.975, 6, -5.412, 0.3406]], [[-1.677, -8.559, -2.38, -4.313, -5.388, -0.7739, 5.176]]]
out['summed'] = float32[3, 2] [[-0.8767, 0.0637], [-3.885, -1.858], [-4.232, -3.214]]
""")


@clause("numbers.options", modes=("train", "no_grad"))
def test_windows_of_a_number(check: Check) -> None:
    """A number without dimensions has one window of one place, and one of none."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"one": a.unfold(0, 1, 1) * 2, "none": a.unfold(0, 0, 1) * 2, "from the end": a.unfold(-1, 1, 3) + 1}

    check(program, tensor()).values().expect("""\
out['one'] = float32[1] [1.373]
out['none'] = float32[0] []
out['from the end'] = float32[1] [1.686]
""")


@clause("numbers.options")
def test_channels_and_places(check: Check) -> None:
    """Channels become places and places channels, in eager's order; channels of groups are dealt out."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "places": functional.pixel_shuffle(a, 2) * 1,
            "channels": functional.pixel_unshuffle(b, 2) * 1,
            "of three": functional.pixel_unshuffle(b[..., :3, :3], 3) * 1,
            "dealt": functional.channel_shuffle(a, 4) * 1,
            "rolled": a.roll((1, -2), (1, 3)),
            "rolled flat": b.roll(5),
            "turned": torch.rot90(b, 3, (2, 3)) * 1,
        }

    check(program, tensor(1, 8, 2, 3), tensor(1, 1, 4, 6)).values().expect("""\
out['places'] = float32[1, 2, 4, 6] [-0.3922, -0.7813, -1.17, 1.979, 1.512, 0.2331, 0.1921, 0.6474, -0.2701,
    -0.8027, 1.057, 0.6366, ..., -1.791, 0.05021, 1.095, 1.289]
out['channels'] = float32[1, 4, 2, 3] [[[[1.383, -0.373, -1.725], [0.5543, -0.6786, -0.6977]], [[0.556, -0.06888,
    0.5661], [0.6387, 0.8921, 2.538]], [[-0.08525, 0.1518, -1.538], [0.7112, 0.1709, 0.9077]], [[-0.4167, -0.04411,
    -2.806], [1.137, -0.7623, -0.8719]]]]
out['of three'] = float32[1, 9, 1, 1] [[[[1.383]], [[0.556]], [[-0.373]], [[-0.08525]], [[-0.4167]], [[0.1518]],
    [[0.5543]], [[0.6387]], [[-0.6786]]]]
out['dealt'] = float32[1, 8, 2, 3] [-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, 0.1921, -0.2701, 1.057, -1.248,
    0.4689, -0.8049, ..., -0.4177, -0.6517, 0.05021, 1.289]
out['rolled'] = float32[1, 8, 2, 3] [-0.4177, 1.378, 0.1756, 1.289, -0.6517, 0.05021, 1.512, -0.3922, -1.17, 0.8879,
    -0.8268, -0.3905, ..., -1.493, 1.095, -0.546, -1.791]
out['rolled flat'] = float32[1, 1, 4, 6] [[[[1.137, 0.1709, -0.7623, 0.9077, -0.8719, 1.383], [0.556, -0.373,
    -0.06888, -1.725, 0.5661, -0.08525], [-0.4167, 0.1518, -0.04411, -1.538, -2.806, 0.5543], [0.6387, -0.6786,
    0.8921, -0.6977, 2.538, 0.7112]]]]
out['turned'] = float32[1, 1, 6, 4] [[[[0.7112, 0.5543, -0.08525, 1.383], [1.137, 0.6387, -0.4167, 0.556], [0.1709,
    -0.6786, 0.1518, -0.373], [-0.7623, 0.8921, -0.04411, -0.06888], [0.9077, -0.6977, -1.538, -1.725], [-0.8719,
    2.538, -2.806, 0.5661]]]]
""")


@clause("numbers.options", modes="train")
def test_windows_that_share_one_number(check: Check) -> None:
    """Windows whose step is one less than their size hand a number that two of them share the sum of both gradients."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "rows": a.unfold(0, 3, 2) * 2,
            "columns": a.unfold(1, 2, 1) * 3,
            "columns of images": functional.unfold(a[None, None], (3, 2), stride=(2, 1)) * 0.5,
        }

    check(program, tensor(5, 4)).gradient(0).values().expect("""\
out['rows'] = float32[2, 4, 3] [[[-0.7843, 1.273, 0.5425], [-2.339, -0.4615, -1.023], [3.023, -0.6264, -2.988],
    [-1.654, -4.303, 3]], [[0.5425, -2.436, -1.19], [-1.023, 0.1703, -2.157], [-2.988, -0.8384, -2.694], [3, -4.279,
    -0.387]]]
out['columns'] = float32[5, 3, 2] [[[-1.176, -3.509], [-3.509, 4.535], [4.535, -2.48]], [[1.91, -0.6923], [-0.6923,
    -0.9396], [-0.9396, -6.454]], [[0.8138, -1.534], [-1.534, -4.482], [-4.482, 4.5]], [[-3.653, 0.2554], [0.2554,
    -1.258], [-1.258, -6.419]], [[-1.785, -3.235], [-3.235, -4.041], [-4.041, -0.5804]]]
out['columns of images'] = float32[1, 6, 6] [[[-0.1961, -0.5848, 0.7559, 0.1356, -0.2557, -0.7469], [-0.5848,
    0.7559, -0.4134, -0.2557, -0.7469, 0.75], [0.3183, -0.1154, -0.1566, -0.6089, 0.04257, -0.2096], [-0.1154,
    -0.1566, -1.076, 0.04257, -0.2096, -1.07], [0.1356, -0.2557, -0.7469, -0.2974, -0.5391, -0.6735], [-0.2557,
    -0.7469, 0.75, -0.5391, -0.6735, -0.09674]]]
""")


@clause("numbers.options", devices="cpu")
def test_places_that_become_channels_of_a_channels_last_image(check: Check) -> None:
    """An image in channels last whose places become channels stays so; on a GPU eager makes it contiguous."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.pixel_unshuffle(a.contiguous(memory_format=torch.channels_last), 2)

    check(program, tensor(1, 3, 4, 6)).strides("out", 72, 1, 36, 12).computed()


@clause("numbers.options", modes="train", devices="cpu")
def test_padding_of_a_channels_last_image(check: Check) -> None:
    """What is padded by its border or by reflection keeps the order of its memory, and so does its gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "border": functional.pad(a, (1, 2, 0, 1), mode="replicate"),
            "reflection": functional.pad(a, (1, 2, 2, 1), mode="reflect"),
            "value": functional.pad(a, (1, 2, 2, 1), value=0.5),
            "volume": functional.pad(b, (1, 0, 0, 1, 1, 1), mode="replicate"),
        }

    image = tensor(2, 3, 4, 5, strides=(60, 1, 15, 3))
    volume = tensor(1, 2, 2, 3, 2, strides=(24, 1, 12, 4, 2))
    check(program, image, volume).gradient(0).values().expect("""\
out['border'] = float32[2, 3, 5, 8] [-0.3922, -0.3922, -1.17, 1.512, -0.8268, -0.3905, -0.3905, -0.3905, 0.8879,
    0.8879, -0.7813, 1.979, ..., -0.1749, -0.9189, -0.9189, -0.9189]
out['reflection'] = float32[2, 3, 7, 8] [0.9823, -0.6802, 0.9823, 0.1921, -0.2701, 1.057, -0.2701, 0.1921, -0.7813,
    0.8879, -0.7813, 1.979, ..., -0.3297, 0.7289, -0.3297, -1.213]
out['value'] = float32[2, 3, 7, 8] [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, ..., 0.5, 0.5, 0.5,
    0.5]
out['volume'] = float32[1, 2, 4, 4, 3] [0.9671, 0.9671, -1.245, 1.532, 1.532, 0.6441, 0.9287, 0.9287, 0.01738,
    0.9287, 0.9287, 0.01738, ..., 0.1064, 0.1303, 0.1303, 0.1064]
""")


@clause("numbers.options", modes="train")
def test_sequences_of_unlike_lengths(check: Check) -> None:
    """Sequences are padded with the caller's value, at their ends or at their beginnings, batch first or last."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        pad = torch.nn.utils.rnn.pad_sequence
        return {
            "ends": pad([a, b, c], padding_value=-1.5),
            "ends of rows": pad([a, b, c], batch_first=True, padding_value=2.0),
            "beginnings": pad([a, b, c], padding_value=-1.5, padding_side="left"),
            "beginnings of rows": pad([a, b, c], batch_first=True, padding_value=0.5, padding_side="left"),
        }

    check(program, tensor(2, 2), tensor(4, 2), tensor(1, 2)).gradient(0, 1, 2).values().expect("""\
out['ends'] = float32[4, 3, 2] [[[0.6865, -2.63], [-0.4561, 1.015], [-2.313, -0.5863]], [[-0.239, -1.382], [-1.587,
    0.9008], [-1.5, -1.5]], [[-1.5, -1.5], [-1.132, -2.222], [-1.5, -1.5]], [[-1.5, -1.5], [0.1669, -0.1415], [-1.5,
    -1.5]]]
out['ends of rows'] = float32[3, 4, 2] [[[0.6865, -2.63], [-0.239, -1.382], [2, 2], [2, 2]], [[-0.4561, 1.015],
    [-1.587, 0.9008], [-1.132, -2.222], [0.1669, -0.1415]], [[-2.313, -0.5863], [2, 2], [2, 2], [2, 2]]]
out['beginnings'] = float32[4, 3, 2] [[[-1.5, -1.5], [-0.4561, 1.015], [-1.5, -1.5]], [[-1.5, -1.5], [-1.587,
    0.9008], [-1.5, -1.5]], [[0.6865, -2.63], [-1.132, -2.222], [-1.5, -1.5]], [[-0.239, -1.382], [0.1669, -0.1415],
    [-2.313, -0.5863]]]
out['beginnings of rows'] = float32[3, 4, 2] [[[0.5, 0.5], [0.5, 0.5], [0.6865, -2.63], [-0.239, -1.382]],
    [[-0.4561, 1.015], [-1.587, 0.9008], [-1.132, -2.222], [0.1669, -0.1415]], [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5],
    [-2.313, -0.5863]]]
""")


@clause("numbers.options", modes="train")
def test_windows_of_columns_of_one_channel(check: Check) -> None:
    """One image keeps its only channel, its windows their only column or place; those of dilated columns lie apart."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "one channel": functional.fold(a, (3, 4), 2),
            "one image": functional.fold(a[None], (3, 4), 2),
            "one column": functional.fold(a[:, :3], (2, 4), 2),
            "dilated": functional.unfold(b, 2, dilation=(1, 2), padding=(0, 1), stride=(2, 1)),
            "one window": functional.unfold(b, (4, 5)),
            "one place": functional.unfold(b, 1, stride=2),
            "one number": functional.unfold(b, 1, stride=5),
            "one folded": functional.fold(a[:1, :1], 1, 1),
        }

    check(program, tensor(4, 6), tensor(1, 4, 5)).computed()
