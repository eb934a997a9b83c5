"""Variances with their corrections, statistics and quantiles, extremes, and gradients of those that tie."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_variances(check: Check) -> None:
    """The correction is taken off the number of elements; of one element, or with too large a one, it is eager's."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "sample": a.var(1),
            "population": a.var((0, 2), correction=0, keepdim=True),
            "two": a.var(-1, correction=2),
            "half": a.var(2, correction=0.5),
            "all": a.std(correction=0),
            "deviation": a.std((1, 2), correction=3),
            "with the mean": torch.var_mean(a, 0, correction=0),
            "deviation with the mean": torch.std_mean(a, (0, 1), correction=1.5, keepdim=True),
        }

    check(program, tensor(2, 3, 4)).values().expect("""\
out['sample'] = float32[2, 4] [[0.1463, 1.104, 2.466, 2.253], [1.858, 0.3164, 1.927, 0.2114]]
out['population'] = float32[1, 3, 1] [[[0.7173], [1.068], [1.315]]]
out['two'] = float32[2, 3] [[2.149, 2.375, 2.401], [0.4728, 0.3933, 2.816]]
out['half'] = float32[2, 3] [[1.228, 1.357, 1.372], [0.2702, 0.2247, 1.609]]
out['all'] = float32[] 1.038
out['deviation'] = float32[2] [1.28, 1.033]
out['with the mean'][0] = float32[3, 4] [[0.2308, 0.2839, 0.9305, 0.006809], [0.01045, 0.9665, 0.08003, 1.18],
    [0.2615, 0.08031, 2.069, 1.547]]
out['with the mean'][1] = float32[3, 4] [[-0.8726, -0.6367, 0.5471, -0.9093], [-0.4927, -0.09517, -1.064, 0.8928],
    [0.7826, -0.7947, -0.05534, 0.2561]]
out['deviation with the mean'][0] = float32[1, 1, 4] [[[0.9443, 0.8432, 1.399, 1.399]]]
out['deviation with the mean'][1] = float32[1, 1, 4] [[[-0.1942, -0.5088, -0.1908, 0.07985]]]
""")


@clause("numbers.options", modes="train")
def test_variances_of_too_few(check: Check) -> None:
    """With a correction of no less than the number of elements a variance is NaN or infinite."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "of one": a[:, :1].var(1),
            "of one without": a[:, :1].var(1, correction=0),
            "of two by two": a[:, :2].var(1, correction=2),
            "of two by three": a[:, :2].std(1, correction=3),
            "of all by more": a.var(correction=7),
            "of none": a[:, :0].var(1),
        }

    check(program, tensor(2, 3, grad=False)).values().expect("""\
out['of one'] = float32[2] [nan, nan]
out['of one without'] = float32[2] [0, 0]
out['of two by two'] = float32[2] [inf, inf]
out['of two by three'] = float32[2] [inf, inf]
out['of all by more'] = float32[] inf
out['of none'] = float32[2] [nan, nan]
""")


@clause("numbers.options")
def test_extremes_of_truths(check: Check) -> None:
    """The greatest and the least of truths are truths, of one dimension, of several and of all, kept or not."""

    def program(a: torch.Tensor) -> dict[str, object]:
        truths = a > 0
        found: dict[str, object] = {
            f"{dims}, {'kept' if kept else 'left out'}": {
                "greatest": truths.amax(dims, keepdim=kept),
                "least": truths.amin(dims, keepdim=kept),
                "any": truths.any(dims, keepdim=kept),
                "all": truths.all(dims, keepdim=kept),
            }
            for dims in (0, 1, -1, (0, -1), (1,), (2, 1), (-2, 0, 2))
            for kept in (False, True)
        }
        found["without a dimension"] = truths.amax()
        found["with their places"] = truths.max(1), truths.min(2), truths.max(0, keepdim=True)
        found["both"] = torch.aminmax(truths), torch.aminmax(truths, dim=1, keepdim=True)
        return found

    check(program, tensor(2, 3, 4, grad=False)).computed()


@clause("numbers.options")
def test_extremes_of_all_that_keep_dimensions(check: Check) -> None:
    """The least and the greatest of all keep each dimension, of size one, where the caller asks for that."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "both": torch.aminmax(a, keepdim=True),
            "least": a.amin(keepdim=True) * 2,
            "greatest": a.amax(keepdim=True) + a,
            "sum": a.sum((0, 1), keepdim=True),
            "place": a.argmax(keepdim=True),
        }

    check(program, tensor(3, 4)).computed()


@clause("numbers.options", modes="train")
def test_statistics_of_all_that_keep_dimensions(check: Check) -> None:
    """What is computed of all numbers, no dimension named, keeps each as one where the caller asks for that."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "variance": a.var(keepdim=True),
            "deviation": torch.std(a, None, correction=0, keepdim=True),
            "variance and mean": torch.var_mean(a, keepdim=True),
            "deviation and mean": torch.std_mean(a, correction=0, keepdim=True),
            "mean": torch.mean(a, None, keepdim=True),
            "sum": torch.sum(a, None, keepdim=True),
            "mean of numbers": torch.nanmean(a, None, keepdim=True),
            "sum of numbers": torch.nansum(a, None, keepdim=True),
            "place of the least": a.argmin(keepdim=True),
            "length": torch.linalg.vector_norm(a, keepdim=True),
            "any": torch.any(a > 1, None, keepdim=True),
            "all": torch.all(a < 9, None, keepdim=True),
        }

    check(program, tensor(3, 4)).values().expect("""\
out['variance'] = float32[1, 1] [[1.462]]
out['deviation'] = float32[1, 1] [[1.158]]
out['variance and mean'][0] = float32[1, 1] [[1.462]]
out['variance and mean'][1] = float32[1, 1] [[-0.585]]
out['deviation and mean'][0] = float32[1, 1] [[1.158]]
out['deviation and mean'][1] = float32[1, 1] [[-0.585]]
out['mean'] = float32[1, 1] [[-0.585]]
out['sum'] = float32[1, 1] [[-7.02]]
out['mean of numbers'] = float32[1, 1] [[-0.585]]
out['sum of numbers'] = float32[1, 1] [[-7.02]]
out['place of the least'] = int64[1, 1] [[1]]
out['length'] = float32[1, 1] [[4.493]]
out['any'] = bool[1, 1] [[True]]
out['all'] = bool[1, 1] [[True]]
""")


@clause("numbers.options")
def test_statistics_of_halves_whose_squares_are_beyond_them(check: Check) -> None:
    """Of numbers in half precision squares and sums are computed in single precision, where they are not infinite."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "variance": a.var(1),
            "deviation": a.std(),
            "variance and mean": torch.var_mean(a, 1, correction=0, keepdim=True),
            "mean": (a + 2000).mean(1),
            "length": torch.linalg.vector_norm(a, dim=1),
            "normalised": torch.nn.functional.layer_norm(a, (64,))[:, :3],
        }

    values = [[(7 * column + row) % 13 * 40.0 - 240.0 for column in range(64)] for row in range(3)]
    check(program, tensor(3, 64, dtype=torch.float16, values=values)).values().expect("""\
out['variance'] = float16[3] [2.31e+04, 2.309e+04, 2.301e+04]
out['deviation'] = float16[] 151.1
out['variance and mean'][0] = float16[3, 1] [[2.275e+04], [2.272e+04], [2.266e+04]]
out['variance and mean'][1] = float16[3, 1] [[-0], [-0.625], [-1.25]]
out['mean'] = float16[3] [2000, 1999, 1999]
out['length'] = float16[3] [1207, 1206, 1204]
out['normalised'] = float16[3, 3] [[-1.591, 0.2651, -1.326], [-1.322, 0.5347, -1.058], [-1.055, 0.8057, -0.7891]]
""")


@clause("numbers.options", modes="train")
def test_gradients_of_extremes_that_tie(check: Check) -> None:
    """Of equal extremes each gets its share of the gradient."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "largest": a.amax(1),
            "smallest": a.amin((0, 1)),
            "both": torch.aminmax(a, dim=1, keepdim=True),
            "of all": torch.aminmax(a),
        }

    ties = [[1.0, 2.0, 2.0, 0.0], [3.0, 3.0, 3.0, 3.0], [0.0, -1.0, 0.5, 3.0]]
    check(program, tensor(3, 4, values=ties)).values().expect("""\
out['largest'] = float32[3] [2, 3, 3]
out['smallest'] = float32[] -1
out['both'][0] = float32[3, 1] [[0], [3], [-1]]
out['both'][1] = float32[3, 1] [[2], [3], [3]]
out['of all'][0] = float32[] -1
out['of all'][1] = float32[] 3
""")


@clause("numbers.options")
def test_quantiles(check: Check) -> None:
    """Between two elements the quantile is where its mode says; the median of an even number is the lower one."""

    def program(a: torch.Tensor, at: torch.Tensor) -> dict[str, object]:
        return {
            "linear": torch.quantile(a, at, dim=1),
            "lower": torch.quantile(a, 0.3, dim=1, interpolation="lower"),
            "higher": torch.quantile(a, 0.3, dim=0, keepdim=True, interpolation="higher"),
            "nearest": torch.quantile(a, at, dim=1, interpolation="nearest"),
            "median": a[:, :4].median(1),
            "third": a.kthvalue(3, 1, keepdim=True),
            "two largest": a.topk(2, 1),
            "sorted": a.sort(1, descending=True),
        }

    check(program, tensor(3, 5), tensor(3, grad=False, values=[0.0, 0.4, 1.0])).values().expect("""\
out['linear'] = float32[3, 3] [[-2.63, -2.222, -2.313], [-0.8264, -1.314, -0.5234], [0.6865, 1.015, 0.1669]]
out['lower'] = float32[3] [-1.382, -1.587, -0.5863]
out['higher'] = float32[1, 5] [[0.6865, -1.587, -0.239, -1.132, -0.4814]]
out['nearest'] = float32[3, 3] [[-2.63, -2.222, -2.313], [-0.4561, -1.132, -0.4814], [0.6865, 1.015, 0.1669]]
out['median'][0] = float32[3] [-1.382, -1.132, -0.5863]
out['median'][1] = int64[3] [3, 3, 3]
out['third'][0] = float32[3, 1] [[-0.4561], [-1.132], [-0.4814]]
out['third'][1] = int64[3, 1] [[4], [3], [4]]
out['two largest'][0] = float32[3, 2] [[0.6865, -0.239], [1.015, 0.9008], [0.1669, -0.1415]]
out['two largest'][1] = int64[3, 2] [[0, 2], [0, 2], [0, 1]]
out['sorted'][0] = float32[3, 5] [[0.6865, -0.239, -0.4561, -1.382, -2.63], [1.015, 0.9008, -1.132, -1.587, -2.222],
    [0.1669, -0.1415, -0.4814, -0.5863, -2.313]]
out['sorted'][1] = int64[3, 5] [[0, 2, 4, 3, 1], [0, 2, 3, 1, 4], [0, 1, 4, 3, 2]]
""")


@clause("numbers.options")
def test_variances_of_many(check: Check) -> None:
    """Of more elements than are added up at once, with each correction, in low and double precision, and means."""

    def program(a: torch.Tensor) -> dict[str, object]:
        low, wide = a[:, :1100].bfloat16(), a[:2].double()
        return {
            "sample": a.var(1),
            "population with the mean": torch.var_mean(a, 1, correction=0, keepdim=True),
            "deviation with the mean": torch.std_mean(a, (0, 1), correction=2),
            "columns": torch.var_mean(a.t(), 0, correction=3),
            "wide": torch.var_mean(wide + 1000, 1),
            "low": low.var(1, correction=0) + low.mean(1),
            "of all": a.var() + a.std(correction=0.5),
        }

    check(program, tensor(3, 1227)).values().expect("""\
out['sample'] = float32[3] [1.012, 1.024, 0.9831]
out['population with the mean'][0] = float32[3, 1] [[1.011], [1.023], [0.9823]]
out['population with the mean'][1] = float32[3, 1] [[0.01783], [0.03634], [0.03694]]
out['deviation with the mean'][0] = float32[] 1.003
out['deviation with the mean'][1] = float32[] 0.03037
out['columns'][0] = float32[3] [1.014, 1.025, 0.9847]
out['columns'][1] = float32[3] [0.01783, 0.03634, 0.03694]
out['wide'][0] = float64[2] [1.012, 1.024]
out['wide'][1] = float64[2] [1000, 1000]
out['low'] = bfloat16[3] [1, 1.062, 1.047]
out['of all'] = float32[] 2.009
""")


@clause("numbers.options", modes="train")
def test_means_and_variances_beside_sizes_of_one(check: Check) -> None:
    """Only the dimensions that are reduced go away, and not others of size one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "variance and mean": torch.var_mean(a, 1),
            "of the last": torch.var_mean(a, -1, correction=0),
            "of two": torch.var_mean(b, (1, 3)),
            "kept": torch.var_mean(b, (0, 2), keepdim=True, correction=0),
            "deviation and mean": torch.std_mean(a, 2),
            "least and greatest": b.detach().aminmax(dim=1),
            "greatest": a.max(1),
            "middle": b.median(1),
            "product": b.prod(1),
            "exponentials": a.logsumexp((1,)),
            "of one": torch.var_mean(a, 0, correction=0),
        }

    check(program, tensor(1, 3, 4), tensor(1, 3, 1, 4)).computed()


@clause("numbers.options")
def test_extremes_of_truths_over_no_dimension(check: Check) -> None:
    """Over an empty list of dimensions the largest and the least truth are those of all, kept or not."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        truths = a > 0.5
        return {
            "largest": truths.amax(()),
            "least": truths.amin([]),
            "largest, kept": truths.amax((), keepdim=True),
            "least, kept": truths.amin((), keepdim=True),
            "of the argument": (~truths).amax(()) & truths,
        }

    check(program, tensor(2, 3, 4)).computed()
