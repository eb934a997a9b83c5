"""Backward of operators that scatter, pad, scan and gather, under the broadcast gradient that a sum hands to them.

The second call of every clause hands each root ones of stride zero: a formula that writes into its gradient, or reads
it as if it were contiguous, shows there.
"""

import torch

from suites.harness import ANY, Check, clause, leaf, tensor


@clause("autograd.scatter", modes="train", entry=ANY)
def test_slice_scatter_splits_its_gradient(check: Check) -> None:
    """The source gets the gradient of its slice, and the destination that of everything else."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.slice_scatter(a, b, 0, 1, 6, 2)

    result = check(program, leaf(6, 3), leaf(3, 3))
    result.gradient(0, 1)
    result.backward.expect("""\
def forward(self, tangents_1):
    zeros = torch.ops.aten.zeros.default([3, 3], dtype=torch.float32)
    slice_scatter = torch.ops.aten.slice_scatter.default(tangents_1, zeros, 0, 1, 6, 2)
    slice_1 = torch.ops.aten.slice.Tensor(tangents_1, 0, 1, 6, 2)
    return (slice_scatter, slice_1)
""")


@clause("autograd.scatter", modes="train", entry=ANY)
def test_diagonal_and_select_scatter_split_their_gradients(check: Check) -> None:
    """A shifted diagonal and a row that are scattered get their own elements' gradients, the rest goes below."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.select_scatter(torch.diagonal_scatter(a, b, 1), c, 0, 2)

    check(program, leaf(4, 4), leaf(3), leaf(4)).gradient(0, 1, 2)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_index_put_on_an_expanded_clone(check: Check) -> None:
    """Assignment by index into a copy of an expanded tensor: the row's gradient leaves out what was overwritten."""

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return a.expand(4, 3).clone().index_put((rows,), b)

    rows = tensor(2, dtype=torch.int64, values=[3, 1])
    check(program, leaf(3), leaf(2, 3), rows).gradient(0, 1)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_in_place_writes_to_parts_of_an_intermediate(check: Check) -> None:
    """Rows, columns and a mask of an intermediate that are overwritten pass no gradient to what was there."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = a * 2
        c[1] = b
        c[:, 0].mul_(3)
        c[2, 1:].copy_(b[1:] * 5)
        return c

    check(program, leaf(4, 3), leaf(3)).gradient(0, 1)


@clause("autograd.scatter", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_reflecting_and_replicating_padding(check: Check) -> None:
    """An element that padding shows several times gets the sum of these places' gradients."""

    def program(a: torch.Tensor) -> torch.Tensor:
        reflected = torch.nn.functional.pad(a, (2, 1), mode="reflect")
        return torch.nn.functional.pad(reflected, (1, 3), mode="replicate")

    check(program, leaf(2, 2, 5)).gradient(0)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_circular_padding_and_cropping(check: Check) -> None:
    """Circular padding wraps gradients around, and negative padding gives zeros to what was cut."""

    def program(a: torch.Tensor) -> torch.Tensor:
        wrapped = torch.nn.functional.pad(a, (2, 0), mode="circular")
        return torch.nn.functional.pad(wrapped, (-1, -2))

    check(program, leaf(1, 2, 5)).gradient(0)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_running_product_with_zeros(check: Check) -> None:
    """The gradient of a running product is right where factors are zero: one zero, two zeros and none in a row."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.cumprod(1) + a.prod(1, keepdim=True)

    values = [[2.0, 0.0, 3.0, -1.0], [0.0, 2.0, 0.0, 5.0], [1.5, -2.0, 0.5, 3.0]]
    check(program, leaf(3, 4, values=values)).gradient(0)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_running_sums_and_extremes(check: Check) -> None:
    """Running sums, maxima and log-sum-exps send each element the gradients of the places that it reached."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.cumsum(0) + a.cummax(0).values * 2 + a.logcumsumexp(0) * 3

    check(program, leaf(4, 3)).gradient(0)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_gathering_by_integer_indices(check: Check) -> None:
    """Rows that are gathered more than once add up their gradients, and those that are not have zeros."""

    def program(a: torch.Tensor, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return a.index_select(0, rows) + a[rows] * 2 + a.gather(0, places) * 3 + a.take(places) * 5

    rows = tensor(3, dtype=torch.int64, values=[3, 0, 3])
    places = tensor(3, 2, dtype=torch.int64, values=[[0, 1], [0, 2], [3, 1]])
    result = check(program, leaf(5, 2), rows, places)
    result.gradient(0)
    result.backward.expect("""\
def forward(self, primals_2, primals_3, zeros_like, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 5)
    put = torch.ops.aten.put.default(zeros_like, primals_3, mul, True)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_1, 3)
    new_zeros = torch.ops.aten.new_zeros.default(mul_1, [5, 2])
    scatter_add = torch.ops.aten.scatter_add.default(new_zeros, 0, primals_3, mul_1)
    add = torch.ops.aten.add.Tensor(put, scatter_add)
    mul_2 = torch.ops.aten.mul.Tensor(tangents_1, 2)
    new_zeros_1 = torch.ops.aten.new_zeros.default(mul_2, [5, 2], dtype=torch.float32)
    index_put = torch.ops.aten.index_put.default(new_zeros_1, [primals_2], mul_2, True)
    add_1 = torch.ops.aten.add.Tensor(add, index_put)
    new_zeros_2 = torch.ops.aten.new_zeros.default(tangents_1, [5, 2], dtype=torch.float32)
    index_add = torch.ops.aten.index_add.default(new_zeros_2, 0, primals_2, tangents_1)
    add_2 = torch.ops.aten.add.Tensor(add_1, index_add)
    return (add_2, None, None)
""")


@clause("autograd.scatter", modes="train", entry=ANY)
def test_scattering_sums_and_extremes(check: Check) -> None:
    """Scattered sums send gradients to every source, scattered extremes to the one that won."""

    def program(a: torch.Tensor, b: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        total = a.scatter_add(0, places, b)
        largest = a.scatter_reduce(0, places, b, reduce="amax", include_self=False)
        return total + largest * 3

    places = tensor(4, dtype=torch.int64, values=[0, 2, 0, 2])
    check(program, leaf(5), leaf(4), places).gradient(0, 1)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_windows_that_overlap(check: Check) -> None:
    """An element in several windows gets the sum of their gradients, through unfold and through as_strided."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.unfold(0, 3, 2) * 2 + a.as_strided((3, 3), (1, 2), 0)

    check(program, leaf(7)).gradient(0)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_masked_parts(check: Check) -> None:
    """Elements behind a mask pass no gradient, those in front of it their own, and scattered ones to their source."""

    def program(a: torch.Tensor, b: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return a.masked_fill(mask, 7) * 2 + torch.where(mask, a, b) * 3 + a.masked_scatter(mask, b) * 5

    values = [[True, False, True], [False, False, True]]
    mask = tensor(2, 3, dtype=torch.bool, values=values)
    check(program, leaf(2, 3), leaf(2, 3), mask).gradient(0, 1)


@clause("autograd.scatter", modes="train", entry=ANY)
def test_expanded_and_repeated_tensors_sum_their_gradients(check: Check) -> None:
    """What is expanded, repeated, rolled and flipped collects the gradients of all its copies, each at its place."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        tiled = a.repeat(2, 2) + a.repeat_interleave(2, 0).repeat_interleave(2, 1).roll(1, 1)
        return tiled * b.expand(4, 6).flip(1)

    check(program, leaf(2, 3), leaf(4, 1)).gradient(0, 1)
