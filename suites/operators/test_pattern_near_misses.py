"""Programs that look like a pattern which a compiler rewrites, and are another thing."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

INF, NAN = float("inf"), float("nan")


@clause("numbers.near-misses")
def test_attention_with_an_odd_scale(check: Check) -> None:
    """Attention divided by another number than the root of its width is divided by that number."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / 3.7, dim=-1) @ value

    check(program, tensor(2, 2, 4, 8), tensor(2, 2, 5, 8), tensor(2, 2, 5, 8)).shape("out", 2, 2, 4, 8)


@clause("numbers.near-misses")
def test_attention_normalised_over_queries(check: Check) -> None:
    """A softmax over the queries is no attention."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / 8**0.5, dim=-2) @ value

    check(program, tensor(2, 2, 5, 8), tensor(2, 2, 5, 8), tensor(2, 2, 5, 8)).shape("out", 2, 2, 5, 8)


@clause("numbers.near-misses")
def test_attention_scaled_after_the_softmax(check: Check) -> None:
    """A scale after the softmax is not one before it."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1), dim=-1).div(8**0.5) @ value

    check(program, tensor(2, 2, 4, 8), tensor(2, 2, 5, 8), tensor(2, 2, 5, 8)).shape("out", 2, 2, 4, 8)


@clause("numbers.near-misses")
def test_attention_with_a_bias_and_a_permutation(check: Check) -> None:
    """Heads that are permuted into place, with a bias that is added after scaling, attend as written."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        heads = [part.permute(0, 2, 1, 3) for part in (query, key, value)]
        weights = torch.softmax(heads[0] @ heads[1].transpose(-2, -1) / 8**0.5 + bias, dim=-1)
        return (weights @ heads[2]).permute(0, 2, 1, 3)

    check(program, tensor(1, 4, 2, 8), tensor(1, 5, 2, 8), tensor(1, 5, 2, 8), tensor(4, 5)).shape("out", 1, 4, 2, 8)


@clause("numbers.near-misses")
def test_attention_that_masks_a_whole_row(check: Check) -> None:
    """A row whose keys are all masked is NaN in attention written out."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        scores = (query @ key.transpose(-2, -1) / 8**0.5).masked_fill(torch.arange(4)[:, None] == 1, -INF)
        return torch.softmax(scores, dim=-1) @ value

    check(program, tensor(1, 2, 4, 8), tensor(1, 2, 5, 8), tensor(1, 2, 5, 8)).shape("out", 1, 2, 4, 8)


@clause("numbers.near-misses")
def test_split_and_joined_in_another_order(check: Check) -> None:
    """Pieces that are split off and joined in another order are in that order."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first, second, third = a.split([2, 3, 2], 1)
        return torch.cat([third, first, second], 1)

    check(program, tensor(3, 7)).shape("out", 3, 7)


@clause("numbers.near-misses")
def test_split_and_joined_along_another_dimension(check: Check) -> None:
    """Pieces split along one dimension and joined along the other are no round trip."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.cat(a.split(2, 1), 0)

    check(program, tensor(4, 4)).shape("out", 8, 2)


@clause("numbers.near-misses")
def test_joined_slices_with_a_gap(check: Check) -> None:
    """Slices that leave out a column, or repeat one, are joined as written."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            torch.cat([a[:, :2], a[:, 3:]], 1),
            torch.cat([a[:, :3], a[:, 2:]], 1),
            torch.cat([a[:, 2:], a[:, :2]], 1),
        )

    check(program, tensor(3, 5)).shape("out[1]", 3, 6)


@clause("numbers.near-misses")
def test_pieces_stacked_after_unbind(check: Check) -> None:
    """Rows that are unbound and stacked in reverse are in reverse."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rows = a.unbind(0)
        return torch.stack(rows[::-1], 1)

    check(program, tensor(3, 4)).shape("out", 4, 3)


@clause("numbers.near-misses")
def test_product_added_with_factors(check: Check) -> None:
    """`addmm` with factors for both operands weighs both."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.addmm(a, b, c, beta=0.5, alpha=3), a + 2 * (b @ c), torch.addmm(a, b, c, beta=0)

    check(program, tensor(3, 4), tensor(3, 2), tensor(2, 4)).shape("out[0]", 3, 4)


@clause("numbers.near-misses")
def test_zero_beta_ignores_nan(check: Check) -> None:
    """`addmm` with a factor of zero ignores what it would multiply, also NaN."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.addmm(a, b, c, beta=0) + 1

    check(program, tensor(2, 2, values=[[NAN, INF], [1.0, NAN]]), tensor(2, 3), tensor(3, 2)).shape("out", 2, 2)


@clause("numbers.near-misses")
def test_bias_that_is_broadcast_by_column(check: Check) -> None:
    """A column added to a product is no bias of a linear layer."""

    def program(a: torch.Tensor, b: torch.Tensor, column: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a @ b + column, a @ b + column.t()

    check(program, tensor(3, 2), tensor(2, 3), tensor(3, 1)).shape("out[0]", 3, 3)


@clause("numbers.near-misses")
def test_convolution_added_with_a_factor(check: Check) -> None:
    """A sum with a convolution that has a factor keeps the factor."""

    def program(a: torch.Tensor, weight: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.add(functional.conv2d(a, weight), b, alpha=3), torch.add(
            b, functional.conv2d(a, weight), alpha=0.5
        ).relu()

    check(program, tensor(1, 2, 4, 4), tensor(3, 2, 2, 2), tensor(1, 3, 3, 3)).shape("out[0]", 1, 3, 3, 3)


@clause("numbers.near-misses")
def test_running_sum_of_a_constant(check: Check) -> None:
    """A running sum of a filled tensor counts in the dtype that is asked for."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            torch.full((2, 5), 3).cumsum(1, dtype=torch.float64),
            torch.full([4], 1.5).cumsum(0),
            torch.full((4,), True).cumsum(0) + a,
        )

    check(program, tensor(4, dtype=torch.int64)).shape("out[0]", 2, 5)


@clause("numbers.near-misses")
def test_running_sum_of_a_constant_that_wraps(check: Check) -> None:
    """A running sum of a constant in eight bits wraps around."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.full((6,), 100, dtype=torch.int8).cumsum(0, dtype=torch.int8) + a

    check(program, tensor(6, dtype=torch.int8)).shape("out", 6)


@clause("numbers.near-misses")
def test_two_products_with_one_operand(check: Check) -> None:
    """Two products that share the left operand, with right ones of other widths, stay apart."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a @ b, a @ c, (a @ b).t() @ c[:3]

    check(program, tensor(3, 4), tensor(4, 2), tensor(4, 5)).shape("out[2]", 2, 5)


@clause("numbers.near-misses")
def test_batched_product_of_an_expanded_operand(check: Check) -> None:
    """A batched product with an operand expanded over the batch multiplies each of the batch."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.bmm(a, b.expand(3, 4, 2)), torch.bmm(b.t().expand(3, 2, 4), a.transpose(1, 2))

    check(program, tensor(3, 5, 4), tensor(4, 2)).shape("out[0]", 3, 5, 2)


@clause("numbers.near-misses")
def test_product_of_no_elements(check: Check) -> None:
    """A product over an inner size of zero is zeros."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a @ b + 1, torch.addmm(torch.ones(3, 2), a, b)

    check(program, tensor(3, 0), tensor(0, 2)).shape("out[0]", 3, 2)


@clause("numbers.near-misses")
def test_bits_seen_as_another_dtype(check: Check) -> None:
    """A view as integers shows the bits of the float, of a computed one too."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.view(torch.int32) + 1, (a * 2).view(torch.int32) & 0xFF, (a + 1).view(torch.int16)[::2]

    check(program, tensor(4)).shape("out[0]", 4)


@clause("numbers.near-misses")
def test_bits_that_go_there_and_back(check: Check) -> None:
    """A view as integers, changed there and viewed back, is another float."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a.view(torch.int32) ^ (1 << 31)).view(torch.float32) + 0

    check(program, tensor(4)).shape("out", 4)


@clause("numbers.near-misses")
def test_padding_undone_by_a_slice(check: Check) -> None:
    """A slice that takes off other elements than the padding put there is no inverse."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return functional.pad(a, (1, 1))[:, 2:], functional.pad(a, (0, 2), value=5.0)[:, 1:], functional.pad(a, (-1, 1))

    check(program, tensor(3, 4)).shape("out[0]", 3, 4)


@clause("numbers.near-misses")
def test_attention_over_keys_in_another_order(check: Check) -> None:
    """Attention whose keys are transposed by more than their last two dimensions is no scaled dot product attention."""

    def program(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        scores = torch.matmul(queries.permute(0, 2, 1, 3), keys.permute(0, 2, 3, 1)) * 0.3
        return scores.softmax(dim=-1).matmul(values.permute(0, 2, 1, 3))

    check(program, *(tensor(2, 4, 4, 4) for _ in range(3))).shape("out", 2, 4, 4, 4)
