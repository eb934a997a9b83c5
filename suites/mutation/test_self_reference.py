"""In-place updates whose operand is made of the tensor that is written to."""

import torch

from suites.harness import ANY, Check, clause, tensor

#: Forty places, each once, in three orders.
PLACES = tuple(tensor(40, dtype=torch.int64, values=[place * step % 40 for place in range(40)]) for step in (7, 9, 13))

#: Places, and the ones before them.
NEXT = tuple(tensor(4, dtype=torch.int64, values=values) for values in ([1, 2, 3, 4], [0, 1, 2, 3]))


@clause("T3.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_flipped_self_is_added(check: Check) -> None:
    """`x += x.flip` reads every element before it is written, also where both ends meet."""

    def program(x: torch.Tensor) -> torch.Tensor:
        x.add_(x.flip(0))
        return x * 2

    check(program, tensor(37)).mutated(0).gradient(0)


@clause("T3.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_rolled_self_is_subtracted(check: Check) -> None:
    """`x -= x.roll` reads each neighbour as it was before the update."""

    def program(x: torch.Tensor) -> torch.Tensor:
        x.sub_(x.roll(1, 0))
        return x * 2

    check(program, tensor(37, 3)).mutated(0).gradient(0)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_transposed_clone_is_added(check: Check) -> None:
    """`x += x.t().clone()` makes a matrix symmetric: both triangles are read before either is written."""

    def program(x: torch.Tensor) -> torch.Tensor:
        x.add_(x.t().clone())
        return x - x.t()

    check(program, tensor(17, 17)).mutated(0).gradient(0)


@clause("T3.5", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_shifted_clone_is_added_to_a_slice(check: Check) -> None:
    """`x[1:] += x[:-1].clone()` adds old neighbours: it is not a running sum."""

    def program(x: torch.Tensor) -> torch.Tensor:
        x[1:].add_(x[:-1].clone())
        return x * 2

    result = check(program, tensor(37))
    result.mutated(0).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    slice_1 = torch.ops.aten.slice.Tensor(clone, 0, 1, 9223372036854775807)
    slice_2 = torch.ops.aten.slice.Tensor(clone, 0, 0, -1)
    clone_1 = torch.ops.aten.clone.default(slice_2)
    add = torch.ops.aten.add.Tensor(slice_1, clone_1)
    slice_scatter = torch.ops.aten.slice_scatter.default(clone, add, 0, 1, 9223372036854775807)
    mul = torch.ops.aten.mul.Tensor(slice_scatter, 2)
    return (slice_scatter, mul)
""")


@clause("T3.5", modes=("train", "no_grad"), entry=ANY)
def test_slice_is_assigned_from_a_shifted_clone(check: Check) -> None:
    """Moving all rows one place on keeps each of them but the last, and leaves the first in two places."""

    def program(x: torch.Tensor) -> torch.Tensor:
        x[1:] = x[:-1].clone()
        return x * 2

    check(program, tensor(6, 16)).mutated(0).gradient(0)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_self_is_permuted_by_an_index(check: Check) -> None:
    """`x.copy_(x[index])` permutes x, whatever order its elements are written in."""

    def program(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        x.copy_(x[index])
        return x * 2

    index = tensor(6, dtype=torch.int64, values=[3, 0, 5, 1, 2, 4])
    check(program, tensor(6, 4), index).mutated(0).unchanged(1).gradient(0)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_running_sum_of_self_replaces_it(check: Check) -> None:
    """`x.copy_(x.cumsum)` and `x.cumsum_` sum the values from before the update."""

    def program(x: torch.Tensor) -> torch.Tensor:
        x.copy_(x.cumsum(0))
        x.cumsum_(1)
        return x * 2

    check(program, tensor(9, 5)).mutated(0).gradient(0)


@clause("T3.5", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_halves_are_exchanged(check: Check) -> None:
    """Two halves of one tensor are exchanged through a clone of the first."""

    def program(x: torch.Tensor) -> torch.Tensor:
        first = x[:4].clone()
        x[:4] = x[4:]
        x[4:] = first
        return x * 2

    check(program, tensor(8, 3)).mutated(0).gradient(0)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_row_and_statistics_of_self_are_subtracted(check: Check) -> None:
    """A tensor normalised in place by its own mean and its own first row uses the values from before each step."""

    def program(x: torch.Tensor) -> torch.Tensor:
        x.sub_(x.mean(0))
        x.sub_(x[0].clone())
        return x * 2

    check(program, tensor(9, 4)).mutated(0).gradient(0)


@clause("T3.5", "D12", entry=ANY)
def test_operand_that_overlaps_the_written_tensor_is_refused(check: Check) -> None:
    """`x[1:] += x[:-1]` without a clone raises: its result would depend on the order of the writes."""

    def program(x: torch.Tensor) -> torch.Tensor:
        x[1:].add_(x[:-1])
        return x * 2

    check(program, tensor(8)).raised("single memory location")


@clause("T3.5", "D12", entry=ANY, devices="cpu")
def test_element_of_its_own_is_refused_as_a_factor(check: Check) -> None:
    """A member of a list is not multiplied in place by an element of itself, as no tensor is."""

    def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        torch._foreach_mul_([x, y], y[0])
        return x.sum() + y.sum()

    check(program, tensor(3), tensor(4)).raised("single memory location")


@clause("T3.5", entry=ANY)
def test_number_of_another_tensor_scales_a_list(check: Check) -> None:
    """Members of a list are multiplied in place by an element of a tensor that is none of them, or by a copy of it."""

    def program(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        torch._foreach_mul_([x, y], z[1])
        torch._foreach_add_([x, y], y[0].clone())
        return x.sum() + y.sum()

    check(program, tensor(3), tensor(4), tensor(2)).mutated(0, 1).unchanged(2)


@clause("T3.1")
def test_flipped_self_is_added_after_rows_were_filled(check: Check) -> None:
    """A flip that is added in place shows the rows that an index just filled, each once."""

    def program(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        x.index_fill_(0, index, 3.0)
        x.add_(x.flip(0))
        return x * 2

    check(program, tensor(4, 3), tensor(1, dtype=torch.int64, values=[1])).mutated(0)


@clause("T3.5")
def test_rows_move_on_after_one_was_replaced(check: Check) -> None:
    """Rows shifted by one through a clone carry on the row that an index just replaced."""

    def program(x: torch.Tensor, to: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        x[to] = x[source] * 2
        x[1:] = x[:-1].clone()
        return x + 1

    rows = (tensor(1, dtype=torch.int64, values=[1]), tensor(1, dtype=torch.int64, values=[0]))
    check(program, tensor(4, 3), *rows).mutated(0)


@clause("T3.1")
def test_foreach_adds_each_tensor_flipped(check: Check) -> None:
    """A foreach operator whose operands are its own tensors flipped or rolled reads them as they were before it."""

    def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        torch._foreach_add_([x, y], [x.flip(0), y.roll(1)])
        return x.sum() + y

    check(program, tensor(5), tensor(4)).mutated(0, 1)


@clause("T3.5", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_rows_are_put_where_the_next_ones_are(check: Check) -> None:
    """Rows that an index moves one place on, computed or as they are, are read before any of them is written."""

    def program(x: torch.Tensor, to: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        x.index_put_((to,), x[source] * 2)
        x[to] = x[source]
        return x + 1

    check(program, tensor(6, 3), *NEXT).mutated(0).unchanged(1, 2).gradient(0)


@clause("T3.5", modes=("train", "no_grad"))
def test_rows_are_added_to_the_next_ones(check: Check) -> None:
    """What is added, copied or scattered to the rows after them is of the rows as they were."""

    def program(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor, to: torch.Tensor, source: torch.Tensor) -> object:
        x.index_put_((to,), x[source] * 3, accumulate=True)
        y.index_add_(0, to, y[source] * 2)
        y.index_copy_(0, to, y[source] - 1)
        z.scatter_(0, to, z[source] * 2)
        z.scatter_add_(0, to, z[source] + 1)
        return x + 1, y * 2, z.cos()

    check(program, tensor(6, 3), tensor(6, 2), tensor(6), *NEXT).mutated(0, 1, 2).unchanged(3, 4).gradient(0, 1, 2)


@clause("T3.5", modes=("train", "no_grad"))
def test_rows_become_functions_of_others(check: Check) -> None:
    """A row that becomes a curve of another row of its tensor has the slope of that row as it was."""

    def program(x: torch.Tensor, y: torch.Tensor, to: torch.Tensor, source: torch.Tensor) -> object:
        x[to] = x[source].sin()
        y.index_add_(0, to, y[source].exp())
        return x + 1, y * 2

    check(program, tensor(6, 3), tensor(6, 2), *NEXT).mutated(0, 1).unchanged(2, 3).gradient(0, 1)


@clause("T3.1", modes=("train", "no_grad"))
def test_elements_under_a_mask_are_those_of_the_flipped(check: Check) -> None:
    """Where a mask is set x becomes its own mirror image, read before any element is written."""

    def program(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x[mask] = x.flip(0)[mask] * 2
        x.masked_scatter_(mask, x.roll(1, 0))
        return x + 1

    mask = tensor(6, dtype=torch.bool, values=[True, False, True, True, False, True])
    check(program, tensor(6), mask).mutated(0).unchanged(1).gradient(0)


@clause("T3.5")
def test_places_that_own_numbers_tell_are_written_to(check: Check) -> None:
    """Where a tensor's own numbers are the places to write to, all are read before any of them is written."""

    def program(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> object:
        x[x * 2 % 40] = -1
        y.index_fill_(0, (y + 1) % 20, -2)
        z.index_copy_(0, (z + 1) % 40, torch.arange(40, device=z.device) * 3)
        return x.view(5, 8).sum(1), y.view(5, 8).sum(1), z.view(5, 8).sum(1)

    check(program, *PLACES).mutated(0, 1, 2).values().expect("""\
out[0] = int64[5] [68, 92, 76, 60, 84]
out[1] = int64[5] [-16, -16, 86, 180, 156]
out[2] = int64[5] [540, 324, 588, 492, 396]
arg[0] = int64[40] [-1, 7, -1, 21, -1, 35, -1, 9, -1, 23, -1, 37, ..., -1, 19, -1, 33]
arg[0]._base = int64[40] [-1, 7, -1, 21, -1, 35, -1, 9, -1, 23, -1, 37, ..., -1, 19, -1, 33]
arg[1] = int64[40] [-2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, ..., 4, 13, 22, 31]
arg[1]._base = int64[40] [-2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, ..., 4, 13, 22, 31]
arg[2] = int64[40] [9, 0, 111, 102, 93, 84, 75, 66, 57, 48, 39, 30, ..., 45, 36, 27, 18]
arg[2]._base = int64[40] [9, 0, 111, 102, 93, 84, 75, 66, 57, 48, 39, 30, ..., 45, 36, 27, 18]
""")


@clause("T3.5")
def test_places_that_own_numbers_tell_are_added_to(check: Check) -> None:
    """So it is where something is added there, at some places twice."""

    def program(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> object:
        x.index_put_((x * 2 % 40,), torch.tensor(1, device=x.device), accumulate=True)
        y.index_add_(0, (y + 1) % 20, torch.arange(40, device=y.device))
        z.scatter_add_(0, (z + 1) % 40, z * 2)
        return x.view(5, 8).sum(1), y.view(5, 8).sum(1), z.view(5, 8).sum(1)

    check(program, *PLACES).mutated(0, 1, 2).values().expect("""\
out[0] = int64[5] [124, 172, 180, 148, 196]
out[1] = int64[5] [452, 460, 312, 180, 156]
out[2] = int64[5] [284, 364, 444, 564, 684]
arg[0] = int64[40] [2, 7, 16, 21, 30, 35, 4, 9, 18, 23, 32, 37, ..., 14, 19, 28, 33]
arg[0]._base = int64[40] [2, 7, 16, 21, 30, 35, 4, 9, 18, 23, 32, 37, ..., 14, 19, 28, 33]
arg[1] = int64[40] [42, 29, 56, 83, 70, 57, 44, 71, 58, 45, 32, 59, ..., 4, 13, 22, 31]
arg[1]._base = int64[40] [42, 29, 56, 83, 70, 57, 44, 71, 58, 45, 32, 59, ..., 4, 13, 22, 31]
arg[2] = int64[40] [78, 13, 28, 43, 18, 33, 48, 23, 38, 53, 28, 43, ..., 98, 73, 88, 103]
arg[2]._base = int64[40] [78, 13, 28, 43, 18, 33, 48, 23, 38, 53, 28, 43, ..., 98, 73, 88, 103]
""")


@clause("T3.4", "T3.5")
def test_columns_that_a_row_tells_are_written_to(check: Check) -> None:
    """The numbers of one row are the columns that all rows are written to at, also the row that tells them."""

    def program(x: torch.Tensor) -> torch.Tensor:
        rows = x.view(2, 20)
        rows[:, rows[0] // 2] = -1
        return rows.sum(1)

    check(program, PLACES[0]).mutated(0).values().expect("""\
out = int64[2] [-8, 12]
arg[0] = int64[40] [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, ..., -1, -1, -1, -1]
arg[0]._base = int64[40] [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, ..., -1, -1, -1, -1]
""")
