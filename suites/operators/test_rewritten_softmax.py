"""Softmax that is written out, of scaled and whole numbers and of truths: what a rewrite may make of it."""

import torch

from suites.harness import Check, clause, tensor

INF = float("inf")


@clause("numbers.near-misses")
def test_softmax_that_is_written_out(check: Check) -> None:
    """Scores less their largest, with any scale: below nought, of each row, along it, from the left, rounded."""

    def program(a: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> dict[str, torch.Tensor]:
        def less_largest(scores: torch.Tensor, dim: int | tuple[int, ...] = 1) -> torch.Tensor:
            return scores - scores.amax(dim, keepdim=True)

        return {
            "above": less_largest(a * 2.5),
            "below": less_largest(a * -2.5),
            "from the left": less_largest(-0.5 * a),
            "of each row": less_largest(a * rows),
            "of each row, from the left": less_largest(rows * a),
            "along the row": less_largest(a * columns),
            "along the other": less_largest(a * columns, 0),
            "of both": less_largest(a * rows[:1], (0, 1)),
            "of both along the row": less_largest(a * columns, (0, 1)),
            "quotient": less_largest(a / -4),
            "quotient of columns": less_largest(a / 3, 0),
            "quotient of columns of a square": less_largest(a[:, :3] / 3, 0),
            "square": less_largest(a[:, :3] * 0.5, 0),
            "quotients of rows": less_largest(a / rows),
            "quotients along": less_largest(a / columns),
            "rounded": less_largest((a * rows).bfloat16()).float(),
            "rounded quotient": less_largest((a / -3).half()).float(),
            "endless": less_largest(torch.where(a > 1, INF, a) * 2),
        }

    parts = tensor(3, 4), tensor(3, 1, values=[[2.0], [-1.5], [0.0]]), tensor(4, values=[1.0, -2.0, 0.5, -0.25])
    check(program, *parts).values().expect("""\
out['above'] = float32[3, 4] [[0, -8.291, -2.314, -5.171], [-3.678, 0, -6.504, -0.286], [-3.247, -5.973, 0,
    -0.7712]]
out['below'] = float32[3, 4] [[-8.291, 0, -5.978, -3.12], [-2.826, -6.504, 0, -6.218], [-2.726, 0, -5.973, -5.202]]
out['from the left'] = float32[3, 4] [[-1.658, 0, -1.196, -0.624], [-0.5653, -1.301, 0, -1.244], [-0.5452, 0,
    -1.195, -1.04]]
out['of each row'] = float32[3, 4] [[0, -6.633, -1.851, -4.137], [-1.696, -3.903, 0, -3.731], [0, 0, 0, 0]]
out['of each row, from the left'] = float32[3, 4] [[0, -6.633, -1.851, -4.137], [-1.696, -3.903, 0, -3.731], [0, 0,
    0, 0]]
out['along the row'] = float32[3, 4] [[-4.574, 0, -5.38, -4.915], [-0.2309, -1.805, -0.5681, 0], [-5.577, 0, -4.361,
    -4.409]]
out['along the other'] = float32[3, 4] [[0, 0, -0.203, 0], [-1.143, -7.291, -0.8767, -0.5707], [-1.818, -0.8155, 0,
    -0.3101]]
out['of both'] = float32[3, 4] [[-0.6574, -7.291, -2.508, -4.794], [-2.942, 0, -5.204, -0.2288], [-4.294, -6.475,
    -1.697, -2.313]]
out['of both along the row'] = float32[3, 4] [[-4.574, 0, -5.38, -4.915], [-5.716, -7.291, -6.053, -5.485], [-6.392,
    -0.8155, -5.177, -5.225]]
out['quotient'] = float32[3, 4] [[-0.8291, 0, -0.5978, -0.312], [-0.2826, -0.6504, 0, -0.6218], [-0.2726, 0,
    -0.5973, -0.5202]]
out['quotient of columns'] = float32[3, 4] [[0, -1.215, -0.1353, -0.7609], [-0.3808, 0, -0.5845, 0], [-0.6062,
    -1.079, 0, -0.3474]]
out['quotient of columns of a square'] = float32[3, 3] [[0, -1.215, -0.1353], [-0.3808, 0, -0.5845], [-0.6062,
    -1.079, 0]]
out['square'] = float32[3, 3] [[0, -1.823, -0.203], [-0.5713, 0, -0.8767], [-0.9092, -1.619, 0]]
out['quotients of rows'] = float32[3, 4] [[0, -1.658, -0.4627, -1.034], [-0.7537, -1.735, 0, -1.658], [-inf, -inf,
    nan, -inf]]
out['quotients along'] = float32[3, 4] [[-4.842, -4.213, -6.006, 0], [0, -0.05153, -2.717, -3.147], [-2.243, 0,
    -0.7773, -0.545]]
out['rounded'] = float32[3, 4] [[0, -6.625, -1.852, -4.125], [-1.688, -3.906, 0, -3.719], [0, 0, 0, 0]]
out['rounded quotient'] = float32[3, 4] [[-1.105, 0, -0.7969, -0.4158], [-0.377, -0.8672, 0, -0.8291], [-0.3633, 0,
    -0.7964, -0.6934]]
out['endless'] = float32[3, 4] [[0, -6.633, -1.851, -4.137], [-inf, nan, -inf, -inf], [-2.598, -4.778, 0, -0.6169]]
""")


@clause("numbers.near-misses", "numbers.integers")
def test_softmax_of_scaled_whole_numbers(check: Check) -> None:
    """Whole numbers that are scaled become others before anything is taken off them: none wraps around."""

    def program(small: torch.Tensor, signed: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "bytes": (small * 0.05).softmax(-1),
            "quotients of bytes": (small / 70).softmax(-1),
            "signed": (signed / 70).softmax(-1),
            "its logarithm": (signed * -0.05).log_softmax(-1),
            "from the left": (1e-9 * whole).log_softmax(-1),
        }

    parts = (
        tensor(1, 4, dtype=torch.uint8, values=[[0, 100, 255, 30]]),
        tensor(1, 4, dtype=torch.int8, values=[[-100, 100, 127, -30]]),
        tensor(1, 4, dtype=torch.int32, values=[[-(2**31), 2**31 - 1, 5, -30]]),
    )
    check(program, *parts).values().expect("""\
out['bytes'] = float32[1, 4] [[2.901e-06, 0.0004306, 0.9996, 1.3e-05]]
out['quotients of bytes'] = float32[1, 4] [[0.02227, 0.09292, 0.8506, 0.03418]]
out['signed'] = float32[1, 4] [[0.0214, 0.3725, 0.5479, 0.05816]]
out['its logarithm'] = float32[1, 4] [[-0.02981, -10.03, -11.38, -3.53]]
out['from the left'] = float32[1, 4] [[-4.516, -0.2209, -2.368, -2.368]]
""")


@clause("numbers.near-misses", "numbers.integers")
def test_scaled_whole_numbers_less_their_largest(check: Check) -> None:
    """The largest of whole numbers that were scaled, or wrapped around in a product, is that of what they became."""

    def program(small: torch.Tensor, signed: torch.Tensor) -> dict[str, torch.Tensor]:
        def less_largest(scores: torch.Tensor) -> torch.Tensor:
            return scores - scores.amax(-1, keepdim=True)

        return {
            "scaled bytes": less_largest(small * 0.5),
            "quotients of bytes": less_largest(small / -2),
            "scaled": less_largest(signed * 0.5),
            "wrapped around": less_largest(signed * 2),
        }

    parts = (
        tensor(1, 4, dtype=torch.uint8, values=[[0, 100, 255, 30]]),
        tensor(1, 4, dtype=torch.int8, values=[[-100, 100, 127, -30]]),
    )
    check(program, *parts).values().expect("""\
out['scaled bytes'] = float32[1, 4] [[-127.5, -77.5, 0, -112.5]]
out['quotients of bytes'] = float32[1, 4] [[0, -50, -127.5, -15]]
out['scaled'] = float32[1, 4] [[-113.5, -13.5, 0, -78.5]]
out['wrapped around'] = int8[1, 4] [[0, -112, -58, -116]]
""")


@clause("numbers.near-misses", "numbers.integers")
def test_softmax_of_other_whole_numbers(check: Check) -> None:
    """Whole numbers that are made floats first, are not scaled, are few or of many bits have their softmax."""

    def program(small: torch.Tensor, whole: torch.Tensor, truths: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "floats first": (small.float() * 0.05).softmax(-1),
            "not scaled": small.softmax(-1, dtype=torch.float32),
            "shifted": (small + 0.5).softmax(-1),
            "of many bits": (whole * 0.05).softmax(-1),
            "scaled to whole numbers": (whole * 2).softmax(-1, dtype=torch.float64),
            "truths": (truths * 0.5).softmax(-1),
            "quotients of truths": (truths / -2).log_softmax(-1),
        }

    parts = (
        tensor(1, 4, dtype=torch.uint8, values=[[0, 100, 255, 30]]),
        tensor(1, 4, dtype=torch.int64, values=[[-100, 100, 127, -30]]),
        tensor(1, 3, dtype=torch.bool, values=[[True, False, True]]),
    )
    check(program, *parts).values().expect("""\
out['floats first'] = float32[1, 4] [[2.901e-06, 0.0004306, 0.9996, 1.3e-05]]
out['not scaled'] = float32[1, 4] [[0, 0, 1, 0]]
out['shifted'] = float32[1, 4] [[0, 0, 1, 0]]
out['of many bits'] = float32[1, 4] [[9.344e-06, 0.2058, 0.7939, 0.0003094]]
out['scaled to whole numbers'] = float64[1, 4] [[6.766e-198, 3.533e-24, 1, 4.281e-137]]
out['truths'] = float32[1, 3] [[0.3837, 0.2327, 0.3837]]
out['quotients of truths'] = float32[1, 3] [[-1.294, -0.7944, -1.294]]
""")


@clause("numbers.near-misses", "numbers.integers")
def test_softmax_of_truths_with_a_scale(check: Check) -> None:
    """Truths that are multiplied with a tensor of one number are numbers, which have their softmax."""

    def program(truths: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return (truths * scale).softmax(-1)

    parts = tensor(1, 3, dtype=torch.bool, values=[[True, False, True]]), tensor(1, values=[0.5])
    check(program, *parts).values().expect("""\
out = float32[1, 3] [[0.3837, 0.2327, 0.3837]]
""")
