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

    check(program, tensor(2, 2, 4, 8), tensor(2, 2, 5, 8), tensor(2, 2, 5, 8)).values().expect("""\
out = float32[2, 2, 4, 8] [-0.2867, 0.4407, -0.2804, 0.0428, -0.3175, -0.9734, -0.607, 0.4981, -0.6089, 0.2782,
    -0.3702, 0.2718, ..., 0.3035, -0.2413, 0.1005, 0.4087]
""")


@clause("numbers.near-misses")
def test_attention_normalised_over_queries(check: Check) -> None:
    """A softmax over the queries is no attention."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / 8**0.5, dim=-2) @ value

    check(program, tensor(2, 2, 5, 8), tensor(2, 2, 5, 8), tensor(2, 2, 5, 8)).values().expect("""\
out = float32[2, 2, 5, 8] [-1.534, 0.112, -0.5437, -0.07509, -0.1759, -1.167, 0.1206, 1.928, 0.04294, -0.3834,
    0.08598, -0.5034, ..., 0.5488, -0.387, 0.05598, 0.1925]
""")


@clause("numbers.near-misses")
def test_attention_scaled_after_the_softmax(check: Check) -> None:
    """A scale after the softmax is not one before it."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1), dim=-1).div(8**0.5) @ value

    check(program, tensor(2, 2, 4, 8), tensor(2, 2, 5, 8), tensor(2, 2, 5, 8)).values().expect("""\
out = float32[2, 2, 4, 8] [-0.09001, 0.2386, -0.09664, -0.06588, -0.2173, -0.4132, -0.3298, 0.1119, -0.3859, 0.1237,
    -0.2704, 0.1614, ..., -0.05751, -0.1137, -0.03414, 0.04932]
""")


@clause("numbers.near-misses")
def test_attention_with_a_bias_and_a_permutation(check: Check) -> None:
    """Heads that are permuted into place, with a bias that is added after scaling, attend as written."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        heads = [part.permute(0, 2, 1, 3) for part in (query, key, value)]
        weights = torch.softmax(heads[0] @ heads[1].transpose(-2, -1) / 8**0.5 + bias, dim=-1)
        return (weights @ heads[2]).permute(0, 2, 1, 3)

    check(program, tensor(1, 4, 2, 8), tensor(1, 5, 2, 8), tensor(1, 5, 2, 8), tensor(4, 5)).values().expect("""\
out = float32[1, 4, 2, 8] [-0.2017, 0.2805, -0.06908, -0.4227, -0.07688, 1.977, 0.2476, 0.3648, -0.2147, -0.003008,
    0.3434, 0.829, ..., -0.4039, -1.113, 0.7549, -0.1063]
""")


@clause("numbers.near-misses")
def test_attention_that_masks_a_whole_row(check: Check) -> None:
    """A row whose keys are all masked is NaN in attention written out."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        masked = torch.arange(4, device=query.device)[:, None] == 1
        scores = (query @ key.transpose(-2, -1) / 8**0.5).masked_fill(masked, -INF)
        return torch.softmax(scores, dim=-1) @ value

    check(program, tensor(1, 2, 4, 8), tensor(1, 2, 5, 8), tensor(1, 2, 5, 8)).values().expect("""\
out = float32[1, 2, 4, 8] [-0.5835, 0.001788, -0.05334, 0.2568, 0.27, 1.08, 0.1898, -0.08847, nan, nan, nan, nan,
    ..., -0.6407, 0.4046, -0.3761, 0.09538]
""")


@clause("numbers.near-misses")
def test_split_and_joined_in_another_order(check: Check) -> None:
    """Pieces that are split off and joined in another order are in that order."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first, second, third = a.split([2, 3, 2], 1)
        return torch.cat([third, first, second], 1)

    check(program, tensor(3, 7)).values().expect("""\
out = float32[3, 7] [[-0.2308, -0.3132, -0.3922, -1.17, 1.512, -0.8268, -0.3905], [-1.353, 0.08515, -2.151, 0.2713,
    -0.5113, -1.494, 1.5], [-0.1935, 1.294, -0.4192, -2.14, -0.5949, -1.078, -1.347]]
""")


@clause("numbers.near-misses")
def test_split_and_joined_along_another_dimension(check: Check) -> None:
    """Pieces split along one dimension and joined along the other are no round trip."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.cat(a.split(2, 1), 0)

    check(program, tensor(4, 4)).values().expect("""\
out = float32[8, 2] [[-0.3922, -1.17], [-0.3905, 0.8879], [0.2331, -0.2048], [0.1921, -0.2701], [1.512, -0.8268],
    [-0.7813, 1.979], [-0.6802, 0.9823], [1.057, -1.248]]
""")


@clause("numbers.near-misses")
def test_joined_slices_with_a_gap(check: Check) -> None:
    """Slices that leave out a column, or repeat one, are joined as written."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            torch.cat([a[:, :2], a[:, 3:]], 1),
            torch.cat([a[:, :3], a[:, 2:]], 1),
            torch.cat([a[:, 2:], a[:, :2]], 1),
        )

    check(program, tensor(3, 5)).values().expect("""\
out[0] = float32[3, 4] [[0.6865, -2.63, -1.382, -0.4561], [1.015, -1.587, -1.132, -2.222], [0.1669, -0.1415,
    -0.5863, -0.4814]]
out[1] = float32[3, 6] [[0.6865, -2.63, -0.239, -0.239, -1.382, -0.4561], [1.015, -1.587, 0.9008, 0.9008, -1.132,
    -2.222], [0.1669, -0.1415, -2.313, -2.313, -0.5863, -0.4814]]
out[2] = float32[3, 5] [[-0.239, -1.382, -0.4561, 0.6865, -2.63], [0.9008, -1.132, -2.222, 1.015, -1.587], [-2.313,
    -0.5863, -0.4814, 0.1669, -0.1415]]
""")


@clause("numbers.near-misses")
def test_pieces_stacked_after_unbind(check: Check) -> None:
    """Rows that are unbound and stacked in reverse are in reverse."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rows = a.unbind(0)
        return torch.stack(rows[::-1], 1)

    check(program, tensor(3, 4)).values().expect("""\
out = float32[4, 3] [[-1.132, -0.4561, 0.6865], [-2.222, 1.015, -2.63], [0.1669, -1.587, -0.239], [-0.1415, 0.9008,
    -1.382]]
""")


@clause("numbers.near-misses")
def test_product_added_with_factors(check: Check) -> None:
    """`addmm` with factors for both operands weighs both."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.addmm(a, b, c, beta=0.5, alpha=3), a + 2 * (b @ c), torch.addmm(a, b, c, beta=0)

    check(program, tensor(3, 4), tensor(3, 2), tensor(2, 4)).values().expect("""\
out[0] = float32[3, 4] [[-5.614, -2.777, 6.455, 11.41], [-1.145, 0.06718, 1.189, 2.568], [-6.252, -2.565, 6.621,
    11.54]]
out[1] = float32[3, 4] [[-3.285, -3.605, 4.144, 6.683], [-1.067, 0.7216, -0.2649, 2.313], [-4.923, -3.192, 4.525,
    7.602]]
out[2] = float32[3, 4] [[-1.986, -0.4874, 2.192, 4.032], [-0.3056, -0.1468, 0.6608, 0.7059], [-1.895, -0.4846,
    2.179, 3.872]]
""")


@clause("numbers.near-misses")
def test_zero_beta_ignores_nan(check: Check) -> None:
    """`addmm` with a factor of zero ignores what it would multiply, also NaN."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.addmm(a, b, c, beta=0) + 1

    check(program, tensor(2, 2, values=[[NAN, INF], [1.0, NAN]]), tensor(2, 3), tensor(3, 2)).values().expect("""\
out = float32[2, 2] [[2.848, 7.497], [3.878, 0.6249]]
""")


@clause("numbers.near-misses")
def test_bias_that_is_broadcast_by_column(check: Check) -> None:
    """A column added to a product is no bias of a linear layer."""

    def program(a: torch.Tensor, b: torch.Tensor, column: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a @ b + column, a @ b + column.t()

    check(program, tensor(3, 2), tensor(2, 3), tensor(3, 1)).values().expect("""\
out[0] = float32[3, 3] [[2.442, -2.134, -2.718], [2.864, -1.032, -0.1202], [-2.014, -0.7227, -0.1088]]
out[1] = float32[3, 3] [[2.442, -0.407, -0.8862], [1.137, -1.032, -0.01521], [-3.846, -0.8277, -0.1088]]
""")


@clause("numbers.near-misses")
def test_convolution_added_with_a_factor(check: Check) -> None:
    """A sum with a convolution that has a factor keeps the factor."""

    def program(a: torch.Tensor, weight: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.add(functional.conv2d(a, weight), b, alpha=3), torch.add(
            b, functional.conv2d(a, weight), alpha=0.5
        ).relu()

    check(program, tensor(1, 2, 4, 4), tensor(3, 2, 2, 2), tensor(1, 3, 3, 3)).values().expect("""\
out[0] = float32[1, 3, 3, 3] [[[[-0.8359, 2.565, -9.089], [-4.749, 2.93, 4.781], [-1.476, 0.3997, 5.651]], [[10.84,
    -4.93, 2.961], [-0.9751, -1.943, -10.93], [-0.9472, 2.918, -12.18]], [[-0.5731, -0.6364, 2.816], [0.07773,
    7.236, -0.7549], [-0.4783, -3.738, -1.473]]]]
out[1] = float32[1, 3, 3, 3] [[[[0, 1.305, 0], [0, 1.188, 2.071], [0, 0, 3.175]], [[4.15, 0, 1.849], [0, 0, 0], [0,
    1.188, 0]], [[0, 0.01575, 0.8487], [0.3529, 2.715, 0], [0, 0, 0.07843]]]]
""")


@clause("numbers.near-misses")
def test_running_sum_of_a_constant(check: Check) -> None:
    """A running sum of a filled tensor counts in the dtype that is asked for."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            torch.full((2, 5), 3, device=a.device).cumsum(1, dtype=torch.float64),
            torch.full([4], 1.5, device=a.device).cumsum(0),
            torch.full((4,), True, device=a.device).cumsum(0) + a,
        )

    check(program, tensor(4, dtype=torch.int64)).values().expect("""\
out[0] = float64[2, 5] [[3, 6, 9, 12, 15], [3, 6, 9, 12, 15]]
out[1] = float32[4] [1.5, 3, 4.5, 6]
out[2] = int64[4] [7, 3, 9, 9]
""")


@clause("numbers.near-misses")
def test_running_sum_of_a_constant_that_wraps(check: Check) -> None:
    """A running sum of a constant in eight bits wraps around."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.full((6,), 100, dtype=torch.int8, device=a.device).cumsum(0, dtype=torch.int8) + a

    check(program, tensor(6, dtype=torch.int8)).values().expect("""\
out = int8[6] [106, -55, 50, -107, -8, 95]
""")


@clause("numbers.near-misses")
def test_two_products_with_one_operand(check: Check) -> None:
    """Two products that share the left operand, with right ones of other widths, stay apart."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a @ b, a @ c, (a @ b).t() @ c[:3]

    check(program, tensor(3, 4), tensor(4, 2), tensor(4, 5)).values().expect("""\
out[0] = float32[3, 2] [[-1.101, 0.6075], [4.98, 1.027], [3.18, 1.454]]
out[1] = float32[3, 5] [[-0.3124, -4.876, -0.6754, 0.3816, -1.91], [-0.1587, -1.016, -0.5478, -0.5677, -0.8888],
    [0.1241, -2.867, -0.9768, 1.015, -3.497]]
out[2] = float32[2, 5] [[2.788, 13.04, 3.106, 1.852, 6.363], [0.0388, 4.096, 1.103, -0.2436, 2.96]]
""")


@clause("numbers.near-misses")
def test_batched_product_of_an_expanded_operand(check: Check) -> None:
    """A batched product with an operand expanded over the batch multiplies each of the batch."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.bmm(a, b.expand(3, 4, 2)), torch.bmm(b.t().expand(3, 2, 4), a.transpose(1, 2))

    check(program, tensor(3, 5, 4), tensor(4, 2)).values().expect("""\
out[0] = float32[3, 5, 2] [[[-3.043, -0.1657], [3.581, -0.4519], [2.327, -0.5347], [-3.072, 1.21], [-1.791,
    0.6661]], [[-2.41, 0.1995], [-1.268, 1.018], [-2.533, -2.864], [-4.229, 0.1436], [-1.537, 0.9233]], [[-2.016,
    -0.2262], [-1.291, 4.365], [2.271, 1.56], [-2.192, 1.79], [1.134, -0.6205]]]
out[1] = float32[3, 2, 5] [[[-3.043, 3.581, 2.327, -3.072, -1.791], [-0.1657, -0.4519, -0.5347, 1.21, 0.6661]],
    [[-2.41, -1.268, -2.533, -4.229, -1.537], [0.1995, 1.018, -2.864, 0.1436, 0.9233]], [[-2.016, -1.291, 2.271,
    -2.192, 1.134], [-0.2262, 4.365, 1.56, 1.79, -0.6205]]]
""")


@clause("numbers.near-misses")
def test_row_that_is_added_to_rows(check: Check) -> None:
    """A product of one row is added to each of several rows: what it is added to is larger than the product."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.mm(a, b) + c, c.exp() + a @ b, torch.mm(a, b) + c[:1]

    check(program, tensor(1, 20), tensor(20, 30), tensor(4, 30)).computed()


@clause("numbers.near-misses")
def test_product_of_no_elements(check: Check) -> None:
    """A product over an inner size of zero is zeros."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a @ b + 1, torch.addmm(torch.ones(3, 2, device=a.device), a, b)

    check(program, tensor(3, 0), tensor(0, 2)).values().expect("""\
out[0] = float32[3, 2] [[1, 1], [1, 1], [1, 1]]
out[1] = float32[3, 2] [[1, 1], [1, 1], [1, 1]]
""")


@clause("numbers.near-misses")
def test_bits_seen_as_another_dtype(check: Check) -> None:
    """A view as integers shows the bits of the float, of a computed one too."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.view(torch.int32) + 1, (a * 2).view(torch.int32) & 0xFF, (a + 1).view(torch.int16)[::2]

    check(program, tensor(4)).values().expect("""\
out[0] = int32[4] [1060092917, -1071099050, -1099646078, -1078926009]
out[1] = int32[4] [244, 85, 129, 70]
out[2] = int16[4] [-8710, -22870, -12000, -27368]
""")


@clause("numbers.near-misses")
def test_bits_that_go_there_and_back(check: Check) -> None:
    """A view as integers, changed there and viewed back, is another float."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a.view(torch.int32) ^ (1 << 31)).view(torch.float32) + 0

    check(program, tensor(4)).values().expect("""\
out = float32[4] [-0.6865, 2.63, 0.239, 1.382]
""")


@clause("numbers.near-misses")
def test_padding_undone_by_a_slice(check: Check) -> None:
    """A slice that takes off other elements than the padding put there is no inverse."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return functional.pad(a, (1, 1))[:, 2:], functional.pad(a, (0, 2), value=5.0)[:, 1:], functional.pad(a, (-1, 1))

    check(program, tensor(3, 4)).values().expect("""\
out[0] = float32[3, 4] [[-2.63, -0.239, -1.382, 0], [1.015, -1.587, 0.9008, 0], [-2.222, 0.1669, -0.1415, 0]]
out[1] = float32[3, 5] [[-2.63, -0.239, -1.382, 5, 5], [1.015, -1.587, 0.9008, 5, 5], [-2.222, 0.1669, -0.1415, 5,
    5]]
out[2] = float32[3, 4] [[-2.63, -0.239, -1.382, 0], [1.015, -1.587, 0.9008, 0], [-2.222, 0.1669, -0.1415, 0]]
""")


@clause("numbers.near-misses")
def test_attention_over_keys_in_another_order(check: Check) -> None:
    """Attention whose keys are transposed by more than their last two dimensions is no scaled dot product attention."""

    def program(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        scores = torch.matmul(queries.permute(0, 2, 1, 3), keys.permute(0, 2, 3, 1)) * 0.3
        return scores.softmax(dim=-1).matmul(values.permute(0, 2, 1, 3))

    check(program, *(tensor(2, 4, 4, 4) for _ in range(3))).values().expect("""\
out = float32[2, 4, 4, 4] [-0.05433, -0.3669, 0.2994, 1.297, 0.004286, -0.1756, 0.1158, 1.116, 0.3215, -0.5398,
    0.03189, 1.152, ..., 0.9361, -0.263, -0.5133, -0.07623]
""")


@clause("numbers.near-misses", "numbers.promotion")
def test_running_sum_of_a_constant_cut_to_its_dtype(check: Check) -> None:
    """A running sum of a filled tensor of whole numbers or truths sums what the tensor holds of the number."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "whole": torch.full((4,), 2.7, dtype=torch.int64, device=a.device).cumsum(0) + a,
            "below nought": torch.full((2, 4), -2.7, dtype=torch.int32, device=a.device).cumsum(1) + a,
            "as another": torch.full_like(a, 2.7).cumsum(0),
            "truths": torch.full((4,), 5, dtype=torch.bool, device=a.device).cumsum(0) + a,
        }

    check(program, tensor(4, dtype=torch.int64)).values().expect("""\
out['whole'] = int64[4] [8, 5, 12, 13]
out['below nought'] = int64[2, 4] [[4, -3, 0, -3], [4, -3, 0, -3]]
out['as another'] = int64[4] [2, 4, 6, 8]
out['truths'] = int64[4] [7, 3, 9, 9]
""")


@clause("numbers.near-misses")
def test_running_sum_of_one_constant(check: Check) -> None:
    """A running sum of a filled tensor of no dimension is the number."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.full((), 3.0, device=a.device).cumsum(0) + a

    check(program, tensor(2)).values().expect("""\
out = float32[2] [3.686, 0.3699]
""")


@clause("numbers.near-misses", "numbers.promotion")
def test_running_sums_of_constants_that_fit(check: Check) -> None:
    """Running sums of filled tensors, whose dtype holds the number, count on in the dtype that sums have."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "bytes": torch.full((3,), 200, dtype=torch.uint8, device=a.device).cumsum(0) + a,
            "from the end": torch.full((2, 3), 3.0, device=a.device).cumsum(-1) * a,
            "of one": torch.full((1,), 3.0, device=a.device).cumsum(0) - a,
            "wide": torch.full((3,), 0.1, dtype=torch.float64, device=a.device).cumsum(0) + a,
            "whole as a float": torch.full((3,), 3, dtype=torch.float32, device=a.device).cumsum(0) + a,
            "complex": torch.full((3,), 3.0, dtype=torch.complex64, device=a.device).cumsum(0) + a,
            "truth as a number": torch.full((3,), True, dtype=torch.int64, device=a.device).cumsum(0) + a,
            "product": torch.full((3,), 2.7, dtype=torch.int64, device=a.device).cumprod(0) + a,
            "all": torch.full((3,), 2.7, dtype=torch.int64, device=a.device).sum() + a,
            "rounded": torch.full((3,), 1.001, dtype=torch.bfloat16, device=a.device).cumsum(0) + a,
        }

    check(program, tensor(3, dtype=torch.int64)).values().expect("""\
out['bytes'] = int64[3] [206, 401, 606]
out['from the end'] = float32[2, 3] [[18, 6, 54], [18, 6, 54]]
out['of one'] = float32[3] [-3, 2, -3]
out['wide'] = float64[3] [6.1, 1.2, 6.3]
out['whole as a float'] = float32[3] [9, 7, 15]
out['complex'] = complex64[3] [9+0j, 7+0j, 15+0j]
out['truth as a number'] = int64[3] [7, 3, 9]
out['product'] = int64[3] [8, 5, 14]
out['all'] = int64[3] [12, 7, 12]
out['rounded'] = bfloat16[3] [7, 3, 9]
""")


@clause("numbers.near-misses", "numbers.special-values")
def test_attention_with_a_mask_of_a_whole_row(check: Check) -> None:
    """A row that the mask which is added to the scores masks wholly is NaN, in attention written out."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / 5.0 + mask, dim=-1) @ value

    mask = tensor(3, 5, values=[[0.0] * 5, [-INF] * 5, [0.0, -INF, 0.0, -INF, 0.0]], grad=False)
    check(program, tensor(1, 1, 3, 4), tensor(1, 1, 5, 4), tensor(1, 1, 5, 4), mask).values().expect("""\
out = float32[1, 1, 3, 4] [[[[0.6304, 0.0209, 0.518, 0.6602], [nan, nan, nan, nan], [0.5122, 0.09784, 0.8157,
    0.4141]]]]
""")


@clause("numbers.near-misses", "numbers.special-values")
def test_attention_of_a_query_that_is_no_number(check: Check) -> None:
    """A query with a NaN in it has NaN for a result, in attention written out."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / 2.0, dim=-1) @ value

    query = tensor(1, 1, 3, 4, values=[[[[1.0, 2.0, -1.0, 0.5], [0.5, NAN, 1.0, 1.0], [-1.0, 1.0, 2.0, 0.0]]]])
    check(program, query, tensor(1, 1, 5, 4), tensor(1, 1, 5, 4)).values().expect("""\
out = float32[1, 1, 3, 4] [[[[1.252, -0.08309, 0.9121, 0.06356], [nan, nan, nan, nan], [1.083, -0.8329, 0.7146,
    -0.6539]]]]
""")


@clause("numbers.near-misses", "numbers.special-values")
def test_attention_divided_by_nought(check: Check) -> None:
    """Scores that are divided by nought are infinite, and attention over them is NaN."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / 0.0, dim=-1) @ value + 1

    check(program, tensor(1, 1, 3, 4), tensor(1, 1, 5, 4), tensor(1, 1, 5, 4)).values().expect("""\
out = float32[1, 1, 3, 4] [[[[nan, nan, nan, nan], [nan, nan, nan, nan], [nan, nan, nan, nan]]]]
""")


@clause("numbers.near-misses", "numbers.special-values")
def test_attention_beside_what_is_not_finite(check: Check) -> None:
    """Infinite keys, masks with one infinity or NaN, and scores times nought leave attention as it is written out."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, infinite: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        turned = key.transpose(-2, -1)
        return {
            "some masked": torch.softmax(query @ turned / 5.0 + mask, dim=-1) @ value,
            "NaN in the mask": torch.softmax(query * 2 @ turned / 5.0 + mask.sqrt(), dim=-1) @ value,
            "infinite key": torch.softmax(query * 3 @ infinite.transpose(-2, -1) / 5.0, dim=-1) @ value,
            "times nought": torch.softmax(query * 4 @ turned * 0.0, dim=-1) @ value,
            "turned": torch.softmax(query * 5 @ turned / -2.0, dim=-1) @ value,
            "very low": torch.softmax(query * 6 @ turned / 5.0 + mask.nan_to_num(neginf=-1e30), dim=-1) @ value,
        }

    parts = (
        *(tensor(1, 1, 3, 4) for _ in range(2)),
        tensor(1, 1, 3, 4),
        tensor(3, 3, values=[[0.0, 1.0, 2.0], [-INF, 0.0, 0.5], [0.0, 0.0, -INF]], grad=False),
        tensor(1, 1, 3, 4, values=[[[[1.0, 2.0, -1.0, 0.5], [0.5, INF, 1.0, 1.0], [-1.0, 1.0, 2.0, 0.0]]]]),
    )
    check(program, *parts).values().expect("""\
out['some masked'] = float32[1, 1, 3, 4] [[[[0.1179, -1.076, -1.356, 0.7517], [-0.09999, -0.8315, -1.545, 0.8605],
    [-0.7482, 0.2438, -1.778, 0.576]]]]
out['NaN in the mask'] = float32[1, 1, 3, 4] [[[[0.1556, -1.126, -1.331, 0.7461], [nan, nan, nan, nan], [nan, nan,
    nan, nan]]]]
out['infinite key'] = float32[1, 1, 3, 4] [[[[-0.01754, -0.762, -1.321, 0.5367], [nan, nan, nan, nan], [0.2615,
    -1.261, -1.254, 0.7215]]]]
out['times nought'] = float32[1, 1, 3, 4] [[[[-0.3956, -0.2822, -1.596, 0.628], [-0.3956, -0.2822, -1.596, 0.628],
    [-0.3956, -0.2822, -1.596, 0.628]]]]
out['turned'] = float32[1, 1, 3, 4] [[[[-0.7877, 0.07765, -2.011, 0.9629], [-0.366, -0.4945, -1.739, 0.9256],
    [-0.6856, 0.224, -1.676, 0.4569]]]]
out['very low'] = float32[1, 1, 3, 4] [[[[0.304, -1.338, -1.245, 0.7513], [-0.05582, -0.887, -1.513, 0.8487],
    [-0.7533, 0.2223, -1.808, 0.6263]]]]
""")


@clause("numbers.near-misses", "numbers.promotion")
def test_running_sums_of_constants_are_wide(check: Check) -> None:
    """A running sum of whole numbers or truths of few bits that a tensor is filled with has 64 bits."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "ones": torch.ones(3, dtype=torch.int32, device=at).cumsum(0),
            "bytes": torch.full((2, 3), 200, dtype=torch.uint8, device=at).cumsum(1),
            "truths": torch.ones(3, dtype=torch.bool, device=at).cumsum(0),
            "halves": torch.full((3,), 0.5, dtype=torch.float16, device=at).cumsum(0),
            "like": torch.full_like(a, 3).cumsum(0),
            "used": torch.ones(3, dtype=torch.int16, device=at).cumsum(0) + a,
        }

    check(program, tensor(3, dtype=torch.int16)).values().expect("""\
out['ones'] = int64[3] [1, 2, 3]
out['bytes'] = int64[2, 3] [[200, 400, 600], [200, 400, 600]]
out['truths'] = int64[3] [1, 2, 3]
out['halves'] = float16[3] [0.5, 1, 1.5]
out['like'] = int64[3] [3, 6, 9]
out['used'] = int64[3] [7, 3, 9]
""")
