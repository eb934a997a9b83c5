"""Operators that a compiler takes apart in a way of its own, for a dtype, an option or a size."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options")
def test_extremes_and_sums_that_are_taken_apart(check: Check) -> None:
    """The largest of truths with its dimension kept, complex sums with a factor, means of whole numbers by index."""

    def program(a: torch.Tensor, numbers: torch.Tensor, whole: torch.Tensor, rows: torch.Tensor) -> dict[str, object]:
        truths = a > 0.5
        return {
            "any": truths.amax(1, keepdim=True),
            "all": truths.amin(1, keepdim=True) | truths.amin(0, keepdim=True),
            "any without": truths.amax(0),
            "all without": truths.amin((0, 1)),
            "complex": torch.add(numbers, numbers.conj(), alpha=2),
            "complex turned": torch.add(numbers.t(), numbers[0, 0], alpha=1j),
            "complex numbers": torch.add(numbers[0, 1], numbers[1, 0], alpha=0.5),
            "mean": whole.int().index_reduce(0, rows, whole.int() - 20, "mean"),
            "mean of others": whole.index_reduce(1, rows, -whole, "mean", include_self=False),
            "mean of numbers": a.index_reduce(0, rows, a * 3, "mean", include_self=False),
            "rounded": torch.round(a * 100, decimals=-1) + torch.round(a, decimals=2),
            "least": torch.fmin(a, a.flip(1)) - torch.fmax(a, a.flip(0)),
            "sum of twos": torch.logaddexp2(a, a.t() * 2) - torch.logaddexp(a * 3, a.t()),
            "lower triangle": torch.tril_indices(5, 7, 1),
            "upper triangle": torch.triu_indices(6, 5, -2),
            "place": torch.searchsorted(a.sort(1).values[0], 0.25, right=True),
            "bucket": torch.bucketize(0.5, a.sort(1).values[0], out_int32=True),
            "one alone": torch.cat([a[:0], a], 0) + torch.cat([a, a], -1)[:, 2:5],
            "outer": a[:, :1] @ a[:1] + torch.bmm(a[None, :1], a[None, :, :1]) * 2,
        }

    parts = (
        tensor(3, 3),
        tensor(3, 3, dtype=torch.complex64),
        tensor(3, 3, dtype=torch.int64),
        tensor(3, dtype=torch.int64, values=[2, 0, 2]),
    )
    check(program, *parts).values().expect("""\
out['any'] = bool[3, 1] [[True], [True], [True]]
out['all'] = bool[3, 3] [[False, False, False], [False, False, False], [False, False, False]]
out['any without'] = bool[3] [True, True, True]
out['all without'] = bool[] False
out['complex'] = complex64[3, 3] [[1.35+0.1632j, 1.776+0.3861j, -1.498+0.04794j], [0.353+0.6377j, 1.837-0.3745j,
    0.1065-0.9115j], [-2.988-0.369j, -1.506-0.5164j, -4.528-0.8327j]]
out['complex turned'] = complex64[3, 3] [[0.6133+0.287j, 0.2808-0.1875j, -0.8327+0.8192j], [0.7553+0.06406j,
    0.7756+0.8246j, -0.3389+0.9666j], [-0.3362+0.4022j, 0.1987+1.362j, -1.346+1.283j]]
out['complex numbers'] = complex64[] 0.651-0.7049j
out['mean'] = int32[3, 3] [[-7, -4, -8], [5, 5, 2], [-9, -7, -8]]
out['mean of others'] = int64[3, 3] [[-7, 7, -2], [-5, 5, -4], [-7, 7, -7]]
out['mean of numbers'] = float32[3, 3] [[-4.146, -1.368, 3.046], [-1.382, -0.4561, 1.015], [-1.35, -2.594, -2.056]]
out['rounded'] = float32[3, 3] [[70.69, -262.6, -20.24], [-141.4, -50.46, 101], [-161.6, 90.9, -111.1]]
out['least'] = float32[3, 3] [[-0.9255, -3.531, 0], [0, 0, -2.397], [-2.273, 0, -1.348]]
out['sum of twos'] = float32[3, 3] [[-0.2151, -0.315, 0.3053], [1.144, 0.4523, -0.695], [0.2998, -0.2987, 0.4434]]
out['lower triangle'] = int64[2, 20] [0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, ..., 2, 3, 4, 5]
out['upper triangle'] = int64[2, 24] [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, ..., 3, 4, 3, 4]
out['place'] = int64[] 2
out['bucket'] = int32[] 2
out['one alone'] = float32[3, 3] [[0.4475, -1.944, -2.869], [-0.3668, -1.838, 0.5591], [-2.719, -0.6858, -0.2312]]
out['outer'] = float32[1, 3, 3] [[[9.442, 7.165, 8.806], [8.022, 12.61, 9.301], [7.881, 13.14, 9.35]]]
""")


@clause("numbers.options", "layout.like")
def test_constants_like_a_tensor_in_a_memory_format(check: Check) -> None:
    """A constant like a tensor lies in memory as it is asked to, or as the tensor does, in either dtype."""

    def program(image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        turned = image.permute(1, 2, 3, 0)
        return (
            torch.full_like(image, 2.5, memory_format=torch.channels_last),
            torch.full_like(turned, 3, dtype=torch.int32),
            torch.full_like(turned, 1.5, memory_format=torch.contiguous_format),
            torch.zeros_like(image, memory_format=torch.channels_last) + image,
        )

    result = check(program, tensor(2, 3, 4, 5)).strides("out[0]", 60, 1, 15, 3).strides("out[1]", 20, 5, 1, 60)
    result.strides("out[2]", 40, 10, 2, 1).computed()


@clause("numbers.options", modes="train")
def test_recurrent_layers(check: Check) -> None:
    """Layers that follow each other in time and in depth, both ways in time, with and without offsets."""

    def program(
        a: torch.Tensor, start: torch.Tensor, both: list[torch.Tensor], deep: list[torch.Tensor], offset: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        pair = start[:2]
        single = [part[:9] for part in both[:2]]
        gated, cell = torch.lstm(a, (start, start * 2), [*both, *deep], False, 2, 0.5, False, True, False)[:2]
        return {
            "gated": gated,
            "cell": cell,
            "gates": torch.gru(a, pair, [part[:9] for part in both], False, 1, 0.0, True, True, True)[0],
            "offsets": torch.gru(a, pair[1:], [*single, offset, offset * 2], True, 1, 0.0, True, False, True)[0],
            "bends": torch.rnn_tanh(a, pair, [part[:3] for part in both], False, 1, 0.0, True, True, False)[0],
            "cuts": torch.rnn_relu(a, pair[:1], [part[:3] for part in both[:2]], False, 1, 0.0, True, False, True)[0],
        }

    both = [tensor(12, 4), tensor(12, 3), tensor(12, 4), tensor(12, 3)]
    deep = [tensor(12, 6), tensor(12, 3), tensor(12, 6), tensor(12, 3)]
    check(program, tensor(2, 2, 4), tensor(4, 2, 3), both, deep, tensor(9), exact=False).values().expect("""\
out['gated'] = float32[2, 2, 6] [[[0.4698, 0.3585, -0.1951, 0.0881, 0.1099, -0.1824], [0.2835, -0.2938, 0.09416,
    0.4449, 0.09008, 0.2058]], [[0.4407, 0.195, -0.4217, 0.001035, 0.01634, -0.2307], [0.3331, -0.393, 0.07142,
    0.663, 0.1991, 0.2493]]]
out['cell'] = float32[4, 2, 3] [[[0.118, -0.1963, 0.2935], [-0.03887, 0.0684, 0.02998]], [[-0.1243, -0.1993,
    -0.8249], [-0.2218, 0.04199, 0.1599]], [[0.4407, 0.195, -0.4217], [0.3331, -0.393, 0.07142]], [[0.0881, 0.1099,
    -0.1824], [0.4449, 0.09008, 0.2058]]]
out['gates'] = float32[2, 2, 6] [[[0.3777, 0.3296, 0.9555, 0.1842, -1.399, -0.7346], [0.9672, -0.9674, 0.7519,
    -0.4608, -1.638, -0.6884]], [[0.454, -0.3863, -0.271, -0.2327, -0.08532, -0.2508], [0.3249, -0.03472, 0.5566,
    -0.07275, -0.2514, -0.5026]]]
out['offsets'] = float32[2, 2, 3] [[[-0.417, 0.8596, -0.9814], [0.9981, -0.9862, -0.9816]], [[-0.5635, -0.7604,
    -0.9113], [-0.7637, 0.1346, -0.9672]]]
out['bends'] = float32[2, 2, 6] [[[0.9786, -0.2581, 0.6357, -0.9745, 0.9083, 0.6893], [-0.9845, 0.6527, -0.9984,
    0.9697, -0.9767, 0.681]], [[0.9956, -0.9822, -0.8989, -0.2814, 0.3539, 0.9611], [-0.9878, 0.998, 0.986, 0.4487,
    -0.5204, -0.9839]]]
out['cuts'] = float32[2, 2, 3] [[[2.264, 0, 0.7508], [0.8729, 0, 0]], [[0.1007, 0.8796, 0], [0, 0.8701, 2.944]]]
""")


@clause("numbers.options")
def test_dropout_between_recurrent_layers(check: Check) -> None:
    """In training what goes from one recurrent layer to the next is dropped: by a probability of one, all of it."""

    def program(a: torch.Tensor, start: torch.Tensor, parts: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        gates = [part[:9] for part in parts]
        plain = [part[:3] for part in parts]
        return {
            "gated": torch.lstm(a, (start, start), parts, True, 2, 1.0, True, False, False)[0],
            "gates": torch.gru(a, start, gates, True, 2, 1.0, True, False, False)[0],
            "bends": torch.rnn_tanh(a, start, plain, True, 2, 1.0, True, False, False)[0],
        }

    layer = [tensor(12, 3), tensor(12, 3), tensor(12), tensor(12)]
    other = [tensor(12, 3), tensor(12, 3), tensor(12), tensor(12)]
    check(program, tensor(2, 1, 3), tensor(2, 1, 3), [*layer, *other], exact=False).values().expect("""\
out['gated'] = float32[2, 1, 3] [[[-0.07311, -0.003503, -0.04785]], [[-0.09897, -0.05894, 0.1516]]]
out['gates'] = float32[2, 1, 3] [[[-1.581, 0.1668, 0.1393]], [[-1.125, 0.1995, 0.3894]]]
out['bends'] = float32[2, 1, 3] [[[-0.9965, -0.9582, -0.9966]], [[-0.3142, 0.498, -0.9628]]]
""")


@clause("numbers.options")
def test_extremes_of_all_truths_kept(check: Check) -> None:
    """The largest and the least of all truths have each dimension once, where dimensions are kept."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        truths = a > 0.5
        return {"any": truths.amax(keepdim=True), "all": truths.amin((), keepdim=True)}

    check(program, tensor(2, 3)).shape("out['any']", 1, 1).shape("out['all']", 1, 1).values().expect("""\
out['any'] = bool[1, 1] [[True]]
out['all'] = bool[1, 1] [[False]]
""")


@clause("numbers.options")
def test_truths_over_no_dimensions(check: Check) -> None:
    """Whether any number is other than nought, or all are, is told of each alone where no dimension is named."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        truths = a > 1
        return {
            "any": torch.any(a, dim=()),
            "all": torch.all(a, dim=(), keepdim=True),
            "truths": torch.all(truths, dim=()),
        }

    check(program, tensor(2, 3, values=[[0.0, 1.0, 2.0], [3.0, 0.0, -1.0]])).values().expect("""\
out['any'] = bool[2, 3] [[False, True, True], [True, False, True]]
out['all'] = bool[2, 3] [[False, True, True], [True, False, True]]
out['truths'] = bool[2, 3] [[False, False, True], [True, False, False]]
""")


@clause("numbers.options", modes="train")
def test_states_and_projections_of_recurrent_layers(check: Check) -> None:
    """A layer hands back its last state, projected if it has a matrix for that, and its last cell, offsets or not."""

    def program(
        a: torch.Tensor, small: torch.Tensor, start: torch.Tensor, parts: list[torch.Tensor], offset: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        given, held, kept, down = parts
        back = [-part for part in (given, held, down)]
        two = torch.lstm(a, (small, start), [given, held, down, *back], False, 1, 0.0, True, True, False)
        one = torch.lstm(
            a, (small[:1], start[:1]), [given, held, offset, offset * 2, down], True, 1, 0.0, True, False, True
        )
        plain = torch.lstm(a, (start[:1], start[1:]), [given, kept], False, 1, 0.0, True, False, False)
        gates = torch.gru(a, start[:1], [given[:9], kept[:9]], False, 1, 0.0, True, False, False)
        bends = torch.rnn_tanh(a, start, [given[:3], kept[:3]] * 2, False, 1, 0.0, True, True, False)
        layers = {"two ways": two, "offsets": one, "plain": plain, "gates": gates, "bends": bends}
        return {f"{name} {place}": part * 2 for name, layer in layers.items() for place, part in enumerate(layer)}

    parts = [tensor(12, 4), tensor(12, 2), tensor(12, 3), tensor(2, 3)]
    check(
        program, tensor(2, 2, 4), tensor(2, 2, 2), tensor(2, 2, 3), parts, tensor(12), exact=False
    ).values().expect("""\
out['two ways 0'] = float32[2, 2, 4] [[[1.121, 0.01002, 0.3397, -0.02272], [-2.688, -1.105, -0.0656, -0.08853]],
    [[2.89, -0.2323, -0.8665, -0.9516], [0.08353, 0.07586, 1.912, 0.2487]]]
out['two ways 1'] = float32[2, 2, 2] [[[2.89, -0.2323], [0.08353, 0.07586]], [[0.3397, -0.02272], [-0.0656,
    -0.08853]]]
out['two ways 2'] = float32[2, 2, 3] [[[-1.824, -0.6958, 2.254], [-0.243, 0.5688, 1.203]], [[0.4019, -0.08179,
    0.2032], [-0.3387, 0.5103, 1.634]]]
out['offsets 0'] = float32[2, 2, 2] [[[2.003, 0.4932], [-0.2372, -1.127]], [[-0.638, -0.2933], [0.5369, 1.303]]]
out['offsets 1'] = float32[1, 2, 2] [[[-0.2372, -1.127], [0.5369, 1.303]]]
out['offsets 2'] = float32[1, 2, 3] [[[-0.001875, -1.735, 1.068], [0.2844, 1.239, 1.996]]]
out['plain 0'] = float32[2, 2, 3] [[[-1.489, 0.07715, 0.01498], [0.3753, -0.07569, -0.1191]], [[-0.6324, -0.03471,
    -0.01058], [-0.0157, 0.2514, 0.1644]]]
out['plain 1'] = float32[1, 2, 3] [[[-0.6324, -0.03471, -0.01058], [-0.0157, 0.2514, 0.1644]]]
out['plain 2'] = float32[1, 2, 3] [[[-0.7354, -0.06485, -0.01302], [-0.1936, 1.031, 1.838]]]
out['gates 0'] = float32[2, 2, 3] [[[-4.431, -0.5496, 1.982], [1.994, -1.912, -3.563]], [[-3.137, -0.1529, 1.699],
    [-1.38, 1.074, 1.596]]]
out['gates 1'] = float32[1, 2, 3] [[[-3.137, -0.1529, 1.699], [-1.38, 1.074, 1.596]]]
out['bends 0'] = float32[2, 2, 6] [[[2, 1.979, -1.797, -1.954, 0.6735, 1.961], [-1.78, -0.142, -1.803, 1.981,
    -0.1305, -2]], [[0.6727, -1.651, -1.266, 1.995, 0.03969, -1.863], [1.979, 1.933, 1.98, -1.997, 1.59, 1.997]]]
out['bends 1'] = float32[2, 2, 3] [[[0.6727, -1.651, -1.266], [1.979, 1.933, 1.98]], [[-1.954, 0.6735, 1.961],
    [1.981, -0.1305, -2]]]
""")


@clause("numbers.options")
def test_offsets_of_recurrent_layers(check: Check) -> None:
    """Each offset of a layer is added once outside of training, where layers of cells may be one kernel's."""

    def program(
        a: torch.Tensor, start: torch.Tensor, parts: list[torch.Tensor], double: list[torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        fewer = {rows: [part[:rows] for part in parts] for rows in (9, 3)}
        plain = [part for part in parts if part.dim() > 1]
        wide = start.double()
        layers = {
            "gated": torch.lstm(a, (start, start * 2), parts, True, 1, 0.0, False, True, False),
            "gated, plain": torch.lstm(a, (start, start * 2), plain, False, 1, 0.0, False, True, True),
            "gated in double": torch.lstm(a.double(), (wide[:1], wide[1:]), double, True, 1, 0.0, False, False, True),
            "gates": torch.gru(a, start, fewer[9], True, 1, 0.0, False, True, False),
            "bends": torch.rnn_tanh(a, start, fewer[3], True, 1, 0.0, False, True, True),
            "cuts": torch.rnn_relu(a, start, fewer[3], True, 1, 0.0, False, True, False),
        }
        return {f"{name} {place}": part * 2 for name, layer in layers.items() for place, part in enumerate(layer)}

    layer = [tensor(12, 4), tensor(12, 3), tensor(12), tensor(12)]
    other = [tensor(12, 4), tensor(12, 3), tensor(12), tensor(12)]
    double = [tensor(*shape, dtype=torch.float64) for shape in ((12, 4), (12, 3), (12,), (12,))]
    parts = tensor(2, 2, 4, grad=False), tensor(2, 2, 3), [*layer, *other], double
    check(program, *parts, exact=False).values().expect("""\
out['gated 0'] = float32[2, 2, 6] [[[0.007943, -1.146, 0.2122, -0.6469, -1.352, 0.008268], [0.6276, -1.995,
    -0.06763, -0.38, 0.06221, 0.656]], [[0.413, -1.467, -0.1912, -0.8721, -1.415, 1.186], [0.04946, -0.8654, -1.201,
    -0.09029, 0.5521, -0.03845]]]
out['gated 1'] = float32[2, 2, 3] [[[0.413, -1.467, -0.1912], [0.04946, -0.8654, -1.201]], [[-0.6469, -1.352,
    0.008268], [-0.38, 0.06221, 0.656]]]
out['gated 2'] = float32[2, 2, 3] [[[0.7053, -7.534, -0.8595], [2.087, -6.746, -1.626]], [[-1.368, -2.389, 0.1323],
    [-0.4367, 2.102, 0.6863]]]
out['gated, plain 0'] = float32[2, 2, 6] [[[-0.05848, -0.9463, 0.05844, -0.5168, -1.467, -0.01884], [-0.7491,
    -1.899, -0.06262, -1.101, -1.39, -1.196]], [[0.04861, -1.584, -0.1696, -0.03959, 0.1152, -0.05801], [0.1291,
    -0.5806, -0.3995, -0.05963, 1.011, -0.04165]]]
out['gated, plain 1'] = float32[2, 2, 3] [[[-0.7491, -1.899, -0.06262], [0.1291, -0.5806, -0.3995]], [[-0.5168,
    -1.467, -0.01884], [-0.03959, 0.1152, -0.05801]]]
out['gated, plain 2'] = float32[2, 2, 3] [[[-0.8624, -3.843, -1.695], [1.638, -4.895, -0.4439]], [[-1.28, -1.906,
    -0.3223], [-0.264, 2.076, -0.06262]]]
out['gated in double 0'] = float64[2, 2, 3] [[[-1.038, -0.2116, -0.2094], [-0.06976, -0.08986, -1.202]], [[-0.148,
    0.1124, 0.9758], [0.3652, 0.5311, -0.336]]]
out['gated in double 1'] = float64[1, 2, 3] [[[-0.06976, -0.08986, -1.202], [0.3652, 0.5311, -0.336]]]
out['gated in double 2'] = float64[1, 2, 3] [[[-1.06, -1.458, -1.699], [0.5817, 0.6236, -0.6815]]]
out['gates 0'] = float32[2, 2, 6] [[[0.219, -4.108, 0.6616, -1.611, -0.6303, 0.9004], [-0.2748, -4.377, -1.465,
    -0.146, 1.516, 1.541]], [[0.6275, -4.062, -0.6429, -1.483, -0.837, 1.693], [1.459, -3.988, -1.213, 0.178, 1.875,
    -1.021]]]
out['gates 1'] = float32[2, 2, 3] [[[0.6275, -4.062, -0.6429], [1.459, -3.988, -1.213]], [[-1.611, -0.6303, 0.9004],
    [-0.146, 1.516, 1.541]]]
out['bends 0'] = float32[2, 2, 6] [[[2, 1.781, -2, 1.108, 1.955, -1.989], [-1.873, -0.2913, 2, -0.3711, 1.56, 2]],
    [[1.917, 1.984, -1.999, 1.812, -0.8531, 1.765], [1.628, -0.8241, 1.966, 0.8331, 1.563, 0.563]]]
out['bends 1'] = float32[2, 2, 3] [[[-1.873, -0.2913, 2], [1.628, -0.8241, 1.966]], [[1.108, 1.955, -1.989], [1.812,
    -0.8531, 1.765]]]
out['cuts 0'] = float32[2, 2, 6] [[[12.35, 2.849, 0, 8.701, 4.735, 0], [2.76, 5.645, 0, 5.213, 0.4727, 0.172]], [[0,
    0, 20.05, 0, 0.8286, 12.62], [3.304, 0, 14.19, 0.887, 2.098, 0.5786]]]
out['cuts 1'] = float32[2, 2, 3] [[[0, 0, 20.05], [3.304, 0, 14.19]], [[8.701, 4.735, 0], [5.213, 0.4727, 0.172]]]
""")


@clause("numbers.options")
def test_projections_outside_of_training(check: Check) -> None:
    """A layer whose state is projected hands the projected one on and back, where no slopes are asked for."""

    def program(
        a: torch.Tensor, small: torch.Tensor, start: torch.Tensor, parts: list[torch.Tensor], down: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        first = torch.lstm(a, (small, start), [*parts, down], True, 1, 0.0, False, False, False)
        rows = torch.lstm(a, (small, start), [*parts[:2], down], False, 1, 0.0, False, False, True)
        layers = {"offsets": first, "rows first": rows}
        return {f"{name} {place}": part * 2 for name, layer in layers.items() for place, part in enumerate(layer)}

    parts = [tensor(12, 4, grad=False), tensor(12, 2, grad=False), tensor(12, grad=False), tensor(12, grad=False)]
    a, small, start = (tensor(*shape, grad=False) for shape in ((2, 2, 4), (1, 2, 2), (1, 2, 3)))
    check(program, a, small, start, parts, tensor(2, 3, grad=False), exact=False).values().expect("""\
out['offsets 0'] = float32[2, 2, 2] [[[-0.8361, 1.52], [-2.309, 0.6017]], [[0.6985, 0.9072], [0.1395, 0.4247]]]
out['offsets 1'] = float32[1, 2, 2] [[[0.6985, 0.9072], [0.1395, 0.4247]]]
out['offsets 2'] = float32[1, 2, 3] [[[-1.016, -1.242, 1.537], [1.073, -1.075, -0.4496]]]
out['rows first 0'] = float32[2, 2, 2] [[[-1.046, 1.208], [-2.336, 0.3744]], [[-1.313, 0.283], [-0.993, -0.07715]]]
out['rows first 1'] = float32[1, 2, 2] [[[-2.336, 0.3744], [-0.993, -0.07715]]]
out['rows first 2'] = float32[1, 2, 3] [[[-1.902, -1.443, -1.664], [-1.406, 0.8196, -0.4107]]]
""")


@clause("numbers.options", modes="no_grad")
def test_recurrent_layers_of_more_steps_than_rows(check: Check) -> None:
    """Of three steps in each of two rows come as many, be the rows or the steps first, whatever reads them then."""

    def program(a: torch.Tensor, start: torch.Tensor, parts: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        turned = a.transpose(0, 1).contiguous()
        steps = torch.lstm(a, (start, start * 3), parts, True, 1, 0.0, False, False, False)
        rows = torch.lstm(turned, (start, start * 2), parts, True, 1, 0.0, False, False, True)
        gates = torch.gru(a, start, [part[:9] for part in parts], True, 1, 0.0, False, False, False)
        return {"steps": steps[0].sin(), "rows": rows[0].sin(), "gates": gates[0].sin()}

    parts = [tensor(12, 4), tensor(12, 3), tensor(12), tensor(12)]
    check(program, tensor(3, 2, 4), tensor(1, 2, 3), parts, exact=False).shape("out['rows']", 2, 3, 3).computed()


@clause("numbers.options")
def test_last_states_of_layers_on_each_other(check: Check) -> None:
    """The last state of each layer comes back in the order of the layers, in which they follow each other."""

    def program(a: torch.Tensor, start: torch.Tensor, parts: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        narrow = [part[:3] for part in parts]
        return {
            "cuts": torch.rnn_relu(a, start, narrow, False, 2, 0.0, False, False, True)[1],
            "bends": torch.rnn_tanh(a, start, narrow, False, 2, 0.0, False, False, False)[1],
            "gates": torch.gru(a, start, parts, False, 2, 0.0, False, False, True)[1],
        }

    parts = [tensor(9, 4), tensor(9, 3), tensor(9, 3), tensor(9, 3)]
    check(program, tensor(2, 2, 4), tensor(2, 2, 3), parts, exact=False).values().expect("""\
out['cuts'] = float32[2, 2, 3] [[[0, 9.724, 4.674], [2.961, 0.2373, 0]], [[10.08, 1.762, 1.824], [0.673, 0, 1.493]]]
out['bends'] = float32[2, 2, 3] [[[-0.9502, 0.9522, 0.9559], [0.9951, -0.9679, -0.9104]], [[0.8687, 0.8606, 0.7534],
    [-0.6155, -0.136, -0.1169]]]
out['gates'] = float32[2, 2, 3] [[[-0.5993, -0.7517, -0.9311], [0.3495, -1.409, -0.7202]], [[-0.8578, -0.2393,
    -1.371], [-0.5547, -0.7626, 0.9387]]]
""")
