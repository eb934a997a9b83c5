"""Average pooling: windows that overhang or are padded, what they are divided by, and powers."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

INF = float("inf")


@clause("numbers.options", modes="train")
def test_average_pooling(check: Check) -> None:
    """Padding counts in the mean unless told, and a divisor of the caller's replaces the size of the window."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        pool = functional.avg_pool2d
        return {
            "uneven": pool(a, (3, 2), stride=(2, 1), padding=(1, 0)),
            "without padding": pool(a, 2, padding=1, count_include_pad=False),
            "divisor": pool(a, (1, 2), stride=(3, 2), divisor_override=3),
            "divisor with padding": pool(a, 2, padding=1, count_include_pad=False, divisor_override=5),
            "tall": pool(a, (2, 3), stride=(1, 3)),
        }

    check(program, tensor(1, 2, 5, 6)).values().expect("""\
out['uneven'] = float32[1, 2, 3, 5] [[[[-0.06066, 0.4257, 0.1189, -0.3504, 0.1333], [0.1607, 0.4721, 0.0405, -0.368,
    -0.4164], [0.1728, -0.1538, -0.3411, -0.5842, -0.5996]], [[-0.5284, -0.5407, 0.1467, -0.1927, -0.556], [0.3403,
    0.3031, 0.6258, 0.2826, 0.284], [0.1803, 0.1201, 0.3474, 0.1811, -0.07346]]]]
out['without padding'] = float32[1, 2, 3, 4] [[[[-0.3922, 0.1711, -0.6086, 0.8879], [-0.2946, 0.7496, -0.4159,
    0.08873], [0.9434, -0.2307, -0.8762, -1.033]], [[-0.4192, -1.294, 0.5905, -2.784], [1.129, 0.1807, -0.1355,
    0.7487], [0.4385, 0.1802, 0.2717, 0.02057]]]]
out['divisor'] = float32[1, 2, 2, 3] [[[[-0.5206, 0.2283, 0.1658], [-0.05174, 0.1353, -0.8215]], [[-0.853, 0.1962,
    -0.8802], [0.3667, 0.6329, 0.188]]]]
out['divisor with padding'] = float32[1, 2, 3, 4] [[[[-0.07843, 0.06844, -0.2434, 0.1776], [-0.1178, 0.5997,
    -0.3328, 0.03549], [0.3774, -0.1845, -0.701, -0.4133]], [[-0.08384, -0.5177, 0.2362, -0.5568], [0.4518, 0.1446,
    -0.1084, 0.2995], [0.1754, 0.1441, 0.2174, 0.008228]]]]
out['tall'] = float32[1, 2, 4, 2] [[[[0.2301, -0.03866], [0.4016, -0.2477], [0.2433, -0.7132], [0.1607, -0.9285]],
    [[-0.4636, -0.4741], [0.497, 0.1592], [0.6538, 0.7656], [0.2663, 0.188]]]]
""")


@clause("numbers.options", modes="train")
def test_average_pooling_that_overhangs(check: Check) -> None:
    """With sizes rounded up the last window begins in the padded image, and is divided by what of it lies there."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        pool = functional.avg_pool2d
        return {
            "overhang": pool(a, 2, ceil_mode=True),
            "with padding": pool(a, (2, 3), padding=1, ceil_mode=True),
            "divisor": pool(a, (2, 1), ceil_mode=True, divisor_override=4),
            "signal": functional.avg_pool1d(a[0, 0], 4, ceil_mode=True),
            "none from the end": pool(a.detach(), (2, 3), stride=(5, 1), ceil_mode=True).flatten(2),
            "from the last": pool(a.detach(), 3, stride=5, padding=1, ceil_mode=True).flatten(2),
        }

    check(program, tensor(1, 2, 5, 6)).values().expect("""\
out['overhang'] = float32[1, 2, 3, 3] [[[[-0.09098, 0.1783, 0.1999], [-0.05831, 0.05368, -0.7002], [0.596, -1.226,
    -0.5663]], [[-0.7926, 0.22, -0.834], [0.6633, 0.8658, 0.5999], [-0.00903, 0.09273, -0.5024]]]]
out['with padding'] = float32[1, 2, 3, 3] [[[[-0.2603, 0.04908, 0.222], [0.1866, -0.06236, 0.04437], [0.1728,
    -0.5963, -0.5166]], [[-0.4265, 0.122, -0.6961], [0.1569, 0.2497, 0.3743], [0.1803, 0.2671, 0.01028]]]]
out['divisor'] = float32[1, 2, 3, 6] [[[[-0.2934, 0.2024, 0.4362, -0.2579, -0.2677, 0.4676], [0.2099, -0.2682,
    0.4233, -0.3696, 0.03892, -0.7391], [0.3098, -0.01185, -0.1773, -0.4358, -0.3045, 0.02129]], [[0.1156, -0.9082,
    0.09719, 0.1228, -0.4118, -0.4222], [0.3622, 0.3011, 0.3173, 0.5484, 0.4596, 0.1403], [0.2015, -0.206, 0.1123,
    -0.06592, -0.2217, -0.02947]]]]
out['signal'] = float32[5, 2] [[-0.2192, 0.2487], [0.3065, 0.1511], [-0.06729, -0.168], [0.06266, -1.232], [-0.3151,
    -0.5663]]
out['none from the end'] = float32[1, 2, 4] [[[0.2301, 0.2538, -0.05957, -0.03866], [-0.4636, -0.4588, -0.1279,
    -0.4741]]]
out['from the last'] = float32[1, 2, 4] [[[-0.04044, 0.08885, 0.1987, -0.1888], [-0.3523, -0.3707, -0.00301,
    -0.1675]]]
""")


@clause("numbers.options", modes="train")
def test_slopes_of_average_pooling_that_overhangs(check: Check) -> None:
    """A window that overhangs, padded or not, hands each number its share of those inside, however wide the image."""

    def program(a: torch.Tensor, wide: torch.Tensor, tall: torch.Tensor) -> dict[str, torch.Tensor]:
        def pool(a: torch.Tensor, size: tuple[int, int], padding: tuple[int, int]) -> torch.Tensor:
            return functional.avg_pool2d(a, size, 2, padding, ceil_mode=True, count_include_pad=False) ** 2

        return {
            "alone": pool(a, (2, 2), (0, 0)),
            "wide": pool(wide, (3, 2), (1, 0)),
            "tall": pool(tall, (2, 3), (0, 1)),
            "wide and padded": pool(wide, (3, 4), (1, 2)),
            "tall and padded": pool(tall, (4, 3), (2, 1)),
            "padded below, not overhanging": functional.avg_pool2d(wide, 3, 2, (0, 1), count_include_pad=False) ** 2,
        }

    images = tensor(1, 2, 5, 5), tensor(1, 2, 4, 7), tensor(1, 2, 7, 4)
    check(program, *images).gradient(0, 1, 2).shape("out['alone']", 1, 2, 3, 3).computed()


@clause("numbers.options", modes="train")
def test_slopes_of_average_pooling_with_a_divisor(check: Check) -> None:
    """By the divisor of the caller is divided what each number is handed back, with padding and without."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        pool = functional.avg_pool2d
        return {
            "padded": pool(a, 2, padding=1, divisor_override=3) ** 2,
            "not padded": pool(a, 2, divisor_override=3) ** 2,
            "padded, uneven": pool(b, (3, 2), (2, 1), (1, 0), count_include_pad=False, divisor_override=5) ** 2,
        }

    check(program, tensor(1, 2, 4, 4), tensor(2, 1, 5, 3)).gradient(0, 1).computed()


@clause("numbers.options", modes="train")
def test_slopes_of_average_pooling_of_large_windows(check: Check) -> None:
    """Where many windows lie over a number, it is handed its share of each: of all, of those inside, of a divisor."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        pool = functional.avg_pool2d
        volumes = functional.avg_pool3d
        return {
            "of all": pool(a, (6, 5), 1, (2, 1)) ** 2,
            "of those inside": pool(a, (5, 6), 1, (2, 3), count_include_pad=False) ** 2,
            "divisor": pool(a, (6, 5), 1, divisor_override=11) ** 2,
            "overhanging": pool(a, (6, 9), (1, 2), (1, 2), ceil_mode=True, count_include_pad=False) ** 2,
            "volumes": volumes(b, (5, 5, 6), 1, (1, 0, 2)) ** 2,
            "volumes of those inside": volumes(b, (5, 5, 6), 1, (1, 2, 2), count_include_pad=False) ** 2,
            "divisor of volumes": volumes(b, (5, 5, 6), 1, divisor_override=7) ** 2,
        }

    check(program, tensor(1, 2, 7, 10), tensor(1, 1, 5, 6, 7)).gradient(0, 1).computed()


@clause("numbers.options", modes="train")
def test_slopes_of_average_pooling_of_volumes_that_overhangs(check: Check) -> None:
    """A window that overhangs a volume hands each number its share of those inside, of all, or of a divisor."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        pool = functional.avg_pool3d
        return {
            "of those inside": pool(a, 2, 2, 1, ceil_mode=True, count_include_pad=False) ** 2,
            "of those inside, not padded": pool(b, 2, ceil_mode=True, count_include_pad=False) ** 2,
            "of all": pool(a, 2, 2, 1, ceil_mode=True) ** 2,
            "uneven": pool(b, (2, 3, 1), (2, 2, 1), (1, 1, 0), ceil_mode=True, count_include_pad=False) ** 2,
            "divisor": pool(b, (2, 2, 1), ceil_mode=True, divisor_override=3) ** 2,
            "not rounded up": pool(a, (3, 2, 2), 2, 1, count_include_pad=False) ** 2,
        }

    result = check(program, tensor(1, 1, 4, 4, 4), tensor(1, 2, 3, 4, 5)).gradient(0, 1)
    result.shape("out['of those inside']", 1, 1, 3, 3, 3).computed()


@clause("numbers.options", modes="train")
def test_average_pooling_of_signals_and_volumes(check: Check) -> None:
    """In one and three dimensions padding and divisor mean what they mean in two."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "signal": functional.avg_pool1d(a, 3, stride=2, padding=1),
            "without padding": functional.avg_pool1d(a, 3, stride=2, padding=1, count_include_pad=False),
            "volume": functional.avg_pool3d(b, (2, 3, 1), stride=(2, 3, 2), padding=(1, 1, 0), count_include_pad=False),
            "divisor": functional.avg_pool3d(b, (1, 2, 2), divisor_override=7),
            "by its own size": functional.avg_pool3d(b, (1, 2, 3), padding=(0, 1, 1)),
        }

    check(program, tensor(2, 2, 7), tensor(1, 1, 3, 4, 5)).values().expect("""\
out['signal'] = float32[2, 2, 4] [[[-0.5206, -0.1615, -0.1098, 0.03555], [0.7374, -0.2173, -0.3503, -0.4856]],
    [[-0.4698, -0.1344, -0.5344, -0.4967], [0.1017, -0.4652, 0.2274, 0.5177]]]
out['without padding'] = float32[2, 2, 4] [[[-0.7808, -0.1615, -0.1098, 0.05333], [1.106, -0.2173, -0.3503,
    -0.7284]], [[-0.7047, -0.1344, -0.5344, -0.7451], [0.1525, -0.4652, 0.2274, 0.7766]]]
out['volume'] = float32[1, 1, 2, 2, 3] [[[[[0.711, -0.05229, 1.28], [-0.5642, -0.1112, 1.06]], [[-0.3094, -0.3081,
    -0.0924], [0.1662, 0.3898, -0.6295]]]]]
out['divisor'] = float32[1, 1, 3, 2, 2] [[[[[0.2255, -0.3181], [0.1346, 0.09199]], [[0.295, 0.2177], [0.1587,
    0.3044]], [[-0.2324, -0.2147], [0.01314, 0.1186]]]]]
out['by its own size'] = float32[1, 1, 3, 3, 2] [[[[[0.2326, 0.2267], [0.1528, -0.07651], [0.03472, 0.3662]],
    [[0.1833, 0.384], [-0.006632, -0.02069], [0.3526, 0.3066]], [[-0.09856, 0.09636], [-0.03795, -0.814], [-0.1192,
    0.06354]]]]]
""")


@clause("numbers.options", modes="train")
def test_average_pooling_to_a_size(check: Check) -> None:
    """Windows that give a size which does not divide overlap, and None leaves a size as it is."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "uneven": functional.adaptive_avg_pool2d(a, (3, 4)),
            "kept": functional.adaptive_avg_pool2d(a, (None, 2)),
            "one": functional.adaptive_avg_pool2d(a, 1),
            "larger": functional.adaptive_avg_pool2d(a, (7, 8)),
            "rows that divide": functional.adaptive_avg_pool2d(a, (1, 4)),
            "columns that divide": functional.adaptive_avg_pool2d(a, (2, 3)),
            "signal": functional.adaptive_avg_pool1d(a[0], 4),
            "volume": functional.adaptive_avg_pool3d(b, (2, 3, 2)),
        }

    check(program, tensor(1, 2, 5, 6), tensor(1, 1, 3, 4, 3)).values().expect("""\
out['uneven'] = float32[1, 2, 3, 4] [[[[-0.09098, 0.6386, -0.5256, 0.1999], [0.1607, 0.4721, -0.368, -0.4164],
    [0.2592, -0.2307, -0.8762, -0.8993]], [[-0.7926, -0.811, -0.289, -0.834], [0.3403, 0.3031, 0.2826, 0.284],
    [0.2705, 0.1802, 0.2717, -0.1102]]]]
out['kept'] = float32[1, 2, 5, 2] [[[[-0.01666, -0.1098], [0.4769, 0.03246], [0.3262, -0.5279], [0.1605, -0.8985],
    [0.1609, -0.9586]], [[-1.003, -0.5344], [0.07528, -0.4138], [0.9187, 0.7323], [0.3888, 0.7988], [0.1437,
    -0.4228]]]]
out['one'] = float32[1, 2, 1, 1] [[[[-0.1354]], [[0.0684]]]]
out['larger'] = float32[1, 2, 7, 8] [-0.3922, -0.7808, 0.1711, 1.512, -0.8268, -0.6086, 0.2487, 0.8879, -0.5867,
    -0.09098, 0.6386, 0.8724, ..., -0.2637, -0.5753, -0.5024, -0.1179]
out['rows that divide'] = float32[1, 2, 1, 4] [[[[0.05948, 0.2418, -0.6386, -0.3134]], [[-0.05354, -0.1145, 0.1726,
    -0.1941]]]]
out['columns that divide'] = float32[1, 2, 2, 3] [[[[-0.07366, 0.08701, 0.07727], [0.1598, -0.373, -0.6556]],
    [[-0.2696, 0.4074, -0.2501], [0.4392, 0.6081, 0.2325]]]]
out['signal'] = float32[2, 5, 4] [-0.7808, 0.1711, -0.6086, 0.2487, 0.5989, 1.106, -0.4425, 0.1511, -0.03901,
    0.3932, -0.3894, -0.168, ..., -0.00903, -0.1874, -0.5753, -0.5024]
out['volume'] = float32[1, 1, 2, 3, 2] [[[[[0.6104, -0.02062], [0.8102, 0.2109], [0.8373, 0.4218]], [[0.08305,
    -0.1471], [-0.2519, -0.147], [0.3093, 0.3088]]]]]
""")


@clause("numbers.options", modes="train")
def test_power_average_pooling(check: Check) -> None:
    """A power average is a root of a sum of powers over each window."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        positive = a.abs() + 0.5
        return {
            "two": functional.lp_pool2d(positive, 2.0, (2, 3), stride=(1, 2)),
            "signal": functional.lp_pool1d(b.abs() + 0.5, 2.0, 3, stride=2),
        }

    check(program, tensor(1, 2, 4, 5), tensor(1, 2, 7)).values().expect("""\
out['two'] = float32[1, 2, 3, 2] [[[[4.165, 3.712], [3.712, 3.267], [3.125, 2.866]], [[2.284, 3.747], [2.631,
    3.323], [3.932, 3.352]]]]
out['signal'] = float32[1, 2, 3] [[[2.921, 3.099, 2.662], [1.683, 2.525, 2.838]]]
""")


@clause("numbers.options", modes="train")
def test_power_average_pooling_that_overhangs(check: Check) -> None:
    """Rounded up, the last window has the numbers alone that are there, whatever the power."""

    def program(a: torch.Tensor, row: torch.Tensor, volume: torch.Tensor) -> dict[str, torch.Tensor]:
        positive, row, volume = a.abs() + 0.5, row.abs() + 0.5, volume.abs() + 0.5
        return {
            "of one": functional.lp_pool2d(positive, 1.0, 2, ceil_mode=True),
            "of three": functional.lp_pool2d(positive, 3.0, (2, 3), 2, ceil_mode=True),
            "of four": functional.lp_pool2d(a, 4, (3, 1), (2, 1), ceil_mode=True),
            "of a half": functional.lp_pool2d(positive, 0.5, 2, ceil_mode=True),
            "of less": functional.lp_pool2d(positive, -1.0, 3, 3),
            "largest": functional.lp_pool2d(a, INF, 2, ceil_mode=True),
            "signal": functional.lp_pool1d(row, 3.0, 3, 2, ceil_mode=True),
            "signal of two": functional.lp_pool1d(row, 2.0, 4, 3, True),
            "volume": functional.lp_pool3d(volume, 3.0, 2, ceil_mode=True),
            "volume of two": functional.lp_pool3d(volume, 2.0, (1, 2, 2), 2, True),
        }

    parts = tensor(1, 2, 5, 5), tensor(2, 6), tensor(1, 1, 3, 4, 3)
    check(program, *parts).gradient(0, 1, 2).computed()
