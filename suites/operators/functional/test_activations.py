"""Activations: bounds, slopes and forms at, above and below the numbers where they change."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: At, above and below the numbers where the activations below bend.
EDGES = (-6.0, -3.5, -3.0, -1.0, -0.5, -0.25, -0.0, 0.0, 0.25, 0.5, 1.0, 3.0, 3.5, 6.0, 7.0)
#: So large that an exponential of them is nought or infinite in single precision.
SATURATED = (-200.0, -100.0, -20.0, -1.5, -0.0, 0.0, 0.75, 2.0, 19.0, 21.0, 100.0, 200.0)


@clause("numbers.options", modes="train")
def test_clipped_activations(check: Check) -> None:
    """Bounds are the caller's, and at a bound itself there is no slope where eager has none."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "hardtanh": functional.hardtanh(a),
            "bounds": functional.hardtanh(a, -0.5, 3.0),
            "positive bounds": functional.hardtanh(a, 0.25, 0.5),
            "negative bounds": functional.hardtanh(a, -3.0, -0.5),
            "negative whole bounds": functional.hardtanh(a.int(), -3, -1),
            "relu6": functional.relu6(a),
            "relu": functional.relu(a),
            "clamp": a.clamp(-0.5, 0.5),
            "clamp below nought": a.clamp(-3.0, -0.5),
            "threshold": functional.threshold(a, 0.5, 20.0),
            "negative threshold": functional.threshold(a, -1.0, 0.0),
        }

    check(program, tensor(15, values=EDGES)).values().expect("""\
out['hardtanh'] = float32[15] [-1, -1, -1, -1, -0.5, -0.25, -0, 0, 0.25, 0.5, 1, 1, 1, 1, 1]
out['bounds'] = float32[15] [-0.5, -0.5, -0.5, -0.5, -0.5, -0.25, -0, 0, 0.25, 0.5, 1, 3, 3, 3, 3]
out['positive bounds'] = float32[15] [0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5,
    0.5]
out['negative bounds'] = float32[15] [-3, -3, -3, -1, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5,
    -0.5]
out['negative whole bounds'] = int32[15] [-3, -3, -3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
out['relu6'] = float32[15] [0, 0, 0, 0, 0, 0, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 6]
out['relu'] = float32[15] [0, 0, 0, 0, 0, 0, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['clamp'] = float32[15] [-0.5, -0.5, -0.5, -0.5, -0.5, -0.25, -0, 0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
out['clamp below nought'] = float32[15] [-3, -3, -3, -1, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5,
    -0.5]
out['threshold'] = float32[15] [20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 1, 3, 3.5, 6, 7]
out['negative threshold'] = float32[15] [0, 0, 0, 0, -0.5, -0.25, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
""")


@clause("numbers.options", modes="train")
def test_hard_activations(check: Check) -> None:
    """Piecewise activations have their pieces and the slopes of these, up to where they end."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "hardsigmoid": functional.hardsigmoid(a),
            "hardswish": functional.hardswish(a),
            "hardshrink": functional.hardshrink(a),
            "hardshrink of one": functional.hardshrink(a, 1.0),
            "softshrink": functional.softshrink(a),
            "softshrink of one": functional.softshrink(a, 1.0),
            "softshrink of nought": functional.softshrink(a, 0.0),
        }

    check(program, tensor(15, values=EDGES)).values().expect("""\
out['hardsigmoid'] = float32[15] [0, 0, 0, 0.3333, 0.4167, 0.4583, 0.5, 0.5, 0.5417, 0.5833, 0.6667, 1, 1, 1, 1]
out['hardswish'] = float32[15] [-0, -0, -0, -0.3333, -0.2083, -0.1146, -0, 0, 0.1354, 0.2917, 0.6667, 3, 3.5, 6, 7]
out['hardshrink'] = float32[15] [-6, -3.5, -3, -1, 0, 0, 0, 0, 0, 0, 1, 3, 3.5, 6, 7]
out['hardshrink of one'] = float32[15] [-6, -3.5, -3, 0, 0, 0, 0, 0, 0, 0, 0, 3, 3.5, 6, 7]
out['softshrink'] = float32[15] [-5.5, -3, -2.5, -0.5, -0, -0, -0, 0, 0, 0, 0.5, 2.5, 3, 5.5, 6.5]
out['softshrink of one'] = float32[15] [-5, -2.5, -2, -0, -0, -0, -0, 0, 0, 0, 0, 2, 2.5, 5, 6]
out['softshrink of nought'] = float32[15] [-6, -3.5, -3, -1, -0.5, -0.25, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
""")


@clause("numbers.options", modes="train")
def test_leaky_activations(check: Check) -> None:
    """The slope below nought is the caller's: none, a negative one, one above one, one a channel, a mean of two."""

    def program(a: torch.Tensor, b: torch.Tensor, one: torch.Tensor, many: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "slope": functional.leaky_relu(a, 0.3),
            "flat": functional.leaky_relu(a, 0.0),
            "upwards": functional.leaky_relu(a, -0.5),
            "steep": functional.leaky_relu(a, 2.0),
            "learnt": functional.prelu(a, one),
            "by channel": functional.prelu(b, many),
            "mean slope": functional.rrelu(a, 0.2, 0.6, training=False),
        }

    check(program, tensor(15, values=EDGES), tensor(2, 3, 2), tensor(1), tensor(3)).values().expect("""\
out['slope'] = float32[15] [-1.8, -1.05, -0.9, -0.3, -0.15, -0.075, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['flat'] = float32[15] [-0, -0, -0, -0, -0, -0, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['upwards'] = float32[15] [3, 1.75, 1.5, 0.5, 0.25, 0.125, 0, -0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['steep'] = float32[15] [-12, -7, -6, -2, -1, -0.5, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['learnt'] = float32[15] [13.88, 8.097, 6.94, 2.313, 1.157, 0.5783, 0, -0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['by channel'] = float32[2, 3, 2] [[[0.6865, 1.542], [0.115, 0.6653], [0.1894, 1.015]], [[0.9302, 0.9008],
    [0.5449, 1.07], [0.1669, 0.05879]]]
out['mean slope'] = float32[15] [-2.4, -1.4, -1.2, -0.4, -0.2, -0.1, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
""")


@clause("numbers.options", modes="train")
def test_exponential_activations(check: Check) -> None:
    """Scale and rate of the exponential piece are the caller's, and it ends without a NaN far out."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "elu": functional.elu(a),
            "alpha": functional.elu(a, alpha=0.25),
            "celu": functional.celu(a, alpha=2.0),
            "short celu": functional.celu(a, alpha=0.5),
            "selu": functional.selu(a),
            "elu of everything": torch.ops.aten.elu(a, 1.5, 2.0, 0.5),
        }

    check(program, tensor(12, values=SATURATED)).values().expect("""\
out['elu'] = float32[12] [-1, -1, -1, -0.7769, -0, 0, 0.75, 2, 19, 21, 100, 200]
out['alpha'] = float32[12] [-0.25, -0.25, -0.25, -0.1942, -0, 0, 0.75, 2, 19, 21, 100, 200]
out['celu'] = float32[12] [-2, -2, -2, -1.055, -0, 0, 0.75, 2, 19, 21, 100, 200]
out['short celu'] = float32[12] [-0.5, -0.5, -0.5, -0.4751, -0, 0, 0.75, 2, 19, 21, 100, 200]
out['selu'] = float32[12] [-1.758, -1.758, -1.758, -1.366, -0, 0, 0.788, 2.101, 19.96, 22.06, 105.1, 210.1]
out['elu of everything'] = float32[12] [-3, -3, -3, -1.583, -0, 0, 1.5, 4, 38, 42, 200, 400]
""")


@clause("numbers.options", modes="train")
def test_activations_in_place(check: Check) -> None:
    """In place, the gradient is that of what was there before, though only the result is left."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "elu": functional.elu(a * 1, 0.5, inplace=True),
            "celu": functional.celu(a * 1, 2.0, inplace=True),
            "selu": functional.selu(a * 1, inplace=True),
            "leaky": functional.leaky_relu(a * 1, 0.3, inplace=True),
            "hardtanh": functional.hardtanh(a * 1, -0.5, 1.0, inplace=True),
            "threshold": functional.threshold(a * 1, 0.5, -2.0, inplace=True),
            "mean slope": functional.rrelu(a * 1, 0.2, 0.6, inplace=True),
            "hardswish": functional.hardswish(a * 1, inplace=True),
            "silu": functional.silu(a * 1, inplace=True),
        }

    check(program, tensor(15, values=EDGES)).values().expect("""\
out['elu'] = float32[15] [-0.4988, -0.4849, -0.4751, -0.3161, -0.1967, -0.1106, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['celu'] = float32[15] [-1.9, -1.652, -1.554, -0.7869, -0.4424, -0.235, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['selu'] = float32[15] [-1.754, -1.705, -1.671, -1.111, -0.6918, -0.3889, -0, 0, 0.2627, 0.5254, 1.051, 3.152,
    3.677, 6.304, 7.355]
out['leaky'] = float32[15] [-1.8, -1.05, -0.9, -0.3, -0.15, -0.075, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['hardtanh'] = float32[15] [-0.5, -0.5, -0.5, -0.5, -0.5, -0.25, -0, 0, 0.25, 0.5, 1, 1, 1, 1, 1]
out['threshold'] = float32[15] [-2, -2, -2, -2, -2, -2, -2, -2, -2, -2, 1, 3, 3.5, 6, 7]
out['mean slope'] = float32[15] [-2.4, -1.4, -1.2, -0.4, -0.2, -0.1, -0, 0, 0.25, 0.5, 1, 3, 3.5, 6, 7]
out['hardswish'] = float32[15] [-0, -0, -0, -0.3333, -0.2083, -0.1146, -0, 0, 0.1354, 0.2917, 0.6667, 3, 3.5, 6, 7]
out['silu'] = float32[15] [-0.01484, -0.1026, -0.1423, -0.2689, -0.1888, -0.1095, -0, 0, 0.1405, 0.3112, 0.7311,
    2.858, 3.397, 5.985, 6.994]
""")


@clause("numbers.options", modes="train")
def test_smooth_activations(check: Check) -> None:
    """Smooth activations and their slopes stay finite where their parts overflow."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "softplus": functional.softplus(a),
            "rate": functional.softplus(a, beta=0.5),
            "threshold": functional.softplus(a, beta=2.0, threshold=1.0),
            "logsigmoid": functional.logsigmoid(a),
            "softsign": functional.softsign(a),
            "tanhshrink": functional.tanhshrink(a),
            "mish": functional.mish(a),
            "silu": functional.silu(a),
            "sigmoid": a.sigmoid(),
        }

    check(program, tensor(12, values=SATURATED)).values().expect("""\
out['softplus'] = float32[12] [0, 3.784e-44, 2.061e-09, 0.2014, 0.6931, 0.6931, 1.137, 2.127, 19, 21, 100, 200]
out['rate'] = float32[12] [7.567e-44, 3.857e-22, 9.08e-05, 0.7737, 1.386, 1.386, 1.796, 2.627, 19, 21, 100, 200]
out['threshold'] = float32[12] [0, 0, 2.124e-18, 0.02429, 0.3466, 0.3466, 0.75, 2, 19, 21, 100, 200]
out['logsigmoid'] = float32[12] [-200, -100, -20, -1.701, -0.6931, -0.6931, -0.3869, -0.1269, -5.603e-09,
    -7.583e-10, -3.924e-44, 0]
out['softsign'] = float32[12] [-0.995, -0.9901, -0.9524, -0.6, -0, 0, 0.4286, 0.6667, 0.95, 0.9545, 0.9901, 0.995]
out['tanhshrink'] = float32[12] [-199, -99, -19, -0.5949, 0, 0, 0.1149, 1.036, 18, 20, 99, 199]
out['mish'] = float32[12] [-0, -3.784e-42, -4.122e-08, -0.2981, -0, 0, 0.61, 1.944, 19, 21, 100, 200]
out['silu'] = float32[12] [-0, -0, -4.122e-08, -0.2736, -0, 0, 0.5094, 1.762, 19, 21, 100, 200]
out['sigmoid'] = float32[12] [0, 0, 2.061e-09, 0.1824, 0.5, 0.5, 0.6792, 0.8808, 1, 1, 1, 1]
""")


@clause("numbers.options", modes="train")
def test_gaussian_units(check: Check) -> None:
    """The approximation by a hyperbolic tangent is not the error function, in either precision."""

    def program(a: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "exact": functional.gelu(a),
            "approximate": functional.gelu(a, approximate="tanh"),
            "low": functional.gelu(low),
            "low approximate": functional.gelu(low, approximate="tanh"),
        }

    given = (-10.0, -4.0, -2.0, -1.0, -0.25, 0.0, 0.5, 1.5, 2.5, 3.5, 5.0, 10.0)
    check(program, tensor(12, values=given), tensor(12, dtype=torch.bfloat16, values=given)).values().expect("""\
out['exact'] = float32[12] [-0, -0.0001265, -0.0455, -0.1587, -0.1003, 0, 0.3457, 1.4, 2.484, 3.499, 5, 10]
out['approximate'] = float32[12] [-0, -7.021e-05, -0.0454, -0.1588, -0.1003, 0, 0.3457, 1.4, 2.485, 3.499, 5, 10]
out['low'] = bfloat16[12] [-0, -0.0001268, -0.04541, -0.1582, -0.1001, 0, 0.3457, 1.398, 2.484, 3.5, 5, 10]
out['low approximate'] = bfloat16[12] [-0, -7.01e-05, -0.04541, -0.1592, -0.1001, 0, 0.3457, 1.398, 2.484, 3.5, 5,
    10]
""")


@clause("numbers.options", modes="train")
def test_bounds_in_low_precision(check: Check) -> None:
    """A bound that bfloat16 cannot hold is compared with as it is, not as it would be rounded."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "hardtanh": functional.hardtanh(a, -0.7, 0.7),
            "threshold": functional.threshold(a, 0.7, 9.0),
            "leaky": functional.leaky_relu(a, 0.01),
            "hardswish": functional.hardswish(a),
            "elu": functional.elu(a, 0.7),
        }

    given = (-3.0, -1.0, -0.703125, -0.69921875, -0.5, 0.0, 0.5, 0.69921875, 0.703125, 1.0, 2.0, 3.0)
    check(program, tensor(12, dtype=torch.bfloat16, values=given)).values().expect("""\
out['hardtanh'] = bfloat16[12] [-0.6992, -0.6992, -0.6992, -0.6992, -0.5, 0, 0.5, 0.6992, 0.6992, 0.6992, 0.6992,
    0.6992]
out['threshold'] = bfloat16[12] [9, 9, 9, 9, 9, 9, 9, 9, 0.7031, 1, 2, 3]
out['leaky'] = bfloat16[12] [-0.03003, -0.01001, -0.007019, -0.006989, -0.005005, 0, 0.5, 0.6992, 0.7031, 1, 2, 3]
out['hardswish'] = bfloat16[12] [-0, -0.334, -0.2695, -0.2676, -0.208, 0, 0.291, 0.4316, 0.4336, 0.668, 1.664, 3]
out['elu'] = bfloat16[12] [-0.6641, -0.4434, -0.3535, -0.3516, -0.2754, 0, 0.5, 0.6992, 0.7031, 1, 2, 3]
""")


@clause("numbers.options", modes="train")
def test_shrinking_in_low_precision(check: Check) -> None:
    """What is taken off a number of bfloat16 is not rounded before it is taken off."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.softshrink(a, 0.7)

    given = (-3.0, -1.0, -0.703125, -0.69921875, -0.5, 0.0, 0.5, 0.69921875, 0.703125, 1.0, 2.0, 3.0)
    check(program, tensor(12, dtype=torch.bfloat16, values=given)).values().expect("""\
out = bfloat16[12] [-2.297, -0.3008, -0.003128, -0, -0, 0, 0, 0, 0.003128, 0.3008, 1.297, 2.297]
""")


@clause("numbers.options", modes="train")
def test_gated_linear_units(check: Check) -> None:
    """The second half along the named dimension is the gate."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "last": functional.glu(a),
            "first": functional.glu(a, 0),
            "middle": functional.glu(a, dim=-2),
            "of another": functional.glu(a.transpose(0, 2), 1),
        }

    check(program, tensor(2, 4, 6)).values().expect("""\
out['last'] = float32[2, 4, 3] [[[-0.1193, -0.472, 1.071], [-0.3508, 0.6654, 0.1696], [0.04286, -0.1662, 0.3265],
    [0.2865, -0.339, 0.06633]], [[0.1846, -0.01082, -0.3697], [-0.3095, -1.147, -0.0261], [0.3233, -0.2135, 0.6276],
    [0.472, 0.08999, -0.3275]]]
out['first'] = float32[1, 4, 6] [[[-0.3041, -0.5709, 0.4985, -0.1231, -0.08915, 0.4628], [-0.3099, 0.2084, 0.09083,
    -0.1512, -0.3645, 0.05715], [0.1359, -0.04956, 0.7374, -0.4576, 0.06703, -0.6032], [0.517, -0.4365, 0.2528,
    -0.07906, -0.1605, -1.687]]]
out['middle'] = float32[2, 2, 6] [[[-0.2149, -0.5062, 1.122, -0.1845, -0.2402, 0.2744], [-0.5128, 0.6124, 0.1524,
    -0.09064, -0.2873, 0.1024]], [[0.8764, -0.008693, -0.495, -0.6394, -0.1741, 0.06381], [-0.3348, -1.164, -0.1781,
    0.3554, 0.07358, -2.183]]]
out['of another'] = float32[6, 2, 2] [[[-0.2149, 0.8764], [-0.5128, -0.3348]], [[-0.5062, -0.008693], [0.6124,
    -1.164]], [[1.122, -0.495], [0.1524, -0.1781]], [[-0.1845, -0.6394], [-0.09064, 0.3554]], [[-0.2402, -0.1741],
    [-0.2873, 0.07358]], [[0.2744, 0.06381], [0.1024, -2.183]]]
""")


@clause("numbers.options", modes="train")
def test_logits(check: Check) -> None:
    """Infinite at nought and one and NaN beyond; with an `eps` what is closer counts as that, without slope."""
    given = (0.25, 0.125, 0.5, 0.1, 0.9, 0.875, 0.05, 0.99)
    outside = (-0.5, 0.0, 1.0, 1.5)

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "logit": torch.logit(a),
            "eps": torch.logit(a, eps=0.125),
            "eps of all": torch.logit(b, eps=0.25),
            "eps of nought": torch.logit(a, eps=0.0),
            "at the ends": torch.logit(b.detach()),
            "special": torch.special.logit(a, 0.3),
        }

    check(program, tensor(8, values=given), tensor(4, values=outside)).values().expect("""\
out['logit'] = float32[8] [-1.099, -1.946, 0, -2.197, 2.197, 1.946, -2.944, 4.595]
out['eps'] = float32[8] [-1.099, -1.946, 0, -1.946, 1.946, 1.946, -1.946, 1.946]
out['eps of all'] = float32[4] [-1.099, -1.099, 1.099, 1.099]
out['eps of nought'] = float32[8] [-1.099, -1.946, 0, -2.197, 2.197, 1.946, -2.944, 4.595]
out['at the ends'] = float32[4] [nan, -inf, inf, nan]
out['special'] = float32[8] [-0.8473, -0.8473, 0, -0.8473, 0.8473, 0.8473, -0.8473, 0.8473]
""")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_slope_of_a_logit_of_no_number(check: Check) -> None:
    """The logit of NaN has no slope, with an `eps` that bounds it either: its gradient is NaN, not nought."""
    none = float("nan")

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.logit(a, eps=0.25)

    check(program, tensor(4, values=[none, 0.5, 0.875, none])).gradient(0).values().expect("""\
out = float32[4] [nan, 0, 1.099, nan]
""")


@clause("numbers.options", "numbers.special-values", modes="train", devices="cpu")
def test_slope_of_a_logit_of_minus_nought(check: Check) -> None:
    """At either nought a logit rises, and its slope is infinite and not negative."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.logit(a) * 2

    check(program, tensor(4, values=[-0.0, 0.0, 0.5, 1.0])).gradient(0).values().expect("""\
out = float32[4] [-inf, -inf, 0, inf]
""")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_exponential_activations_that_rise_below_nought(check: Check) -> None:
    """By an alpha below nought what is below nought comes out above it and its slope falls; by nought it is flat."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "elu": functional.elu(a, -0.5),
            "celu": functional.celu(a, -2.0),
            "flat": functional.elu(a, 0.0),
            "of everything": torch.ops.aten.elu(a, -1.5, -2.0, 0.5),
            "turned": torch.ops.aten.elu(a, 1.5, 2.0, -0.5),
        }

    given = [-100.0, -3.0, -1.0, -0.25, 0.25, 1.0, 3.0, 100.0, float("nan"), float("inf"), -float("inf")]
    check(program, tensor(11, values=given)).gradient(0).values().expect("""\
out['elu'] = float32[11] [0.5, 0.4751, 0.3161, 0.1106, 0.25, 1, 3, 100, nan, inf, 0.5]
out['celu'] = float32[11] [-1.037e+22, -6.963, -1.297, -0.2663, 0.25, 1, 3, 100, nan, inf, -inf]
out['flat'] = float32[11] [-0, -0, -0, -0, 0.25, 1, 3, 100, nan, inf, -0]
out['of everything'] = float32[11] [-3, -2.331, -1.18, -0.3525, -0.5, -2, -6, -200, nan, -inf, -3]
out['turned'] = float32[11] [1.555e+22, 10.45, 1.946, 0.3994, 0.5, 2, 6, 200, nan, inf, inf]
""")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_noughts_of_exponential_activations_that_rise(check: Check) -> None:
    """Either nought comes out with the sign that eager's kernel gives it, its own on a CPU, whatever that of alpha."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "elu": 1 / functional.elu(a, -0.5),
            "celu": 1 / functional.celu(a, -2.0),
            "scaled": 1 / torch.ops.aten.elu(a, 0.5, -2.0, 1.5),
        }

    result = check(program, tensor(2, values=[-0.0, 0.0])).computed()
    if check.device == "cpu":  # A GPU's kernel multiplies a nought by alpha, too.
        result.values().expect("""\
out['elu'] = float32[2] [-inf, inf]
out['celu'] = float32[2] [-inf, inf]
out['scaled'] = float32[2] [inf, -inf]
""")


@clause("numbers.options", modes="train")
def test_slope_of_an_exponential_activation_in_place(check: Check) -> None:
    """Of what an alpha below nought has written in place no slope can be told, and backward says so."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.elu(a * 2, -0.5, inplace=True)

    result = check(program, tensor(3, values=[-1.0, 0.5, 2.0]))
    error = result.call.backward_error
    result.happened(error is not None and "negative slope" in error.message, "an error of backward")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_thresholds_at_their_ends(check: Check) -> None:
    """NaN is beyond no threshold, an infinite one holds all, and one that is NaN or below nought is compared with."""
    nan, infinite = float("nan"), float("inf")

    def program(a: torch.Tensor, whole: torch.Tensor, small: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "threshold": functional.threshold(a, 0.5, nan),
            "by NaN": functional.threshold(a, nan, 2.0),
            "by infinity": functional.threshold(a, infinite, -infinite),
            "below nought": functional.threshold(a, -0.5, infinite),
            "shrunk": functional.hardshrink(a, 0.5),
            "shrunk by nought": functional.hardshrink(a, 0.0),
            "shrunk by less": functional.hardshrink(a, -0.5),
            "shrunk by infinity": functional.hardshrink(a, infinite),
            "shrunk by NaN": functional.hardshrink(a, nan),
            "to one number": functional.hardtanh(a, 0.5, 0.5),
            "falling": functional.leaky_relu(a, -1.0),
            "whole": functional.threshold(whole, 2, 7),
            "by a fraction": functional.threshold(whole, 2.5, 7),
            "bytes": functional.threshold(small, -1, 7),
        }

    given = [-infinite, -3.0, -0.5, -0.25, 0.25, 0.5, 3.0, infinite, nan]
    whole = (tensor(4, dtype=dtype, values=[1, 2, 3, 200]) for dtype in (torch.int64, torch.uint8))
    check(program, tensor(9, values=given), *whole).gradient(0).values().expect("""\
out['threshold'] = float32[9] [nan, nan, nan, nan, nan, nan, 3, inf, nan]
out['by NaN'] = float32[9] [-inf, -3, -0.5, -0.25, 0.25, 0.5, 3, inf, nan]
out['by infinity'] = float32[9] [-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, nan]
out['below nought'] = float32[9] [inf, inf, inf, -0.25, 0.25, 0.5, 3, inf, nan]
out['shrunk'] = float32[9] [-inf, -3, 0, 0, 0, 0, 3, inf, nan]
out['shrunk by nought'] = float32[9] [-inf, -3, -0.5, -0.25, 0.25, 0.5, 3, inf, nan]
out['shrunk by less'] = float32[9] [-inf, -3, -0.5, -0.25, 0.25, 0.5, 3, inf, nan]
out['shrunk by infinity'] = float32[9] [0, 0, 0, 0, 0, 0, 0, 0, nan]
out['shrunk by NaN'] = float32[9] [-inf, -3, -0.5, -0.25, 0.25, 0.5, 3, inf, nan]
out['to one number'] = float32[9] [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, nan]
out['falling'] = float32[9] [inf, 3, 0.5, 0.25, 0.25, 0.5, 3, inf, nan]
out['whole'] = int64[4] [7, 7, 3, 200]
out['by a fraction'] = int64[4] [7, 7, 3, 200]
out['bytes'] = uint8[4] [7, 7, 7, 7]
""")
