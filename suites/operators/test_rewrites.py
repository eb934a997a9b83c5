"""What a compiler tidies away before it makes code: beside each program that may be tidied stand those that may not."""

import torch

from suites.harness import Check, clause, tensor

INF = float("inf")


@clause("numbers.near-misses", "numbers.algebra")
def test_constants_that_are_and_are_not_neutral(check: Check) -> None:
    """Adding nought changes nothing, nor does a product with one; with factors, turned round or wider they do."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        zeros, ones = torch.zeros(2, 3, device=a.device), torch.ones(2, 3, device=a.device)
        return {
            "added": (zeros + a).cos(),
            "added with a factor": torch.add(zeros, a, alpha=3),
            "nought with a factor": torch.add(a, zeros, alpha=3) * 2,
            "taken off": (a - zeros).sin(),
            "taken off nought": zeros - a,
            "with a factor": torch.sub(zeros, a, alpha=2),
            "times": ones * a + a * ones,
            "over one": (a / ones).exp(),
            "one over": ones / a,
            "wider": a[0] + torch.zeros(2, 3, device=a.device),
            "wider product": a[:, :1] * torch.ones(3, device=a.device),
            "another dtype": whole + torch.zeros(2, 3, device=a.device, dtype=torch.float64),
            "true quotient": whole / torch.ones(2, 3, device=a.device, dtype=torch.int32),
            "both": zeros + ones * 2 - torch.full((2, 3), 0.5, device=a.device) * a,
            "truths": (a > 0) * torch.ones(2, 3, device=a.device, dtype=torch.bool),
            "number of truths": (a > 0) + torch.ones(2, 3, device=a.device, dtype=torch.bool),
        }

    check(program, tensor(2, 3), tensor(2, 3, dtype=torch.int32)).values().expect("""\
out['added'] = float32[2, 3] [[0.7735, -0.872, 0.9716], [0.1877, 0.8978, 0.5275]]
out['added with a factor'] = float32[2, 3] [[2.059, -7.89, -0.717], [-4.146, -1.368, 3.046]]
out['nought with a factor'] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
out['taken off'] = float32[2, 3] [[0.6338, -0.4895, -0.2367], [-0.9822, -0.4404, 0.8496]]
out['taken off nought'] = float32[2, 3] [[-0.6865, 2.63, 0.239], [1.382, 0.4561, -1.015]]
out['with a factor'] = float32[2, 3] [[-1.373, 5.26, 0.478], [2.764, 0.9121, -2.03]]
out['times'] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
out['over one'] = float32[2, 3] [[1.987, 0.07207, 0.7874], [0.2511, 0.6338, 2.76]]
out['one over'] = float32[2, 3] [[1.457, -0.3802, -4.184], [-0.7236, -2.193, 0.985]]
out['wider'] = float32[2, 3] [[0.6865, -2.63, -0.239], [0.6865, -2.63, -0.239]]
out['wider product'] = float32[2, 3] [[0.6865, 0.6865, 0.6865], [-1.382, -1.382, -1.382]]
out['another dtype'] = float64[2, 3] [[2, 3, 1], [3, 1, 0]]
out['true quotient'] = float32[2, 3] [[2, 3, 1], [3, 1, 0]]
out['both'] = float32[2, 3] [[1.657, 3.315, 2.119], [2.691, 2.228, 1.492]]
out['truths'] = bool[2, 3] [[True, False, False], [False, False, True]]
out['number of truths'] = bool[2, 3] [[True, True, True], [True, True, True]]
""")


@clause("numbers.algebra", "T7.9")
def test_sum_with_nought_is_a_tensor_of_its_own(check: Check) -> None:
    """What nought is added to, or one multiplied, is a tensor of its own, that can be written to."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.zeros(2, 3, device=a.device) + a, b * torch.ones(2, 3, device=a.device)

    result = check(program, tensor(2, 3), tensor(2, 3)).distinct("out[0]", 0).distinct("out[1]", 1)
    result.values().expect("""\
out[0] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
out[1] = float32[2, 3] [[-1.587, 0.9008, -1.132], [-2.222, 0.1669, -0.1415]]
""")


@clause("numbers.algebra", "T7.9", modes=("train", "no_grad"))
def test_what_a_constant_leaves_as_it_is_is_a_tensor_of_its_own(check: Check) -> None:
    """What is scaled by a window of one number or by one, or less nought, is a tensor of its own."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        one, nought = torch.ones((), device=a.device), torch.tensor(0, device=a.device)
        made = a.sin()
        return {
            "windowed": a * torch.hann_window(1, device=a.device),
            "by one": a * one,
            "divided": a / one.expand(4),
            "less nought": a - nought,
            "repeated once": torch.kron(a, one.view(1)),
            "made": made,
            "made and windowed": made * torch.bartlett_window(1, device=a.device),
        }

    result = check(program, tensor(4))
    for name in ("windowed", "by one", "divided", "less nought", "repeated once"):
        result.distinct(f"out[{name!r}]", 0)
    result.distinct("out['made']", "out['made and windowed']").values().expect("""\
out['windowed'] = float32[4] [0.6865, -2.63, -0.239, -1.382]
out['by one'] = float32[4] [0.6865, -2.63, -0.239, -1.382]
out['divided'] = float32[4] [0.6865, -2.63, -0.239, -1.382]
out['less nought'] = float32[4] [0.6865, -2.63, -0.239, -1.382]
out['repeated once'] = float32[4] [0.6865, -2.63, -0.239, -1.382]
out['made'] = float32[4] [0.6338, -0.4895, -0.2367, -0.9822]
out['made and windowed'] = float32[4] [0.6338, -0.4895, -0.2367, -0.9822]
""")


@clause("numbers.algebra", "T7.9", modes=("train", "no_grad"))
def test_dropout_that_drops_nothing_is_a_tensor_of_its_own(check: Check) -> None:
    """What a native dropout returns that drops nothing, in training by nought or outside of it, can be written to."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        made = a.sin()
        return made, torch.native_dropout(made, 0.0, True)[0], torch.native_dropout(made, 0.5, False)[0]

    result = check(program, tensor(4)).distinct("out[0]", "out[1]").distinct("out[0]", "out[2]")
    result.distinct("out[1]", "out[2]").values().expect("""\
out[0] = float32[4] [0.6338, -0.4895, -0.2367, -0.9822]
out[1] = float32[4] [0.6338, -0.4895, -0.2367, -0.9822]
out[2] = float32[4] [0.6338, -0.4895, -0.2367, -0.9822]
""")


@clause("numbers.algebra", "T7.9")
def test_whole_numbers_that_are_rounded_are_tensors_of_their_own(check: Check) -> None:
    """Whole numbers that are rounded, which changes none of them, are not the argument itself."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.floor(), a.ceil(), a.trunc(), a.round()

    result = check(program, tensor(2, 3, dtype=torch.int32))
    for place in range(4):
        result.distinct(f"out[{place}]", 0)
    result.values().expect("""\
out[0] = int32[2, 3] [[6, 1, 6], [5, 4, 7]]
out[1] = int32[2, 3] [[6, 1, 6], [5, 4, 7]]
out[2] = int32[2, 3] [[6, 1, 6], [5, 4, 7]]
out[3] = int32[2, 3] [[6, 1, 6], [5, 4, 7]]
""")


@clause("numbers.algebra", "T7.9")
def test_row_times_one_has_memory_of_its_own(check: Check) -> None:
    """A row of a product, times one, is no part of that product's memory."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a @ a)[2] * 1

    check(program, tensor(4, 4)).computed()


@clause("numbers.near-misses", "numbers.algebra")
def test_constants_of_one_value(check: Check) -> None:
    """A tensor of one value stays that through views, dtypes and arithmetic, but not as bits of another width."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        thirds = torch.full((3, 4), 1 / 3, device=a.device)
        large = torch.full((4,), 2**53 + 1, dtype=torch.int64, device=a.device)
        return {
            "rounded": thirds.bfloat16().float() + a,
            "whole": torch.full((4,), 2.75, dtype=torch.int32, device=a.device) + whole,
            "of truths": torch.full((3, 4), True, device=a.device).sum(0) + whole,
            "views": thirds.t()[1:, :2].reshape(6) * 3 + a[0, 0],
            "large": (large + 0)[:2] + whole[:2],
            "seen as bits": torch.ones(4, device=a.device).view(torch.int32) + whole,
            "halves of bits": torch.ones(2, device=a.device).view(torch.int16) + whole,
            "parts of a number": torch.view_as_real(torch.ones(2, dtype=torch.complex64, device=a.device)).view(4)
            + whole,
            "negative": torch.full((4,), -1, dtype=torch.int64, device=a.device) // 2 + whole,
            "bytes": torch.full((4,), 200, dtype=torch.uint8, device=a.device)
            + torch.full((4,), 100, dtype=torch.uint8, device=a.device),
            "in a row": torch.full((3, 4), 2.0, device=a.device).prod(1) + a[:, 0],
            "summed down": torch.full((3, 4), 2.5, device=a.device).cumsum(0) * a,
            "turned": torch.full((2, 3, 4), 1.5, device=a.device).permute(2, 0, 1) + a.t()[:, None],
            "nothing of it": a * torch.zeros(4, device=a.device) + torch.zeros_like(a).exp(),
        }

    check(program, tensor(3, 4), tensor(4, dtype=torch.int64)).values().expect("""\
out['rounded'] = float32[3, 4] [[1.02, -2.296, 0.09499, -1.048], [-0.1221, 1.349, -1.253, 1.235], [-0.798, -1.888,
    0.5009, 0.1924]]
out['whole'] = int64[4] [5, 7, 6, 3]
out['of truths'] = int64[4] [6, 8, 7, 4]
out['views'] = float32[6] [1.686, 1.686, 1.686, 1.686, 1.686, 1.686]
out['large'] = int64[2] [9007199254740996, 9007199254740998]
out['seen as bits'] = int64[4] [1065353219, 1065353221, 1065353220, 1065353217]
out['halves of bits'] = int64[4] [3, 16261, 4, 16257]
out['parts of a number'] = float32[4] [4, 5, 5, 1]
out['negative'] = int64[4] [2, 4, 3, 0]
out['bytes'] = uint8[4] [44, 44, 44, 44]
out['in a row'] = float32[3] [16.69, 15.54, 14.87]
out['summed down'] = float32[3, 4] [[1.716, -6.575, -0.5975, -3.455], [-2.28, 5.076, -7.933, 4.504], [-8.49, -16.67,
    1.252, -1.062]]
out['turned'] = float32[4, 2, 3] [[[2.186, 1.044, 0.368], [2.186, 1.044, 0.368]], [[-1.13, 2.515, -0.7223], [-1.13,
    2.515, -0.7223]], [[1.261, -0.08658, 1.667], [1.261, -0.08658, 1.667]], [[0.118, 2.401, 1.358], [0.118, 2.401,
    1.358]]]
out['nothing of it'] = float32[3, 4] [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
""")


@clause("numbers.near-misses", "numbers.algebra")
def test_constants_in_their_own_dtype(check: Check) -> None:
    """A constant that is filled or listed has its dtype's value: double, cut, wrapped or a truth, and large exactly."""

    def program(double: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        def filled(value: float, dtype: torch.dtype) -> torch.Tensor:
            return torch.full((3,), value, dtype=dtype, device=double.device)

        def listed(values: object, dtype: torch.dtype) -> torch.Tensor:
            return torch.tensor(values, dtype=dtype, device=double.device)

        return {
            "double": (filled(0.1, torch.float64) + filled(0.2, torch.float64)) * double,
            "a third of it": filled(1, torch.float64) / 3 * double,
            "quotient": filled(7, torch.float32) / 2 + double,
            "cut": filled(2.75, torch.int64) * 2 + whole,
            "wrapped": filled(100, torch.int8) + filled(100, torch.int8) + whole,
            "truth": filled(3, torch.bool) * 5 + whole,
            "halves": filled(0.1, torch.float16) * 3 + double,
            "list": listed([2**24 + 1, -5, 2**53 + 1], torch.int64) + whole,
            "list of one": listed([2**53 + 1], torch.int64) * whole,
            "number": listed(2**53 + 1, torch.int64) - whole,
            "rows": listed([[2**24 + 1], [3]], torch.int64) + whole,
            "list of doubles": listed([0.1, 1 / 3, 1e-9], torch.float64) * double,
            "double number": listed(0.1, torch.float64) * double,
            "list of truths": listed([True, False, True], torch.bool) * whole,
            "list that is cut": listed([0.1, 3.0, 2.7], torch.float32).to(torch.int64) + whole,
        }

    check(program, tensor(3, dtype=torch.float64), tensor(3, dtype=torch.int64)).values().expect("""\
out['double'] = float64[3] [0.2059, -0.789, -0.0717]
out['a third of it'] = float64[3] [0.2288, -0.8767, -0.07967]
out['quotient'] = float64[3] [4.186, 0.8699, 3.261]
out['cut'] = int64[3] [10, 11, 4]
out['wrapped'] = int64[3] [-50, -49, -56]
out['truth'] = int64[3] [11, 12, 5]
out['halves'] = float64[3] [0.9863, -2.33, 0.06081]
out['list'] = int64[3] [16777223, 2, 9007199254740993]
out['list of one'] = int64[3] [54043195528445958, 63050394783186951, 0]
out['number'] = int64[3] [9007199254740987, 9007199254740986, 9007199254740993]
out['rows'] = int64[2, 3] [[16777223, 16777224, 16777217], [9, 10, 3]]
out['list of doubles'] = float64[3] [0.06865, -0.8767, -2.39e-10]
out['double number'] = float64[3] [0.06865, -0.263, -0.0239]
out['list of truths'] = int64[3] [6, 0, 0]
out['list that is cut'] = int64[3] [6, 10, 2]
""")


@clause("numbers.near-misses")
def test_views_that_are_and_are_not_undone(check: Check) -> None:
    """A view of a view is left out where it comes back to what it was, and nowhere else."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        product = a * 2
        return {
            "turned on": product.permute(1, 2, 0).permute(1, 2, 0) + 0.5,
            "turned back": product.permute(1, 2, 0).permute(2, 0, 1) + 1,
            "swapped twice": product.permute(0, 2, 1).permute(0, 2, 1) + 1.5,
            "swapped and turned": product.permute(0, 2, 1).permute(1, 0, 2) + 2,
            "seen otherwise": product.view(9, 3).view(3, 9).t() + 2.5,
            "seen again": product.view(27).view(3, 3, 3).sum(0),
            "seen as a column": product.view(27).view(1, 9, 3).sum(1),
            "seen as it is": product.view(3, 3, 3).cumsum(2),
            "all of it": product[0:3, :, 0:100].cumsum(0),
            "all but one": product[0:2].sum(0) + product[1:].cumsum(0)[0],
            "every other": product[0:3:2].sum(0),
            "repeated once": product.repeat(1, 1, 1).cumsum(1),
            "repeated": product[:1].repeat(1, 2, 1).sum(1),
            "joined alone": torch.cat([product], 1).cumsum(1),
            "padded by nothing": torch.nn.functional.pad(product, (0, 0, 0, 0)).cumsum(2),
            "padded at one side": torch.nn.functional.pad(product, (0, 1, 0, 0), value=7.0).cumsum(2),
            "copied": product.clone().mT.clone().sum(2),
        }

    check(program, tensor(3, 3, 3)).values().expect("""\
out['turned on'] = float32[3, 3, 3] [[[-0.2843, -1.154, -1.063], [0.09041, -2.206, -1.484], [0.7871, -1.656,
    -3.082]], [[-1.839, -0.2809, 4.458], [-0.8603, 0.2923, -0.3973], [0.113, 3.266, 2.691]], [[3.523, 2.276,
    0.9662], [3.5, -0.3351, 2.575], [3.088, -1.476, 3.255]]]
out['turned back'] = float32[3, 3, 3] [[[0.2157, -1.339, 4.023], [-0.6536, 0.2191, 2.776], [-0.5625, 4.958, 1.466]],
    [[0.5904, -0.3603, 4], [-1.706, 0.7923, 0.1649], [-0.9836, 0.1027, 3.075]], [[1.287, 0.613, 3.588], [-1.156,
    3.766, -0.9755], [-2.582, 3.191, 3.755]]]
out['swapped twice'] = float32[3, 3, 3] [[[0.7157, -0.839, 4.523], [-0.1536, 0.7191, 3.276], [-0.06252, 5.458,
    1.966]], [[1.09, 0.1397, 4.5], [-1.206, 1.292, 0.6649], [-0.4836, 0.6027, 3.575]], [[1.787, 1.113, 4.088],
    [-0.6562, 4.266, -0.4755], [-2.082, 3.691, 4.255]]]
out['swapped and turned'] = float32[3, 3, 3] [[[1.216, 0.3464, 0.4375], [1.59, -0.706, 0.01639], [2.287, -0.1562,
    -1.582]], [[-0.339, 1.219, 5.958], [0.6397, 1.792, 1.103], [1.613, 4.766, 4.191]], [[5.023, 3.776, 2.466], [5,
    1.165, 4.075], [4.588, 0.02449, 4.755]]]
out['seen otherwise'] = float32[9, 3] [[1.716, 2.09, 2.787], [0.161, 1.14, 2.113], [5.523, 5.5, 5.088], [0.8464,
    -0.206, 0.3438], [1.719, 2.292, 5.266], [4.276, 1.665, 0.5245], [0.9375, 0.5164, -1.082], [6.458, 1.603, 4.691],
    [2.966, 4.575, 5.255]]
out['seen again'] = float32[3, 3] [[-0.9068, -4.086, 8.611], [-6.516, 1.778, -1.035], [-7.128, 5.251, 5.296]]
out['seen as a column'] = float32[1, 3] [[-14.55, 2.943, 12.87]]
out['seen as it is'] = float32[3, 3, 3] [[[-0.7843, -3.123, -0.09995], [-1.654, -2.434, -0.6587], [-1.563, 2.395,
    2.862]], [[-0.4096, -1.77, 1.23], [-2.706, -2.914, -3.749], [-1.984, -2.881, -0.8062]], [[0.2871, -0.09985,
    2.488], [-2.156, 0.6102, -1.365], [-3.582, -1.391, 1.364]]]
out['all of it'] = float32[3, 3, 3] [[[-0.7843, -2.339, 3.023], [-1.654, -0.7809, 1.776], [-1.563, 3.958, 0.4662]],
    [[-1.194, -3.699, 6.023], [-4.36, -0.9886, 0.9407], [-3.546, 3.061, 2.541]], [[-0.9068, -4.086, 8.611], [-6.516,
    1.778, -1.035], [-7.128, 5.251, 5.296]]]
out['all but one'] = float32[3, 3] [[-1.604, -5.06, 9.023], [-7.066, -1.196, 0.1055], [-5.53, 2.163, 4.616]]
out['every other'] = float32[3, 3] [[-0.4972, -2.726, 5.611], [-3.81, 1.985, -0.1997], [-5.144, 6.149, 3.221]]
out['repeated once'] = float32[3, 3, 3] [[[-0.7843, -2.339, 3.023], [-2.438, -3.12, 4.799], [-4, 0.838, 5.265]],
    [[-0.4096, -1.36, 3], [-3.116, -1.568, 2.165], [-5.099, -2.465, 4.239]], [[0.2871, -0.387, 2.588], [-1.869,
    2.379, 0.6125], [-5.451, 4.57, 3.368]]]
out['repeated'] = float32[1, 3] [[-8.001, 1.676, 10.53]]
out['joined alone'] = float32[3, 3, 3] [[[-0.7843, -2.339, 3.023], [-2.438, -3.12, 4.799], [-4, 0.838, 5.265]],
    [[-0.4096, -1.36, 3], [-3.116, -1.568, 2.165], [-5.099, -2.465, 4.239]], [[0.2871, -0.387, 2.588], [-1.869,
    2.379, 0.6125], [-5.451, 4.57, 3.368]]]
out['padded by nothing'] = float32[3, 3, 3] [[[-0.7843, -3.123, -0.09995], [-1.654, -2.434, -0.6587], [-1.563,
    2.395, 2.862]], [[-0.4096, -1.77, 1.23], [-2.706, -2.914, -3.749], [-1.984, -2.881, -0.8062]], [[0.2871,
    -0.09985, 2.488], [-2.156, 0.6102, -1.365], [-3.582, -1.391, 1.364]]]
out['padded at one side'] = float32[3, 3, 4] [[[-0.7843, -3.123, -0.09995, 6.9], [-1.654, -2.434, -0.6587, 6.341],
    [-1.563, 2.395, 2.862, 9.862]], [[-0.4096, -1.77, 1.23, 8.23], [-2.706, -2.914, -3.749, 3.251], [-1.984, -2.881,
    -0.8062, 6.194]], [[0.2871, -0.09985, 2.488, 9.488], [-2.156, 0.6102, -1.365, 5.635], [-3.582, -1.391, 1.364,
    8.364]]]
out['copied'] = float32[3, 3] [[-4, 0.838, 5.265], [-5.099, -2.465, 4.239], [-5.451, 4.57, 3.368]]
""")


@clause("numbers.near-misses")
def test_views_that_have_one_dimension_more(check: Check) -> None:
    """A view that begins as its tensor does and has one dimension more is a view, and not what it is of."""

    def program(a: torch.Tensor, batch: torch.Tensor) -> dict[str, torch.Tensor]:
        product = a * 2
        return {
            "one at the end": product.view(3, 4, 1) * 3,
            "two at the end": product.reshape(3, 4, 1, 1) + a,
            "the rest at the end": product.view(3, 4, -1).sum(-1),
            "and without it again": product.view(3, 4, 1).squeeze(-1) * a,
            "one in front": product.view(1, 3, 4) - 1,
            "beside rows": product.view(3, 4, 1) * batch,
            "split": (batch * 2).view(3, 4, 2, 1) + 1,
            "spread": product.unsqueeze(-1).expand(3, 4, 2) * 2,
        }

    check(program, tensor(3, 4), tensor(3, 4, 2)).computed()


@clause("numbers.near-misses")
def test_views_of_views_with_as_many_dimensions(check: Check) -> None:
    """A view of a view that has as many dimensions as its tensor, of other sizes, is not what it is of."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        product = a * 2
        return {
            "of an argument": a.view(12).view(4, 3) * 2,
            "of a product": product.view(12).view(2, 6).sum(0),
            "by a volume": product.view(3, 2, 2).view(6, 2) + 1,
            "as it was": product.view(12).view(3, 4).sum(0),
            "a row of one": a[0].view(2, 2).view(4).cumsum(0),
            "a column for a row": a[:1].view(4).view(4, 1) * a[:, :1].T,
        }

    check(program, tensor(3, 4)).values().expect("""\
out['of an argument'] = float32[4, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03], [-3.173, 1.802, -2.264],
    [-4.445, 0.3338, -0.2831]]
out['of a product'] = float32[6] [-1.8, -3.459, -2.742, -7.209, -0.5783, 1.747]
out['by a volume'] = float32[6, 2] [[2.373, -4.26], [0.522, -1.764], [0.08787, 3.03], [-2.173, 2.802], [-1.264,
    -3.445], [1.334, 0.7169]]
out['as it was'] = float32[4] [-1.803, -7.674, -3.317, -1.246]
out['a row of one'] = float32[4] [0.6865, -1.944, -2.183, -3.565]
out['a column for a row'] = float32[4, 3] [[0.4712, -0.3131, -0.7771], [-1.805, 1.199, 2.977], [-0.1641, 0.109,
    0.2705], [-0.9487, 0.6303, 1.564]]
""")


@clause("numbers.near-misses")
def test_shapes_across_what_is_turned(check: Check) -> None:
    """A computed transposed tensor is read in the order of its dimensions, in shapes that go across its rows."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "longer rows": (a.t() * 2).reshape(4, 15),
            "shorter rows": (a.t() * 3).reshape(12, 5),
            "turned again": (a.t() * 4).reshape(3, 5, 4).transpose(0, 2).reshape(6, 10) + 1,
            "flat": (a.t() - 1).reshape(-1)[7:],
        }

    check(program, tensor(6, 10)).shape("out['longer rows']", 4, 15).computed()


@clause("numbers.near-misses", "numbers.promotion")
def test_doubles_scattered_into_a_constant(check: Check) -> None:
    """Doubles that are written to one place of each row of a constant keep their digits, and so does the constant."""

    def program(rows: torch.Tensor) -> tuple[torch.Tensor, ...]:
        filled = torch.full((3, 5), 0.1, dtype=torch.float64, device=rows.device)
        whole = torch.full((3, 5), 16777217.0, dtype=torch.float64, device=rows.device)
        return filled.scatter(1, rows, 0.2), whole.scatter(1, rows, 1e300)

    check(program, tensor(3, 1, dtype=torch.int64, values=[[4], [0], [2]])).values().expect("""\
out[0] = float64[3, 5] [[0.1, 0.1, 0.1, 0.1, 0.2], [0.2, 0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.2, 0.1, 0.1]]
out[1] = float64[3, 5] [[1.678e+07, 1.678e+07, 1.678e+07, 1.678e+07, 1e+300], [1e+300, 1.678e+07, 1.678e+07,
    1.678e+07, 1.678e+07], [1.678e+07, 1.678e+07, 1e+300, 1.678e+07, 1.678e+07]]
""")


@clause("numbers.near-misses")
def test_numbers_scattered_into_a_constant(check: Check) -> None:
    """One place of each row of a constant is written, or several, or of some rows; in its own dtype."""

    def program(rows: torch.Tensor, columns: torch.Tensor, several: torch.Tensor) -> dict[str, torch.Tensor]:
        def filled(value: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.full((3, 5), value, dtype=dtype, device=rows.device)

        return {
            "rows": filled(0.0).scatter(1, rows, 2.5),
            "from the end": filled(7.0).scatter(-1, rows, -1.0),
            "columns": filled(0.5).scatter(0, columns, 4.0),
            "whole": filled(3, torch.int32).scatter(1, rows, 9),
            "truths": filled(True, torch.bool).scatter(1, rows, False),
            "several": filled(1.0).scatter(1, several, 1.5),
            "some rows": filled(2.0).scatter(1, rows[:2], 0.25),
            "some columns": filled(3.0).scatter(0, columns[:, :4], 8.0),
            "one place": filled(5.0).scatter(1, rows[:1], 0.75),
            "written twice": filled(4.0).scatter(1, rows, 1.0).scatter(1, several, 2.0),
        }

    parts = (
        tensor(3, 1, dtype=torch.int64, values=[[4], [0], [2]]),
        tensor(1, 5, dtype=torch.int64, values=[[2, 0, 1, 1, 0]]),
        tensor(3, 2, dtype=torch.int64, values=[[1, 3], [0, 4], [2, 3]]),
    )
    check(program, *parts).values().expect("""\
out['rows'] = float32[3, 5] [[0, 0, 0, 0, 2.5], [2.5, 0, 0, 0, 0], [0, 0, 2.5, 0, 0]]
out['from the end'] = float32[3, 5] [[7, 7, 7, 7, -1], [-1, 7, 7, 7, 7], [7, 7, -1, 7, 7]]
out['columns'] = float32[3, 5] [[0.5, 4, 0.5, 0.5, 4], [0.5, 0.5, 4, 4, 0.5], [4, 0.5, 0.5, 0.5, 0.5]]
out['whole'] = int32[3, 5] [[3, 3, 3, 3, 9], [9, 3, 3, 3, 3], [3, 3, 9, 3, 3]]
out['truths'] = bool[3, 5] [[True, True, True, True, False], [False, True, True, True, True], [True, True, False,
    True, True]]
out['several'] = float32[3, 5] [[1, 1.5, 1, 1.5, 1], [1.5, 1, 1, 1, 1.5], [1, 1, 1.5, 1.5, 1]]
out['some rows'] = float32[3, 5] [[2, 2, 2, 2, 0.25], [0.25, 2, 2, 2, 2], [2, 2, 2, 2, 2]]
out['some columns'] = float32[3, 5] [[3, 8, 3, 3, 3], [3, 3, 8, 8, 3], [8, 3, 3, 3, 3]]
out['one place'] = float32[3, 5] [[5, 5, 5, 5, 0.75], [5, 5, 5, 5, 5], [5, 5, 5, 5, 5]]
out['written twice'] = float32[3, 5] [[4, 2, 4, 2, 1], [2, 4, 4, 4, 2], [4, 4, 2, 2, 4]]
""")


@clause("numbers.near-misses", "numbers.indices")
def test_as_many_numbers_scattered_into_a_constant_as_it_has(check: Check) -> None:
    """Where each row has as many places to write as the constant is wide, all of them are written, some twice."""

    def program(places: torch.Tensor) -> dict[str, torch.Tensor]:
        def filled(value: float) -> torch.Tensor:
            return torch.full((3, 2), value, device=places.device)

        return {
            "rows": filled(0.5).scatter(1, places, 2.0),
            "columns": filled(1.0).scatter(0, places, 4.0),
            "a row": filled(1.5).scatter(1, places[:1], 8.0),
        }

    check(program, tensor(3, 2, dtype=torch.int64, values=[[1, 0], [0, 1], [1, 1]])).values().expect("""\
out['rows'] = float32[3, 2] [[2, 2], [2, 2], [0.5, 2]]
out['columns'] = float32[3, 2] [[4, 4], [4, 4], [1, 1]]
out['a row'] = float32[3, 2] [[8, 8], [1.5, 1.5], [1.5, 1.5]]
""")


@clause("numbers.near-misses")
def test_pieces_joined_and_split_again(check: Check) -> None:
    """What is joined and split is what it was where sizes, dimension and order are the same."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        def pieces(factor: float) -> tuple[torch.Tensor, ...]:
            return (b * factor).split([1, 1, 3], 1)

        left, middle, right = torch.cat([a, b, a + 1], 1).split([2, 4, 5], 1)
        upper, lower = (b + 2).split([1, 2], 0)
        in_order, out_of_order, some, repeated = (pieces(factor) for factor in (2, 3, 4, 5))
        return {
            "as they were": [piece + 1 for piece in torch.cat([a * 2, b * 3], 1).split([3, 5], 1)],
            "other sizes": [piece + 1 for piece in torch.cat([a * 4, b * 5], 1).split([5, 3], 1)],
            "as many columns as rows": [piece + 1 for piece in torch.cat([a[:, :2], b[:, :4]], 1).split([3, 3], 1)],
            "other dimension": [piece + 1 for piece in torch.cat([a * 6, a * 7, a * 8], 0).split([1, 2], 1)],
            "fewer": [left * 2, middle * 3, right * 4],
            "in order": torch.cat(in_order, 1).cos(),
            "out of order": torch.cat([out_of_order[0], out_of_order[2], out_of_order[1]], 1).sin(),
            "not all": torch.cat([some[0], some[1]], 1).exp(),
            "one twice": torch.cat([*repeated, repeated[0]], 1).tan(),
            "along the other": torch.cat([upper[:, :2], lower[:1, :2]], 1) * 5,
            "thirds along the other": torch.cat((b[:, :3] * 6).split([1, 2], 0)[::-1], 0).cos(),
            "squares along the other": torch.cat(torch.stack([a, a * 2, a * 3]).split([1, 1, 1], 1), 2).sin(),
        }

    check(program, tensor(3, 3), tensor(3, 5)).values().expect("""\
out['as they were'][0] = float32[3, 3] [[2.373, -4.26, 0.522], [-1.764, 0.08787, 3.03], [-2.173, 2.802, -1.264]]
out['as they were'][1] = float32[3, 5] [[-5.667, 1.501, 0.5754, -5.94, -0.759], [-0.4441, -0.2459, -5.725, -0.942,
    3.854], [1.515, -1.311, -4.575, -0.101, 1.464]]
out['other sizes'][0] = float32[3, 5] [[3.746, -9.52, 0.04401, -10.11, 1.835], [-4.528, -0.8243, 5.061, -1.407,
    -1.077], [-5.346, 4.603, -3.528, 1.858, -2.852]]
out['other sizes'][1] = float32[3, 3] [[0.2923, -10.57, -1.932], [-10.21, -2.237, 5.757], [-8.291, -0.835, 1.774]]
out['as many columns as rows'][0] = float32[3, 3] [[1.686, -1.63, -1.222], [-0.382, 0.5439, 0.5186], [-0.5866,
    1.901, 1.172]]
out['as many columns as rows'][1] = float32[3, 3] [[1.167, 0.8585, -1.313], [0.5847, -1.242, 0.3527], [0.2296,
    -0.8583, 0.633]]
out['other dimension'][0] = float32[9, 1] [[5.119], [-7.292], [-8.519], [5.805], [-8.674], [-10.11], [6.492],
    [-10.06], [-11.69]]
out['other dimension'][1] = float32[9, 2] [[-14.78, -0.434], [-1.736, 7.091], [6.405, -5.792], [-17.41, -0.673],
    [-2.192, 8.106], [7.305, -6.924], [-20.04, -0.912], [-2.649, 9.121], [8.206, -8.056]]
out['fewer'][0] = float32[3, 2] [[1.373, -5.26], [-2.764, -0.9121], [-3.173, 1.802]]
out['fewer'][1] = float32[3, 4] [[-0.717, -6.667, 0.5008, -0.4246], [3.046, -1.444, -1.246, -6.725], [-3.396,
    0.5145, -2.311, -5.575]]
out['fewer'][2] = float32[3, 5] [[-9.253, -2.345, 6.746, -6.52, 3.044], [-2.589, 3.806, -1.528, 2.176, 8.061],
    [-1.468, 0.6188, -2.346, 7.603, -0.528]]
out['in order'] = float32[3, 5] [[-0.2646, 0.9448, 0.9602, -0.08568, 0.3877], [0.5713, 0.6744, -0.2268, 0.2726,
    -0.326], [0.9417, 0.0299, -0.8392, 0.7425, 0.9525]]
out['out of order'] = float32[3, 5] [[-0.3744, -0.412, -0.6105, -0.9823, 0.4801], [-0.992, -0.4279, -0.9319, 0.2834,
    -0.9477], [0.4921, 0.6506, -0.8917, 0.4476, -0.7381]]
out['not all'] = float32[3, 2] [[0.0001379, 1.95], [0.1458, 0.1899], [1.986, 0.04588]]
out['one twice'] = float32[3, 6] [[8.581, 1.104, -0.8556, 1.557, 0.2131, 8.581], [0.9035, 1.806, 4.617, -0.09533,
    -22.38, 0.9035], [1.156, -0.8606, 0.1342, 3.697, 0.9765, 1.156]]
out['along the other'] = float32[1, 4] [[-1.112, 10.83, 7.593, 7.923]]
out['thirds along the other'] = float32[3, 3] [[-0.9681, -0.7962, 0.6338], [0.5157, -0.0896, 0.1535], [0.7196,
    0.539, 0.6605]]
out['squares along the other'] = float32[3, 1, 9] [[[0.6338, -0.4895, -0.2367, -0.9822, -0.4404, 0.8496, -0.9999,
    0.7838, -0.9053]], [[0.9805, 0.8537, -0.46, -0.3687, -0.7908, 0.8962, 0.03156, 0.9735, -0.7692]], [[0.883,
    -0.9993, -0.6571, 0.8438, -0.9795, 0.09589, 0.9989, 0.4253, 0.2517]]]
""")


@clause("numbers.near-misses", "numbers.special-values")
def test_products_with_nought_of_what_is_not_finite(check: Check) -> None:
    """Infinity and NaN times nought are NaN, whether the nought is a number, a tensor, or of fewer bits."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a * 0.0, 0.0 * a - 1, a * torch.zeros(4, device=a.device), a.half() * 0.0

    check(program, tensor(4, values=[INF, -INF, float("nan"), 2.0])).values().expect("""\
out[0] = float32[4] [nan, nan, nan, 0]
out[1] = float32[4] [nan, nan, nan, -1]
out[2] = float32[4] [nan, nan, nan, 0]
out[3] = float16[4] [nan, nan, nan, 0]
""")


@clause("numbers.near-misses")
def test_joint_with_its_own_beginning(check: Check) -> None:
    """A joint that is joined with some of its first columns: fewer than the first piece has, more, or all but one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {}
        for columns in (2, 3, 4, -1):
            joined = torch.cat([a * columns, b], 1)
            found[f"{columns}"] = torch.cat([joined, joined[:, :columns]], 1)
        rows = torch.cat([a, a * 2])
        found["rows"] = torch.cat([rows, rows[:1]])
        return found

    check(program, tensor(2, 3), tensor(2, 2)).values().expect("""\
out['2'] = float32[2, 7] [[1.373, -5.26, -0.478, -1.587, 0.9008, 1.373, -5.26], [-2.764, -0.9121, 2.03, -1.132,
    -2.222, -2.764, -0.9121]]
out['3'] = float32[2, 8] [[2.059, -7.89, -0.717, -1.587, 0.9008, 2.059, -7.89, -0.717], [-4.146, -1.368, 3.046,
    -1.132, -2.222, -4.146, -1.368, 3.046]]
out['4'] = float32[2, 9] [[2.746, -10.52, -0.956, -1.587, 0.9008, 2.746, -10.52, -0.956, -1.587], [-5.528, -1.824,
    4.061, -1.132, -2.222, -5.528, -1.824, 4.061, -1.132]]
out['-1'] = float32[2, 9] [[-0.6865, 2.63, 0.239, -1.587, 0.9008, -0.6865, 2.63, 0.239, -1.587], [1.382, 0.4561,
    -1.015, -1.132, -2.222, 1.382, 0.4561, -1.015, -1.132]]
out['rows'] = float32[5, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015], [1.373, -5.26, -0.478], [-2.764,
    -0.9121, 2.03], [0.6865, -2.63, -0.239]]
""")


@clause("numbers.near-misses")
def test_two_that_are_alike_for_one(check: Check) -> None:
    """What a pattern holds twice is one thing: the largest of another, a piece of another joint, or another piece."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        joined, other, again = torch.cat([a, b], 1), torch.cat([b, a], 1), torch.cat([a, b * 2], 1)
        return {
            "scaled": a * 3 - (b * 3).amax(1, keepdim=True),
            "divided": a / 3 - (b / 3).amax(1, keepdim=True),
            "divided by another": a / 3 - (a / 5).amax(1, keepdim=True),
            "of exponentials": a.exp() / b.exp().sum(1, keepdim=True),
            "piece of another": torch.cat([joined, other[:, :2]], 1),
            "kept": joined - other,
            "from the second on": torch.cat([again, again[:, 1:3]], 1),
        }

    check(program, tensor(3, 4), tensor(3, 4)).values().expect("""\
out['scaled'] = float32[3, 4] [[3.305, -6.644, 0.5289, -2.9], [-4.222, 0.1913, -7.614, -0.1519], [-3.86, -7.131,
    0.03666, -0.8887]]
out['divided'] = float32[3, 4] [[0.3673, -0.7383, 0.05877, -0.3222], [-0.4692, 0.02126, -0.846, -0.01688], [-0.4289,
    -0.7923, 0.004073, -0.09875]]
out['divided by another'] = float32[3, 4] [[0.09153, -1.014, -0.217, -0.598], [-0.3551, 0.1354, -0.7319, 0.09722],
    [-0.4107, -0.7742, 0.02226, -0.08057]]
out['of exponentials'] = float32[3, 4] [[1.028, 0.03728, 0.4073, 0.1299], [0.1438, 0.6264, 0.04644, 0.5587],
    [0.1301, 0.04371, 0.4767, 0.3502]]
out['piece of another'] = float32[3, 10] [[0.6865, -2.63, -0.239, -1.382, -2.313, -0.5863, -0.4814, -0.4153, -2.313,
    -0.5863], [-0.4561, 1.015, -1.587, 0.9008, -2.242, -0.6473, 0.9514, 0.1715, -2.242, -0.6473], [-1.132, -2.222,
    0.1669, -0.1415, -0.7704, -1.858, -0.367, 0.1547, -0.7704, -1.858]]
out['kept'] = float32[3, 8] [[3, -2.044, 0.2424, -0.9667, -3, 2.044, -0.2424, 0.9667], [1.786, 1.663, -2.538,
    0.7293, -1.786, -1.663, 2.538, -0.7293], [-0.3615, -0.364, 0.5339, -0.2962, 0.3615, 0.364, -0.5339, 0.2962]]
out['from the second on'] = float32[3, 10] [[0.6865, -2.63, -0.239, -1.382, -4.627, -1.173, -0.9627, -0.8306, -2.63,
    -0.239], [-0.4561, 1.015, -1.587, 0.9008, -4.484, -1.295, 1.903, 0.343, 1.015, -1.587], [-1.132, -2.222, 0.1669,
    -0.1415, -1.541, -3.717, -0.734, 0.3094, -2.222, 0.1669]]
""")


@clause("numbers.near-misses", "numbers.indices")
def test_extremes_of_rows_and_of_all(check: Check) -> None:
    """The largest and the least of all of many numbers beside those of rows, of columns, and of some of them."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        product, other, third, fourth = a * 2, a * 3, a * 4, a * 5
        return {
            "rows": product.amax(1),
            "all": product.max(),
            "columns": other.amin(0, keepdim=True)[0, :3],
            "least of all": other.min(),
            "least of columns": third.amin(0, keepdim=True)[0, :3],
            "largest of all": third.max(),
            "largest of rows": fourth.amax((1,), keepdim=True)[:3, 0],
            "least of all others": fourth.min(),
        }

    check(program, tensor(64, 66)).values().expect("""\
out['rows'] = float32[64] [3.958, 4.082, 5.12, 4.358, 4.21, 4.095, 4.106, 5.371, 4.204, 5.044, 5.893, 5.735, ...,
    4.643, 6.906, 5.028, 4.479]
out['all'] = float32[] 7
out['columns'] = float32[3] [-11.68, -6.29, -7.926]
out['least of all'] = float32[] -11.68
out['least of columns'] = float32[3] [-15.58, -8.386, -10.57]
out['largest of all'] = float32[] 14
out['largest of rows'] = float32[3] [9.895, 10.2, 12.8]
out['least of all others'] = float32[] -19.47
""")


@clause("numbers.near-misses", "numbers.promotion")
def test_products_that_something_is_added_to(check: Check) -> None:
    """A product and a sum may be one operator: in either order, with a row, a column, a number, other dtypes."""

    def program(a: torch.Tensor, b: torch.Tensor, row: torch.Tensor, column: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "row": a @ b + row,
            "from the left": row + (a * 2) @ b,
            "column": (a * 3) @ b + column,
            "more dimensions": (a * 4) @ b + row[None, None],
            "taller": (a[:1] * 5) @ b + column,
            "number": (a * 6) @ b + 1.5,
            "another dtype": (a * 7) @ b + row.double(),
            "twice": (a * 8) @ b + (a * 9) @ b,
            "less": (a + 1) @ b - row,
            "from it": row - (a + 2) @ b,
        }

    check(program, tensor(3, 2), tensor(2, 4), tensor(4), tensor(3, 1)).values().expect("""\
out['row'] = float32[3, 4] [[-2.01, 0.5753, 3.065, -0.6308], [-0.3329, -0.435, 1.226, 0.6941], [0.4117, -0.9698,
    -4.074, -0.229]]
out['from the left'] = float32[3, 4] [[-3.538, 1.566, 8.372, -0.6143], [-0.1844, -0.4546, 4.693, 2.036], [1.305,
    -1.524, -5.906, 0.1893]]
out['column'] = float32[3, 4] [[-3.633, 3.923, 16.87, 1.001], [0.617, 0.1125, 10.57, 4.196], [1.909, -2.434, -6.267,
    0.4844]]
out['more dimensions'] = float32[1, 3, 4] [[[-6.594, 3.547, 18.99, -0.5812], [0.1126, -0.494, 11.63, 4.718], [3.091,
    -2.633, -9.57, 1.026]]]
out['taller'] = float32[3, 4] [[-6.689, 5.905, 27.49, 1.034], [-7.469, 5.125, 26.71, 0.2542], [-8.411, 4.183, 25.77,
    -0.6878]]
out['number'] = float32[3, 4] [[-7.669, 7.444, 33.34, 1.599], [2.391, 1.382, 22.31, 9.549], [6.858, -1.827, -9.493,
    4.01]]
out['another dtype'] = float64[3, 4] [[-11.18, 6.519, 34.91, -0.5316], [0.5581, -0.553, 22.03, 8.743], [5.77,
    -4.297, -15.07, 2.281]]
out['twice'] = float32[3, 4] [[-25.98, 16.84, 90.22, 0.2811], [2.525, -0.3343, 58.95, 22.8], [15.18, -9.427, -31.15,
    7.111]]
out['less'] = float32[3, 4] [[-2.466, 2.165, 4.104, -2.145], [-0.7898, 1.155, 2.264, -0.8199], [-0.04525, 0.62,
    -3.036, -1.743]]
out['from it'] = float32[3, 4] [[3.886, -2.924, -0.6583, 4.953], [2.209, -1.914, 1.181, 3.629], [1.465, -1.379,
    6.481, 4.552]]
""")


@clause("numbers.near-misses", "numbers.promotion", devices="cpu")
def test_products_of_whole_numbers_that_something_is_added_to(check: Check) -> None:
    """A product of whole numbers and a row of whole numbers, or of others, which no GPU multiplies in eager."""

    def program(a: torch.Tensor, b: torch.Tensor, row: torch.Tensor) -> dict[str, torch.Tensor]:
        whole = a.int() @ b.int()
        return {"whole": whole + row.int(), "whole and not": whole + row}

    check(program, tensor(3, 2), tensor(2, 4), tensor(4)).values().expect("""\
out['whole'] = int32[3, 4] [[0, 0, 2, 0], [0, 0, 0, 0], [0, 0, -4, 0]]
out['whole and not'] = float32[3, 4] [[-0.4814, -0.4153, 1.758, -0.6473], [-0.4814, -0.4153, -0.2418, -0.6473],
    [-0.4814, -0.4153, -4.242, -0.6473]]
""")
