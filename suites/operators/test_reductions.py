"""Reductions at their edges: dtypes, one element, none, and complex numbers."""

import torch

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.integers", "numbers.special-values")
def test_reduction_in_another_dtype(check: Check) -> None:
    """A reduction with ``dtype`` converts before it reduces."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            a.sum(dtype=torch.int32),
            a.prod(0, dtype=torch.float64),
            a.mean(dtype=torch.float64),
            a.cumsum(1, dtype=torch.int64),
        )

    result = check(program, tensor(2, 3, values=[[1.7, 2.7, -0.5], [0.6, 3.9, 2.2]]))
    result.happened(result.call.tensors["out[0]"].dtype == "int32", "a sum of integers")
    result.values().expect("""\
out[0] = int32[] 8
out[1] = float64[3] [1.02, 10.53, -1.1]
out[2] = float64[] 1.767
out[3] = int64[2, 3] [[1, 3, 3], [0, 3, 5]]
""")


@clause("numbers.integers", "numbers.special-values")
def test_variance_of_one_element(check: Check) -> None:
    """The variance of one element is NaN with the correction, and zero without."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.var(1), a.std(1, correction=0), torch.var_mean(a, 1, correction=2)[0], a.mean(1)

    check(program, tensor(3, 1)).values().expect("""\
out[0] = float32[3] [nan, nan, nan]
out[1] = float32[3] [0, 0, 0]
out[2] = float32[3] [nan, nan, nan]
out[3] = float32[3] [0.6865, -2.63, -0.239]
""")


@clause("numbers.special-values", modes="train", devices="cpu")
def test_deviation_whose_square_does_not_fit(check: Check) -> None:
    """A deviation is finite where the squares overflow, and not nought where they vanish; so are its slopes."""
    # Eager's kernels on a GPU square floats as floats.

    def program(large: torch.Tensor, small: torch.Tensor) -> tuple[torch.Tensor, ...]:
        deviation, mean = torch.std_mean(large, 1)
        return deviation, mean, large.std(1, correction=0), small.std()

    large, small = [[3e19, -3e19, 1.0, 0.0], [4e25, 0.0, 2e25, 6e25]], [3e-23, -3e-23, 1e-23, 0.0]
    result = check(program, tensor(2, 4, values=large), tensor(4, values=small)).gradient(0, 1)
    result.values().expect("""\
out[0] = float32[2] [2.449e+19, 2.582e+25]
out[1] = float32[2] [0.25, 3e+25]
out[2] = float32[2] [2.121e+19, 2.236e+25]
out[3] = float32[] 2.5e-23
""")


@clause("numbers.integers", "numbers.special-values")
def test_reductions_of_no_elements(check: Check) -> None:
    """Reductions over no elements give their neutral elements, or NaN."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        none = a[:, :0] * 2
        return none.sum(1), none.prod(1), none.mean(1), none.all(1), none.any(1), torch.logsumexp(none, 1)

    check(program, tensor(3, 2)).values().expect("""\
out[0] = float32[3] [0, 0, 0]
out[1] = float32[3] [1, 1, 1]
out[2] = float32[3] [nan, nan, nan]
out[3] = bool[3] [True, True, True]
out[4] = bool[3] [False, False, False]
out[5] = float32[3] [-inf, -inf, -inf]
""")


@clause("numbers.integers", "numbers.special-values")
def test_truth_of_all_and_any(check: Check) -> None:
    """`all` and `any` of numbers count every non-zero as true, NaN too."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (a * 1).all(1), (a * 1).any(1), a.count_nonzero(1)

    check(program, tensor(3, 3, values=[[0.0, -0.0, 0.0], [NAN, 0.0, 0.0], [NAN, 0.5, -INF]])).values().expect("""\
out[0] = bool[3] [False, False, True]
out[1] = bool[3] [False, True, True]
out[2] = int64[3] [0, 1, 3]
""")


@clause("numbers.integers", "numbers.special-values")
def test_norms_of_special_orders(check: Check) -> None:
    """Norms of order 0, 1, infinity and one half are eager's."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        return [torch.linalg.vector_norm(a * 2, order, 1) for order in (0, 0.5, 1, INF, -INF)]

    check(program, tensor(2, 5, values=[[0.0, 1.0, -2.0, 3.0, 0.5], [1.0, 1.5, -2.5, 0.25, 4.0]])).values().expect("""\
out[0] = float32[2] [4, 5]
out[1] = float32[2] [47.11, 79.53]
out[2] = float32[2] [13, 18.5]
out[3] = float32[2] [6, 8]
out[4] = float32[2] [0, 0.5]
""")


@clause("numbers.integers", "numbers.special-values")
def test_complex_arithmetic(check: Check) -> None:
    """Products, quotients, absolute values and conjugates of complex numbers are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        products = a * b, a / b, (a + b).abs(), a.conj() * b, torch.view_as_real(a * b), a.angle()
        return *products, torch.add(a, b, alpha=2), torch.complex(torch.full_like(a.real, float("nan")), a.imag).angle()

    result = check(program, tensor(5, dtype=torch.complex64), tensor(5, dtype=torch.complex64))
    result.happened(result.call.tensors["out[0]"].dtype == "complex64", "complex numbers")
    result.values().expect("""\
out[0] = complex64[5] [-0.1289-0.2681j, -0.1287+1.669j, 0.3206-0.1496j, 2.07-0.4962j, -0.3479-1.154j]
out[1] = complex64[5] [10.16-7.137j, 0.2394+0.5367j, -0.4999-1.678j, 0.5462-0.5595j, -1.56-2.055j]
out[2] = float32[5] [2.051, 2.279, 0.787, 2.713, 1.456]
out[3] = complex64[5] [0.2434+0.1709j, 0.6816-1.528j, -0.101+0.339j, 1.487+1.523j, -0.7291+0.9601j]
out[4] = float32[5, 2] [[-0.1289, -0.2681], [-0.1287, 1.669], [0.3206, -0.1496], [2.07, -0.4962], [-0.3479, -1.154]]
out[5] = float32[5] [-1.315, -1.742, 1.993, 2.625, -2.042]
out[6] = complex64[5] [0.7215-2.06j, -3.44-1.806j, -1.003+0.1305j, -4.292-0.2785j, 0.5451-1.329j]
out[7] = float32[5] [nan, nan, nan, nan, nan]
""")


@clause("numbers.integers", "numbers.special-values", modes="train")
def test_gradient_through_complex_numbers(check: Check) -> None:
    """The gradient of a real loss of complex numbers is their conjugate gradient."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * a.conj()).real.sum() + (a * 2j).imag.sum()

    check(program, tensor(4, dtype=torch.complex64)).gradient(0)


@clause("numbers.special-values")
def test_mean_of_nothing_beside_its_variance(check: Check) -> None:
    """The mean of no numbers that comes with their variance, or their deviation, is NaN as the mean alone is."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return *torch.var_mean(a), *torch.std_mean(a * 2, (0, 1), keepdim=True), *torch.var_mean(b[:0])

    check(program, tensor(0, 4), tensor(5)).values().expect("""\
out[0] = float32[] nan
out[1] = float32[] nan
out[2] = float32[1, 1] [[nan]]
out[3] = float32[1, 1] [[nan]]
out[4] = float32[] nan
out[5] = float32[] nan
""")


@clause("numbers.special-values")
def test_means_of_little_or_nothing(check: Check) -> None:
    """Means and variances of nothing each alone, of no numbers in each of some rows, and of one number."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, tuple[torch.Tensor, ...]]:
        return {
            "alone": (a.mean(), a.var(), a.std()),
            "of columns": torch.var_mean(a, 0),
            "of rows": torch.std_mean(a.t(), 1),
            "of one": torch.var_mean(b[:1], correction=0),
            "of some": torch.var_mean(b, correction=0),
        }

    check(program, tensor(0, 4), tensor(5, values=[1.0, 2.0, 3.0, 4.0, 5.0])).values().expect("""\
out['alone'][0] = float32[] nan
out['alone'][1] = float32[] nan
out['alone'][2] = float32[] nan
out['of columns'][0] = float32[4] [nan, nan, nan, nan]
out['of columns'][1] = float32[4] [nan, nan, nan, nan]
out['of rows'][0] = float32[4] [nan, nan, nan, nan]
out['of rows'][1] = float32[4] [nan, nan, nan, nan]
out['of one'][0] = float32[] 0
out['of one'][1] = float32[] 1
out['of some'][0] = float32[] 2
out['of some'][1] = float32[] 3
""")
