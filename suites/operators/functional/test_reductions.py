"""Reductions and scans: sums, products and logarithms of sums with options, over none and over several dimensions."""

import torch

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.options", modes="train")
def test_logarithms_of_sums(check: Check) -> None:
    """Along one dimension or several, kept or not, of what would overflow, and running."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "one": torch.logsumexp(a, 1),
            "two": torch.logsumexp(a, (0, 2), keepdim=True),
            "large": torch.logsumexp(a * 100 + 80, -1),
            "running": torch.logcumsumexp(a, 2),
            "of one": torch.logsumexp(a[:, :1], 1),
        }

    check(program, tensor(2, 3, 4)).values().expect("""\
out['one'] = float32[2, 4] [[0.9798, 1.206, 1.652, 2.498], [1.495, 0.4586, 1.59, 0.4494]]
out['two'] = float32[1, 3, 1] [[[2.098], [2.548], [2.706]]]
out['large'] = float32[2, 3] [[231.2, 277.9, 230], [69.62, 60.65, 218.3]]
out['running'] = float32[2, 3, 4] [[[-0.3922, -0.01399, 1.708, 1.785], [-0.3905, 1.134, 1.271, 2.38], [0.2713,
    0.6478, 0.7589, 1.89]], [[-1.353, 0.1483, 0.598, 0.7836], [-0.5949, -0.1145, 0.1413, 0.681], [1.294, 1.383,
    2.076, 2.122]]]
out['of one'] = float32[2, 4] [[-0.3922, -1.17, 1.512, -0.8268], [-1.353, -0.1038, -0.4176, -0.9918]]
""")


@clause("numbers.options", modes="train")
def test_running_sums_and_products(check: Check) -> None:
    """Running sums of another dtype, products over noughts, and their gradients there."""

    def program(a: torch.Tensor, b: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sum": a.cumsum(0),
            "in double": a.cumsum(1, dtype=torch.float64),
            "product": b.cumprod(1),
            "product in double": b.cumprod(0, dtype=torch.float64),
            "product of whole in double": whole.detach().cumprod(0, dtype=torch.float64),
            "products of whole": whole.detach().prod(0, dtype=torch.float64),
            "of one boolean": (a[0, 0] > 0).cumsum(0),
            "product of one boolean": (b[0, 1] == 0).cumprod(-1),
            "whole": whole.cumsum(0, dtype=torch.int32),
            "of booleans": (a > 0).cumsum(1),
            "trapezoids": torch.cumulative_trapezoid(a, dx=0.5),
        }

    noughts = tensor(3, 4, values=[[1.0, 0.0, 3.0, 2.0], [0.5, 2.0, 0.0, 0.0], [1.5, -1.0, 2.0, 0.25]])
    check(program, tensor(3, 4), noughts, tensor(5, dtype=torch.int64)).values().expect("""\
out['sum'] = float32[3, 4] [[0.6865, -2.63, -0.239, -1.382], [0.2304, -1.615, -1.826, -0.4812], [-0.9016, -3.837,
    -1.659, -0.6228]]
out['in double'] = float64[3, 4] [[0.6865, -1.944, -2.183, -3.565], [-0.4561, 0.5591, -1.027, -0.1267], [-1.132,
    -3.354, -3.187, -3.329]]
out['product'] = float32[3, 4] [[1, 0, 0, 0], [0.5, 1, 0, 0], [1.5, -1.5, -3, -0.75]]
out['product in double'] = float64[3, 4] [[1, 0, 3, 2], [0.5, 0, 0, 0], [0.75, -0, 0, 0]]
out['product of whole in double'] = float64[5] [3, 15, 60, 60, 120]
out['products of whole'] = float64[] 120
out['of one boolean'] = int64[] 1
out['product of one boolean'] = int64[] 1
out['whole'] = int32[5] [3, 8, 12, 13, 15]
out['of booleans'] = int64[3, 4] [[1, 1, 1, 1], [0, 1, 1, 2], [0, 0, 1, 1]]
out['trapezoids'] = float32[3, 3] [[-0.4859, -1.203, -1.608], [0.1398, -0.003068, -0.1745], [-0.8386, -1.352,
    -1.346]]
""")


@clause("numbers.options", modes="train")
def test_products_over_noughts(check: Check) -> None:
    """The gradient of a product is that of the only nought, and of none of them where there are two."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "all": a[2].prod(),
            "rows": a.prod(1),
            "columns": a.prod(0, keepdim=True),
            "in double": a.prod(1, dtype=torch.float64),
        }

    noughts = [[1.0, 0.0, 3.0, 2.0], [0.5, 2.0, 0.0, 0.0], [1.5, -1.0, 2.0, 0.25]]
    check(program, tensor(3, 4, values=noughts)).values().expect("""\
out['all'] = float32[] -0.75
out['rows'] = float32[3] [0, 0, -0.75]
out['columns'] = float32[1, 4] [[0.75, -0, 0, 0]]
out['in double'] = float64[3] [0, 0, -0.75]
""")


@clause("numbers.options")
def test_sums_with_options(check: Check) -> None:
    """Another dtype to add up in, dimensions kept, NaNs left out, and means of nothing."""

    def program(a: torch.Tensor, whole: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "in double": a.sum(1, dtype=torch.float64),
            "kept": a.sum((0, 2), keepdim=True),
            "mean of whole": whole.mean(dtype=torch.float32),
            "numbers": b.nansum(0),
            "mean of numbers": b.nanmean(1, keepdim=True),
            "not nought": torch.count_nonzero(whole - 3, 0),
            "mean of nothing": a[:, :0].mean(1),
            "all": a.all((0, 2)),
            "any": (whole > 6).any(1, keepdim=True),
            "trace": a[0].trace(),
        }

    holes = tensor(2, 3, values=[[1.0, float("nan"), 2.0], [0.5, 3.0, float("nan")]])
    check(program, tensor(2, 3, 4), tensor(2, 3, dtype=torch.int64), holes).values().expect("""\
out['in double'] = float64[2, 4] [[-0.5114, -0.7929, -0.7634, 2.652], [-0.6539, -2.26, -0.3815, -2.173]]
out['kept'] = float32[1, 3, 1] [[[-3.743], [-1.519], [0.3773]]]
out['mean of whole'] = float32[] 4.167
out['numbers'] = float32[3] [1.5, 3, 2]
out['mean of numbers'] = float32[2, 1] [[1.5], [1.75]]
out['not nought'] = int64[3] [2, 2, 2]
out['mean of nothing'] = float32[2, 4] [[nan, nan, nan, nan], [nan, nan, nan, nan]]
out['all'] = bool[3] [True, True, True]
out['any'] = bool[2, 1] [[False], [True]]
out['trace'] = float32[] -0.9981
""")


@clause("numbers.options", modes="train")
def test_differences(check: Check) -> None:
    """Differences of any order with what is put before and after, and slopes with the distance between points."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "second": torch.diff(a, n=2),
            "between": torch.diff(a, dim=0, prepend=b[:1], append=b[1:]),
            "slopes": torch.gradient(a, spacing=0.5, dim=1),
            "slopes at the edges": torch.gradient(a, dim=1, edge_order=2),
            "area of points": torch.trapezoid(a, b[0].cumsum(0), dim=1),
        }

    check(program, tensor(3, 5), tensor(2, 5)).values().expect("""\
out['second'] = float32[3, 3] [[5.708, -3.534, 2.069], [5.089, -4.52, 0.9425], [-1.863, 3.899, -1.622]]
out['between'] = float32[4, 5] [[1.102, -0.3883, 0.4083, -2.333, -0.6276], [0.3287, 1.044, 1.14, 0.25, -1.766],
    [-0.8483, 1.445, -3.214, 0.5457, 1.741], [-0.9374, -1.717, 1.946, 0.741, -0.2168]]
out['slopes'][0] = float32[3, 5] [[-6.633, -0.9255, 1.248, -0.2171, 1.852], [-5.204, -0.1144, 0.4546, -3.123,
    -2.181], [-0.6169, -2.48, -0.4448, 1.832, 0.2099]]
out['slopes at the edges'][0] = float32[3, 5] [[-6.17, -0.4627, 0.624, -0.1085, 1.96], [-5.146, -0.0572, 0.2273,
    -1.562, -0.6191], [0.6232, -1.24, -0.2224, 0.916, -0.7061]]
out['area of points'] = float32[3] [2.178, 0.4648, -0.7048]
""")


@clause("numbers.options")
def test_reductions_without_a_dimension(check: Check) -> None:
    """No dimensions named are all of them, and a tensor without dimensions has one that may be named."""

    def program(a: torch.Tensor, one: torch.Tensor) -> dict[str, object]:
        return {
            "sum of all": a.sum(()),
            "mean of all": a.mean((), keepdim=True),
            "variance of all": a.var((), correction=0),
            "largest of all": a.amax(()),
            "smallest kept": a.amin((), keepdim=True),
            "norm of all": torch.linalg.vector_norm(a, 2, (), keepdim=True),
            "sum": one.sum(0),
            "mean": one.mean(-1, keepdim=True),
            "product": one.prod(0),
            "largest": one.amax(-1),
            "running": one.cumsum(0) * one.cumprod(-1),
            "running logarithm": torch.logcumsumexp(one * 2, 0),
            "logarithm": torch.logsumexp(one, 0, keepdim=True),
            "softmax": one.softmax(0) * one.log_softmax(-1),
            "variance": one.var(0, correction=0),
            "extreme": one.max(0),
            "sorted": (one * 3).sort(-1),
        }

    check(program, tensor(2, 3), tensor()).values().expect("""\
out['sum of all'] = float32[] -3.005
out['mean of all'] = float32[1, 1] [[-0.5009]]
out['variance of all'] = float32[] 1.515
out['largest of all'] = float32[] 1.015
out['smallest kept'] = float32[1, 1] [[-2.63]]
out['norm of all'] = float32[1, 1] [[3.255]]
out['sum'] = float32[] -1.587
out['mean'] = float32[] -1.587
out['product'] = float32[] -1.587
out['largest'] = float32[] -1.587
out['running'] = float32[] 2.517
out['running logarithm'] = float32[] -3.173
out['logarithm'] = float32[] -1.587
out['softmax'] = float32[] 0
out['variance'] = float32[] 0
out['extreme'][0] = float32[] -1.587
out['extreme'][1] = int64[] 0
out['sorted'][0] = float32[] -4.76
out['sorted'][1] = int64[] 0
""")


@clause("numbers.options")
def test_reductions_of_dimensions_from_the_end(check: Check) -> None:
    """Dimensions are counted from the end too, in any order, and the population is meant where that is said."""

    def program(a: torch.Tensor, low: torch.Tensor) -> dict[str, object]:
        return {
            "population": a.var(-2, unbiased=False),
            "deviation": a.std((-1, 0), unbiased=False, keepdim=True),
            "sample": a.std(-1, unbiased=True),
            "all": a.var(unbiased=False),
            "sum": a.sum((-1, 0)),
            "mean": a.mean((-3, 1), keepdim=True),
            "product": a.prod(-2, keepdim=True),
            "largest": a.amax((-1, 1)),
            "running": a.cumsum(-2),
            "running product": a.cumprod(-3),
            "running logarithm": torch.logcumsumexp(a, -2),
            "logarithm": torch.logsumexp(a, (-2, -1)),
            "norm": torch.linalg.vector_norm(a, 3, dim=(-3, -1)),
            "low": low.sum(-1),
            "low mean": low.mean(0),
            "low variance": low.var(-1),
            "low in single": low.sum(-2, dtype=torch.float32),
        }

    check(program, tensor(2, 3, 4), tensor(3, 5, dtype=torch.bfloat16)).values().expect("""\
out['population'] = float32[2, 4] [[0.09756, 0.736, 1.644, 1.502], [1.239, 0.211, 1.285, 0.1409]]
out['deviation'] = float32[1, 3, 1] [[[0.847], [1.034], [1.147]]]
out['sample'] = float32[2, 3] [[1.197, 1.258, 1.265], [0.5614, 0.5121, 1.37]]
out['all'] = float32[] 1.078
out['sum'] = float32[3] [-3.743, -1.519, 0.3773]
out['mean'] = float32[1, 1, 4] [[[-0.1942, -0.5088, -0.1908, 0.07985]]]
out['product'] = float32[2, 1, 4] [[[0.04154, 0.531, 1.764, -2.454]], [[1.041, -0.1207, 0.778, -0.1895]]]
out['largest'] = float32[2] [1.979, 1.383]
out['running'] = float32[2, 3, 4] [[[-0.3922, -1.17, 1.512, -0.8268], [-0.7826, -0.2816, 0.7304, 1.152], [-0.5114,
    -0.7929, -0.7634, 2.652]], [[-1.353, -0.1038, -0.4176, -0.9918], [-1.948, -1.182, -1.765, -1.185], [-0.6539,
    -2.26, -0.3815, -2.173]]]
out['running product'] = float32[2, 3, 4] [[[-0.3922, -1.17, 1.512, -0.8268], [-0.3905, 0.8879, -0.7813, 1.979],
    [0.2713, -0.5113, -1.494, 1.5]], [[0.5306, 0.1214, -0.6312, 0.82], [0.2323, -0.9574, 1.052, -0.3829], [0.351,
    0.5512, -2.066, -1.482]]]
out['running logarithm'] = float32[2, 3, 4] [[[-0.3922, -1.17, 1.512, -0.8268], [0.3018, 1.008, 1.608, 2.038],
    [0.9798, 1.206, 1.652, 2.498]], [[-1.353, -0.1038, -0.4176, -0.9918], [-0.2106, 0.2164, -0.08485, 0.1781],
    [1.495, 0.4586, 1.59, 0.4494]]]
out['logarithm'] = float32[2] [3.152, 2.527]
out['norm'] = float32[3] [2.096, 2.345, 2.404]
out['low'] = bfloat16[3] [-3.547, -1.695, -3.297]
out['low mean'] = bfloat16[5] [-0.793, -0.7656, 0.008484, -0.6641, -0.6328]
out['low variance'] = bfloat16[3] [0.5469, 0.6211, 1.656]
out['low in single'] = float32[5] [-2.377, -2.297, 0.02539, -1.986, -1.899]
""")


@clause("numbers.options", modes="train")
def test_infinities_in_reductions(check: Check) -> None:
    """An infinity takes the logarithm of a sum and its gradient; a row of noughts has a deviation without a slope."""

    def program(a: torch.Tensor, flat: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "logarithm": torch.logsumexp(a, 1),
            "of both": torch.logsumexp(a, (0, 1)),
            "running": torch.logcumsumexp(a[:, :2], 1),
            "softmax": a[1:3].softmax(1),
            "largest": a.amax(0),
            "sum of two": torch.logaddexp(a[:, 0], a[:, 1]),
            "deviation": flat.std(1),
            "norm": torch.linalg.vector_norm(flat - flat, dim=0),
        }

    given = [[-INF, -INF, -INF], [1.0, -INF, 2.0], [-INF, -INF, 0.5], [INF, 1.0, -INF]]
    check(program, tensor(4, 3, values=given), tensor(2, 3, values=[[2.0] * 3, [1.0, 1.0, 2.5]])).values().expect("""\
out['logarithm'] = float32[4] [-inf, 2.313, 0.5, inf]
out['of both'] = float32[] inf
out['running'] = float32[4, 2] [[-inf, -inf], [1, 1], [-inf, -inf], [inf, inf]]
out['softmax'] = float32[2, 3] [[0.2689, 0, 0.7311], [0, 0, 1]]
out['largest'] = float32[3] [inf, 1, 2]
out['sum of two'] = float32[4] [-inf, 1, -inf, inf]
out['deviation'] = float32[2] [0, 0.866]
out['norm'] = float32[3] [0, 0, 0]
""")


@clause("numbers.options", modes="train")
def test_results_in_a_wider_dtype(check: Check) -> None:
    """Sums, products, means and scans are computed in the dtype that is asked for, and returned in it."""
    double = torch.float64

    def program(a: torch.Tensor, b: torch.Tensor, whole: torch.Tensor) -> dict[str, object]:
        found = {
            "sum": a.sum(dtype=double),
            "sum of whole": whole.sum(dtype=torch.int32),
            "mean of all": a.mean(dtype=double),
            "product of all": a.prod(dtype=double),
            "numbers": torch.nansum(b, dtype=double),
            "numbers of rows": b.nansum(1, keepdim=True, dtype=double),
            "mean of numbers": torch.nanmean(b, 0, dtype=double),
            "mean": a.mean(0, dtype=double),
            "product": a.prod(1, dtype=double),
            "running sum": a.cumsum(0, dtype=double),
            "running product": a.cumprod(1, dtype=double),
            "softmax": a.softmax(1, dtype=double),
            "logarithm": a.log_softmax(0, dtype=double),
            "norm": torch.linalg.vector_norm(a, dim=1, dtype=double),
            "sum of bytes": whole.sum(0, dtype=torch.uint8),
            "product of bytes": whole.prod(dtype=torch.int16),
        }
        told = {f"dtype of {name}": each.dtype for name, each in found.items()}
        return {**found, **told}

    holes = tensor(2, 3, values=[[1.0, float("nan"), 2.0], [0.5, 3.0, float("nan")]])
    check(program, tensor(2, 3), holes, tensor(2, 3, dtype=torch.int32)).gradient(0).values().expect("""\
out['sum'] = float64[] -3.005
out['sum of whole'] = int32[] 10
out['mean of all'] = float64[] -0.5009
out['product of all'] = float64[] 0.2761
out['numbers'] = float64[] 6.5
out['numbers of rows'] = float64[2, 1] [[3], [3.5]]
out['mean of numbers'] = float64[3] [0.75, 3, 2]
out['mean'] = float64[3] [-0.3478, -1.543, 0.3881]
out['product'] = float64[2] [0.4315, 0.6398]
out['running sum'] = float64[2, 3] [[0.6865, -2.63, -0.239], [-0.6955, -3.086, 0.7762]]
out['running product'] = float64[2, 3] [[0.6865, -1.805, 0.4315], [-1.382, 0.6303, 0.6398]]
out['softmax'] = float64[2, 3] [[0.698, 0.02532, 0.2767], [0.06889, 0.1739, 0.7572]]
out['logarithm'] = float64[2, 3] [[-0.119, -2.282, -1.505], [-2.187, -0.1077, -0.251]]
out['norm'] = float64[2] [2.729, 1.774]
out['sum of bytes'] = uint8[3] [5, 4, 1]
out['product of bytes'] = int16[] 0
out['dtype of sum'] = dtype torch.float64
out['dtype of sum of whole'] = dtype torch.int32
out['dtype of mean of all'] = dtype torch.float64
out['dtype of product of all'] = dtype torch.float64
out['dtype of numbers'] = dtype torch.float64
out['dtype of numbers of rows'] = dtype torch.float64
out['dtype of mean of numbers'] = dtype torch.float64
out['dtype of mean'] = dtype torch.float64
out['dtype of product'] = dtype torch.float64
out['dtype of running sum'] = dtype torch.float64
out['dtype of running product'] = dtype torch.float64
out['dtype of softmax'] = dtype torch.float64
out['dtype of logarithm'] = dtype torch.float64
out['dtype of norm'] = dtype torch.float64
out['dtype of sum of bytes'] = dtype torch.uint8
out['dtype of product of bytes'] = dtype torch.int16
""")


@clause("numbers.options", modes="train")
def test_softmax_of_a_transposed_tensor(check: Check) -> None:
    """A softmax, its logarithm and both gradients have the strides of eager's, whatever those of the argument are."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "rows": torch.softmax(a.t(), 1),
            "columns": torch.softmax(a.t(), 0),
            "logarithms of rows": torch.log_softmax(a.t(), 1),
            "logarithms of columns": torch.log_softmax(b.permute(2, 0, 1), 0),
            "negated": torch.nn.functional.softmin(b.permute(2, 0, 1), 1),
            "running": torch.logcumsumexp(b.permute(2, 0, 1), 1),
        }

    check(program, tensor(3, 4), tensor(2, 3, 2)).gradient(0, 1).values().expect("""\
out['rows'] = float32[4, 3] [[0.6751, 0.2154, 0.1096], [0.02451, 0.9386, 0.03685], [0.3622, 0.09414, 0.5436],
    [0.07012, 0.6875, 0.2424]]
out['columns'] = float32[4, 3] [[0.6414, 0.1046, 0.13], [0.02327, 0.4554, 0.04369], [0.2542, 0.03377, 0.4764],
    [0.08106, 0.4062, 0.3499]]
out['logarithms of rows'] = float32[4, 3] [[-0.3929, -1.535, -2.211], [-3.709, -0.06333, -3.301], [-1.015, -2.363,
    -0.6095], [-2.658, -0.3748, -1.417]]
out['logarithms of columns'] = float32[2, 2, 3] [[[-1.891, -0.7267, -1.779], [-0.3774, -0.2904, -0.9876]],
    [[-0.1637, -0.6607, -0.1848], [-1.157, -1.378, -0.4659]]]
out['negated'] = float32[2, 2, 3] [[[0.9632, 0.4282, 0.867], [0.0368, 0.5718, 0.133]], [[0.6809, 0.1911, 0.6904],
    [0.3191, 0.8089, 0.3096]]]
out['running'] = float32[2, 2, 3] [[[-2.313, -0.4814, -2.242], [0.9889, 0.07765, -0.2243]], [[-0.5863, -0.4153,
    -0.6473], [0.5559, -0.2032, 0.5252]]]
""")


@clause("numbers.options")
def test_reductions_of_kinds_of_their_own(check: Check) -> None:
    """Whole numbers have sums without NaN, bytes have truth in bytes, and a count keeps what it counted along."""

    def program(a: torch.Tensor, whole: torch.Tensor, bytes_: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sum of whole numbers": whole.nansum(),
            "sum of rows": whole.nansum(1, keepdim=True),
            "sum of a mask": (whole > 0).nansum(0),
            "sum of bytes": bytes_.nansum(0),
            "all": bytes_.all(),
            "all of rows": bytes_.all(1, keepdim=True),
            "count": torch.linalg.vector_norm(a, 0, dim=1, keepdim=True),
            "count of all": torch.linalg.vector_norm(a, 0, keepdim=True),
            "counted": a.count_nonzero((0, 1)),
            "mean of halves": torch.std_mean(a.bfloat16(), 0)[1],
            "mean of variances": torch.var_mean(a.half(), (0, 1), correction=0, keepdim=True)[1],
        }

    parts = tensor(3, 4, values=[0.0, 1.0, -2.0, 0.0] * 3), tensor(3, 4, dtype=torch.int32)
    bytes_ = tensor(3, 4, dtype=torch.uint8, values=[1, 0, 3, 4, 5, 6, 7, 8, 0, 10, 11, 200])
    check(program, *parts, bytes_).computed()


@clause("numbers.options", "numbers.special-values", modes="train")
def test_gradient_of_a_product_of_two_noughts_and_an_infinity(check: Check) -> None:
    """Where two factors are nought the gradient of a product is nought for all of them, an infinite one too."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.prod()

    check(program, tensor(4, values=[0.0, INF, 0.0, 2.0])).gradient(0).values().expect("""\
out = float32[] nan
""")


@clause("numbers.options", "numbers.promotion")
def test_sums_and_products_of_narrow_numbers_that_are_not_told_a_dtype(check: Check) -> None:
    """Sums and products of bytes, short numbers and truths, running ones too, count in 64 bits."""

    def program(*parts: torch.Tensor) -> list[dict[str, torch.Tensor]]:
        return [
            {
                "sum": a.sum(),
                "sum of rows": a.sum(1, keepdim=True),
                "product": a.prod(),
                "product of columns": a.prod(0),
                "running sum": a.cumsum(0),
                "running product": a.cumprod(1),
                "along the last": a.cumsum(-1) - a.cumprod(-2),
            }
            for a in parts
        ]

    numbers = [100, 2, 3, 1, 50, 100, 1, 2]
    dtypes = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.bool)
    check(program, *(tensor(2, 4, dtype=dtype, values=numbers) for dtype in dtypes)).computed()


@clause("numbers.options", "numbers.promotion", on=("aot_eager_decomp_partition",), devices="cpu")
def test_dtypes_told_of_reductions(check: Check) -> None:
    """Of truths, bytes, whole numbers and numbers, a program is told the dtype of each reduction, asked for or not."""

    def program(*given: torch.Tensor) -> tuple[dict[str, list[torch.Tensor]], dict[str, list[torch.dtype]]]:
        found: dict[str, list[torch.Tensor]] = {}
        for each in given:
            mine = [each.sum(0), each.sum(), each.prod(1), each.prod(), each.cumsum(0), each.cumprod(1), each.nansum(0)]
            mine += [each.any(), each.any(0), each.any((0, 1)), each.all(), each.all(1), each.all((0, 1))]
            mine += [each.amax(0), each.count_nonzero(1), each.int().argmin(0), each.max(1)[1], each.logsumexp(0)]
            for dtype in (torch.float64, torch.float32, torch.int16):
                mine += [each.sum(0, dtype=dtype), each.prod(0, dtype=dtype), each.cumsum(1, dtype=dtype)]
                mine += [each.cumprod(0, dtype=dtype), each.sum(dtype=dtype)]
            for dtype in (torch.float64, torch.float32, torch.bfloat16):
                mine += [each.mean(0, dtype=dtype), each.mean(dtype=dtype), each.nansum(1, dtype=dtype)]
                mine += [each.softmax(0, dtype=dtype)]
            if each.is_floating_point():
                mine += [each.mean(1), each.var(0), each.std(), *torch.var_mean(each, 0), torch.histc(each, 4)]
                mine += [each.log_softmax(1, dtype=torch.float64), torch.linalg.vector_norm(each, 1), each.median(0)[1]]
                mine += [torch.linalg.vector_norm(each, dtype=torch.float64), each.nanmean(0, dtype=torch.float64)]
            found[str(each.dtype)] = mine
        return found, {name: [each.dtype for each in mine] for name, mine in found.items()}

    whole = (tensor(2, 3, dtype=dtype) for dtype in (torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64))
    low = (tensor(2, 3, dtype=dtype) for dtype in (torch.bfloat16, torch.float32, torch.float64))
    check(program, *whole, *low).computed().holds("out[1]['torch.int32'][2]", torch.int64)


@clause("numbers.options", "numbers.integers")
def test_running_sums_of_a_number_alone(check: Check) -> None:
    """A running sum or product of a tensor without dimensions is the number itself, in the dtype of such a sum."""

    def program(*numbers: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        return {
            "sums": [each.cumsum(0) for each in numbers],
            "products": [each.cumprod(0) for each in numbers],
            "products from the end": [(each + 0).cumprod(-1) for each in numbers],
            "sums in float": [each.cumsum(-1, dtype=torch.float32) for each in numbers],
            "products in double": [each.cumprod(0, dtype=torch.float64) for each in numbers],
            "products in few bits": [each.cumprod(0, dtype=torch.int16) for each in numbers],
            "sum": [each.sum(0) for each in numbers],
            "product": [each.prod(0) for each in numbers],
            "product in half": [each.prod(0, dtype=torch.float16) for each in numbers],
            "largest": [each.amax(0) for each in numbers],
            "place": [each.argmax(0) for each in numbers],
        }

    dtypes = (torch.int32, torch.uint8, torch.int8, torch.float16)
    check(program, *(tensor(dtype=dtype) for dtype in dtypes)).values().expect("""\
out['sums'][0] = int64[] 6
out['sums'][1] = int64[] 1
out['sums'][2] = int64[] 6
out['sums'][3] = float16[] -1.79
out['products'][0] = int64[] 6
out['products'][1] = int64[] 1
out['products'][2] = int64[] 6
out['products'][3] = float16[] -1.79
out['products from the end'][0] = int64[] 6
out['products from the end'][1] = int64[] 1
out['products from the end'][2] = int64[] 6
out['products from the end'][3] = float16[] -1.79
out['sums in float'][0] = float32[] 6
out['sums in float'][1] = float32[] 1
out['sums in float'][2] = float32[] 6
out['sums in float'][3] = float32[] -1.79
out['products in double'][0] = float64[] 6
out['products in double'][1] = float64[] 1
out['products in double'][2] = float64[] 6
out['products in double'][3] = float64[] -1.79
out['products in few bits'][0] = int16[] 6
out['products in few bits'][1] = int16[] 1
out['products in few bits'][2] = int16[] 6
out['products in few bits'][3] = int16[] -1
out['sum'][0] = int64[] 6
out['sum'][1] = int64[] 1
out['sum'][2] = int64[] 6
out['sum'][3] = float16[] -1.79
out['product'][0] = int64[] 6
out['product'][1] = int64[] 1
out['product'][2] = int64[] 6
out['product'][3] = float16[] -1.79
out['product in half'][0] = float16[] 6
out['product in half'][1] = float16[] 1
out['product in half'][2] = float16[] 6
out['product in half'][3] = float16[] -1.79
out['largest'][0] = int32[] 6
out['largest'][1] = uint8[] 1
out['largest'][2] = int8[] 6
out['largest'][3] = float16[] -1.79
out['place'][0] = int64[] 0
out['place'][1] = int64[] 0
out['place'][2] = int64[] 0
out['place'][3] = int64[] 0
""")


@clause("numbers.options", "numbers.special-values")
def test_sums_beside_nan_over_several_dimensions(check: Check) -> None:
    """Sums, means and counts that leave NaN out take any dimensions, in any order, from either end, kept or not."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        found = [a.nansum(), a.nanmean(), a.isnan().count_nonzero((0, 2))]
        for dims in ((0, 1), (2, 0), (-1, -2), (0, 1, 2), (1,), (0, -1)):
            found += [a.nansum(dims), a.nansum(dims, keepdim=True), a.nanmean(dims)]
            found += [a.nansum(dims, dtype=torch.float64), a.sum(dims), a.isnan().count_nonzero(dims)]
        return found

    values = [[[1.0, NAN], [3.0, 4.0], [NAN, -6.0]], [[0.5, 2.5], [NAN, NAN], [7.0, 9.0]]]
    result = check(program, tensor(2, 3, 2, values=values)).computed()
    result.happened(result.value("out[3]").tolist() == [11.5, 9.5], "NaN left out over two dimensions")


@clause("numbers.options", "numbers.special-values", modes=("train", "no_grad"))
def test_infinities_beside_nan_that_is_left_out(check: Check) -> None:
    """Where NaN is left out infinities count: in sums, means and middles, of each precision, and for gradients."""

    def program(a: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        found = {}
        for name, x in (("single", a), ("double", a.double()), ("half", a.half()), ("bfloat16", a.bfloat16())):
            found[name] = [
                x.nansum(),
                x.nansum(1),
                x.nansum(0, keepdim=True),
                x.nansum((0, 1)),
                x.nanmean(),
                x.nanmean(1),
            ]
            found[name] += [x.nansum(1, dtype=torch.float64), x.nanmean(0, keepdim=True), x[:1].nansum(), x.sum(1)]
        found["middles"] = [a.nanmedian(), *a.nanmedian(1), *a.nanmedian(0, keepdim=True), a.double().nanmedian()]
        return found

    given = [[INF, NAN, 1.0], [-INF, 2.0, NAN], [3.0, -1.0, NAN], [INF, -INF, NAN], [NAN, NAN, NAN], [-INF, INF, 5.0]]
    result = check(program, tensor(6, 3, values=given)).gradient(0)
    sums = result.value("out['single'][1]")[:3].tolist()
    result.happened(sums == [INF, -INF, 2.0], "infinities that count")


@clause("numbers.options")
def test_reductions_of_no_elements(check: Check) -> None:
    """Over a dimension without elements a product is one and a sum nought, in each dtype and shape."""

    def program(*parts: torch.Tensor) -> list[torch.Tensor]:
        found = []
        for a in parts:
            found += [a.sum(1), a.prod(1), a.prod(-1, keepdim=True), a.prod(), a.sum(), a.prod(0), a.any(1), a.all(1)]
            found += [a.any(), a.all(), a.prod(1) + a.sum(1), a.count_nonzero(1), a[:, :, None].prod(1)]
            if a.is_floating_point():
                found += [a.nansum(1), a.mean(1), a.logsumexp(1), a.prod(1, dtype=torch.float64), a.norm(dim=1)]
        return found

    dtypes = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int8, torch.bool)
    result = check(program, *(tensor(4, 0, dtype=dtype) for dtype in dtypes))
    result.happened(result.value("out[1]").tolist() == [1.0] * 4, "products of nothing").computed()


@clause("numbers.options", "numbers.promotion")
def test_whether_any_byte_is_set_is_a_byte(check: Check) -> None:
    """Whether any byte is set is a byte, of all of them, of columns and of rows."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.any(a), torch.any(a, 0), a.any(1, keepdim=True)

    a = tensor(2, 3, dtype=torch.uint8, values=[[200, 0, 3], [0, 0, 1]])
    check(program, a).values().expect("""\
out[0] = uint8[] 1
out[1] = uint8[3] [1, 0, 1]
out[2] = uint8[2, 1] [[1], [1]]
""")
