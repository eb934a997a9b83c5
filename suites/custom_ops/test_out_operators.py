"""`out=` operators of ATen with several results, with lists of results, and the ones that are refused."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T11", entry=ANY)
def test_both_results_of_max(check: Check) -> None:
    """`max` along a dimension writes values and places into its two `out` tensors and returns these very objects."""

    def program(a: torch.Tensor, values: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = torch.max(a, 1, out=(values, places))
        return found[0], found[1]

    specs = tensor(3, 4), tensor(3), tensor(3, dtype=torch.int64, values=[9, 9, 9])
    result = check(program, *specs)
    result.mutated(1, 2).unchanged(0).same_object("out[0]", "arg[1]").same_object("out[1]", "arg[2]")


@clause("T11", entry=ANY)
def test_both_results_of_sort(check: Check) -> None:
    """`sort` writes the sorted values and the permutation into its two `out` tensors."""

    def program(a: torch.Tensor, values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        torch.sort(a, out=(values, places))
        return values * places

    specs = tensor(4), tensor(4), tensor(4, dtype=torch.int64, values=[9, 9, 9, 9])
    result = check(program, *specs)
    result.mutated(1, 2).unchanged(0)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    sort = torch.ops.aten.sort.default(arg0_1)
    getitem = operator.getitem(sort, 0)
    getitem_1 = operator.getitem(sort, 1)
    mul = torch.ops.aten.mul.Tensor(getitem, getitem_1)
    copy_ = torch.ops.aten.copy_.default(arg1_1, getitem)
    copy__1 = torch.ops.aten.copy_.default(arg2_1, getitem_1)
    return (mul,)
""")


@clause("T11", entry=ANY)
def test_rows_of_one_tensor_as_outs(check: Check) -> None:
    """Two `out` tensors that are rows of one input are written in their own rows of it."""

    def program(a: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        torch.frexp(a, out=(table[1], torch.empty(3, dtype=torch.int32, device=a.device)))
        torch.mul(a, 3, out=table[0])
        return table * 2

    check(program, tensor(3), tensor(3, 3)).mutated(1).unchanged(0)


@clause("T11", entry=ANY)
def test_reduction_into_a_wider_out(check: Check) -> None:
    """A sum and a mean written into an `out` of a wider dtype are those of the operand, in the `out`'s dtype."""

    def program(a: torch.Tensor, wide: torch.Tensor) -> torch.Tensor:
        torch.sum(a, 0, out=wide)
        return wide * 2

    check(program, tensor(4, 3), tensor(3, dtype=torch.float64)).mutated(1).unchanged(0)


@clause("T11", entry=ANY)
def test_out_of_an_intermediate(check: Check) -> None:
    """`out=` a tensor made in the program is written there, and earlier reads of it keep their value."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scratch = a * 2
        early = scratch + 1
        torch.add(a, scratch, out=scratch)
        return early, scratch

    result = check(program, tensor(4)).unchanged(0).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[4] [2.373, -4.26, 0.522, -1.764]
out[1] = float32[4] [2.059, -7.89, -0.717, -4.146]
""")


@clause("T11")
def test_pieces_copied_into_outs(check: Check) -> None:
    """`split_with_sizes_copy` with `out` writes each piece into its own tensor; the graph has the plain operator."""

    def program(a: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        torch.split_with_sizes_copy(a, [2, 3], out=[first, second])
        return first.sum() * second

    result = check(program, tensor(5), tensor(2), tensor(3))
    result.mutated(1, 2).unchanged(0)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    split_with_sizes_copy = torch.ops.aten.split_with_sizes_copy.default(arg0_1, [2, 3])
    getitem = operator.getitem(split_with_sizes_copy, 0)
    getitem_1 = operator.getitem(split_with_sizes_copy, 1)
    sum_1 = torch.ops.aten.sum.default(getitem)
    mul = torch.ops.aten.mul.Tensor(sum_1, getitem_1)
    copy_ = torch.ops.aten.copy_.default(arg1_1, getitem)
    copy__1 = torch.ops.aten.copy_.default(arg2_1, getitem_1)
    return (mul,)
""")


@clause("T11")
def test_chunks_concatenated_into_an_out(check: Check) -> None:
    """`_chunk_cat` with `out` interleaves the chunks of its tensors in it, padding included."""

    def program(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        torch._chunk_cat([a, b], 0, 2, out=out)
        return out * 2

    check(program, tensor(3, 2), tensor(2, 3), tensor(2, 7)).mutated(2).unchanged(0, 1)


@clause("T11")
def test_chunks_along_a_dimension_that_is_counted_from_the_end(check: Check) -> None:
    """`_chunk_cat` counts a dimension from the end, too, with `out` and without."""

    def program(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> tuple[torch.Tensor, ...]:
        torch._chunk_cat([a, b], -1, 2, out=out)
        return out * 2, torch._chunk_cat([a, b], -2, 3), torch._chunk_cat([a, a * 2], -3, 1)

    result = check(program, tensor(2, 3, 3), tensor(2, 3, 4), tensor(2, 3, 2, 4))
    result.mutated(2).unchanged(0, 1).shape("out[1]", 2, 3, 7).shape("out[2]", 1, 36)


@clause("T11", "D13")
def test_out_of_the_wrong_dtype_is_refused(check: Check) -> None:
    """A floating-point result for an integer `out` is refused, as eager refuses it."""

    def program(a: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return torch.add(a, 1.5, out=out)

    check(program, tensor(3), tensor(3, dtype=torch.int64)).raised("can't be cast")


@clause("T11", "D13", fullgraph=False)
def test_outs_that_are_resized(check: Check) -> None:
    """Two empty `out` tensors take the shape of the results, by a graph break if need be."""

    def program(a: torch.Tensor, values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.topk(doubled, 2, out=(values, places))
        return values * places

    check(program, tensor(5), tensor(0), tensor(0, dtype=torch.int64)).shape(1, 2).shape(2, 2)
