"""Reinplacing: when a wrapped operator may write into the tensor that it was given, and when a copy must be there.

Inductor writes in place again what functionalization made functional. It may where nobody reads the old value; each
clause here has a reader of the old value, or a copy that only seems to be dead.
"""

from collections.abc import Callable

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


@clause("T10.5", "reinplacing.live")
def test_source_of_a_changed_copy_is_what_it_was_to_later_readers(check: Check) -> None:
    """A computed tensor, of which a copy had elements put into it, is what it was to whatever reads it afterwards."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> dict[str, torch.Tensor]:
        def changed(factor: int) -> tuple[torch.Tensor, torch.Tensor]:
            source = a * factor
            return source, source.index_put((index,), b)

        pairs = [changed(factor) for factor in range(2, 14)]
        sources, copies = zip(*pairs, strict=True)
        return {
            "added": sources[0] + 1,
            "less": sources[1] - a,
            "multiplied": sources[2] * 3,
            "function": sources[3].exp(),
            "compared": sources[4] > 0,
            "converted": sources[5].double(),
            "summed": sources[6].sum(0),
            "running": sources[7].cumsum(0),
            "product": sources[8] @ a.t(),
            "view": sources[9][1:].t() + 2,
            "rows": sources[10][index],
            "handed out": sources[11],
            "copies": torch.stack(copies).sum(0),
        }

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, tensor(3, 2), tensor(2), index).unchanged(0, 1, 2).values().expect("""\
out['added'] = float32[3, 2] [[2.373, -4.26], [0.522, -1.764], [0.08787, 3.03]]
out['less'] = float32[3, 2] [[1.373, -5.26], [-0.478, -2.764], [-0.9121, 2.03]]
out['multiplied'] = float32[3, 2] [[8.238, -31.56], [-2.868, -16.58], [-5.473, 12.18]]
out['function'] = float32[3, 2] [[30.95, 1.945e-06], [0.3027, 0.0009978], [0.1023, 160.1]]
out['compared'] = bool[3, 2] [[True, False], [False, False], [False, True]]
out['converted'] = float64[3, 2] [[4.805, -18.41], [-1.673, -9.674], [-3.192, 7.106]]
out['summed'] = float32[2] [-0.06879, -23.98]
out['running'] = float32[3, 2] [[6.178, -23.67], [4.027, -36.11], [-0.07738, -26.97]]
out['product'] = float32[3, 3] [[73.89, 34.71, -29.83], [34.71, 19.67, -12.94], [-29.83, -12.94, 12.39]]
out['view'] = float32[2, 2] [[-0.629, -3.017], [-13.2, 13.17]]
out['rows'] = float32[2, 2] [[-5.473, 12.18], [8.238, -31.56]]
out['handed out'] = float32[3, 2] [[8.924, -34.19], [-3.107, -17.97], [-5.929, 13.2]]
out['copies'] = float32[3, 2] [[-19.04, 10.81], [-21.51, -124.4], [-19.04, 10.81]]
""")


@clause("T10.5", "reinplacing.live")
def test_source_that_is_added_to_after_parts_of_its_copy_were_written(check: Check) -> None:
    """A computed tensor, of which parts of a copy were written by place, mask or slice, is added to as it was."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> dict[str, torch.Tensor]:
        def added(factor: int, write: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
            source = a * factor
            written = write(source)
            return torch.cat([written, source + 1])

        def in_place(copy: torch.Tensor) -> torch.Tensor:
            copy[index] = b
            copy[:, 1:].mul_(3)
            return copy

        return {
            "put": added(2, lambda source: source.index_put((index,), b)),
            "added up": added(3, lambda source: source.index_put((index[:1],), b, accumulate=True)),
            "where a mask is": added(4, lambda source: source.index_put((a[:, 0] > 0,), b)),
            "column": added(5, lambda source: source.select_scatter(a[:, 0] + 2, 1, 1)),
            "rows": added(6, lambda source: source.slice_scatter(a[1:] + 3, 0, 1)),
            "places of rows": added(7, lambda source: source.scatter(0, index[None], b[None])),
            "sums of rows": added(8, lambda source: source.scatter_add(0, index[None], b[None])),
            "rows added": added(9, lambda source: source.index_add(0, index, a[:2])),
            "rows copied": added(10, lambda source: source.index_copy(0, index, a[:2])),
            "in place": added(11, lambda source: in_place(source.clone())),
        }

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, tensor(3, 2), tensor(2), index).unchanged(0, 1, 2).values().expect("""\
out['put'] = float32[6, 2] [[-1.587, 0.9008], [-0.478, -2.764], [-1.587, 0.9008], [2.373, -4.26], [0.522, -1.764],
    [0.08787, 3.03]]
out['added up'] = float32[6, 2] [[2.059, -7.89], [-0.717, -4.146], [-2.955, 3.946], [3.059, -6.89], [0.283, -3.146],
    [-0.3682, 4.046]]
out['where a mask is'] = float32[6, 2] [[-1.587, 0.9008], [-0.956, -5.528], [-1.824, 4.061], [3.746, -9.52],
    [0.04401, -4.528], [-0.8243, 5.061]]
out['column'] = float32[6, 2] [[3.432, 2.686], [-1.195, 1.761], [-2.28, 1.544], [4.432, -12.15], [-0.195, -5.91],
    [-1.28, 6.076]]
out['rows'] = float32[6, 2] [[4.119, -15.78], [2.761, 1.618], [2.544, 4.015], [5.119, -14.78], [-0.434, -7.292],
    [-1.736, 7.091]]
out['places of rows'] = float32[6, 2] [[4.805, 0.9008], [-1.673, -9.674], [-1.587, 7.106], [5.805, -17.41], [-0.673,
    -8.674], [-2.192, 8.106]]
out['sums of rows'] = float32[6, 2] [[5.492, -20.14], [-1.912, -11.06], [-5.235, 8.121], [6.492, -20.04], [-0.912,
    -10.06], [-2.649, 9.121]]
out['rows added'] = float32[6, 2] [[5.939, -25.05], [-2.151, -12.44], [-3.418, 6.507], [7.178, -22.67], [-1.151,
    -11.44], [-3.105, 10.14]]
out['rows copied'] = float32[6, 2] [[-0.239, -1.382], [-2.39, -13.82], [0.6865, -2.63], [7.865, -25.3], [-1.39,
    -12.82], [-3.561, 11.15]]
out['in place'] = float32[6, 2] [[-1.587, 2.702], [-2.629, -45.61], [-1.587, 2.702], [8.551, -27.93], [-1.629,
    -14.2], [-4.017, 12.17]]
""")


@clause("T10.5", "reinplacing.live")
def test_piece_of_a_joint_whose_copy_is_written(check: Check) -> None:
    """A computed tensor that is joined with another is there what it was before elements were put into its copy."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> dict[str, torch.Tensor]:
        def joined(factor: int, join: Callable[[torch.Tensor], torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
            source = a * factor
            written = source.index_put((index,), b)
            return join(source), written

        first, copy = joined(2, lambda source: torch.cat([source, a]))
        last, other = joined(3, lambda source: torch.cat([a, source]))
        columns, third = joined(4, lambda source: torch.cat([source, a], 1))
        rows, fourth = joined(5, lambda source: torch.stack([a, source]))
        return {
            "first": first,
            "last": last,
            "columns": columns,
            "rows": rows,
            "copies": torch.cat([copy, other, third, fourth], 1),
        }

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, tensor(3, 2), tensor(2), index).unchanged(0, 1, 2).values().expect("""\
out['first'] = float32[6, 2] [[1.373, -5.26], [-0.478, -2.764], [-0.9121, 2.03], [0.6865, -2.63], [-0.239, -1.382],
    [-0.4561, 1.015]]
out['last'] = float32[6, 2] [[0.6865, -2.63], [-0.239, -1.382], [-0.4561, 1.015], [2.059, -7.89], [-0.717, -4.146],
    [-1.368, 3.046]]
out['columns'] = float32[3, 4] [[2.746, -10.52, 0.6865, -2.63], [-0.956, -5.528, -0.239, -1.382], [-1.824, 4.061,
    -0.4561, 1.015]]
out['rows'] = float32[2, 3, 2] [[[0.6865, -2.63], [-0.239, -1.382], [-0.4561, 1.015]], [[3.432, -13.15], [-1.195,
    -6.91], [-2.28, 5.076]]]
out['copies'] = float32[3, 8] [[-1.587, 0.9008, -1.587, 0.9008, -1.587, 0.9008, -1.587, 0.9008], [-0.478, -2.764,
    -0.717, -4.146, -0.956, -5.528, -1.195, -6.91], [-1.587, 0.9008, -1.587, 0.9008, -1.587, 0.9008, -1.587,
    0.9008]]
""")
