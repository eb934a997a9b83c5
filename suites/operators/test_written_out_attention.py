"""Attention that is written out: masks of any numbers, rows that are masked, precisions, scales and biases."""

import math
from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

LEAST = torch.finfo(torch.float32).min
#: Batch, place, head and width, as a linear map leaves them.
PARTS = tuple(tensor(2, 4, 2, 4) for _ in range(3))


Parts = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def changed(factor: float, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> Parts:
    """Other parts for each result of a program: what two of them share is computed once, and no longer a pattern."""
    return query * factor, key / factor, value + factor


def heads(factor: float, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> Parts:
    """Batch, head, place and width, of parts of their own."""
    query, key, value = changed(factor, query, key, value)
    return query.permute(0, 2, 1, 3), key.permute(0, 2, 1, 3), value.permute(0, 2, 1, 3)


def in_order(attended: torch.Tensor) -> torch.Tensor:
    """All of it in a row: in which order attention lies in memory is not what these clauses are about."""
    return attended.reshape(-1) * 2


def masked_scores(scores: torch.Tensor, masked: torch.Tensor) -> torch.Tensor:
    """The scores, and minus infinity for keys that are masked: ``masked`` has a row of them for each of the batch."""
    rows = masked.view(masked.shape[0], 1, 1, masked.shape[1])
    return scores.masked_fill(rows.expand_as(scores), -float("inf"))


def by_scores(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
) -> Callable[[float, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]], torch.Tensor]:
    """Attention of these parts, changed by a factor, by what a function of query and key makes of both."""

    def attended(factor: float, scores: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> torch.Tensor:
        q, k, v = changed(factor, query, key, value)
        return in_order(scores(q, k).softmax(-1) @ v)

    return attended


def over_kept_keys(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *, scaled_before: bool = False
) -> Callable[[float, torch.Tensor], torch.Tensor]:
    """Attention of these parts, changed by a factor, over the keys that are not masked.

    The scores are divided by the root of the width, or with ``scaled_before`` the queries are.
    """

    def attended(factor: float, masked: torch.Tensor) -> torch.Tensor:
        q, k, v = heads(factor, query, key, value)
        scores = (q / 2.0) @ k.transpose(-2, -1) if scaled_before else (q @ k.transpose(-2, -1)).div(2.0)
        return in_order(masked_scores(scores, masked).softmax(-1) @ v)

    return attended


@clause("numbers.near-misses")
def test_attention_over_keys_whose_mask_is_not_nought(check: Check) -> None:
    """Where keys are masked by a mask that is nought, they are kept by any other number: one, two, a half."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, segments: torch.Tensor, parts: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        attended = over_kept_keys(query, key, value)
        scaled_before = over_kept_keys(query, key, value, scaled_before=True)

        return {
            "segments": attended(1.5, segments == 0),
            "scaled before": scaled_before(2.5, segments == 0),
            "parts": attended(3.5, parts == 0),
        }

    segments = tensor(2, 4, dtype=torch.int64, values=[[1, 1, 2, 0], [2, 3, 0, 0]])
    parts = tensor(2, 4, grad=False, values=[[1.0, 0.5, 0.5, 0.0], [-1.0, 1.0, 1.0, 2.0]])
    check(program, *PARTS, segments, parts).values().expect("""\
out['segments'] = float32[64] [1.068, 2.936, 2.859, 2.18, 0.872, 2.227, 3.55, 1.409, 1.316, 2.932, 2.775, 2.358,
    ..., 3.013, 7.841, 3.863, 4.061]
out['scaled before'] = float32[64] [3.068, 4.936, 4.859, 4.18, 2.872, 4.227, 5.55, 3.409, 3.316, 4.932, 4.775,
    4.358, ..., 5.013, 9.841, 5.863, 6.061]
out['parts'] = float32[64] [5.068, 6.936, 6.859, 6.18, 4.872, 6.227, 7.55, 5.409, 5.316, 6.932, 6.775, 6.358, ...,
    6.888, 10.5, 7.72, 8.04]
""")


@clause("numbers.near-misses")
def test_attention_over_keys_with_other_masks(check: Check) -> None:
    """Masks of noughts and ones, of truths, and by other comparisons keep the keys that they say."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, segments: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        attended = over_kept_keys(query, key, value)
        scaled_before = over_kept_keys(query, key, value, scaled_before=True)

        return {
            "noughts and ones": attended(1.5, mask == 0),
            "floats": attended(2.5, mask.float() == 0),
            "truths": attended(3.5, ~mask.bool()),
            "less than one": attended(4.5, segments < 1),
            "but for one": attended(5.5, segments != 2 - mask),
            "of one": attended(6.5, segments == mask + 1),
            "noughts and ones, scaled before": scaled_before(7.5, mask == 0),
            "truths, scaled before": scaled_before(8.5, ~mask.bool()),
        }

    mask = tensor(2, 4, dtype=torch.int64, values=[[1, 1, 1, 0], [0, 1, 0, 0]])
    segments = tensor(2, 4, dtype=torch.int64, values=[[1, 1, 2, 0], [2, 3, 0, 0]])
    check(program, *PARTS, mask, segments).values().expect("""\
out['noughts and ones'] = float32[64] [1.068, 2.936, 2.859, 2.18, 0.872, 2.227, 3.55, 1.409, 1.316, 2.932, 2.775,
    2.358, ..., 3.273, 4.201, 3.261, 3.213]
out['floats'] = float32[64] [3.068, 4.936, 4.859, 4.18, 2.872, 4.227, 5.55, 3.409, 3.316, 4.932, 4.775, 4.358, ...,
    5.273, 6.201, 5.261, 5.213]
out['truths'] = float32[64] [5.068, 6.936, 6.859, 6.18, 4.872, 6.227, 7.55, 5.409, 5.316, 6.932, 6.775, 6.358, ...,
    7.273, 8.201, 7.261, 7.213]
out['less than one'] = float32[64] [7.068, 8.936, 8.859, 8.18, 6.872, 8.227, 9.55, 7.409, 7.316, 8.932, 8.775,
    8.358, ..., 9.013, 13.84, 9.863, 10.06]
out['but for one'] = float32[64] [11.96, 9.142, 11.4, 10.71, 10.43, 8.923, 12.14, 9.393, 12.29, 9.189, 11.24, 10.99,
    ..., 10.99, 16.12, 11.91, 12.13]
out['of one'] = float32[64] [13.47, 11.34, 13.47, 13.48, 12.1, 11.36, 13.99, 13.25, 13.4, 11.5, 13.4, 14.14, ...,
    12.89, 16.5, 13.72, 14.04]
out['noughts and ones, scaled before'] = float32[64] [13.07, 14.94, 14.86, 14.18, 12.87, 14.23, 15.55, 13.41, 13.32,
    14.93, 14.77, 14.36, ..., 15.27, 16.2, 15.26, 15.21]
out['truths, scaled before'] = float32[64] [15.07, 16.94, 16.86, 16.18, 14.87, 16.23, 17.55, 15.41, 15.32, 16.93,
    16.77, 16.36, ..., 17.27, 18.2, 17.26, 17.21]
""")


@clause("numbers.near-misses")
def test_attention_over_keys_masked_by_another_number(check: Check) -> None:
    """Keys that are masked where a mask is one, or two, are those that have that number."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, segments: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        attended = over_kept_keys(query, key, value)

        return {"ones": attended(1.5, segments == 1), "twos": attended(2.5, segments == 2)}

    segments = tensor(2, 4, dtype=torch.int64, values=[[1, 1, 2, 0], [2, 3, 0, 0]])
    check(program, *PARTS, segments).values().expect("""\
out['ones'] = float32[64] [-1.795, 4.585, 2.523, 2.769, -0.3661, 3.534, 3.042, 4.416, -1.155, 4.114, 2.756, 3.507,
    ..., 2.888, 6.5, 3.72, 4.04]
out['twos'] = float32[64] [5.468, 3.344, 5.466, 5.481, 4.097, 3.365, 5.989, 5.253, 5.402, 3.497, 5.395, 6.136, ...,
    4.653, 4.858, 5.295, 5.847]
""")


def causally(query: torch.Tensor, key: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    """Scores, and the least number in place of those that are not kept."""
    scores = torch.matmul(query, key.permute(0, 1, 3, 2)) / torch.full([], 2.0, device=query.device)
    return torch.where(kept, scores, torch.full((), LEAST, dtype=scores.dtype, device=scores.device))


@clause("numbers.near-misses", "numbers.special-values")
def test_attention_of_rows_that_the_least_number_masks(check: Check) -> None:
    """A row all of whose scores are the least number there is, an average of all values, is no row of nought."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, kept: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        q, k, v = heads(1.5, query, key, value)
        return in_order(causally(q, k, kept).softmax(-1).matmul(v)), k, v

    kept = tensor(2, 1, 4, 4, dtype=torch.bool, values=[[[[False] * 4] * 4], [[[True] * 4] * 4]])
    check(program, *PARTS, kept).values("out[0]").expect("""\
out[0] = float32[64] [1.146, 2.399, 3.386, 2.953, 1.146, 2.399, 3.386, 2.953, 1.146, 2.399, 3.386, 2.953, ...,
    2.888, 6.5, 3.72, 4.04]
""")


@clause("numbers.near-misses", "numbers.special-values")
def test_attention_masked_twice_by_the_least_number(check: Check) -> None:
    """Keys that one mask takes off and keys that another one does count alike, where a row has no others."""

    def program(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        causal: torch.Tensor,
        padding: torch.Tensor,
    ) -> torch.Tensor:
        return in_order((causally(query, key, causal) + padding).softmax(-1).matmul(value))

    causal = tensor(1, 1, 4, 4, dtype=torch.bool, values=[[[[j <= i for j in range(4)] for i in range(4)]]])
    padding = tensor(1, 1, 1, 4, grad=False, values=[[[[LEAST, 0.0, 0.0, 0.0]]]])
    check(program, *(tensor(1, 2, 4, 4) for _ in range(3)), causal, padding).values().expect("""\
out = float32[32] [0.4864, 0.3579, -0.5799, -0.277, 0.3668, -0.5697, -0.8136, -3.596, 0.5794, -0.5528, -1.198,
    -2.252, 0.5352, -0.452, -0.99, -2.372, 1.306, -0.0998, -0.01496, 1.688, -0.2834, -3.774, -0.8289, 4.082, 1.517,
    -0.5387, -1.509, 2.202, 0.7419, -1.505, -0.8745, 2.585]
""")


@clause("numbers.near-misses", "numbers.special-values")
def test_attention_masked_by_large_numbers(check: Check) -> None:
    """Rows that keep some keys, where the least number or a lower one stands for the others, attend to those."""

    def program(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        causal: torch.Tensor,
        padding: torch.Tensor,
    ) -> dict[str, torch.Tensor]:
        attended = by_scores(query, key, value)
        return {
            "causal": attended(1.5, lambda q, k: causally(q, k, causal)),
            "and padding": attended(2.5, lambda q, k: causally(q, k, causal) + padding),
            "padding alone": attended(3.5, lambda q, k: q @ k.transpose(-2, -1) / 2.0 + padding),
            "low numbers": attended(4.5, lambda q, k: torch.where(causal, q @ k.transpose(-2, -1) / 2.0, -1e4)),
            "least": attended(5.5, lambda q, k: (q @ k.transpose(-2, -1) / 2.0).masked_fill(~causal, LEAST)),
        }

    causal = tensor(1, 1, 4, 4, dtype=torch.bool, values=[[[[j <= i for j in range(4)] for i in range(4)]]])
    padding = tensor(1, 1, 1, 4, grad=False, values=[[[[0.0, 0.0, 0.0, LEAST]]]])
    check(program, *(tensor(1, 2, 4, 4) for _ in range(3)), causal, padding).values().expect("""\
out['causal'] = float32[32] [3.142, 5.058, 3.133, 6.665, 3.285, 3.385, 2.53, 2.042, 3.517, 2.821, 1.993, 1.596,
    3.332, 3.849, 2.592, 3.756, 5.447, 3.892, 3.983, 4.804, 4.517, 2.304, 3.366, 5.579, 5.136, 3.414, 3.15, 4.937,
    3.839, 1.632, 2.231, 5.54]
out['and padding'] = float32[32] [5.142, 7.058, 5.133, 8.665, 5.285, 5.385, 4.53, 4.042, 5.517, 4.821, 3.993, 3.596,
    5.321, 5.868, 4.564, 5.844, 7.447, 5.892, 5.983, 6.804, 6.517, 4.304, 5.366, 7.579, 7.136, 5.414, 5.15, 6.937,
    5.875, 3.294, 3.916, 7.908]
out['padding alone'] = float32[32] [7.432, 7.064, 6.197, 5.881, 7.805, 6.611, 5.424, 6.655, 7.517, 6.821, 5.993,
    5.596, 7.321, 7.868, 6.564, 7.844, 9.111, 7.475, 5.908, 8.711, 8.951, 7.154, 6.378, 8.96, 9.136, 7.414, 7.15,
    8.937, 7.875, 5.294, 5.916, 9.908]
out['low numbers'] = float32[32] [9.142, 11.06, 9.133, 12.66, 9.285, 9.385, 8.53, 8.042, 9.517, 8.821, 7.993, 7.596,
    9.332, 9.849, 8.592, 9.756, 11.45, 9.892, 9.983, 10.8, 10.52, 8.304, 9.366, 11.58, 11.14, 9.414, 9.15, 10.94,
    9.839, 7.632, 8.231, 11.54]
out['least'] = float32[32] [11.14, 13.06, 11.13, 14.66, 11.29, 11.39, 10.53, 10.04, 11.52, 10.82, 9.993, 9.596,
    11.33, 11.85, 10.59, 11.76, 13.45, 11.89, 11.98, 12.8, 12.52, 10.3, 11.37, 13.58, 13.14, 11.41, 11.15, 12.94,
    11.84, 9.632, 10.23, 13.54]
""")


@clause("numbers.near-misses", "numbers.promotion")
def test_attention_that_ends_in_another_precision(check: Check) -> None:
    """Weights that are converted to another precision, with values that are too, give a result of that precision."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> dict[str, torch.Tensor]:
        def weights(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
            return torch.softmax(query @ key.transpose(-2, -1) / 2.0, -1)

        half, before, rounded, wide = (heads(factor + 0.5, query, key, value) for factor in range(1, 5))
        scaled = torch.softmax((before[0] / 2.0) @ before[1].transpose(-2, -1), -1)
        return {
            "half": in_order(weights(*half[:2]).half() @ half[2].half()),
            "scaled before": in_order(scaled.half() @ before[2].half()),
            "bfloat16": in_order(weights(*rounded[:2]).bfloat16() @ rounded[2].bfloat16()),
            "wide": in_order(weights(*wide[:2]).double() @ wide[2].double()),
        }

    check(program, *PARTS).computed()


@clause("numbers.near-misses", "numbers.promotion")
def test_attention_in_other_precisions(check: Check) -> None:
    """Attention whose scores, weights or values are of another precision has the dtype that its last product has."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> dict[str, torch.Tensor]:
        def weights(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
            return torch.softmax(query @ key.transpose(-2, -1) / 2.0, -1)

        first, widened, back = (heads(factor + 0.5, query, key, value) for factor in range(1, 4))
        scores = [score.double() for score in (first[0] @ first[1].mT / 2.0, widened[0] @ widened[1].mT / 2.0)]
        return {
            "wide scores": in_order(torch.softmax(scores[0], -1).float() @ first[2]),
            "wide weights": in_order(torch.softmax(scores[1], -1, dtype=torch.float64) @ widened[2].double()),
            "and back": in_order(weights(*back[:2]).double().float() @ back[2]),
        }

    check(program, *PARTS).values().expect("""\
out['wide scores'] = float32[64] [1.124, 2.837, 2.969, 2.738, 1.053, 2.206, 3.599, 2.879, 1.358, 2.764, 2.98, 3.27,
    ..., 2.888, 6.5, 3.72, 4.04]
out['wide weights'] = float64[64] [3.124, 4.837, 4.969, 4.738, 3.053, 4.206, 5.599, 4.879, 3.358, 4.764, 4.98, 5.27,
    ..., 4.888, 8.5, 5.72, 6.04]
out['and back'] = float32[64] [5.124, 6.837, 6.969, 6.738, 5.053, 6.206, 7.599, 6.879, 5.358, 6.764, 6.98, 7.27,
    ..., 6.888, 10.5, 7.72, 8.04]
""")


@clause("numbers.near-misses")
@pytest.mark.parametrize("each", ["all", "head"])
def test_scores_divided_by_a_tensor(check: Check, each: str) -> None:
    """Scores, with a bias, may be divided by a tensor: of one number, or of one for each head."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor, temperature: torch.Tensor
    ) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / temperature + bias, -1) @ value

    divisor = {
        "all": tensor(grad=False, values=(2.5,)),
        "head": tensor(3, 1, 1, grad=False, values=[[[2.5]], [[-1.5]], [[4.0]]]),
    }
    check(program, *(tensor(2, 3, 5, 4) for _ in range(3)), tensor(1, 1, 5, 5), divisor[each]).computed()


@clause("numbers.near-misses")
def test_bias_of_each_key(check: Check) -> None:
    """A bias with a number for each key, and no other dimension, is added to the scores of every query."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.softmax(query @ key.transpose(-2, -1) / 2.0 + bias, -1) @ value

    check(program, *(tensor(2, 3, 5, 4) for _ in range(3)), tensor(5)).computed()


def in_batches(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, biased: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    """Attention by products of batches: the heads of all of the batch are one dimension, but where a bias is added."""
    batch, head, places, width = query.shape
    q, k, v = (part.reshape(batch * head, -1, width) for part in (query, key, value))
    scores = biased(torch.bmm(q, k.transpose(1, 2)).view(batch, head, places, -1))
    weights = torch.softmax(scores.view(batch * head, places, -1), -1)
    return torch.bmm(weights, v).view(batch, head, places, width)


@clause("numbers.near-misses")
@pytest.mark.parametrize("bias", ["number", "tensor", "key"])
def test_bias_of_few_dimensions_between_products_of_batches(check: Check, bias: str) -> None:
    """What is added to the scores may be a number, a tensor of one, or a number for each key."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        added: float | torch.Tensor = row if bias == "key" else row.sum() if bias == "tensor" else 0.5
        return in_batches(query, key, value, lambda scores: scores + added)

    check(program, *(tensor(2, 3, 5, 4) for _ in range(3)), tensor(5)).computed()


@clause("numbers.near-misses")
def test_scales_and_biases_of_attention(check: Check) -> None:
    """Scores divided by a number, times a tensor, with biases of pairs, heads or all, or none, attend as written."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor, factors: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        def attended(factor: float, biased: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
            q, k, v = changed(factor, query, key, value)
            return in_order(torch.softmax(biased(q @ k.transpose(-2, -1)), -1) @ v)

        def batched(factor: float, biased: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
            return in_order(in_batches(*changed(factor, query, key, value), biased))

        whole = functional.scaled_dot_product_attention(*changed(9.5, query, key, value), bias, scale=0.3)
        return {
            "pairs": attended(1.5, lambda scores: scores / 2.0 + bias),
            "all": attended(2.5, lambda scores: scores / 2.0 + bias.expand(2, 3, 5, 5)),
            "heads": attended(3.5, lambda scores: scores / 2.0 + factors),
            "times a tensor": attended(4.5, lambda scores: scores * factors),
            "of a tensor": attended(5.5, lambda scores: scores / factors),
            "number": attended(6.5, lambda scores: scores / 2.0 + 0.5),
            "in batches": batched(7.5, lambda scores: scores + bias),
            "of no bias": batched(8.5, lambda scores: scores * 0.5),
            "as one operator": in_order(whole),
        }

    factors = tensor(3, 1, 1, grad=False, values=[[[2.5]], [[-1.5]], [[4.0]]])
    check(program, *(tensor(2, 3, 5, 4) for _ in range(3)), tensor(5, 5), factors).values().expect("""\
out['pairs'] = float32[120] [0.5829, 0.43, 3.233, 1.008, 0.1463, 1.225, 3.185, 3.478, 2.05, 0.7311, 2.635, 3.039,
    ..., 1.624, 0.9689, 2.054, 1.671]
out['all'] = float32[120] [2.583, 2.43, 5.233, 3.008, 2.146, 3.225, 5.185, 5.478, 4.05, 2.731, 4.635, 5.039, ...,
    3.624, 2.969, 4.054, 3.671]
out['heads'] = float32[120] [5.358, 4.608, 7.104, 5.749, 5.829, 5.421, 6.438, 7.652, 6.384, 5.056, 6.42, 7.672, ...,
    6.447, 6.007, 6.204, 6.511]
out['times a tensor'] = float32[120] [5.749, 6.35, 9.507, 6.186, 5.518, 6.918, 9.502, 9.42, 6.533, 6.779, 9.092,
    9.519, ..., 7.302, 6.733, 7.955, 7.283]
out['of a tensor'] = float32[120] [9.618, 8.707, 10.99, 10.03, 10.06, 9.465, 10.36, 11.65, 10.46, 9.125, 10.38,
    11.63, ..., 10.8, 10.57, 10.17, 10.95]
out['number'] = float32[120] [11.36, 10.61, 13.1, 11.75, 11.83, 11.42, 12.44, 13.65, 12.38, 11.06, 12.42, 13.67,
    ..., 12.45, 12.01, 12.2, 12.51]
out['in batches'] = float32[120] [11.96, 12.37, 15.46, 12.39, 11.69, 13.04, 15.41, 15.45, 14.03, 12.7, 14.6, 15.57,
    ..., 13.44, 12.79, 14.02, 13.44]
out['of no bias'] = float32[120] [15.36, 14.61, 17.1, 15.75, 15.83, 15.42, 16.44, 17.65, 16.38, 15.06, 16.42, 17.67,
    ..., 16.45, 16.01, 16.2, 16.51]
out['as one operator'] = float32[120] [17.17, 16.51, 18.95, 17.67, 16.46, 17.33, 19.05, 19.45, 17.83, 16.73, 18.72,
    18.62, ..., 17.75, 17.14, 18.04, 17.85]
""")


@clause("numbers.near-misses")
def test_mask_that_is_added_for_each_key_of_a_batch(check: Check) -> None:
    """A mask that has a number for each key of each of the batch is added to the scores of all heads and queries."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        q, k, v = heads(1.5, query, key, value)
        return in_order((torch.matmul(q, k.transpose(-2, -1)).div(2.0) + mask).softmax(-1).matmul(v))

    check(program, *PARTS, tensor(2, 1, 1, 4)).shape("out", 64).computed()


@clause("numbers.near-misses", modes="train")
def test_forms_of_attention(check: Check) -> None:
    """Scores divided or multiplied by any number, of heads that are turned or not, biased or not, attend as written."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor, mask: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        def attended(parts: Parts, scored: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
            q, k, v = parts
            return in_order(scored(q @ k.transpose(-2, -1)).softmax(-1) @ v)

        def halved(factor: float, before: float, after: float) -> torch.Tensor:
            q, k, v = (part.half() for part in (query * factor, key / factor, value + factor))
            q, k, v = (part.permute(0, 2, 1, 3) for part in (q, k, v))
            scores = (q if before == 1 else q / before) @ k.transpose(-2, -1)
            weights = (scores if after == 1 else scores / after).float().softmax(-1).half()
            return in_order(weights @ v)

        return {
            "divided": attended(changed(0.5, query, key, value), lambda scores: scores / 3.0),
            "multiplied": attended(changed(1.5, query, key, value), lambda scores: scores * 0.3),
            "biased": attended(changed(2.5, query, key, value), lambda scores: scores / 5.0 + bias),
            "turned": attended(heads(3.5, query, key, value), lambda scores: scores / 3.0),
            "turned and biased": attended(heads(4.5, query, key, value), lambda scores: scores / 5.0 + mask),
            "half": halved(0.75, 1, 3.0),
            "half, scaled before": halved(1.25, 3.0, 1),
        }

    check(
        program, *(tensor(2, 4, 4, 8) for _ in range(3)), tensor(4, 4, grad=False), tensor(2, 1, 1, 4, grad=False)
    ).gradient(0, 1, 2).computed()


@clause("numbers.near-misses")
def test_forms_of_attention_in_inference(check: Check) -> None:
    """Attention without a scale, in batches, biased, masked, with keys and values handed out, is as it is written."""

    def program(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        bias: torch.Tensor,
        causal: torch.Tensor,
    ) -> dict[str, torch.Tensor]:
        def weighed(scores: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
            return in_order(scores.softmax(-1).matmul(value))

        q, k, v = (part.flatten(0, 1) for part in changed(0.5, query, key, value))
        batches = in_order(torch.bmm(torch.bmm(q, k.transpose(1, 2)).softmax(-1), v))
        q, k, v = heads(1.5, query, key, value)
        biased = weighed(q @ k.transpose(-2, -1) + bias, v)
        q, handed, given = heads(2.5, query, key, value)
        beside = weighed(q @ handed.transpose(-2, -1) + bias, given)
        q, keys, values = heads(3.5, query, key, value)
        plain = weighed(q @ keys.transpose(-2, -1), values)
        q, kept, seen = heads(4.5, query, key, value)
        masked = weighed(causally(q, kept, causal), seen)
        return {
            "in batches": batches,
            "biased": biased,
            "biased, and its key": beside,
            "key": handed,
            "value": given,
            "plain": plain,
            "another key": keys,
            "another value": values,
            "masked": masked,
            "its key": kept,
            "its value": seen,
        }

    causal = tensor(1, 1, 4, 4, dtype=torch.bool, values=[[[[j <= i for j in range(4)] for i in range(4)]]])
    check(program, *(tensor(2, 4, 4, 8) for _ in range(3)), tensor(2, 1, 1, 4), causal).computed()


@clause("numbers.near-misses")
def test_attention_whose_masks_add_up(check: Check) -> None:
    """Of keys that large numbers mask all of, some by more, a row attends to those that are masked least."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        attended = by_scores(query, key, value)
        size = math.sqrt(query.size(-1))
        return {
            "by the size": attended(1.5, lambda q, k: q @ k.transpose(-2, -1) / size + mask),
            "by a number": attended(2.5, lambda q, k: q @ k.transpose(-2, -1) * 0.25 + mask),
            "twice": attended(3.5, lambda q, k: q @ k.transpose(-2, -1) / size + mask * 2),
            "not divided": attended(4.5, lambda q, k: q @ k.transpose(-2, -1) + mask),
        }

    rows = [[0.0, -2e4, -4e4], [-2e4, -4e4, -2e4], [-6e4, -6e4, -3e4], [-1.5e4, 0.0, -1e4]]
    mask = tensor(1, 1, 4, 3, grad=False, values=[[rows]])
    shapes = ((1, 2, 4, 8), (1, 2, 3, 8), (1, 2, 3, 8))
    check(program, *(tensor(*shape, grad=False) for shape in shapes), mask).values().expect("""\
out['by the size'] = float32[64] [-1.199, 5.152, 4.627, 5.069, 5.618, 4.252, 4, -0.392, -0.9803, 4.54, 4.692, 4.337,
    ..., 2.584, 2.596, 4.631, 2.188]
out['by a number'] = float32[64] [0.801, 7.152, 6.627, 7.069, 7.618, 6.252, 6, 1.608, 1.144, 6.193, 6.728, 5.921,
    ..., 4.584, 4.596, 6.631, 4.188]
out['twice'] = float32[64] [2.801, 9.152, 8.627, 9.069, 9.618, 8.252, 8, 3.608, 3.019, 8.541, 8.691, 8.338, ...,
    6.584, 6.596, 8.631, 6.188]
out['not divided'] = float32[64] [4.801, 11.15, 10.63, 11.07, 11.62, 10.25, 10, 5.608, 4.809, 11.13, 10.63, 11.04,
    ..., 8.584, 8.596, 10.63, 8.188]
""")


@clause("numbers.near-misses")
def test_attention_over_more_keys_than_heads_are_wide(check: Check) -> None:
    """Scores are divided by the root of how wide a head is, be there as many keys or more, before or after."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, segments: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "before": over_kept_keys(query, key, value, scaled_before=True)(2.5, segments == 0),
            "after": over_kept_keys(query, key, value)(1.5, segments == 0),
        }

    segments = tensor(2, 5, dtype=torch.int64, values=[[1, 1, 1, 0, 1], [1, 1, 0, 0, 1]])
    check(program, *(tensor(2, 5, 3, 4) for _ in range(3)), segments).computed()


@clause("numbers.near-misses")
def test_attention_with_a_number_added(check: Check) -> None:
    """One number that is added to all scores is no mask of theirs, be it in a tensor of no dimension."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, number: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        attended = by_scores(query, key, value)
        return {
            "after": attended(1.5, lambda q, k: q @ k.transpose(-2, -1) / 4**0.5 + number),
            "before": attended(2.5, lambda q, k: number + q @ k.transpose(-2, -1) / 4**0.5),
        }

    parts = (tensor(2, 3, 5, 4) for _ in range(3))
    check(program, *parts, tensor(grad=False, values=[0.5])).computed()


@clause("numbers.near-misses")
def test_attention_as_its_formula_writes_it(check: Check) -> None:
    """What torch takes scaled attention apart into, a part of the scale on each side, attends by the whole scale."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        scaled, safe = torch.ops.aten.mul.Scalar, torch.ops.aten._safe_softmax

        def attended(factor: float, parts: tuple[float, float], masked: bool) -> torch.Tensor:
            q, k, v = heads(factor, query, key, value)
            scores = scaled(q, parts[0]) @ scaled(k.transpose(-2, -1), parts[1])
            return in_order(safe(scores + mask if masked else scores, -1) @ v)

        return {
            "masked": attended(1.5, (0.5, 0.5), True),
            "plain": attended(2.5, (0.5, 0.5), False),
            "unlike": attended(3.5, (0.5, 0.25), True),
            "unlike, plain": attended(4.5, (0.25, 2.0), False),
            "nothing": attended(5.5, (1.0, 1.0), True),
        }

    parts = (tensor(2, 16, 4, 32) for _ in range(3))
    check(program, *parts, tensor(2, 1, 1, 16, grad=False)).computed()
