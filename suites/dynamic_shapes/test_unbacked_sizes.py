"""Sizes that only the data decide: compiled once, without a guard on them, and right whatever they come to."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from suites.harness import Check, built, clause, tensor, torch_internals
from suites.harness.programs.specs import BuiltSpec
from suites.operators.table.told import told_of

#: Data-dependent sizes and numbers are traced as unbacked symbols instead of breaking the graph.
CAPTURED = {"dynamo.capture_scalar_outputs": True, "dynamo.capture_dynamic_output_shape_ops": True}


def mask(*values: int) -> object:
    """A tensor of booleans."""
    return tensor(len(values), dtype=torch.bool, values=values)


def number(value: int) -> object:
    """One integer, for `item`. Not of dimension zero: of such an input Dynamo guards on the value instead."""
    return tensor(1, dtype=torch.int64, values=[value])


@clause("dynamic-shapes.unbacked")
def test_nonzero_of_other_data(check: Check) -> None:
    """`nonzero` finds as many as there are in the call's own data, none and all included, in one compilation."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        where = chosen.nonzero()
        return where * 2 + 1, a + where.size(0)

    masks = [(1, 0, 1, 0), (1, 1, 1, 1), (0, 0, 0, 0), (0, 1, 0, 0)]
    result = check(program, calls=[(tensor(3), mask(*each)) for each in masks], config=CAPTURED)
    result.shape("out[0]", 2, 1).recompiled(0)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    nonzero = torch.ops.aten.nonzero.default(arg0_1)
    sym_size = torch.ops.aten.sym_size.int(nonzero, 0)
    ge = operator.ge(sym_size, 0)
    _assert_scalar = torch.ops.aten._assert_scalar.default(
        ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge'",
    )
    le = operator.le(sym_size, 4)
    _assert_scalar_1 = torch.ops.aten._assert_scalar.default(
        le, "Runtime assertion failed for expression u0 <= 4 on node 'le'",
    )
    mul = torch.ops.aten.mul.Tensor(nonzero, 2)
    add = torch.ops.aten.add.Tensor(mul, 1)
    add_1 = torch.ops.aten.add.Tensor(arg1_1, sym_size)
    return (add, add_1)
""")


@clause("dynamic-shapes.unbacked", modes="train")
def test_masked_select_and_its_gradient(check: Check) -> None:
    """`masked_select` by another mask selects other elements, and sends the gradient to those."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        return torch.masked_select(a, chosen) * 3

    masks = [(1, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, 0)]
    result = check(program, calls=[(tensor(4), mask(*each)) for each in masks], config=CAPTURED, probe=False)
    result.gradient(0).shape("out", 2).recompiled(0)


@clause("dynamic-shapes.unbacked", modes="train")
def test_indexing_by_a_mask_and_reducing(check: Check) -> None:
    """What a mask picks is summed and divided by the number that it picked in this call."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        picked = a[chosen]
        return picked.sum(0) / (picked.size(0) + 1), picked.sin() * picked.size(0)

    masks = [(1, 0, 1, 0), (0, 1, 1, 1), (0, 0, 1, 0)]
    result = check(program, calls=[(tensor(4, 2), mask(*each)) for each in masks], config=CAPTURED, probe=False)
    result.gradient(0).recompiled(0)


@clause("dynamic-shapes.unbacked", modes=("no_grad", "train"))
def test_cumulative_sum_over_an_unbacked_size(check: Check) -> None:
    """A cumulative sum over what a mask picks, and its gradient, run over just that."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        return a[chosen].cumsum(0) * 2

    masks = [(1, 0, 1, 0), (0, 1, 1, 1), (0, 0, 1, 0)]
    result = check(program, calls=[(tensor(4, 2), mask(*each)) for each in masks], config=CAPTURED, probe=False)
    result.gradient(0).shape("out", 2, 2).recompiled(0)
    result.values().expect("""\
out = float32[2, 2] [[1.373, -5.26], [0.4608, -3.23]]
""")
    result.in_call(1).values().expect("""\
out = float32[3, 2] [[-0.1361, 1.819], [-1.093, 0.7728], [3.083, 1.226]]
""")


@clause("dynamic-shapes.unbacked")
def test_softmax_over_an_unbacked_size(check: Check) -> None:
    """A softmax over what a mask picks sums to one over just that."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        return a[:, chosen.nonzero().squeeze(1)].softmax(1)

    masks = [(1, 0, 1, 0, 1), (0, 1, 0, 0, 0), (1, 1, 1, 1, 1)]
    result = check(program, calls=[(tensor(2, 5), mask(*each)) for each in masks], config=CAPTURED)
    result.shape("out", 2, 3).recompiled(0)
    result.values().expect("""\
out = float32[2, 3] [[0.583, 0.2311, 0.186], [0.5178, 0.4618, 0.02033]]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 1] [[1], [1]]
""")


@clause("dynamic-shapes.unbacked", modes=("no_grad", "train"))
def test_matrix_products_over_an_unbacked_size(check: Check) -> None:
    """A matrix product whose inner size the data decide sums over that many, and its gradient has that many rows."""

    def program(a: torch.Tensor, b: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        rows = chosen.nonzero().squeeze(1)
        return a[:, rows] @ b[rows]

    masks = [(1, 0, 1, 0), (1, 1, 1, 0), (0, 0, 0, 0)]
    calls = [(tensor(2, 4), tensor(4, 3), mask(*each)) for each in masks]
    result = check(program, calls=calls, config=CAPTURED, probe=False).gradient(0, 1).recompiled(0)
    result.values().expect("""\
out = float32[2, 3] [[-0.662, -1.426, 0.6504], [1.28, 1.672, 3.481]]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 3] [[-0.261, -0.03928, 0.0888], [-0.4649, -2.898, -0.2901]]
""")


@clause("dynamic-shapes.unbacked")
def test_einsum_over_an_unbacked_size(check: Check) -> None:
    """`einsum` contracts over as many as the data decide."""

    def program(a: torch.Tensor, b: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        picked = a[chosen.nonzero().squeeze(1)]
        return torch.einsum("nij,njk->ik", picked, b[: picked.size(0)])

    masks = [(1, 0, 1, 0), (1, 1, 1, 0), (0, 0, 0, 1)]
    calls = [(tensor(4, 2, 3), tensor(4, 3, 2), mask(*each)) for each in masks]
    result = check(program, calls=calls, config=CAPTURED).recompiled(0)
    result.values().expect("""\
out = float32[2, 2] [[1.405, 0.9926], [1.209, -1.722]]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 2] [[-2.727, -1.101], [1.915, -1.733]]
""")


@clause("dynamic-shapes.unbacked", modes="train")
def test_expand_to_an_unbacked_size(check: Check) -> None:
    """An input expanded to a size that the data decide gets its gradient summed over that size."""

    def program(a: torch.Tensor, count: Any) -> torch.Tensor:
        return a.expand(count.item(), 3) * 2

    calls = [(tensor(1, 3), number(value)) for value in (4, 7, 2)]
    check(program, calls=calls, config=CAPTURED, probe=False).gradient(0).shape("out", 4, 3).recompiled(0)


@clause("dynamic-shapes.unbacked", "T16.7")
def test_repeat_by_an_unbacked_number(check: Check) -> None:
    """`repeat` and `repeat_interleave` repeat as often as the data say, not at all included."""

    def program(a: torch.Tensor, count: Any) -> tuple[torch.Tensor, torch.Tensor]:
        times = count.item()
        return a.repeat(times, 2), a.repeat_interleave(times, 0) + 1

    calls = [(tensor(2, 3), number(value)) for value in (3, 2, 0, 1)]
    result = check(program, calls=calls, config=CAPTURED, probe=False).recompiled(0)
    result.values().expect("""\
out[0] = float32[6, 6] [[0.6865, -2.63, -0.239, 0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015, -1.382, -0.4561,
    1.015], [0.6865, -2.63, -0.239, 0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015, -1.382, -0.4561, 1.015],
    [0.6865, -2.63, -0.239, 0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015, -1.382, -0.4561, 1.015]]
out[1] = float32[6, 3] [[1.686, -1.63, 0.761], [1.686, -1.63, 0.761], [1.686, -1.63, 0.761], [-0.382, 0.5439,
    2.015], [-0.382, 0.5439, 2.015], [-0.382, 0.5439, 2.015]]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[4, 6] [[-0.5028, -0.2729, -0.06803, -0.5028, -0.2729, -0.06803], [0.9096, -0.4786, -0.5232, 0.9096,
    -0.4786, -0.5232], [-0.5028, -0.2729, -0.06803, -0.5028, -0.2729, -0.06803], [0.9096, -0.4786, -0.5232, 0.9096,
    -0.4786, -0.5232]]
out[1] = float32[4, 3] [[0.4972, 0.7271, 0.932], [0.4972, 0.7271, 0.932], [1.91, 0.5214, 0.4768], [1.91, 0.5214,
    0.4768]]
""")


@clause("dynamic-shapes.unbacked", "T16.7")
def test_arange_of_an_unbacked_length(check: Check) -> None:
    """`arange` and `zeros` are as long as the data say."""

    def program(a: torch.Tensor, count: Any) -> tuple[torch.Tensor, torch.Tensor]:
        length = count.item()
        return torch.arange(length) * 3 + length, a.new_zeros(length, 2) + a

    calls = [(tensor(2), number(value)) for value in (4, 9, 0, 1)]
    result = check(program, calls=calls, config=CAPTURED, probe=False).recompiled(0)
    result.values().expect("""\
out[0] = int64[4] [4, 7, 10, 13]
out[1] = float32[4, 2] [[0.6865, -2.63], [0.6865, -2.63], [0.6865, -2.63], [0.6865, -2.63]]
""")
    result.in_call(1).values().expect("""\
out[0] = int64[9] [9, 12, 15, 18, 21, 24, 27, 30, 33]
out[1] = float32[9, 2] [[-0.5028, -0.2729], [-0.5028, -0.2729], [-0.5028, -0.2729], [-0.5028, -0.2729], [-0.5028,
    -0.2729], [-0.5028, -0.2729], [-0.5028, -0.2729], [-0.5028, -0.2729], [-0.5028, -0.2729]]
""")


@clause("dynamic-shapes.unbacked", modes="train")
def test_split_by_unbacked_sizes(check: Check) -> None:
    """`split` into sizes that the data decide gives these pieces, views of the input, and refuses a wrong sum."""

    def program(a: torch.Tensor, sizes: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(piece * (place + 2) for place, piece in enumerate(a.split(sizes.tolist())))

    splits = [(2, 3, 1), (0, 5, 1), (4, 1, 1), (4, 4, 4)]
    calls = [(tensor(6), tensor(3, dtype=torch.int64, values=each)) for each in splits]
    result = check(program, calls=calls, config=CAPTURED, probe=False)
    result.gradient(0).recompiled(0)
    result.in_call(3).raised()


@clause("dynamic-shapes.unbacked", modes="train")
def test_masked_scatter_from_a_source(check: Check) -> None:
    """`masked_scatter` takes the source's first elements, as many as this call's mask has places, and no others."""

    def program(a: torch.Tensor, chosen: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        return a.masked_scatter(chosen, source[: chosen.sum().item()] * 2)

    masks = [(1, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, 0)]
    calls = [(tensor(4), mask(*each), tensor(4)) for each in masks]
    check(program, calls=calls, config=CAPTURED, probe=False).gradient(0, 1).recompiled(0)


@clause("dynamic-shapes.unbacked")
def test_cat_and_view_of_unbacked_sizes(check: Check) -> None:
    """What two masks pick is joined and folded by the sizes that they came to."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        picked, others = a[chosen], a[~chosen]
        return torch.cat([others, picked * 2, picked]).reshape(-1)[: 2 * a.size(0)] + others.size(0)

    masks = [(1, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, 1)]
    result = check(program, calls=[(tensor(4, 2), mask(*each)) for each in masks], config=CAPTURED)
    result.values().expect("""\
out = float32[8] [1.761, 0.618, 0.4134, 2.901, 3.373, -3.26, 1.088, 4.03]
""")
    result.in_call(1).values().expect("""\
out = float32[8] [0.4972, 0.7271, 0.8639, 2.819, 0.04277, -0.04644, 5.176, 1.453]
""")


@clause("dynamic-shapes.unbacked", "T3.1")
def test_mutation_of_a_part_of_unbacked_size(check: Check) -> None:
    """A write through a slice that ends where the data say reaches the caller there and nowhere else."""

    def program(a: torch.Tensor, count: Any) -> torch.Tensor:
        a.narrow(0, 0, count.item()).mul_(3)
        return a + 1

    calls = [(tensor(5), number(value)) for value in (2, 4, 5, 1)]
    result = check(program, calls=calls, config=CAPTURED).mutated(0).recompiled(0)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    _local_scalar_dense = torch.ops.aten._local_scalar_dense.default(arg1_1)
    ge = operator.ge(_local_scalar_dense, 0)
    _assert_scalar = torch.ops.aten._assert_scalar.default(
        ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge'",
    )
    le = operator.le(_local_scalar_dense, 5)
    _assert_scalar_1 = torch.ops.aten._assert_scalar.default(
        le, "Runtime assertion failed for expression u0 <= 5 on node 'le'",
    )
    add = operator.add(0, _local_scalar_dense)
    slice_1 = torch.ops.aten.slice.Tensor(arg0_1, 0, 0, add)
    mul = torch.ops.aten.mul.Tensor(slice_1, 3)
    slice_scatter = torch.ops.aten.slice_scatter.default(arg0_1, mul, 0, 0, add)
    add_1 = torch.ops.aten.add.Tensor(slice_scatter, 1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, slice_scatter)
    return (add_1,)
""")


@clause("dynamic-shapes.unbacked", "T2.4")
def test_unbacked_sizes_are_returned_as_integers(check: Check) -> None:
    """A size and a number that the data decide come back as the call's own `int`, `float` and `bool`."""

    def program(a: Any, chosen: Any) -> tuple[torch.Tensor, int, int, float]:
        found = chosen.nonzero()
        return a + 1, found.size(0), chosen.sum().item() * 2, a.sum().item()

    calls = [(tensor(2, values=[1.5, 2]), mask(1, 0, 1)), (tensor(2, values=[3, 0.25]), mask(0, 0, 0))]
    result = check(program, calls=calls, config=CAPTURED)
    result.holds("out[1]", 2).holds("out[2]", 4).holds("out[3]", 3.5).recompiled(0)


@clause("dynamic-shapes.unbacked", "dynamic-shapes.arithmetic")
def test_check_of_an_unbacked_number(check: Check) -> None:
    """A `torch._check` of a number that the data decide raises in the call whose data break it, and in no other."""

    def program(a: torch.Tensor, count: Any) -> torch.Tensor:
        length = count.item()
        torch._check(length >= 2)
        torch._check(length <= a.size(0))
        return a[:length] * length

    calls = [(tensor(5), number(value)) for value in (3, 7, 1, 5)]
    result = check(program, calls=calls, config=CAPTURED)
    errors = [call.error is not None for call in result.expected.calls]
    result.recompiled(0).happened(errors == [False, True, True, False], "failed checks")


@clause("dynamic-shapes.unbacked", "reuse.values", modes="train")
def test_item_as_a_factor(check: Check) -> None:
    """A number taken out of a tensor scales by the call's own value, in the forward and in the gradient."""

    def program(a: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return a * scale.item() + a.sin()

    scales = [tensor(grad=False, values=[value]) for value in (0.5, -3.0, 0.0)]
    check(program, calls=[(tensor(3), scale) for scale in scales], config=CAPTURED).gradient(0).recompiled(0)


@clause("dynamic-shapes.unbacked", "reuse.values")
def test_items_of_every_kind_in_a_kernel(check: Check) -> None:
    """Truths, whole numbers of either sign and of few bits, and fractions count by the call's own value."""

    def program(a: Any, truths: Any, whole: Any, few: Any, parts: Any) -> dict[str, torch.Tensor]:
        truth, count, small, part = truths.all().item(), whole.sum().item(), few[0].item(), parts.sum().item()
        return {
            "truth": a * truth + 1,
            "no truth": a * torch.sym_not(truth),
            "chosen": a + torch.sym_ite(truth, 2, -3),
            "filled": a.new_full((2,), truth, dtype=torch.bool),
            "sum and product": (a + count) * count,
            "distance": a - abs(count),
            "quotient and remainder": a + count // 3 * 10 + count % 3,
            "extremes": a + torch.sym_max(count, -2) * 10 + torch.sym_min(count, 2),
            "of few bits": a * small + small,
            "fraction": a * part - part,
            "of both": a * (count * part),
        }

    calls = [
        (tensor(2, values=[1.0, 2.0]), mask(truth, 1), number(count), tensor(1, dtype=torch.int8, values=[few]), part)
        for truth, count, few, part in (
            (1, -4, -100, tensor(1, values=[-0.75])),
            (0, 5, 127, tensor(1, values=[2.5])),
            (1, 0, -128, tensor(1, values=[0.0])),
        )
    ]
    result = check(program, calls=calls, config=CAPTURED).recompiled(0)
    result.values().expect("""\
out['truth'] = float32[2] [2, 3]
out['no truth'] = float32[2] [0, 0]
out['chosen'] = float32[2] [3, 4]
out['filled'] = bool[2] [True, True]
out['sum and product'] = float32[2] [12, 8]
out['distance'] = float32[2] [-3, -2]
out['quotient and remainder'] = float32[2] [-17, -16]
out['extremes'] = float32[2] [-23, -22]
out['of few bits'] = float32[2] [-200, -300]
out['fraction'] = float32[2] [0, -0.75]
out['of both'] = float32[2] [3, 6]
""")
    result.in_call(1).values().expect("""\
out['truth'] = float32[2] [1, 1]
out['no truth'] = float32[2] [1, 2]
out['chosen'] = float32[2] [-2, -1]
out['filled'] = bool[2] [False, False]
out['sum and product'] = float32[2] [30, 35]
out['distance'] = float32[2] [-4, -3]
out['quotient and remainder'] = float32[2] [13, 14]
out['extremes'] = float32[2] [53, 54]
out['of few bits'] = float32[2] [254, 381]
out['fraction'] = float32[2] [0, 2.5]
out['of both'] = float32[2] [12.5, 25]
""")


@clause("dynamic-shapes.unbacked", "reuse.values")
def test_item_of_an_integer_input_of_dimension_zero(check: Check) -> None:
    """The number in an integer input of dimension zero sizes and scales by the call's own value, 0 and 1 too."""

    def program(a: torch.Tensor, count: Any) -> torch.Tensor:
        length = count.item()
        return torch.arange(length, device=a.device) * length + a.new_zeros(length)

    calls = [(tensor(2), tensor(dtype=torch.int64, values=[value])) for value in (4, 9, 0, 1, 4)]
    result = check(program, calls=calls, config=CAPTURED, probe=False)
    result.values().expect("""\
out = float32[4] [0, 4, 8, 12]
""")
    result.in_call(1).values().expect("""\
out = float32[9] [0, 9, 18, 27, 36, 45, 54, 63, 72]
""")


@clause("dynamic-shapes.unbacked", "reuse.graph-breaks", modes="train", fullgraph=False)
def test_branch_on_a_number_from_the_data(check: Check) -> None:
    """A branch on a number that the data decide is taken anew in every call."""

    def program(a: torch.Tensor, count: Any) -> torch.Tensor:
        doubled = a * 2
        if count.item() > 3:
            return doubled.sin()
        return doubled[: count.item()] + 1

    calls = [(tensor(5), number(value)) for value in (4, 2, 5, 3)]
    check(program, calls=calls, config=CAPTURED).gradient(0).shape("out", 5)


@clause("dynamic-shapes.unbacked")
def test_squeeze_of_an_unbacked_size(check: Check) -> None:
    """`squeeze` of what a mask picks takes the dimension away in the call in which one is picked, and in no other."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        return a[chosen].squeeze(0) * 2

    masks = [(0, 1, 0, 0), (0, 1, 1, 0), (0, 0, 0, 0)]
    result = check(program, calls=[(tensor(4, 2), mask(*each)) for each in masks], config=CAPTURED)
    result.values().expect("""\
out = float32[2] [-0.478, -2.764]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 2] [[-0.1361, 1.819], [-0.9572, -1.046]]
""")


@clause("dynamic-shapes.unbacked")
def test_squeeze_of_every_dimension_of_an_unbacked_size(check: Check) -> None:
    """`squeeze` without a dimension takes away the one of size one that the data made so."""

    def program(a: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
        return (a[: int(end.item())] * 2).squeeze()

    result = check(program, calls=[(tensor(4, 2), number(each)) for each in (1, 2)], config=CAPTURED)
    result.values().expect("""\
out = float32[2] [1.373, -5.26]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 2] [[-1.006, -0.5458], [-0.1361, 1.819]]
""")


@clause("dynamic-shapes.unbacked", "errors.values")
def test_maximum_of_nothing(check: Check) -> None:
    """The maximum of what a mask picks is refused where it picks nothing."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        return a[chosen].max() * 2

    check(program, tensor(4, 2), mask(0, 0, 0, 0), config=CAPTURED).raised("max()")


@clause("dynamic-shapes.unbacked")
def test_reductions_of_nothing_that_have_a_value(check: Check) -> None:
    """Sum, product, mean and any of what a mask picks have their values where it picks nothing; maxima of rows too."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> Any:
        picked = a[chosen]
        return picked.sum(), picked.prod(0), picked.mean(), (picked > 0).any(), picked.amax(1)

    masks = [(0, 0, 0, 0), (0, 1, 1, 0)]
    result = check(program, calls=[(tensor(4, 2), mask(*each)) for each in masks], config=CAPTURED)
    result.shape("out[4]", 0).recompiled(0)
    result.values().expect("""\
out[0] = float32[] 0
out[1] = float32[2] [1, 1]
out[2] = float32[] nan
out[3] = bool[] False
out[4] = float32[0] []
""")
    result.in_call(1).values().expect("""\
out[0] = float32[] -0.1602
out[1] = float32[2] [0.03256, -0.4759]
out[2] = float32[] -0.04006
out[3] = bool[] True
out[4] = float32[2] [0.9096, -0.4786]
""")


@clause("dynamic-shapes.unbacked")
def test_unbacked_size_seen_as_pairs_and_as_rows(check: Check) -> None:
    """A vector of unbacked size is viewed in pairs, and in rows of a size that divides it, however long it is."""

    def unbacked(size: int) -> BuiltSpec:
        return built(lambda data: torch_internals.mark_unbacked(data, 0), tensor(size))

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.view(-1, 2) + 1, a.unflatten(0, (2, -1)).sum(1)

    result = check(program, calls=[(unbacked(size),) for size in (8, 6, 14)])
    result.shape("out[0]", 4, 2).computed()


@clause("T7.10", "dynamic-shapes.unbacked")
def test_dtypes_and_layouts_of_what_the_data_decide(check: Check) -> None:
    """A program is told truly the dtypes, dimensions and strides of places, of what is found once, and of counts."""

    def program(a: torch.Tensor, counted: torch.Tensor) -> Any:
        turned = a.t()
        found = {
            "places": turned.nonzero(),
            "places of each": torch.argwhere(a > 1),
            "so many places": torch.nonzero_static(turned > 1, size=4, fill_value=-2),
            "dimension by dimension": torch.where(turned > 1),
            "chosen": torch.masked_select(turned, turned > 0),
            "once": torch.unique(turned, return_inverse=True, return_counts=True),
            "once, and where": torch.unique(turned, return_inverse=True),
            "rows once": torch.unique(a, dim=0, return_inverse=True, return_counts=True),
            "runs": torch.unique_consecutive(turned, return_inverse=True, return_counts=True),
            "counts": torch.bincount(counted),
        }
        return found, told_of(found)

    a = tensor(2, 3, values=[[1.0, 0.0, 2.0], [2.0, 2.0, 3.0]])
    counted = tensor(3, dtype=torch.int64, values=[2, 0, 2])
    check(program, a, counted, config=CAPTURED).computed()


@clause("T7.10", "dynamic-shapes.unbacked")
def test_dimensions_of_what_is_found_once_counted_from_the_end(check: Check) -> None:
    """A program is told truly how many dimensions what is found once along one has that is counted from the end."""

    def program(a: torch.Tensor) -> Any:
        found = {
            "numbers": torch.unique(a[:, 0], dim=-1, return_inverse=True, return_counts=True),
            "numbers alone": torch.unique(a.flatten(), dim=-1),
            "rows": torch.unique(a, dim=-2, return_counts=True),
            "planes": torch.unique(a.view(2, 2, 3), dim=-3, return_inverse=True),
        }
        return found, told_of(found), [found["numbers alone"].shape[-1], found["rows"][0].dim()]

    values = [[1.0, 0.0, 1.0], [2.0, 3.0, 2.0], [1.0, 0.0, 1.0], [2.0, 3.0, 2.0]]
    check(program, tensor(4, 3, values=values, grad=False), config=CAPTURED).computed()


@clause("T7.10", "dynamic-shapes.unbacked")
def test_dtypes_of_weighted_counts(check: Check) -> None:
    """A program is told truly the dtypes of counts: those of their weights if these are float32, and float64."""

    def program(counted: torch.Tensor, weight: torch.Tensor) -> Any:
        weights = weight, weight.double(), weight.half(), counted, counted > 0
        found = [torch.bincount(counted, each, minlength=2) for each in weights]
        return found, told_of(found)

    counted = tensor(3, dtype=torch.int64, values=[2, 0, 2])
    check(program, counted, tensor(3, values=[0.5, 1.0, 0.25]), config=CAPTURED).computed()


@pytest.mark.parametrize("found", ["counts", "weighted counts", "each once", "places"])
@clause("T7.10", "dynamic-shapes.unbacked", "numbers.integers")
def test_dtypes_of_what_is_found_in_whole_numbers_of_each_width(check: Check, found: str) -> None:
    """Counts and places are told as 64-bit integers, and what is chosen as its own dtype, of every width."""
    ways: dict[str, Callable[[torch.Tensor], Any]] = {
        "counts": lambda whole: (torch.bincount(whole), torch.bincount(whole, minlength=5)),
        "weighted counts": lambda whole: (
            torch.bincount(whole, whole * 0.5),
            torch.bincount(whole, whole.double(), minlength=1),
            torch.bincount(whole, whole),
        ),
        "each once": lambda whole: (
            torch.unique(whole, return_inverse=True, return_counts=True),
            torch.unique(whole.view(3, 1), dim=0, return_inverse=True, return_counts=True),
            torch.unique_consecutive(whole, return_inverse=True, return_counts=True),
        ),
        "places": lambda whole: (
            (whole.nonzero(), torch.argwhere(whole), torch.where(whole), torch.nonzero_static(whole, size=2)),
            (torch.masked_select(whole, whole > 0), whole[whole > 0]),
        ),
    }
    dtypes = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64
    find = ways[found]

    def program(*wholes: torch.Tensor) -> Any:
        each = [find(whole) for whole in wholes]
        return each, told_of(each)

    wholes = (tensor(3, dtype=dtype, values=[2, 0, 2]) for dtype in dtypes)
    check(program, *wholes, config=CAPTURED).computed()


@clause("T7.10", "dynamic-shapes.unbacked")
def test_dtypes_of_what_is_repeated_as_often_as_whole_numbers_say(check: Check) -> None:
    """What is repeated keeps its dtype, and places that are repeated have the dtype of what says how often."""

    def program(a: torch.Tensor, *times: torch.Tensor) -> Any:
        found: list[Any] = []
        for often in times:
            found += [torch.repeat_interleave(often), torch.repeat_interleave(often, output_size=3)]
            for what in (a, a.half(), a > 1, a.int()):
                found += [torch.repeat_interleave(what, often), torch.repeat_interleave(what.view(1, 3), often, 1)]
        return found, told_of(found)

    times = (tensor(3, dtype=dtype, values=[1, 0, 2]) for dtype in (torch.int32, torch.int64))
    result = check(program, tensor(3, values=[0.5, 1.0, 2.0]), *times, config=CAPTURED).computed()
    result.happened(result.value("out[0][0]").tolist() == [0, 2, 2], "places as often as they are told")


@clause("dynamic-shapes.unbacked")
def test_pieces_at_places_that_a_tensor_holds(check: Check) -> None:
    """Along each dimension a tensor is split at the places, or into as many pieces, as another tensor holds."""

    def program(a: torch.Tensor) -> Any:
        return {
            "so many": [part * 2 for part in torch.tensor_split(a, torch.tensor(2), 1)],
            "at places": [part * 3 for part in torch.tensor_split(a, torch.tensor([1, 3]), -1)],
            "rows": [part * 4 for part in torch.tensor_split(a, torch.tensor([1]))],
        }

    result = check(program, tensor(2, 5), config=CAPTURED)
    result.shape("out['so many'][0]", 2, 3).shape("out['at places'][1]", 2, 2).computed()


@clause("T7.10", "dynamic-shapes.unbacked")
def test_parts_of_an_unbacked_size_counted_from_its_ends(check: Check) -> None:
    """Parts of what has as many rows as the data decide begin and end in it, also where it has fewer than are asked."""

    def program(a: torch.Tensor, chosen: torch.Tensor) -> Any:
        picked = a[chosen.nonzero().squeeze(1)]
        parts = {
            "last": picked[-2:],
            "all but the last": picked[:-2],
            "in the middle": picked[-3:-1],
            "first": picked[:2],
            "behind the first": picked[2:],
            "from one end to the other": picked[1:-1],
            "every other of the last": picked[-3::2],
            "far beyond": picked[-9:9],
            "columns": picked.t()[:, -2:],
        }
        return {name: part * 2 for name, part in parts.items()}, [part.shape for part in parts.values()]

    masks = [(1, 0, 1, 1), (0, 1, 0, 0), (1, 1, 1, 1), (0, 0, 0, 0)]
    check(program, calls=[(tensor(4, 2), mask(*each)) for each in masks], config=CAPTURED).computed()
