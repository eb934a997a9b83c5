"""Operators without a kernel of Inductor's, or made a loop of: lists written in place or through `out=`."""

import torch

from suites.harness import Check, clause, tensor


@clause("inductor.fallbacks")
def test_foreach_add_with_a_list(check: Check) -> None:
    """`_foreach_add_` adds to each tensor of a list its own operand, scaled."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        torch._foreach_add_([a, b], [c, c * 2], alpha=3)
        return a - b

    check(program, tensor(3), tensor(3), tensor(3)).mutated(0, 1).unchanged(2)


@clause("inductor.fallbacks")
def test_foreach_copy(check: Check) -> None:
    """`_foreach_copy_` copies each source into its own destination, with the destination's dtype and shape."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        torch._foreach_copy_([a, b[0]], [c * 2, c])
        return a.sum() * b

    specs = tensor(3, dtype=torch.float64), tensor(2, 3), tensor(3)
    check(program, *specs).mutated(0, 1).unchanged(2)


@clause("inductor.fallbacks", "reinplacing.live")
def test_foreach_copy_of_an_exchange(check: Check) -> None:
    """`_foreach_copy_` of clones of two tensors into each other exchanges them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch._foreach_copy_([a, b], [b.clone(), a.clone()])
        return a * 2 - b

    check(program, tensor(3), tensor(3)).mutated(0, 1)


@clause("inductor.fallbacks", "reinplacing.live")
def test_foreach_update_of_copies(check: Check) -> None:
    """A foreach update of clones leaves their sources alone, and the sources that are read later have their values."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        copies = [a.clone(), b.clone()]
        torch._foreach_mul_(copies, [b, a])
        torch._foreach_add_([a], [copies[1]])
        return *copies, a - b

    check(program, tensor(3), tensor(3)).mutated(0).unchanged(1)


@clause("inductor.fallbacks", "reinplacing.live")
def test_foreach_results_that_become_their_operands_after_a_read(check: Check) -> None:
    """Results of a foreach operator are copied into its operands, one of which was read in between: as it was."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        results = torch._foreach_add([a, b], 1.0)
        before = a * 2
        a.copy_(results[0])
        b.copy_(results[1])
        return before

    check(program, tensor(3), tensor(3)).mutated(0, 1)


@clause("inductor.fallbacks", "reinplacing.live")
def test_one_of_the_results_of_a_foreach_becomes_its_operand(check: Check) -> None:
    """Of the results of a foreach operator one is copied into its operand: the other operand stays as it is."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        results = torch._foreach_add([a, b], 1.0)
        a.copy_(results[0])
        return results[1] * b

    check(program, tensor(3), tensor(3)).mutated(0).unchanged(1)


@clause("inductor.fallbacks")
def test_foreach_over_slices_of_one_tensor(check: Check) -> None:
    """A chain of foreach updates over slices of one input writes each slice in its place, in order."""

    def program(a: torch.Tensor) -> torch.Tensor:
        parts = [a[:2], a[2:5]]
        torch._foreach_mul_(parts, [2.0, 3.0])
        torch._foreach_add_(parts, [a[3:5], a[:3].clone()])
        return a * 2

    check(program, tensor(6)).mutated(0)


@clause("inductor.fallbacks", "T11", golden="inductor")
def test_out_of_an_operator_without_a_lowering(check: Check) -> None:
    """`out=` of an operator that Inductor hands back to ATen writes into the caller's tensors, once each."""

    def program(a: torch.Tensor, values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        torch.kthvalue(a, 2, 1, out=(values, places))
        return values * 3 + places

    specs = tensor(3, 4), tensor(3), tensor(3, dtype=torch.int64, values=[9, 9, 9])
    result = check(program, *specs)
    result.mutated(1, 2).unchanged(0)
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1, arg2_1):
    buf0 = torch.ops.aten.kthvalue.default(arg0_1, 2, 1, False)
    buf1 = buf0[0]
    buf2 = buf0[1]
    buf3 = empty_strided_cpu((3,), (1,), torch.float32)
    cpp_fused_add_copy__mul_0(buf1, buf2, buf3, arg2_1, arg1_1)
    return (buf3,)
""")


@clause("inductor.fallbacks", "T11")
def test_pieces_copied_into_parts_of_one_tensor(check: Check) -> None:
    """`split_with_sizes_copy` into slices of one input writes each piece in its slice, and nothing between them."""

    def program(a: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        torch.split_with_sizes_copy(a * 2, [2, 3], out=[table[4:], table[:3]])
        return table + 1

    check(program, tensor(5), tensor(6)).mutated(1).unchanged(0)
