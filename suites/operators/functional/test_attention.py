"""Attention with every kind of mask, the softmax family, and dropout that drops nothing."""

from typing import Any

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor

INF = float("inf")


@clause("numbers.options", modes="train")
def test_attention_with_masks(check: Check) -> None:
    """Masks of booleans and of numbers, over all heads or one, and queries that see the past alone."""
    seen = [[True, False, True, True, False], [True, True, True, True, True], [False, False, False, False, True]]

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor, seen: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        attend = functional.scaled_dot_product_attention
        return {
            "plain": attend(query, key, value),
            "boolean": attend(query, key, value, attn_mask=seen),
            "bias": attend(query, key, value, attn_mask=bias),
            "bias of a head": attend(query, key, value, attn_mask=bias[0, :1]),
            "past": attend(query, key, value, is_causal=True),
            "scaled past": attend(query, key[:, :, :3], value[:, :, :3], is_causal=True, scale=0.75),
        }

    parts = tensor(2, 2, 3, 4), tensor(2, 2, 5, 4), tensor(2, 2, 5, 4), tensor(2, 2, 3, 5)
    check(program, *parts, tensor(3, 5, dtype=torch.bool, values=seen)).gradient(0, 1, 2, 3).values().expect("""\
out['plain'] = float32[2, 2, 3, 4] [0.8841, -0.542, -0.04989, 0.2316, -1.658, 0.7107, 0.176, -0.3158, -1.031,
    0.2708, 0.4781, -0.2791, ..., -0.7315, -0.5699, 0.7723, 0.7173]
out['boolean'] = float32[2, 2, 3, 4] [1.164, -0.8092, -0.1033, 0.4747, -1.658, 0.7107, 0.176, -0.3158, -2.971,
    1.214, -0.4467, -0.776, ..., -0.4645, -1.812, 0.8462, -0.3123]
out['bias'] = float32[2, 2, 3, 4] [0.6084, -0.1342, 0.05902, -0.1685, -0.9515, 0.3893, 0.5356, 0.07707, -0.1872,
    0.1736, 0.7673, 0.3722, ..., -0.6416, -0.1915, 0.8599, 0.8492]
out['bias of a head'] = float32[2, 2, 3, 4] [0.6084, -0.1342, 0.05902, -0.1685, -0.9515, 0.3893, 0.5356, 0.07707,
    -0.1872, 0.1736, 0.7673, 0.3722, ..., -0.6351, -0.5438, 0.7683, 0.6634]
out['past'] = float32[2, 2, 3, 4] [-1.292, -1.182, 1.052, -1.667, -0.8756, 0.1295, 0.7477, -1.599, -0.6667, -0.41,
    0.6947, -1.288, ..., -0.9377, -0.3109, 0.6918, 1.048]
out['scaled past'] = float32[2, 2, 3, 4] [-1.292, -1.182, 1.052, -1.667, -0.8608, 0.1762, 0.7369, -1.596, -0.8491,
    -0.5316, 0.7904, -1.422, ..., -0.9508, -0.4318, 0.7995, 1.059]
""")


@clause("numbers.options", modes="train")
def test_attention_of_other_shapes(check: Check) -> None:
    """Values of another width, several queries to a key, three dimensions, another scale."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> dict[str, torch.Tensor]:
        attend = functional.scaled_dot_product_attention
        return {
            "wide values": attend(query[:, :2], key, value),
            "shared keys": attend(query, key, value[..., :4], enable_gqa=True),
            "shared keys of the past": attend(query, key, value, enable_gqa=True, is_causal=True),
            "one key": attend(query[:, :2], key[:, :, :1], value[:, :, :1]),
        }

    check(program, tensor(2, 4, 3, 4), tensor(2, 2, 5, 4), tensor(2, 2, 5, 6)).gradient(0, 1, 2).values().expect("""\
out['wide values'] = float32[2, 2, 3, 6] [0.03917, 0.306, -0.1293, 0.619, -0.7654, -0.3886, -0.2402, -0.3197,
    0.8142, 0.4512, -0.3876, -1.338, ..., -0.1925, 0.9385, 0.08016, -0.3955]
out['shared keys'] = float32[2, 4, 3, 4] [0.03917, 0.306, -0.1293, 0.619, -0.2402, -0.3197, 0.8142, 0.4512, -0.6713,
    -0.104, 0.3893, 0.8447, ..., -0.463, -0.2639, -0.5971, 1.213]
out['shared keys of the past'] = float32[2, 4, 3, 6] [-1.386, -0.1374, -0.3968, 0.6954, 1.101, -1.2, -1.109,
    -0.7715, -0.0905, 0.5296, 0.7765, 0.2428, ..., -0.6644, 1.568, -0.08404, 0.01164]
out['one key'] = float32[2, 2, 3, 6] [-1.386, -0.1374, -0.3968, 0.6954, 1.101, -1.2, -1.386, -0.1374, -0.3968,
    0.6954, 1.101, -1.2, ..., 0.6017, 1.807, 0.7317, 0.3101]
""")


@clause("numbers.options", "layout.memory-formats", modes="train")
def test_strides_told_of_attention(check: Check) -> None:
    """The result for heads that lie side by side in memory lies as its queries do, and as the program is told."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor
    ) -> tuple[dict[str, torch.Tensor], dict[str, tuple[int, ...]]]:
        attend = functional.scaled_dot_product_attention
        query, key, value = query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2)
        found = {
            "side by side": attend(query, key, value),
            "past": attend(query, key, value, is_causal=True),
            "bias": attend(query, key, value, attn_mask=bias),
            "one after another": attend(query.contiguous(), key.contiguous(), value.contiguous()),
            "queries alone": attend(query, key.contiguous(), value.contiguous()),
            "shared keys": attend(query, key[:, :2], value[:, :2], enable_gqa=True),
        }
        return found, {name: each.stride() for name, each in found.items()}

    parts = tensor(2, 3, 4, 8), tensor(2, 5, 4, 8), tensor(2, 5, 4, 8), tensor(3, 5)
    check(program, *parts).gradient(0, 1, 2, 3).computed().shape("out[0]['past']", 2, 4, 3, 8)


@clause("numbers.options", modes="train")
def test_attention_to_nothing(check: Check) -> None:
    """A query that sees no key gets noughts, and no NaN."""
    seen = [[True, False, True], [False, False, False]]

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, seen: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        attend = functional.scaled_dot_product_attention
        hidden = torch.zeros_like(seen, dtype=query.dtype).masked_fill(~seen, -INF)
        return attend(query, key, value, attn_mask=seen), attend(query, key, value, attn_mask=hidden)

    parts = tensor(1, 2, 2, 4), tensor(1, 2, 3, 4), tensor(1, 2, 3, 4)
    check(program, *parts, tensor(2, 3, dtype=torch.bool, values=seen)).gradient(0, 1, 2).values().expect("""\
out[0] = float32[1, 2, 2, 4] [[[[1.657, -0.9931, -0.05479, 0.7426], [0, 0, 0, 0]], [[0.07224, -0.6093, 0.2217,
    0.9239], [0, 0, 0, 0]]]]
out[1] = float32[1, 2, 2, 4] [[[[1.657, -0.9931, -0.05479, 0.7426], [0, 0, 0, 0]], [[0.07224, -0.6093, 0.2217,
    0.9239], [0, 0, 0, 0]]]]
""")


class _Attention(torch.nn.Module):
    """Multi-head attention with parameters of a fixed seed."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(4, 2, **options)
        generator = torch.Generator().manual_seed(0)
        for parameter in self.parameters():
            torch.nn.init.normal_(parameter, std=0.5, generator=generator)

    def forward(self, query: torch.Tensor, key: torch.Tensor, options: dict[str, object]) -> object:
        return self.attention(query, key, key, **options)


@clause("numbers.options", modes="train")
def test_attention_of_several_heads(check: Check) -> None:
    """Padded keys and a mask, a bias to keys and values, a key of noughts, weights of each head."""
    options = {
        "key_padding_mask": tensor(2, 3, dtype=torch.bool, values=[[False, False, True], [False, False, False]]),
        "attn_mask": tensor(2, 3, dtype=torch.bool, values=[[False, True, False], [False, False, True]]),
        "average_attn_weights": False,
    }
    module = built(lambda: _Attention({"add_bias_kv": True, "add_zero_attn": True, "batch_first": True}))
    check(module, tensor(2, 2, 4), tensor(2, 3, 4), options).gradient(0, 1).values("out").expect("""\
out[0] = float32[2, 2, 4] [[[0.1194, 1.404, -0.3889, -0.6529], [0.2557, 1.106, 0.09684, -0.3874]], [[0.3267, 1.601,
    -0.119, -0.5837], [0.3317, 1.539, -0.08989, -0.5312]]]
out[1] = float32[2, 2, 2, 5] [0.366, 0, 0, 0.2423, 0.3917, 0.1139, 0.6744, 0, 0.1269, 0.08473, 0.3487, 0, ...,
    0.2324, 0, 0.2455, 0.273]
""")


@clause("numbers.options", modes="train")
def test_attention_of_several_heads_without_weights(check: Check) -> None:
    """Without the weights the heads go through the fused kernel, with a causal mask or none, and no bias."""
    mask = [[0.0, -INF, -INF], [0.0, 0.0, -INF], [0.0, 0.0, 0.0]]
    options = {"need_weights": False, "is_causal": True, "attn_mask": tensor(3, 3, grad=False, values=mask)}
    module = built(lambda: _Attention({"bias": False, "kdim": 3, "vdim": 3}))
    check(module, tensor(3, 2, 4), tensor(3, 2, 3), options).gradient(0, 1).values("out").expect("""\
out[0] = float32[3, 2, 4] [[[0.4457, -0.4357, 0.1967, 0.06251], [-0.6588, 0.08777, -0.8584, -0.2909]], [[-0.1213,
    0.007648, -0.001047, -0.0003888], [-0.5038, -0.1236, -0.2977, -0.1245]], [[-0.353, 0.006131, 0.06209, -0.1196],
    [-0.0265, -0.2281, -0.4432, -0.0484]]]
out[1] = NoneType
""")


@clause("numbers.options", modes="train")
def test_softmax_with_options(check: Check) -> None:
    """Along any dimension, of what is first converted to another dtype, of the negative, and of one element."""

    def program(a: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "first": functional.softmax(a, 0),
            "middle": functional.softmax(a * 50, 1),
            "negative": functional.softmin(a, -1),
            "logarithm": functional.log_softmax(a, -2),
            "in double": functional.log_softmax(a, 2, dtype=torch.float64),
            "of low in single": functional.softmax(low, 0, dtype=torch.float32),
            "low": functional.softmax(low, 1),
            "logarithm of low": functional.log_softmax(low, 1),
            "of one": functional.softmax(a[..., :1], -1),
        }

    check(program, tensor(2, 3, 4), tensor(2, 4, dtype=torch.bfloat16)).values().expect("""\
out['first'] = float32[2, 3, 4] [[[0.7233, 0.2562, 0.8732, 0.5412], [0.5509, 0.8772, 0.6378, 0.8978], [0.2645,
    0.638, 0.0533, 0.9233]], [[0.2767, 0.7438, 0.1268, 0.4588], [0.4491, 0.1228, 0.3622, 0.1022], [0.7355, 0.362,
    0.9467, 0.07673]]]
out['middle'] = float32[2, 3, 4] [[[3.924e-15, 2.803e-45, 1, 0], [4.271e-15, 1, 0, 1], [1, 4.133e-31, 0,
    3.949e-11]], [[0, 1, 7.895e-40, 4.62e-18], [9.633e-42, 6.928e-22, 0, 1], [1, 6.99e-22, 1, 5.657e-18]]]
out['negative'] = float32[2, 3, 4] [[[0.2054, 0.4468, 0.0306, 0.3172], [0.3509, 0.09771, 0.5186, 0.03282], [0.1073,
    0.2346, 0.6267, 0.0314]], [[0.4209, 0.1207, 0.1652, 0.2933], [0.1848, 0.2996, 0.392, 0.1237], [0.04459, 0.478,
    0.04078, 0.4367]]]
out['logarithm'] = float32[2, 3, 4] [[[-1.372, -2.376, -0.1402, -3.324], [-1.37, -0.3181, -2.433, -0.5187],
    [-0.7085, -1.717, -3.146, -0.9978]], [[-2.848, -0.5624, -2.008, -1.441], [-2.089, -1.537, -2.938, -0.6429],
    [-0.2006, -1.537, -0.2073, -1.437]]]
out['in double'] = float64[2, 3, 4] [[[-2.177, -2.954, -0.273, -2.612], [-2.77, -1.492, -3.161, -0.4006], [-1.618,
    -2.401, -3.383, -0.3898]], [[-2.137, -0.8875, -1.201, -1.775], [-1.276, -1.759, -2.028, -0.8745], [-0.828, -3.2,
    -0.7388, -3.11]]]
out['of low in single'] = float32[2, 4] [[0.4824, 0.08993, 0.7535, 0.5171], [0.5176, 0.9101, 0.2465, 0.4829]]
out['low'] = bfloat16[2, 4] [[0.1865, 0.06299, 0.2793, 0.4707], [0.1465, 0.4648, 0.06689, 0.3223]]
out['logarithm of low'] = bfloat16[2, 4] [[-1.68, -2.766, -1.273, -0.7539], [-1.922, -0.7695, -2.703, -1.141]]
out['of one'] = float32[2, 3, 1] [[[1], [1], [1]], [[1], [1], [1]]]
""")


@clause("numbers.options", modes="train")
def test_dropout_of_nothing(check: Check) -> None:
    """Dropout of nothing, or out of training, leaves everything, whatever the kind."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "nothing": functional.dropout(a, 0.0) * 2,
            "evaluated": functional.dropout(a, 0.5, training=False) * 3,
            "channels": functional.dropout2d(a, 0.5, training=False) - 1,
            "alpha": functional.alpha_dropout(a, 0.5, training=False) * 4,
            "no alpha": functional.alpha_dropout(a, 0.0) * 5,
            "features": functional.feature_alpha_dropout(a, 0.0) * 6,
        }

    check(program, tensor(2, 3, 2, 2)).values().expect("""\
out['nothing'] = float32[2, 3, 2, 2] [[[[-0.7843, -2.339], [3.023, -1.654]], [[-0.7809, 1.776], [-1.563, 3.958]],
    [[0.5425, -1.023], [-2.988, 3]]], [[[-2.706, -0.2077], [-0.8351, -1.984]], [[-1.19, -2.157], [-2.694, -0.387]],
    [[2.588, -2.156], [2.766, -1.976]]]]
out['evaluated'] = float32[2, 3, 2, 2] [[[[-1.176, -3.509], [4.535, -2.48]], [[-1.171, 2.664], [-2.344, 5.937]],
    [[0.8138, -1.534], [-4.482, 4.5]]], [[[-4.059, -0.3115], [-1.253, -2.975]], [[-1.785, -3.235], [-4.041,
    -0.5804]], [[3.882, -3.234], [4.15, -2.963]]]]
out['channels'] = float32[2, 3, 2, 2] [[[[-1.392, -2.17], [0.5117, -1.827]], [[-1.39, -0.1121], [-1.781, 0.979]],
    [[-0.7287, -1.511], [-2.494, 0.4999]]], [[[-2.353, -1.104], [-1.418, -1.992]], [[-1.595, -2.078], [-2.347,
    -1.193]], [[0.294, -2.078], [0.3832, -1.988]]]]
out['alpha'] = float32[2, 3, 2, 2] [[[[-1.569, -4.678], [6.047, -3.307]], [[-1.562, 3.552], [-3.125, 7.916]],
    [[1.085, -2.045], [-5.975, 6]]], [[[-5.412, -0.4153], [-1.67, -3.967]], [[-2.38, -4.313], [-5.388, -0.7739]],
    [[5.176, -4.312], [5.533, -3.951]]]]
out['no alpha'] = float32[2, 3, 2, 2] [[[[-1.961, -5.848], [7.559, -4.134]], [[-1.952, 4.44], [-3.906, 9.895]],
    [[1.356, -2.557], [-7.469, 7.5]]], [[[-6.765, -0.5192], [-2.088, -4.959]], [[-2.974, -5.391], [-6.735,
    -0.9674]], [[6.47, -5.39], [6.916, -4.939]]]]
out['features'] = float32[2, 3, 2, 2] [[[[-2.353, -7.017], [9.07, -4.961]], [[-2.343, 5.327], [-4.688, 11.87]],
    [[1.628, -3.068], [-8.963, 8.999]]], [[[-8.118, -0.623], [-2.505, -5.951]], [[-3.569, -6.47], [-8.082, -1.161]],
    [[7.764, -6.468], [8.299, -5.927]]]]
""")


@clause("numbers.options", modes="train")
def test_attention_that_sees_nothing(check: Check) -> None:
    """A query whose mask lets it see no key has nought as its result, in a batch of three dimensions as of four."""
    seen = [[True, False, True], [False, False, False], [True, True, True]]

    def program(query: torch.Tensor, key: torch.Tensor, seen: torch.Tensor) -> dict[str, torch.Tensor]:
        attend = functional.scaled_dot_product_attention
        nothing = torch.where(seen, 0.0, float("-inf"))
        return {
            "three": attend(query, key, key * 2, attn_mask=seen),
            "three by numbers": attend(query, key, key * 2, attn_mask=nothing),
            "four": attend(query[None], key[None], key[None] * 2, attn_mask=seen),
        }

    masks = tensor(3, 3, dtype=torch.bool, values=seen)
    check(program, tensor(2, 3, 4), tensor(2, 3, 4), masks).values().expect("""\
out['three'] = float32[2, 3, 4] [[[-1.227, 0.126, 0.309, -1.152], [0, 0, 0, 0], [0.3659, 1.615, 0.1041, 2.292]],
    [[0.4185, -0.2566, -0.5282, -2.797], [0, 0, 0, 0], [0.5181, -0.2536, -0.7143, -2.174]]]
out['three by numbers'] = float32[2, 3, 4] [[[-1.227, 0.126, 0.309, -1.152], [0, 0, 0, 0], [0.3659, 1.615, 0.1041,
    2.292]], [[0.4185, -0.2566, -0.5282, -2.797], [0, 0, 0, 0], [0.5181, -0.2536, -0.7143, -2.174]]]
out['four'] = float32[1, 2, 3, 4] [[[[-1.227, 0.126, 0.309, -1.152], [0, 0, 0, 0], [0.3659, 1.615, 0.1041, 2.292]],
    [[0.4185, -0.2566, -0.5282, -2.797], [0, 0, 0, 0], [0.5181, -0.2536, -0.7143, -2.174]]]]
""")


#: Options of multi-head attention, by what they are about; a text names a tensor of `_heads`.
HEADS: dict[str, dict[str, dict[str, Any]]] = {
    "masks": {
        "truths": {"attn_mask": "truths"},
        "truths of heads": {"attn_mask": "truths of heads", "need_weights": False},
        "numbers": {"attn_mask": "numbers", "average_attn_weights": False},
        "numbers of heads": {"attn_mask": "numbers of heads"},
        "numbers without weights": {"attn_mask": "numbers", "need_weights": False},
    },
    "padding": {
        "truths": {"key_padding_mask": "padding"},
        "numbers": {"key_padding_mask": "padding by numbers", "average_attn_weights": False},
        "with truths": {"key_padding_mask": "padding", "attn_mask": "truths of heads"},
        "with numbers": {"key_padding_mask": "padding by numbers", "attn_mask": "numbers", "need_weights": False},
        "unlike": {"key_padding_mask": "padding by numbers", "attn_mask": "truths"},
    },
    "keys that are added": {
        "bias": {"bias_k": "key", "bias_v": "value"},
        "nought": {"add_zero_attn": True, "need_weights": False},
        "both": {"bias_k": "key", "bias_v": "value", "add_zero_attn": True, "key_padding_mask": "padding"},
        "masked": {"bias_k": "key", "bias_v": "value", "attn_mask": "numbers of heads", "need_weights": False},
        "given": {"static_k": "static keys", "static_v": "static values", "add_zero_attn": True},
        "given keys alone": {"static_k": "static keys", "attn_mask": "truths", "need_weights": False},
    },
    "the past": {
        "told": {"attn_mask": "past", "is_causal": True, "need_weights": False},
        "weights": {"attn_mask": "past", "is_causal": True},
        "padded": {"attn_mask": "past", "is_causal": True, "need_weights": False, "key_padding_mask": "padding"},
        "of batches": {"attn_mask": "past", "is_causal": True, "average_attn_weights": False, "add_zero_attn": True},
    },
}


def _heads() -> dict[str, Any]:
    truths = [[False, True, False, True], [False, False, False, False], [True, False, False, False]]
    numbers = [[0.0, 1.0, -INF, 0.5], [0.0, -1.0, 2.0, 0.0], [-INF, 0.0, 0.0, 0.25]]
    past = [[place > row for place in range(4)] for row in range(3)]
    heads = (0, 1, 2, 0)
    return {
        "truths": tensor(3, 4, dtype=torch.bool, values=truths),
        "truths of heads": tensor(
            4, 3, 4, dtype=torch.bool, values=[truths[first:] + truths[:first] for first in heads]
        ),
        "numbers": tensor(3, 4, values=numbers),
        "numbers of heads": tensor(4, 3, 4, values=[numbers[first:] + numbers[:first] for first in heads]),
        "padding": tensor(2, 4, dtype=torch.bool, values=[[False, False, True, True], [False, False, False, True]]),
        "padding by numbers": tensor(2, 4, values=[[0.0, 0.5, -INF, 1.0], [0.0, 0.0, -1.0, -INF]]),
        "past": tensor(3, 4, dtype=torch.bool, values=past),
        "key": tensor(1, 1, 4),
        "value": tensor(1, 1, 4),
        "static keys": tensor(4, 4, 2),
        "static values": tensor(4, 4, 2),
    }


@clause("numbers.options", modes="train")
@pytest.mark.parametrize("of", HEADS)
def test_options_of_several_heads(check: Check, of: str) -> None:
    """Masks of truths and numbers, for all heads or each, padding, and keys that are added or given, weigh as told."""

    def program(
        query: torch.Tensor, key: torch.Tensor, inner: torch.Tensor, outer: torch.Tensor, given: dict[str, torch.Tensor]
    ) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, options in HEADS[of].items():
            told: dict[str, Any] = {"bias_k": None, "bias_v": None, "add_zero_attn": False}
            told |= {option: given[value] if isinstance(value, str) else value for option, value in options.items()}
            found[name] = functional.multi_head_attention_forward(
                query, key, key.flip(0), 4, 2, inner, inner[:, 0], dropout_p=0.0, out_proj_weight=outer,
                out_proj_bias=outer[0], **told,
            )  # fmt: skip
        return found

    named = {value for options in HEADS[of].values() for value in options.values() if isinstance(value, str)}
    given = {name: spec for name, spec in _heads().items() if name in named}
    check(program, tensor(3, 2, 4), tensor(4, 2, 4), tensor(12, 4), tensor(4, 4), given).gradient(0, 1, 2, 3).computed()


@clause("numbers.options", modes="train")
def test_heads_with_weights_of_their_own(check: Check) -> None:
    """Keys and values of other widths have weights of their own, with a bias and a key that is added, or none."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, one: torch.Tensor, weights: list[torch.Tensor]
    ) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, bias, added in (("all", weights[0].flatten(), one), ("no bias", None, one), ("plain", None, None)):
            found[name] = functional.multi_head_attention_forward(
                query, key, value, 4, 2, None, bias, added, None if added is None else added * 2, False, 0.0,
                weights[1], None, need_weights=name != "plain", use_separate_proj_weight=True,
                q_proj_weight=weights[1] * 2, k_proj_weight=weights[2], v_proj_weight=weights[3],
            )  # fmt: skip
        return found

    weights = [tensor(3, 4), tensor(4, 4), tensor(4, 3), tensor(4, 5)]
    parts = tensor(3, 2, 4), tensor(4, 2, 3), tensor(4, 2, 5), tensor(1, 1, 4)
    check(program, *parts, weights).gradient(0, 1, 2, 3).computed()
