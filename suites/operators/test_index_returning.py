"""Indices that reductions return count in the order of the dimensions, whatever the order in memory."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.indices")
def test_argmax_of_a_transposed_product(check: Check) -> None:
    """`argmax` over all elements of a transposed intermediate counts in its own order."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).t().argmax()

    check(program, tensor(3, 5)).values().expect("""\
out = int64[] 1
""")


@clause("numbers.indices")
def test_place_in_a_function_of_a_turned_argument(check: Check) -> None:
    """`argmax` and `argmin` of what is computed of an argument that lies turned in memory count along its rows."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (a * 2).argmax(), (a.relu() - 1).argmin(), (b + 1).argmax(), (b.exp() * 3).flatten(1).argmin(1)

    check(program, tensor(4, 6, strides=(1, 4)), tensor(2, 3, 4, strides=(12, 1, 3))).computed()


@clause("numbers.indices")
def test_argmin_along_a_permuted_dimension(check: Check) -> None:
    """`argmin` along a dimension of a permuted intermediate gives positions in that dimension."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a.permute(2, 0, 1).exp() + 1).argmin(1)

    check(program, tensor(3, 4, 5)).values().expect("""\
out = int64[5, 4] [[2, 1, 0, 1], [0, 0, 1, 2], [1, 1, 1, 1], [1, 1, 0, 2], [0, 0, 1, 0]]
""")


@clause("numbers.indices")
def test_argmax_after_a_mutation_through_a_view(check: Check) -> None:
    """`argmax` sees what was written through a transposed view before it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        scaled = a * 2
        scaled.t()[1, 2] = 100
        return scaled.argmax()

    check(program, tensor(4, 3)).values().expect("""\
out = int64[] 7
""")


@clause("numbers.indices")
def test_values_and_indices_of_a_maximum(check: Check) -> None:
    """`max` along a dimension of a transposed tensor returns values and indices that belong together."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, indices = (a.t() - 1).max(0)
        return values, indices

    check(program, tensor(4, 6)).values().expect("""\
out[0] = float32[4] [0.5117, 0.979, -1.104, 0.3832]
out[1] = int64[4] [2, 1, 1, 4]
""")


@clause("numbers.indices")
def test_indices_of_a_pooling_in_channels_last(check: Check) -> None:
    """The indices of a pooling count in the plane of one channel, also in channels-last memory."""

    def program(a: torch.Tensor) -> torch.Tensor:
        images = a.to(memory_format=torch.channels_last) * 2
        return functional.max_pool2d(images, 2, return_indices=True)[1]

    check(program, tensor(1, 3, 4, 6)).values().expect("""\
out = int64[1, 3, 2, 3] [[[[7, 2, 11], [18, 14, 16]], [[0, 9, 10], [18, 14, 23]], [[0, 8, 5], [19, 15, 17]]]]
""")


@clause("numbers.indices")
def test_order_of_a_transposed_sort(check: Check) -> None:
    """`argsort` and `sort` along a dimension of a transposed intermediate agree."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        moved = (a + 1).t()
        return moved.argsort(0, descending=True), moved.sort(1).indices

    check(program, tensor(4, 5)).values().expect("""\
out[0] = int64[5, 4] [[2, 3, 1, 4], [4, 0, 3, 1], [0, 1, 4, 2], [3, 4, 2, 3], [1, 2, 0, 0]]
out[1] = int64[5, 4] [[3, 2, 0, 1], [0, 3, 1, 2], [1, 2, 3, 0], [3, 0, 2, 1], [1, 2, 3, 0]]
""")


@clause("numbers.indices")
def test_largest_elements_of_a_flipped_tensor(check: Check) -> None:
    """`topk` of a flipped intermediate gives indices into the flipped one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a.flip(0) * 3).topk(2, dim=0).indices

    check(program, tensor(5, 3)).values().expect("""\
out = int64[2, 3] [[4, 2, 3], [3, 1, 1]]
""")


@clause("numbers.indices")
def test_running_maximum_and_its_index(check: Check) -> None:
    """`cummax` along a transposed dimension returns the index of each running maximum."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).t().cummax(0).indices

    check(program, tensor(3, 6)).values().expect("""\
out = int64[6, 3] [[0, 0, 0], [0, 0, 1], [2, 2, 1], [2, 2, 1], [2, 2, 1], [2, 2, 1]]
""")


@clause("numbers.indices", modes=("train", "no_grad"))
def test_running_minimum_and_its_place(check: Check) -> None:
    """Along each dimension, from either end, of the latest of equals, and of what has no dimension."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, object]:
        return {
            "down": torch.cummin(a, 0),
            "along": torch.cummin(a, 1),
            "along, from the end": torch.cummin(a.flip(-1), -1),
            "ties": torch.cummin(whole, 0),
            "number": torch.cummin(a.sum(), 0),
            "number, from the end": (torch.cummin(a.sum(), -1), torch.cummax(a.sum(), -1), a.sum().cumsum(-1)),
        }

    check(program, tensor(3, 4), tensor(5, dtype=torch.int64, values=[2, 2, 3, 1, 1])).values().expect("""\
out['down'][0] = float32[3, 4] [[0.6865, -2.63, -0.239, -1.382], [-0.4561, -2.63, -1.587, -1.382], [-1.132, -2.63,
    -1.587, -1.382]]
out['down'][1] = int64[3, 4] [[0, 0, 0, 0], [1, 0, 1, 0], [2, 0, 1, 0]]
out['along'][0] = float32[3, 4] [[0.6865, -2.63, -2.63, -2.63], [-0.4561, -0.4561, -1.587, -1.587], [-1.132, -2.222,
    -2.222, -2.222]]
out['along'][1] = int64[3, 4] [[0, 1, 1, 1], [0, 0, 2, 2], [0, 1, 1, 1]]
out['along, from the end'][0] = float32[3, 4] [[-1.382, -1.382, -2.63, -2.63], [0.9008, -1.587, -1.587, -1.587],
    [-0.1415, -0.1415, -2.222, -2.222]]
out['along, from the end'][1] = int64[3, 4] [[0, 0, 2, 2], [0, 1, 1, 1], [0, 0, 2, 2]]
out['ties'][0] = int64[5] [2, 2, 2, 1, 1]
out['ties'][1] = int64[5] [0, 1, 1, 3, 4]
out['number'][0] = float32[] -7.02
out['number'][1] = int64[] 0
out['number, from the end'][0][0] = float32[] -7.02
out['number, from the end'][0][1] = int64[] 0
out['number, from the end'][1][0] = float32[] -7.02
out['number, from the end'][1][1] = int64[] 0
out['number, from the end'][2] = float32[] -7.02
""")
