"""Functionalization, by family of operators: what in-place ops do through views is in the functional graph's values.

Every program makes what it writes to by itself, so that nothing but functionalization stands between the write and
the read. Data are read again through another view than the one that was written to.
"""

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, clause, tensor


@clause("functionalization.operators", modes="train", entry=ANY)
def test_write_through_a_view_of_a_view_of_a_view(check: Check) -> None:
    """A write at the end of a chain of transpose, slice and reshape lands in the base's right elements."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        base = a * 2
        end = base.t()[1:].unsqueeze(1).select(2, -1)
        end.mul_(b)
        return base.sin(), base[:, 0] - base[:, -1]

    result = check(program, tensor(3, 4), tensor(3, 1))
    result.unchanged(0, 1).gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    t = torch.ops.aten.t.default(mul)
    slice_1 = torch.ops.aten.slice.Tensor(t, 0, 1, 9223372036854775807)
    unsqueeze = torch.ops.aten.unsqueeze.default(slice_1, 1)
    select = torch.ops.aten.select.int(unsqueeze, 2, -1)
    clone = torch.ops.aten.clone.default(select)
    mul_1 = torch.ops.aten.mul.Tensor(select, primals_2)
    select_scatter = torch.ops.aten.select_scatter.default(unsqueeze, mul_1, 2, -1)
    squeeze = torch.ops.aten.squeeze.dim(select_scatter, 1)
    slice_scatter = torch.ops.aten.slice_scatter.default(t, squeeze, 0, 1, 9223372036854775807)
    t_1 = torch.ops.aten.t.default(slice_scatter)
    sin = torch.ops.aten.sin.default(t_1)
    select_1 = torch.ops.aten.select.int(t_1, 1, 0)
    select_2 = torch.ops.aten.select.int(t_1, 1, -1)
    sub = torch.ops.aten.sub.Tensor(select_1, select_2)
    return (sin, sub, primals_2, clone, slice_scatter)
""")


@clause("functionalization.operators", entry=ANY)
def test_writes_through_two_views_in_turn(check: Check) -> None:
    """Writes through two overlapping views and their base, in turn, each see the ones before them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        base = a + 1
        rows, columns = base[:2], base[:, 1:]
        rows.mul_(10)
        columns.add_(rows.sum())
        base.neg_()
        rows.sub_(columns[:2, :1].clone())
        return base * 1, rows * 1, columns * 1

    result = check(program, tensor(3, 3)).unchanged(0)
    result.values().expect("""\
out[0] = float32[3, 3] [[-3.22, 0, -23.91], [39.2, 0, -14.71], [0.5866, -31.85, -29.81]]
out[1] = float32[2, 3] [[-3.22, 0, -23.91], [39.2, 0, -14.71]]
out[2] = float32[3, 2] [[0, -23.91], [0, -14.71], [-31.85, -29.81]]
""")


@clause("functionalization.operators", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_write_to_a_diagonal(check: Check) -> None:
    """A write to an off-centre diagonal changes that diagonal of the matrix and nothing beside it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        base = a.clone()
        base.diagonal(1).copy_(b)
        base.diagonal(-1).mul_(5)
        return base * base

    result = check(program, tensor(3, 4), tensor(3))
    result.unchanged(0).gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    diagonal = torch.ops.aten.diagonal.default(clone, 1)
    copy = torch.ops.aten.copy.default(diagonal, primals_2)
    diagonal_scatter = torch.ops.aten.diagonal_scatter.default(clone, copy, 1)
    diagonal_1 = torch.ops.aten.diagonal.default(diagonal_scatter, -1)
    mul = torch.ops.aten.mul.Tensor(diagonal_1, 5)
    diagonal_scatter_1 = torch.ops.aten.diagonal_scatter.default(diagonal_scatter, mul, -1)
    mul_1 = torch.ops.aten.mul.Tensor(diagonal_scatter_1, diagonal_scatter_1)
    return (mul_1, diagonal_scatter_1)
""")


@clause("functionalization.operators", entry=ANY)
def test_write_to_a_diagonal_of_a_batch(check: Check) -> None:
    """A diagonal over the first and the last dimension is written to across the middle one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        base = a * 1
        base.diagonal(0, 0, 2).add_(b)
        return base

    result = check(program, tensor(2, 3, 4), tensor(3, 2))
    result.unchanged(0, 1).shape("out", 2, 3, 4)
    result.values().expect("""\
out = float32[2, 3, 4] [[[-1.163, -1.17, 1.512, -0.8268], [-0.7575, 0.8879, -0.7813, 1.979], [-0.4269, -0.5113,
    -1.494, 1.5]], [[-1.353, -1.962, -0.4176, -0.9918], [-0.5949, -0.9236, -1.347, -0.1935], [1.294, -0.6238, 1.383,
    -0.9878]]]
""")


@clause("functionalization.operators", entry=ANY)
def test_write_to_one_piece_of_a_split(check: Check) -> None:
    """A write to the middle piece of an uneven split shows in the base there, and in no other piece."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        base = a.exp()
        first, middle, last = base.split([1, 3, 2], dim=1)
        middle.mul_(b)
        return base * 2, first.sum() - last.sum() * middle.sum()

    result = check(program, tensor(2, 6), tensor(2, 3))
    result.unchanged(0, 1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    exp = torch.ops.aten.exp.default(arg0_1)
    split_with_sizes = torch.ops.aten.split_with_sizes.default(exp, [1, 3, 2], 1)
    getitem = operator.getitem(split_with_sizes, 1)
    mul = torch.ops.aten.mul.Tensor(getitem, arg1_1)
    slice_scatter = torch.ops.aten.slice_scatter.default(exp, mul, 1, 1, 4)
    split_with_sizes_1 = torch.ops.aten.split_with_sizes.default(slice_scatter, [1, 3, 2], 1)
    getitem_1 = operator.getitem(split_with_sizes_1, 1)
    mul_1 = torch.ops.aten.mul.Tensor(slice_scatter, 2)
    split_with_sizes_2 = torch.ops.aten.split_with_sizes.default(slice_scatter, [1, 3, 2], 1)
    getitem_2 = operator.getitem(split_with_sizes_2, 0)
    sum_1 = torch.ops.aten.sum.default(getitem_2)
    split_with_sizes_3 = torch.ops.aten.split_with_sizes.default(slice_scatter, [1, 3, 2], 1)
    getitem_3 = operator.getitem(split_with_sizes_3, 2)
    sum_2 = torch.ops.aten.sum.default(getitem_3)
    sum_3 = torch.ops.aten.sum.default(getitem_1)
    mul_2 = torch.ops.aten.mul.Tensor(sum_2, sum_3)
    sub = torch.ops.aten.sub.Tensor(sum_1, mul_2)
    return (mul_1, sub)
""")


@clause("functionalization.operators", entry=ANY)
def test_write_to_pieces_of_unbind_chunk_and_tensor_split(check: Check) -> None:
    """Writes to single pieces of `unbind`, `chunk` and `tensor_split` each land in their own part of the base."""

    def program(a: torch.Tensor) -> torch.Tensor:
        base = a * 1
        base.unbind(1)[2].fill_(7)
        base.chunk(2, dim=0)[1].mul_(3)
        base.tensor_split((1, 3), dim=1)[1].add_(100)
        return base

    result = check(program, tensor(5, 4)).unchanged(0)
    result.values().expect("""\
out = float32[5, 4] [[-0.3922, 98.83, 107, -0.8268], [0.6366, 99.77, 107, -2.151], [0.2713, 99.49, 107, 1.5],
    [-3.653, 100.3, 121, -6.419], [-1.785, 96.77, 121, -0.5804]]
""")


@clause("functionalization.operators", entry=ANY)
def test_write_through_a_conjugate_view(check: Check) -> None:
    """A write through a lazy conjugate lands conjugated in the base, read before and after it is resolved."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        base = a * 2
        mirrored = base.conj()
        mirrored[0] = b
        mirrored.mul_(1 + 2j)
        return base * 1, mirrored.resolve_conj() * 1j

    specs = tensor(3, dtype=torch.complex64), tensor(dtype=torch.complex64)
    result = check(program, *specs).unchanged(0, 1)
    result.values().expect("""\
out[0] = complex64[3] [-2.396+1.607j, -4.247-1.278j, 2.226+2.726j]
out[1] = complex64[3] [1.607-2.396j, -1.278-4.247j, 2.726+2.226j]
""")


@clause("functionalization.operators", entry=ANY)
def test_write_through_a_negative_view(check: Check) -> None:
    """The imaginary part of a conjugate is a negated view: a write to it lands negated in the base."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        base = a * 2
        negative = base.conj().imag
        negative.add_(b)
        return base * 1, negative.resolve_neg() * 2

    result = check(program, tensor(3, dtype=torch.complex64), tensor(3)).unchanged(0, 1)
    result.values().expect("""\
out[0] = complex64[3] [0.9708-2.133j, -0.338-2.855j, -0.645+2.568j]
out[1] = float32[3] [4.266, 5.71, -5.135]
""")


@clause("functionalization.operators", entry=ANY)
def test_write_to_real_and_imaginary_parts(check: Check) -> None:
    """Writes to the two parts of a complex tensor, through views of reals, land side by side in it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        base = a * 1
        torch.view_as_real(base)[..., 1].copy_(b)
        base.real.mul_(3)
        return base

    result = check(program, tensor(3, dtype=torch.complex64), tensor(3)).unchanged(0, 1)
    result.values().expect("""\
out = complex64[3] [1.456-1.587j, -0.507+0.9008j, -0.9675-1.132j]
""")


@clause("functionalization.operators", entry=ANY)
def test_overlapping_windows_show_a_write_to_their_base(check: Check) -> None:
    """Windows over a sequence share elements: a write to the base after they were taken shows in each of them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        base = a + 1
        windows = base.unfold(0, 3, 1)
        repeated = base[:1].expand(4)
        base[1:3].mul_(10)
        base[0] = 5
        return windows * 1, repeated + windows.sum(1)

    result = check(program, tensor(6)).unchanged(0)
    result.values().expect("""\
out[0] = float32[4, 3] [[5, -16.3, 7.61], [-16.3, 7.61, -0.382], [7.61, -0.382, 0.5439], [-0.382, 0.5439, 2.015]]
out[1] = float32[4] [1.309, -4.073, 12.77, 7.177]
""")


@clause("functionalization.operators", entry=ANY)
def test_write_through_strides_of_ones_own(check: Check) -> None:
    """A write through `as_strided` with an offset lands in the elements that its strides reach, and is read back."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        base = a * 1
        window = base.as_strided((2, 2), (5, 2), 1)
        window.copy_(b)
        return base.as_strided((3, 4), (1, 3)) * 1 + window.sum()

    result = check(program, tensor(3, 4), tensor(2, 2))
    result.unchanged(0, 1).shape("out", 3, 4)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 1)
    as_strided = torch.ops.aten.as_strided.default(mul, [2, 2], [5, 2], 1)
    copy = torch.ops.aten.copy.default(as_strided, arg1_1)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(mul, copy, [2, 2], [5, 2], 1)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [2, 2], [5, 2], 1)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [3, 4], [1, 3])
    mul_1 = torch.ops.aten.mul.Tensor(as_strided_2, 1)
    sum_1 = torch.ops.aten.sum.default(as_strided_1)
    add = torch.ops.aten.add.Tensor(mul_1, sum_1)
    return (add,)
""")


@clause("functionalization.operators", entry=ANY)
def test_write_through_a_view_of_another_dtype(check: Check) -> None:
    """A write to the bits of a float, through a view of integers, is read as the float that they are."""

    def program(a: torch.Tensor) -> torch.Tensor:
        base = a * 1
        base.view(torch.int32).bitwise_and_(0x7FFFFFFF)
        return base - 1

    result = check(program, tensor(5)).unchanged(0)
    result.values().expect("""\
out = float32[5] [-0.3135, 1.63, -0.761, 0.382, -0.5439]
""")


@clause("functionalization.operators", entry=AOT_FUNCTION)
def test_intermediate_resized_down_and_filled(check: Check) -> None:
    """A fresh tensor resized to fewer elements keeps the first of them; resized up from nothing, it is filled."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        kept = a * 2
        kept.resize_(2, 2)
        grown = a.new_empty(0)
        grown.resize_(2, 3).fill_(4)
        return kept + 1, grown * a[:3]

    result = check(program, tensor(6)).unchanged(0)
    result.values().expect("""\
out[0] = float32[2, 2] [[2.373, -4.26], [0.522, -1.764]]
out[1] = float32[2, 3] [[2.746, -10.52, -0.956], [2.746, -10.52, -0.956]]
""")


@clause("functionalization.operators", modes="train", entry=ANY)
def test_intermediate_reshaped_in_place_and_written(check: Check) -> None:
    """`t_`, `squeeze_` and `unsqueeze_` of a fresh tensor turn it for every later write; views taken before stay."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        base = a * 1
        before = base[0]
        base.t_().unsqueeze_(0)
        base[0, 0].mul_(b)
        return base.squeeze_(0).sin(), before * 2

    check(program, tensor(2, 3), tensor(2)).unchanged(0, 1).gradient(0, 1)


@clause("functionalization.operators", entry=ANY)
def test_results_of_one_operator_are_written_apart(check: Check) -> None:
    """Writes to one result of an operator with several do not show in the others, nor in what they were made of."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        b = a * 1
        values, places = b.sort(descending=True)
        values[0] = -1
        places.add_(10)
        return values, places, b

    result = check(program, tensor(5)).unchanged(0).distinct("out[0]", "out[2]").distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[5] [-1, -0.239, -0.4561, -1.382, -2.63]
out[1] = int64[5] [10, 12, 14, 13, 11]
out[2] = float32[5] [0.6865, -2.63, -0.239, -1.382, -0.4561]
""")


@clause("functionalization.operators", modes="train", entry=ANY)
def test_indexed_write_through_a_transposed_view(check: Check) -> None:
    """`index_put_`, `index_copy_` and `masked_fill_` of a transposed view land in the base, transposed back."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        base = a * 1
        turned = base.t()
        turned[index] = b
        turned.index_copy_(1, index[:1], b[:1].t() * 3)
        turned.masked_fill_(turned > 1, 0.5)
        return base.cumsum(1)

    specs = tensor(3, 3), tensor(2, 3), tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, *specs).unchanged(0, 1, 2).gradient(0, 1)


@clause("functionalization.operators", entry=ANY)
def test_in_place_op_with_itself_as_operand(check: Check) -> None:
    """In-place ops whose operand is a row, or the transpose, of what they write to read what was there before."""

    def program(a: torch.Tensor) -> torch.Tensor:
        base = a * 1
        base.sub_(base[0].clone())
        base.add_(base.t().clone()).mul_(base.diagonal().sum())
        return base

    result = check(program, tensor(3, 3)).unchanged(0)
    result.values().expect("""\
out = float32[3, 3] [[0, -5.299, -5.824], [-5.299, 11.14, 12.26], [-5.824, 12.26, -4.576]]
""")


@clause("functionalization.operators", entry=ANY)
def test_write_through_a_view_that_was_detached(check: Check) -> None:
    """`detach` and `data` are aliases for functionalization too: writes through them show in the base."""

    def program(a: torch.Tensor) -> torch.Tensor:
        base = a.sin()
        base.detach()[1].fill_(3)
        base.view(-1).detach().mul_(2)
        return base + 1

    result = check(program, tensor(2, 2)).unchanged(0)
    result.values().expect("""\
out = float32[2, 2] [[2.268, 0.02102], [7, 7]]
""")
