"""Transformers: a decoder in training and in generation, and a block of a vision transformer."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.models.training import Compile, begin, train

WIDTH, HEADS, SHARED, WORDS, LONGEST = 8, 2, 1, 7, 6


def _rotate(heads: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Turn each pair of ``heads``, [batch, heads, positions, width], by an angle that grows with its position."""
    half = heads.shape[-1] // 2
    rates = 100.0 ** (-torch.arange(half, device=heads.device, dtype=heads.dtype) / half)
    angles = positions[:, None] * rates
    first, second = heads.chunk(2, -1)
    cosine, sine = angles.cos(), angles.sin()
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)


class _Decoder(nn.Module):
    """One layer of a decoder: rotary positions, keys shared by heads, gated feedforward, tied embeddings."""

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        width = WIDTH // HEADS
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.norm, self.other_norm, self.last_norm = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH, eps=1e-3)
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key_value = nn.Linear(WIDTH, 2 * SHARED * width, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate, self.up = nn.Linear(WIDTH, 12, bias=False), nn.Linear(WIDTH, 12, bias=False)
        self.down = nn.Linear(12, WIDTH, bias=False)
        self.register_buffer("keys", torch.zeros(1, SHARED, LONGEST, width), persistent=False)
        self.register_buffer("values", torch.zeros(1, SHARED, LONGEST, width), persistent=False)

    def heads(self, a: torch.Tensor, positions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Query, key and value, each [batch, heads, positions, width]."""
        split = (a.shape[0], a.shape[1], -1, WIDTH // HEADS)
        query = self.query(a).view(split).transpose(1, 2)
        key, value = (part.view(split).transpose(1, 2) for part in self.key_value(a).chunk(2, -1))
        return _rotate(query, positions), _rotate(key, positions), value

    def finish(self, a: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
        """The scores of the next words, from what came in and what attention found."""
        a = a + self.out(attended.transpose(1, 2).flatten(2))
        normed = self.other_norm(a)
        a = a + self.down(functional.silu(self.gate(normed)) * self.up(normed))
        return functional.linear(self.last_norm(a), self.embedding.weight)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """The loss of predicting each word of ``words``, [batch, positions], from those before."""
        a = self.embedding(words[:, :-1])
        query, key, value = self.heads(self.norm(a), torch.arange(a.shape[1], device=a.device))
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        return functional.cross_entropy(self.finish(a, attended).flatten(0, 1), words[:, 1:].flatten())

    def step(self, words: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Scores after the last of ``words``; keys and values are written into the tables, at ``positions``."""
        a = self.embedding(words)
        query, key, value = self.heads(self.norm(a), positions)
        self.keys.index_copy_(2, positions, key)
        self.values.index_copy_(2, positions, value)
        seen = torch.arange(LONGEST, device=a.device) <= positions[:, None]
        attended = functional.scaled_dot_product_attention(
            query, self.keys, self.values, attn_mask=seen, enable_gqa=True
        )
        return self.finish(a, attended)[:, -1]

    def growing_step(
        self, words: torch.Tensor, positions: torch.Tensor, past: tuple[torch.Tensor, torch.Tensor] | None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        """The same with keys and values that grow: those of ``past`` and those of ``words``, which come back."""
        a = self.embedding(words)
        query, key, value = self.heads(self.norm(a), positions)
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        seen = torch.arange(key.shape[2], device=a.device) <= positions[:, None]
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen, enable_gqa=True)
        return self.finish(a, attended)[:, -1], (key, value)


@clause("models.transformers", modes="train")
def test_decoder_in_training(check: Check) -> None:
    """Rotary positions, shared keys, gates and tied embeddings train as in eager."""

    def program(compile_part: Compile, batches: torch.Tensor, beside: torch.Tensor) -> dict[str, Any]:
        network = begin(_Decoder, beside)
        return train(network, compile_part(network), zip(batches))

    batches = tensor(2, 2, 5, dtype=torch.int64, values=_sentences())
    result = check(program, calls=[(batches, tensor(1, grad=False))], in_parts=True, backward=False)
    result.values("out['losses']").expect("""\
out['losses'][0] = float32[] 6.542
out['losses'][1] = float32[] 6.87
""")


def _sentences() -> list[list[list[int]]]:
    return [[[0, 3, 2, 6, 1], [5, 5, 4, 0, 2]], [[1, 2, 3, 4, 5], [6, 0, 6, 2, 3]]]


@clause("models.transformers")
def test_generation_into_a_table(check: Check) -> None:
    """Keys and values are written in place at each position; every word is chosen by all before it."""

    def program(compile_part: Compile, prompt: torch.Tensor, beside: torch.Tensor) -> list[torch.Tensor]:
        network = begin(_Decoder, beside)
        step = compile_part(network.step)
        words, positions = prompt, torch.arange(prompt.shape[1], device=prompt.device)
        found = []
        for _ in range(3):
            scores = step(words, positions)
            words, positions = scores.argmax(-1, keepdim=True), positions[-1:] + 1
            found += [scores, words]
        return [*found, network.keys, network.values]

    prompt = tensor(1, 3, dtype=torch.int64, values=[[2, 5, 1]])
    result = check(program, calls=[(prompt, tensor(1, grad=False))], in_parts=True, backward=False)
    result.values("out").expect("""\
out[0] = float32[1, 7] [[2.269, 6.119, -0.6265, 5.72, 0.5766, 3.959, -1.468]]
out[1] = int64[1, 1] [[1]]
out[2] = float32[1, 7] [[2.08, 6.103, -0.2371, 5.52, 0.509, 3.773, -1.334]]
out[3] = int64[1, 1] [[1]]
out[4] = float32[1, 7] [[1.958, 6.076, -0.005122, 5.382, 0.4578, 3.647, -1.249]]
out[5] = int64[1, 1] [[1]]
out[6] = float32[1, 1, 6, 4] [[[[-0.04347, 0.592, -0.05875, 0.0402], [0.7459, -0.9022, 0.4711, 0.1622], [0.3391,
    -0.492, 1.344, -0.5656], [-0.9482, -0.433, 1.012, -0.6119], [-1.364, -0.3698, -0.2512, -0.6521], [0, 0, 0, 0]]]]
out[7] = float32[1, 1, 6, 4] [[[[0.8564, 0.4011, -0.5463, -0.195], [-0.08215, 0.05164, 0.2621, 0.2122], [-0.2887,
    0.476, 0.3887, -0.461], [-0.2887, 0.476, 0.3887, -0.461], [-0.2887, 0.476, 0.3887, -0.461], [0, 0, 0, 0]]]]
""")


@clause("models.transformers")
def test_generation_with_a_growing_past(check: Check) -> None:
    """Keys and values get longer with each word, first as other sizes and then as a symbolic one."""

    def program(compile_part: Compile, prompt: torch.Tensor, beside: torch.Tensor) -> list[Any]:
        network = begin(_Decoder, beside)
        step = compile_part(network.growing_step)
        words, positions, past = prompt, torch.arange(prompt.shape[1], device=prompt.device), None
        found = []
        for _ in range(4):
            scores, past = step(words, positions, past)
            words, positions = scores.argmax(-1, keepdim=True), positions[-1:] + 1
            found += [scores, words]
        return [*found, past]

    prompt = tensor(1, 2, dtype=torch.int64, values=[[2, 5]])
    result = check(program, calls=[(prompt, tensor(1, grad=False))], in_parts=True, backward=False)
    result.values("out").expect("""\
out[0] = float32[1, 7] [[4.122, 3.388, -5.921, 6.026, 0.3359, 5.661, -2.718]]
out[1] = int64[1, 1] [[3]]
out[2] = float32[1, 7] [[3.859, 4.395, -4.043, 7.447, 0.709, 5.06, -4.705]]
out[3] = int64[1, 1] [[3]]
out[4] = float32[1, 7] [[3.916, 4.451, -3.976, 7.459, 0.6955, 5.074, -4.681]]
out[5] = int64[1, 1] [[3]]
out[6] = float32[1, 7] [[3.996, 4.494, -3.942, 7.466, 0.6865, 5.093, -4.649]]
out[7] = int64[1, 1] [[3]]
out[8][0] = float32[1, 1, 5, 4] [[[[-0.04347, 0.592, -0.05875, 0.0402], [0.7459, -0.9022, 0.4711, 0.1622], [-0.2044,
    -0.8865, 1.332, -0.5558], [-1.231, -0.8266, 0.5478, -0.6416], [-1.126, -0.7584, -0.7403, -0.7209]]]]
out[8][1] = float32[1, 1, 5, 4] [[[[0.8564, 0.4011, -0.5463, -0.195], [-0.08215, 0.05164, 0.2621, 0.2122], [-0.1591,
    0.05475, 0.01716, -0.5083], [-0.1591, 0.05475, 0.01716, -0.5083], [-0.1591, 0.05475, 0.01716, -0.5083]]]]
""")


class _Vision(nn.Module):
    """Patches of an image, a token for the class, positions that are learnt, and one block."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, 4, 2, stride=2)
        self.token = nn.Parameter(torch.randn(1, 1, 4))
        self.positions = nn.Parameter(torch.randn(1, 5, 4))
        self.norm, self.other_norm = nn.LayerNorm(4), nn.LayerNorm(4)
        self.attention = nn.MultiheadAttention(4, 2, dropout=0.2, batch_first=True)
        self.feedforward = nn.Sequential(nn.Linear(4, 8), nn.GELU(approximate="tanh"), nn.Dropout(0.2), nn.Linear(8, 4))
        self.head = nn.Linear(4, 3)

    def forward(self, images: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        patches = self.patches(images).flatten(2).transpose(1, 2)
        a = torch.cat([self.token.expand(images.shape[0], -1, -1), patches], 1) + self.positions
        normed = self.norm(a)
        a = a + self.attention(normed, normed, normed, need_weights=False)[0]
        a = a + self.feedforward(self.other_norm(a))
        return functional.cross_entropy(self.head(a[:, 0]), target, label_smoothing=0.2)


@clause("models.transformers", modes="train")
def test_vision_transformer(check: Check) -> None:
    """Patches, a class token, attention and a feedforward part with dropout train as in eager."""

    def program(compile_part: Compile, images: torch.Tensor, targets: torch.Tensor) -> dict[str, Any]:
        network = begin(_Vision, images)
        return train(network, compile_part(network), zip(images, targets, strict=True))

    targets = tensor(2, 3, dtype=torch.int64, values=[[0, 2, 1], [1, 1, 0]])
    result = check(program, calls=[(tensor(2, 3, 1, 4, 4, grad=False), targets)], in_parts=True, backward=False)
    result.drew_random().values("out['losses']").expect("""\
out['losses'][0] = float32[] 1.235
out['losses'][1] = float32[] 0.9
""")
