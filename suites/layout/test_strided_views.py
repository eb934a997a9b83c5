"""as_strided, offsets, expanded and empty tensors, and views that the program takes after it wrote in place."""

import torch

from suites.harness import ANY, Check, clause, tensor, view_of


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_as_strided_of_an_input(check: Check) -> None:
    """as_strided of an input counts from the beginning of its memory, and returns a view of the caller's."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        window = a.as_strided((2, 2), (5, 2), 1)
        return window, window * 10

    check(program, tensor(3, 4)).aliases("out[0]", 0).strides("out[0]", 5, 2).gradient(0)


@clause("T7.10", entry=ANY)
def test_as_strided_of_an_input_with_an_offset(check: Check) -> None:
    """Without an offset of its own as_strided begins where its input begins, which is not where the memory does."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.as_strided((2, 2), (1, 2)) + a.as_strided((2, 2), (1, 2), 0) * 100

    result = check(program, tensor(2, 3, offset=4)).strides("out", 1, 2)
    result.values().expect("""\
out = float32[2, 2] [[0.6865, 199.8], [97.37, 298.6]]
""")


@clause("T7.10", modes="train", entry=ANY)
def test_as_strided_of_a_transposed_intermediate(check: Check) -> None:
    """as_strided of a transposed intermediate sees the memory as it lies, and gradients go back to these elements."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin().t().as_strided((2, 3), (4, 1), 3) * 2

    check(program, tensor(3, 4)).shape("out", 2, 3).gradient(0)


@clause("T7.10", "A17", modes="train", entry=ANY)
def test_overlapping_windows(check: Check) -> None:
    """Windows that overlap in memory repeat elements, and their gradients add up in the elements they share."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a * 2
        return b.as_strided((4, 3), (1, 1)) * 3, b.unfold(0, 3, 2).sin()

    result = check(program, tensor(6)).shape("out[1]", 2, 3).gradient(0)
    result.joint.expect("""\
def forward(self, primals_1, tangents_1, tangents_2):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    as_strided = torch.ops.aten.as_strided.default(mul, [4, 3], [1, 1])
    mul_1 = torch.ops.aten.mul.Tensor(as_strided, 3)
    unfold = torch.ops.aten.unfold.default(mul, 0, 3, 2)
    sin = torch.ops.aten.sin.default(unfold)
    cos = torch.ops.aten.cos.default(unfold)
    mul_2 = torch.ops.aten.mul.Tensor(tangents_2, cos)
    unfold_backward = torch.ops.aten.unfold_backward.default(mul_2, [6], 0, 3, 2)
    mul_3 = torch.ops.aten.mul.Tensor(tangents_1, 3)
    new_zeros = torch.ops.aten.new_zeros.default(mul_3, [6])
    arange = torch.ops.aten.arange.start(0, 6, dtype=torch.int64)
    as_strided_1 = torch.ops.aten.as_strided.default(arange, [4, 3], [1, 1], 0)
    view = torch.ops.aten.view.default(mul_3, [-1])
    clone = torch.ops.aten.clone.default(as_strided_1, memory_format=torch.contiguous_format)
    _unsafe_view = torch.ops.aten._unsafe_view.default(clone, [12])
    index_add = torch.ops.aten.index_add.default(new_zeros, 0, _unsafe_view, view)
    as_strided_2 = torch.ops.aten.as_strided.default(index_add, [6], [1], 0)
    add = torch.ops.aten.add.Tensor(unfold_backward, as_strided_2)
    mul_4 = torch.ops.aten.mul.Tensor(add, 2)
    return (mul_1, sin, mul_4)
""")


@clause("T7.10", entry=ANY)
def test_scatter_by_strides(check: Check) -> None:
    """as_strided_scatter writes the given elements at the given strides into a copy, whose other elements stay."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.as_strided_scatter(a, b, (2, 2), (4, 2), 1)

    result = check(program, tensor(3, 4), tensor(2, 2)).unchanged(0).distinct("out", 0)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(arg0_1, arg1_1, [2, 2], [4, 2], 1)
    return (as_strided_scatter,)
""")


@clause("T7.10", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_inputs_with_offsets(check: Check) -> None:
    """Inputs that begin inside of their memory, with gaps, are read where they lie, also at another offset later."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * 2, a[1]

    def placed(offset: int) -> object:
        return tensor(2, 3, strides=(7, 2), offset=offset)

    result = check(program, calls=[(placed(3),), (placed(8),)]).gradient(0)
    result.aliases("out[1]", 0).strides("out[1]", 2).strides("out[0]", 3, 1)


@clause("T7.10", modes="train", entry=ANY)
def test_expanded_view_of_a_tensor_written_in_place(check: Check) -> None:
    """An expanded view taken after an in-place op shows its result in every row, over the memory of the one tensor."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        b.add_(1)
        return b, b.expand(3, 4)

    result = check(program, tensor(4)).aliases("out[0]", "out[1]").strides("out[1]", 0, 1).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    add = torch.ops.aten.add.Tensor(sin, 1)
    expand = torch.ops.aten.expand.default(add, [3, 4])
    return (add, expand, primals_1)
""")


@clause("T7.10", modes="train", entry=ANY)
def test_expanded_view_taken_before_the_write(check: Check) -> None:
    """What an expanded view is read as after its base was written to is the new value, in every row."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.cos()
        rows = b.expand(3, 4)
        before = rows * 1
        b.mul_(5)
        return before, rows * 2

    result = check(program, tensor(4)).shape("out[1]", 3, 4).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    cos = torch.ops.aten.cos.default(primals_1)
    expand = torch.ops.aten.expand.default(cos, [3, 4])
    mul = torch.ops.aten.mul.Tensor(expand, 1)
    mul_1 = torch.ops.aten.mul.Tensor(cos, 5)
    expand_1 = torch.ops.aten.expand.default(mul_1, [3, 4])
    mul_2 = torch.ops.aten.mul.Tensor(expand_1, 2)
    return (mul, mul_2, primals_1)
""")


@clause("T7.10", modes="train", entry=ANY)
def test_broadcast_operand_of_an_in_place_op(check: Check) -> None:
    """An in-place op with an operand that is broadcast, expanded or transposed changes every element of its tensor."""

    def program(a: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        b = a.sin().t()
        b.add_(row)
        b.mul_(row[:1].expand(4, 3))
        b.sub_(a.t())
        return b

    check(program, tensor(3, 4), tensor(3)).strides("out", 1, 4).gradient(0, 1)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_inputs_broadcast_together(check: Check) -> None:
    """broadcast_tensors returns views of both inputs, with stride 0 where a size was 1, and copies nothing."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(torch.broadcast_tensors(a, b))

    result = check(program, tensor(3, 1), tensor(4)).aliases("out[0]", 0).aliases("out[1]", 1)
    result.strides("out[0]", 1, 0).strides("out[1]", 0, 1)


@clause("T7.10", modes="train", entry=ANY)
def test_expanded_input(check: Check) -> None:
    """An input that is an expanded view is read as eager reads it, and its gradient adds up over the shared element."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.sin() * torch.arange(12.0, device=a.device).view(3, 4), a.clone()

    result = check(program, view_of(tensor(4), lambda t: t.expand(3, 4))).gradient(0)
    result.strides("out[0]", 4, 1).strides("out[1]", 4, 1)


@clause("T7.10", modes="train", entry=ANY)
def test_tensors_without_elements(check: Check) -> None:
    """Empty tensors keep their shapes through views, sums over the empty dimension are zeros, and cat skips them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.t() * 2, a.sum(0), torch.cat([a, b]), torch.cat([b.new_empty(0), b])

    result = check(program, tensor(0, 3), tensor(2, 3)).gradient(0, 1)
    result.shape("out[0]", 3, 0).shape("out[1]", 3).shape("out[2]", 2, 3).shape("out[3]", 2, 3)


@clause("T7.10", modes="train", entry=ANY)
def test_dimensions_of_size_one(check: Check) -> None:
    """A transposed row is contiguous all the same: reshaping it is a view, and the program is told so."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, bool]:
        column = a.t()
        return column.reshape(-1), column.contiguous(), column.is_contiguous()

    result = check(program, tensor(1, 4)).aliases("out[0]", 0).aliases("out[1]", 0)
    result.holds("out[2]", True).gradient(0)


@clause("T7.10", modes="train", entry=ANY)
def test_pieces_of_an_unsafe_split(check: Check) -> None:
    """The pieces of an unsafe split, written to in place, have the new values, and gradients follow."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first, second = a.sin().unsafe_split(2)
        first.mul_(3)
        return first, second * first

    check(program, tensor(4, 2)).gradient(0).shape("out[1]", 2, 2)
