"""Reinplacing: when a wrapped operator may write into the tensor that it was given, and when a copy must be there.

Inductor writes in place again what functionalization made functional. It may where nobody reads the old value; each
clause here has a reader of the old value, or a copy that only seems to be dead.
"""

import torch

from suites.harness import Check, clause, tensor

from . import operators  # noqa: F401


@clause("T10.5", "reinplacing.live", golden="inductor")
def test_mutated_input_is_written_in_place(check: Check) -> None:
    """An input whose old value nobody reads is handed to the operator itself: no clone, and no copy back."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a, b)
        return a * 3

    result = check(program, tensor(4), tensor(4))
    result.mutated(0).unchanged(1)
    result.post_grad.expect("""\
def forward(self, arg0_1, arg1_1):
    accumulate = torch.ops.parity.accumulate.default(arg0_1, arg1_1)
    mul = torch.ops.aten.mul.Tensor(arg0_1, 3)
    copy_ = torch.ops.aten.copy_.default(arg0_1, arg0_1)
    return (mul,)
""")


@clause("T10.5", "reinplacing.live", "D4")
def test_clone_that_is_read_while_its_source_is_mutated(check: Check) -> None:
    """An operator that reads a clone of what it mutates reads the old value, whatever it has written before."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        old = a.clone()
        total = torch.ops.parity.clear_and_sum(old, a)
        return total, a * 3

    check(program, tensor(4)).mutated(0)


@clause("T10.5", "reinplacing.live", "D4")
def test_source_that_is_read_while_its_clone_is_mutated(check: Check) -> None:
    """An operator that mutates a clone of what it reads leaves the source as it was, and reads it twice alike."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        copy = a.clone()
        total = torch.ops.parity.clear_and_sum(a, copy)
        return total, copy * 3

    result = check(program, tensor(4)).unchanged(0)
    result.values().expect("""\
out[0] = float32[4] [2.059, -7.89, -0.717, -4.146]
out[1] = float32[4] [3, 3, 3, 3]
""")


@clause("T10.5", "reinplacing.live")
def test_clone_that_is_returned_after_its_source_was_mutated(check: Check) -> None:
    """A clone taken before an operator mutates its source, and returned, holds the old value."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        old = a.clone()
        torch.ops.parity.accumulate(a, b)
        return old

    check(program, tensor(4), tensor(4)).mutated(0).distinct("out", "arg[0]")


@clause("T10.5", "reinplacing.live", golden="inductor")
def test_intermediate_that_is_read_afterwards(check: Check) -> None:
    """An operator mutates a clone of an intermediate that is read later: the clone stays, and that read is right."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = torch.ops.parity.weighted(a)
        changed = inner.clone()
        torch.ops.parity.accumulate(changed, b)
        return changed, inner * 5

    result = check(program, tensor(4), tensor(4))
    result.unchanged(0, 1).distinct("out[0]", "out[1]")
    result.post_grad.expect("""\
def forward(self, arg0_1, arg1_1):
    weighted = torch.ops.parity.weighted.default(arg0_1)
    as_strided = torch.ops.aten.as_strided.default(weighted, [4], [1], 0)
    clone = torch.ops.aten.clone.default(as_strided)
    as_strided_1 = torch.ops.aten.as_strided.default(clone, [4], [1], 0)
    accumulate = torch.ops.parity.accumulate.default(as_strided_1, arg1_1)
    mul = torch.ops.aten.mul.Tensor(weighted, 5)
    return (as_strided_1, mul)
""")


@clause("T10.5", "reinplacing.live")
def test_view_of_a_cloned_intermediate_that_is_read_afterwards(check: Check) -> None:
    """A view of an intermediate that is read after a clone of the intermediate was mutated shows the old value."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = torch.ops.parity.weighted(a)
        part = inner[1]
        changed = inner.clone()
        torch.ops.parity.accumulate(changed[1], b)
        return changed, part * 5

    result = check(program, tensor(2, 3), tensor(3)).unchanged(0, 1)
    result.values().expect("""\
out[0] = float32[2, 3] [[2.373, -4.26, 0.522], [-5.115, 1.077, 4.929]]
out[1] = float32[3] [-8.82, 0.4394, 15.15]
""")


@clause("T10.5", "reinplacing.live", golden="inductor")
def test_clone_of_an_input_that_is_not_mutated(check: Check) -> None:
    """An operator that mutates a clone of an input leaves the caller's tensor as it was: the clone is made."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        changed = a.clone()
        torch.ops.parity.accumulate(changed, b)
        return changed * 3

    result = check(program, tensor(4), tensor(4))
    result.unchanged(0, 1)
    result.post_grad.expect("""\
def forward(self, arg0_1, arg1_1):
    as_strided = torch.ops.aten.as_strided.default(arg0_1, [4], [1], 0)
    clone = torch.ops.aten.clone.default(as_strided)
    as_strided_1 = torch.ops.aten.as_strided.default(clone, [4], [1], 0)
    accumulate = torch.ops.parity.accumulate.default(as_strided_1, arg1_1)
    mul = torch.ops.aten.mul.Tensor(as_strided_1, 3)
    return (mul,)
""")


@clause("T10.5", "reinplacing.live")
def test_result_from_before_a_later_overwrite(check: Check) -> None:
    """A mutated copy of an input that is returned keeps its value when the input itself is overwritten afterwards."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        changed = a.clone()
        torch.ops.parity.accumulate(changed, b)
        a.fill_(7)
        return changed

    check(program, tensor(4), tensor(4)).mutated(0).unchanged(1).distinct("out", "arg[0]")


@clause("T10.5", "reinplacing.live")
def test_two_copies_of_one_input(check: Check) -> None:
    """Two clones of one input, both mutated by one call, are two tensors: the second does not see the first's write."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first, second = a.clone(), a.clone()
        torch.ops.parity.mix(first, second)
        return first, second

    result = check(program, tensor(4)).unchanged(0).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[4] [2.059, -7.89, -0.717, -4.146]
out[1] = float32[4] [4.119, -15.78, -1.434, -8.292]
""")


@clause("T10.5", "reinplacing.live")
def test_several_mutations_in_a_row(check: Check) -> None:
    """Each of three mutations of an input is read by its own reader at its own moment."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        torch.ops.parity.accumulate(a, b)
        first = a * 3
        torch.ops.parity.accumulate(a, b)
        second = torch.ops.parity.weighted(a)
        torch.ops.parity.accumulate(a, second)
        return first, second, a - b

    check(program, tensor(4), tensor(4)).mutated(0).unchanged(1)


@clause("T10.5", "reinplacing.live", golden="inductor")
def test_one_of_two_mutated_arguments_is_read_later(check: Check) -> None:
    """Of two mutated arguments the one whose old value is read later is cloned, and the other is written in place."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = torch.ops.parity.weighted(b)
        changed = inner.clone()
        torch.ops.parity.mix(a, changed)
        return changed, inner * 5

    result = check(program, tensor(4), tensor(4))
    result.mutated(0).unchanged(1)
    result.post_grad.expect("""\
def forward(self, arg0_1, arg1_1):
    weighted = torch.ops.parity.weighted.default(arg0_1)
    as_strided = torch.ops.aten.as_strided.default(weighted, [4], [1], 0)
    clone = torch.ops.aten.clone.default(as_strided)
    as_strided_1 = torch.ops.aten.as_strided.default(clone, [4], [1], 0)
    mix = torch.ops.parity.mix.default(arg1_1, as_strided_1)
    mul = torch.ops.aten.mul.Tensor(weighted, 5)
    copy_ = torch.ops.aten.copy_.default(arg1_1, arg1_1)
    return (as_strided_1, mul)
""")


@clause("T10.5", "reinplacing.live")
def test_list_with_an_element_that_is_read_later(check: Check) -> None:
    """A mutated list with a clone of a tensor that is read later: the later read sees the old value."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = torch.ops.parity.weighted(b)
        changed = inner.clone()
        torch.ops.parity.scale_list([a, changed], b)
        return changed, inner * 5

    check(program, tensor(4), tensor(4)).mutated(0).unchanged(1)


@clause("T10.5", "reinplacing.live", "D4")
def test_update_by_a_view_of_the_tensor_itself(check: Check) -> None:
    """An operator that mutates a tensor by a flipped copy of it reads the old values alone."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a, a.flip(0))
        return a * 3

    check(program, tensor(5)).mutated(0)


@clause("T10.5", "reinplacing.live", "D4")
def test_exchange_of_two_rows_through_a_clone(check: Check) -> None:
    """Rows exchanged with the help of a clone, then mutated by an operator, hold each other's old values."""

    def program(a: torch.Tensor) -> torch.Tensor:
        old = a[0].clone()
        a[0].copy_(a[1])
        a[1].copy_(old)
        torch.ops.parity.mix(a[0], a[1])
        return a * 3

    check(program, tensor(2, 3)).mutated(0)


@clause("T10.5", "reinplacing.live")
def test_dead_intermediate_is_not_taken_for_a_live_one(check: Check) -> None:
    """Two mutable intermediates of one shape, the first dead when the second is made, do not leak into each other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = torch.zeros_like(a)
        torch.ops.parity.accumulate(first, b)
        total = first.sum()
        second = torch.zeros_like(a)
        torch.ops.parity.accumulate(second, a)
        return total, second

    result = check(program, tensor(4), tensor(4)).unchanged(0, 1)
    result.values().expect("""\
out[0] = float32[] -0.1267
out[1] = float32[4] [0.6865, -2.63, -0.239, -1.382]
""")


@clause("T10.5", "reinplacing.live")
def test_scattered_part_before_its_source_is_mutated(check: Check) -> None:
    """A tensor with a part replaced is apart from the input that it was made of, which an operator then overwrites."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        replaced = torch.slice_scatter(a, b, 0, 1, 3)
        torch.ops.parity.accumulate(a, a * 2)
        return replaced, a * 3

    check(program, tensor(4), tensor(2)).mutated(0).unchanged(1)


@clause("T10.5", "reinplacing.live")
def test_scattered_part_before_its_source_is_overwritten(check: Check) -> None:
    """A tensor with a part replaced keeps its value when the input that it was made of is set to zero afterwards."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        replaced = torch.slice_scatter(a, b, 0, 1, 3)
        a.zero_()
        return replaced

    check(program, tensor(4), tensor(2)).mutated(0).unchanged(1).distinct("out", "arg[0]")


@clause("T10.5", "reinplacing.live")
def test_index_put_into_a_copy_before_its_source_changes(check: Check) -> None:
    """A copy with elements put into it by index keeps its other elements when its source is mutated afterwards."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        copy = torch.index_put(a, (index,), b)
        torch.ops.parity.accumulate(a, copy)
        return copy

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, tensor(4), tensor(2), index).mutated(0).unchanged(1, 2)


@clause("T10.5", "reinplacing.live")
def test_index_put_into_a_view_of_an_input(check: Check) -> None:
    """Elements put into a view of an input, as a new tensor, leave the caller's tensor as it was."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return torch.index_put(a.view(-1), (index,), b)

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    result = check(program, tensor(2, 3), tensor(2), index).unchanged(0, 1, 2).distinct("out", "arg[0]")
    result.values().expect("""\
out = float32[6] [0.9008, -2.63, -1.587, -1.382, -0.4561, 1.015]
""")


@clause("T10.5", "reinplacing.live", golden="inductor")
def test_index_put_into_a_view_that_is_copied_back(check: Check) -> None:
    """Elements put into a view of an input whose result is copied back into all of it are put in place."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        flat = a.view(-1)
        flat[index] = b
        return b * 2

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    result = check(program, tensor(2, 3), tensor(2), index)
    result.mutated(0).unchanged(1, 2)
    result.post_grad.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    reshape = torch.ops.aten.reshape.default(arg0_1, [-1])
    index_put_ = torch.ops.aten.index_put_.default(reshape, [arg1_1], arg2_1)
    reshape_1 = torch.ops.aten.reshape.default(index_put_, [2, 3])
    mul = torch.ops.aten.mul.Tensor(arg2_1, 2)
    return (mul,)
""")


@clause("T10.5", "reinplacing.live")
def test_view_that_is_read_between_index_put_and_its_copying_back(check: Check) -> None:
    """Elements put into a view of an input reach the input when they are copied back, and no reader before that."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        flat = a.view(-1)
        replaced = torch.index_put(flat, (index,), b)
        old = flat.cumsum(0)
        a.copy_(replaced.view(2, 3))
        return old

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, tensor(2, 3), tensor(2), index).mutated(0).unchanged(1, 2)


@clause("T10.5", "reinplacing.live", modes="train")
def test_mutated_buffer_that_backward_needs(check: Check) -> None:
    """A buffer that an operator mutates and backward reads is the caller's: backward leaves it as it is."""

    def program(a: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(buffer, buffer + 1)
        return a.sin() * buffer

    result = check(program, tensor(3), tensor(3, grad=False))
    result.mutated(1).gradient(0)
    result.happened("arg[1] after backward" not in result.call.after_backward, "the buffer staying as it was")


@clause("T10.5", "reinplacing.live", modes="train")
def test_value_saved_before_a_mutation(check: Check) -> None:
    """An intermediate that backward needs keeps its value when a clone of it is mutated by an operator."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        power = a.exp()
        copy = power.detach().clone()
        torch.ops.parity.accumulate(copy, b)
        return power * 2, copy

    check(program, tensor(3), tensor(3, grad=False)).unchanged(0, 1).gradient(0)
