"""NaN among what is ordered: where it is put, found and counted."""

from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.nan-order")
def test_position_of_nan_in_argmax(check: Check) -> None:
    """`argmax` and `argmin` point at the NaN, not past it, and at the first of two."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (a * 2).argmax(1), (a * 2).argmin(1), (a + 1).max(1).indices

    rows = [[1.0, NAN, 3.0, 2.0, 5.0], [4.0, 1.0, 2.0, 0.0, NAN], [3.0, 1.0, NAN, NAN, 2.0]]
    check(program, tensor(3, 5, values=rows)).values().expect("""\
out[0] = int64[3] [1, 4, 2]
out[1] = int64[3] [1, 4, 2]
out[2] = int64[3] [1, 4, 2]
""")


@clause("numbers.nan-order")
def test_nan_is_sorted_to_the_end(check: Check) -> None:
    """NaN is larger than everything in `sort`, `topk` and `kthvalue`."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        doubled = a * 2
        return doubled.sort().values, doubled.sort(descending=True).indices, doubled.topk(2).indices

    check(program, tensor(5, values=[1.0, NAN, -2.0, 3.0, 0.5])).values().expect("""\
out[0] = float32[5] [-4, 1, 2, 6, nan]
out[1] = int64[5] [1, 3, 0, 4, 2]
out[2] = int64[2] [1, 3]
""")


@clause("numbers.nan-order")
def test_bucket_of_nan(check: Check) -> None:
    """NaN and infinities fall into eager's buckets, from the left and from the right."""

    def program(a: torch.Tensor, edges: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.bucketize(a * 1, edges), torch.searchsorted(edges, a, right=True)

    check(
        program, tensor(6, values=[NAN, INF, -INF, 2.0, 0.5, 7.0]), tensor(3, values=[0.0, 2.0, 5.0])
    ).values().expect("""\
out[0] = int64[6] [3, 3, 0, 1, 1, 3]
out[1] = int64[6] [3, 3, 0, 2, 1, 3]
""")


@clause("numbers.nan-order")
def test_quantile_with_nan(check: Check) -> None:
    """A quantile of numbers with a NaN is NaN; `nanquantile` leaves it out."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.quantile(a, 0.5), torch.nanquantile(a, 0.3), a.nanmedian()

    check(program, tensor(5, values=[1.0, NAN, -2.0, 3.0, 0.5])).values().expect("""\
out[0] = float32[] nan
out[1] = float32[] 0.25
out[2] = float32[] 0.5
""")


@clause("numbers.nan-order")
def test_running_maximum_meets_nan(check: Check) -> None:
    """A running maximum stays NaN from the first one on, and its index stays there."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, indices = (a * 2).cummax(0)
        return values, indices

    check(program, tensor(5, values=[1.0, NAN, -2.0, 3.0, 0.5])).values().expect("""\
out[0] = float32[5] [2, nan, nan, nan, nan]
out[1] = int64[5] [0, 1, 1, 1, 1]
""")


@clause("numbers.nan-order", modes="train")
def test_gradient_of_a_branch_that_was_not_taken(check: Check) -> None:
    """`where` gives NaN in the gradient where the branch not taken has an infinite slope, as eager does."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.where(a > 0, a.sqrt(), torch.zeros_like(a))

    check(program, tensor(4, values=[4.0, 0.0, -1.0, 9.0])).gradient(0)


@clause("numbers.nan-order")
def test_bounds_of_a_single_nan(check: Check) -> None:
    """What bounds a number that stands alone, in no vector of others, leaves NaN, or the bound in its place."""

    def program(*numbers: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        functions: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
            "relu": torch.relu,
            "relu6": functional.relu6,
            "clamp": lambda a: a.clamp(-1.0, 4.0),
            "clamp_min": lambda a: a.clamp_min(0.5),
            "clamp_max": lambda a: a.clamp(max=0.5),
            "maximum": lambda a: torch.maximum(a, numbers[0]),
            "minimum": lambda a: torch.minimum(numbers[0], a),
            "fmax": lambda a: torch.fmax(a, numbers[0]),
            "fmin": lambda a: torch.fmin(numbers[0], a),
            "hardtanh": functional.hardtanh,
            "sign": torch.sign,
            "threshold": lambda a: functional.threshold(a, 0.5, 3.0),
        }
        return {name: [function(a * 1.5) for a in numbers] for name, function in functions.items()}

    check(program, *(tensor(grad=False, values=[value]) for value in (2.0, NAN, -3.0, INF))).values().expect("""\
out['relu'][0] = float32[] 3
out['relu'][1] = float32[] nan
out['relu'][2] = float32[] 0
out['relu'][3] = float32[] inf
out['relu6'][0] = float32[] 3
out['relu6'][1] = float32[] nan
out['relu6'][2] = float32[] 0
out['relu6'][3] = float32[] 6
out['clamp'][0] = float32[] 3
out['clamp'][1] = float32[] nan
out['clamp'][2] = float32[] -1
out['clamp'][3] = float32[] 4
out['clamp_min'][0] = float32[] 3
out['clamp_min'][1] = float32[] nan
out['clamp_min'][2] = float32[] 0.5
out['clamp_min'][3] = float32[] inf
out['clamp_max'][0] = float32[] 0.5
out['clamp_max'][1] = float32[] nan
out['clamp_max'][2] = float32[] -4.5
out['clamp_max'][3] = float32[] 0.5
out['maximum'][0] = float32[] 3
out['maximum'][1] = float32[] nan
out['maximum'][2] = float32[] 2
out['maximum'][3] = float32[] inf
out['minimum'][0] = float32[] 2
out['minimum'][1] = float32[] nan
out['minimum'][2] = float32[] -4.5
out['minimum'][3] = float32[] 2
out['fmax'][0] = float32[] 3
out['fmax'][1] = float32[] 2
out['fmax'][2] = float32[] 2
out['fmax'][3] = float32[] inf
out['fmin'][0] = float32[] 2
out['fmin'][1] = float32[] 2
out['fmin'][2] = float32[] -4.5
out['fmin'][3] = float32[] 2
out['hardtanh'][0] = float32[] 1
out['hardtanh'][1] = float32[] nan
out['hardtanh'][2] = float32[] -1
out['hardtanh'][3] = float32[] 1
out['sign'][0] = float32[] 1
out['sign'][1] = float32[] 0
out['sign'][2] = float32[] -1
out['sign'][3] = float32[] 1
out['threshold'][0] = float32[] 3
out['threshold'][1] = float32[] nan
out['threshold'][2] = float32[] 3
out['threshold'][3] = float32[] inf
""")
