"""Vectors of length one, parts of a bounded length, and weights of a direction and a length."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_vectors_of_length_one(check: Check) -> None:
    """A vector is divided by its norm of the power that is told, or by `eps` if that is larger."""

    def program(a: torch.Tensor, short: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "rows": functional.normalize(a),
            "columns": functional.normalize(a, dim=0),
            "sums": functional.normalize(a, p=1.0, dim=-1),
            "largest": functional.normalize(a, p=float("inf")),
            "power three": functional.normalize(a, p=3.0, eps=2.5),
            "short": functional.normalize(short, eps=0.25),
            "half": functional.normalize(a.abs() + 1, p=0.5, dim=0),
        }

    short = tensor(3, 2, values=[[0.125, 0.0], [0.0, -0.0], [3.0, 4.0]])
    check(program, tensor(3, 4), short).values().expect("""\
out['rows'] = float32[3, 4] [[0.2244, -0.8599, -0.07814, -0.4518], [-0.2134, 0.475, -0.7424, 0.4215], [-0.4521,
    -0.8876, 0.06667, -0.05654]]
out['columns'] = float32[3, 4] [[0.4903, -0.7327, -0.1482, -0.8347], [-0.3257, 0.2828, -0.9835, 0.544], [-0.8084,
    -0.6191, 0.1035, -0.08549]]
out['sums'] = float32[3, 4] [[0.139, -0.5327, -0.0484, -0.2799], [-0.1152, 0.2565, -0.4008, 0.2276], [-0.3091,
    -0.6067, 0.04557, -0.03865]]
out['largest'] = float32[3, 4] [[0.261, -1, -0.09087, -0.5255], [-0.2875, 0.6399, -1, 0.5678], [-0.5094, -1,
    0.07511, -0.06369]]
out['power three'] = float32[3, 4] [[0.2481, -0.9507, -0.08639, -0.4996], [-0.1824, 0.4061, -0.6346, 0.3603],
    [-0.4528, -0.8889, 0.06677, -0.05662]]
out['short'] = float32[3, 2] [[0.5, 0], [0, -0], [0.6, 0.8]]
out['half'] = float32[3, 4] [[0.1072, 0.1385, 0.08573, 0.1496], [0.0926, 0.07688, 0.179, 0.1194], [0.1356, 0.1229,
    0.08074, 0.07169]]
""")


@clause("numbers.options", modes="train")
def test_parts_of_a_bounded_length(check: Check) -> None:
    """Parts along a dimension that are longer than the bound are scaled down to it, and the length has a power."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "rows": torch.renorm(a, 2, 0, 1.5),
            "columns": torch.renorm(a, 1, 2, 2.0),
            "by the largest": torch.renorm(a, float("inf"), 1, 0.75),
            "long enough": torch.renorm(a, 3, 0, 50.0),
        }

    check(program, tensor(3, 2, 4)).values().expect("""\
out['rows'] = float32[3, 2, 4] [[[-0.1864, -0.5559, 0.7186, -0.393], [-0.1856, 0.4221, -0.3714, 0.9407]], [[0.1455,
    -0.2743, -0.8015, 0.8048], [-0.7259, -0.05571, -0.224, -0.5321]], [[-0.2959, -0.5363, -0.67, -0.09624], [0.6436,
    -0.5362, 0.688, -0.4913]]]
out['columns'] = float32[3, 2, 4] [[[-0.1826, -0.4844, 0.436, -0.2552], [-0.1818, 0.3677, -0.2253, 0.6109]],
    [[0.1263, -0.2118, -0.4308, 0.463], [-0.6299, -0.04301, -0.1204, -0.3062]], [[-0.277, -0.4466, -0.3885,
    -0.05973], [0.6024, -0.4465, 0.3989, -0.3049]]]
out['by the largest'] = float32[3, 2, 4] [[[-0.1946, -0.5802, 0.75, -0.4102], [-0.148, 0.3365, -0.2961, 0.75]],
    [[0.1346, -0.2537, -0.7411, 0.7441], [-0.5128, -0.03935, -0.1583, -0.3759]], [[-0.2951, -0.535, -0.6683,
    -0.09599], [0.4904, -0.4086, 0.5242, -0.3743]]]
out['long enough'] = float32[3, 2, 4] [[[-0.3922, -1.17, 1.512, -0.8268], [-0.3905, 0.8879, -0.7813, 1.979]],
    [[0.2713, -0.5113, -1.494, 1.5], [-1.353, -0.1038, -0.4176, -0.9918]], [[-0.5949, -1.078, -1.347, -0.1935],
    [1.294, -1.078, 1.383, -0.9878]]]
""")


@clause("numbers.options", modes="train")
def test_weights_of_a_direction_and_a_length(check: Check) -> None:
    """Weights that are taken apart into directions and lengths have one length along any dimension."""

    def program(a: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "rows": torch.ops.aten._weight_norm(a, rows, 0),
            "columns": torch.ops.aten._weight_norm(a, columns, 1),
            "last": torch.ops.aten._weight_norm(a, columns, -1),
        }

    check(program, tensor(3, 4), tensor(3, 1), tensor(1, 4)).gradient(0, 1, 2).values().expect("""\
out['rows'] = float32[3, 4] [[-0.5192, 1.989, 0.1808, 1.045], [0.1251, -0.2785, 0.4353, -0.2471], [0.2177, 0.4273,
    -0.03209, 0.02722]]
out['columns'] = float32[3, 4] [[-0.2036, 1.642, 0.09591, -0.7941], [0.1353, -0.634, 0.6367, 0.5176], [0.3357,
    1.388, -0.06698, -0.08134]]
out['last'] = float32[3, 4] [[-0.06345, 1.312, 0.03443, -0.2926], [0.04215, -0.5065, 0.2286, 0.1907], [0.1046,
    1.109, -0.02405, -0.02997]]
""")


@clause("numbers.options", modes="train", devices="cpu")
def test_lengths_of_the_weights_of_a_vector(check: Check) -> None:
    """Each number of a vector has a length of its own, so that nothing but its sign is left as its direction."""

    def program(a: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten._weight_norm(a, lengths, 0) * 2

    check(program, tensor(4, grad=False), tensor(4, values=[1.0, 2.0, 3.0, 4.0])).gradient(0).values().expect("""\
out = float32[4] [2, -4, -6, -8]
""")


@clause("numbers.options", "numbers.low-precision", modes="train")
def test_weights_of_few_bits_of_a_direction_and_a_length(check: Check) -> None:
    """Directions and lengths in bfloat16 have gradients of as few bits, along the first dimension and the last."""

    def program(a: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "rows": torch.ops.aten._weight_norm(a, rows, 0),
            "turned": torch.ops.aten._weight_norm(a.t(), rows.t(), 1),
            "columns": torch.ops.aten._weight_norm(a, columns, 1),
        }

    inputs = [tensor(*size, dtype=torch.bfloat16) for size in ((3, 4), (3, 1), (1, 4))]
    check(program, *inputs, exact=False).gradient(0, 1, 2).computed()


@clause("numbers.options", "numbers.low-precision", modes="train", devices="cpu")
def test_weights_in_half_precision_of_a_direction_and_a_length(check: Check) -> None:
    """Directions and lengths in half precision have gradients of as few bits."""

    def program(a: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten._weight_norm(a, rows, 0)

    inputs = [tensor(*size, dtype=torch.float16) for size in ((3, 4), (3, 1))]
    check(program, *inputs, exact=False).gradient(0, 1).computed()
