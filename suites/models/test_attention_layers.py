"""Torch's own layers of attention, and the transformers that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin, compiled_at_most, train

#: Options of `nn.MultiheadAttention`, and of its call.
ATTENTION: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "extra_keys": ({"add_bias_kv": True, "add_zero_attn": True}, {}),
    "other_widths": ({"kdim": 5, "vdim": 3}, {"need_weights": False}),
    "weights_of_heads": ({"bias": False, "batch_first": True}, {"average_attn_weights": False}),
}


class _Attends(nn.Module):
    """A sequence that attends another."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        options, self.how = ATTENTION[kind]
        self.first = options.get("batch_first", False)
        self.attention = nn.MultiheadAttention(32, 4, **options)
        self.key = nn.Linear(4, options.get("kdim", 32))
        self.value = nn.Linear(4, options.get("vdim", 32))
        self.query = nn.Linear(4, 32)

    def forward(self, a: torch.Tensor, padding: torch.Tensor, barred: torch.Tensor) -> torch.Tensor:
        parts = [part(a if self.first else a.transpose(0, 1)) for part in (self.query, self.key, self.value)]
        found, weights = self.attention(*parts, key_padding_mask=padding, attn_mask=barred, **self.how)
        return found.square().mean() + (weights.square().mean() if weights is not None else 0)


@clause("models.attention-layers", modes="train")
@pytest.mark.parametrize("kind", ATTENTION)
def test_options_of_attention(check: Check, kind: str) -> None:
    """Keys that are added, keys and values of other widths, weights of each head: what is masked takes no part."""

    def program(compile_part: Compile, batches: torch.Tensor, padding: torch.Tensor) -> dict[str, Any]:
        network = begin(lambda: _Attends(kind), batches)
        barred = torch.ones(3, 3, dtype=torch.bool, device=batches.device).triu(1)
        return train(network, compile_part(network), ((batch, padding, barred) for batch in batches))

    padding = tensor(2, 3, dtype=torch.bool, values=[[False, False, True], [False, False, False]])
    calls = [(tensor(2, 2, 3, 4, grad=False), padding)]
    result = check(program, calls=calls, in_parts=True, backward=False, exact=False).computed()
    compiled_at_most(result, 1)


def _encoder(**options: Any) -> nn.Module:
    layer = nn.TransformerEncoderLayer(8, 2, 33, dropout=0.1, batch_first=True, **options)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


#: Stacks of layers.
STACKS: dict[str, Callable[[], nn.Module]] = {
    "encoder": _encoder,
    "encoder_norm_first": lambda: _encoder(norm_first=True, activation="gelu"),
    "encoder_without_bias": lambda: _encoder(bias=False),
    "decoder": lambda: nn.TransformerDecoder(
        nn.TransformerDecoderLayer(8, 2, 33, dropout=0.1, batch_first=True, norm_first=True), 1, nn.LayerNorm(8)
    ),
    "both": lambda: nn.Transformer(8, 2, 1, 1, 33, dropout=0.1, batch_first=True, bias=False),
}


def _asked(kind: str, network: Any, a: torch.Tensor, padding: torch.Tensor, barred: torch.Tensor) -> torch.Tensor:
    """What a stack says of ``a``, of which the padding is not read and nothing that is later."""
    if kind == "decoder":
        found = network(a, a.flip(1), tgt_mask=barred, tgt_key_padding_mask=padding, tgt_is_causal=False)
    elif kind == "both":
        found = network(a, a.flip(1), tgt_mask=barred, src_key_padding_mask=padding, tgt_is_causal=False)
    else:
        found = network(a, mask=barred, src_key_padding_mask=padding, is_causal=False)
    return found


@clause("models.attention-layers", modes="train", on=QUICK)
@pytest.mark.parametrize("kind", STACKS)
def test_stacks_in_training(check: Check, kind: str) -> None:
    """Encoders and decoders with masks and padding drop what the seeded generator says, and train as in eager."""

    def program(compile_part: Compile, batches: torch.Tensor, padding: torch.Tensor) -> dict[str, Any]:
        network = begin(STACKS[kind], batches)
        barred = torch.ones(3, 3, dtype=torch.bool, device=batches.device).triu(1)
        compiled = compile_part(lambda a: (_asked(kind, network, a, padding, barred) - a.roll(1, -1)).square().mean())
        return train(network, compiled, zip(batches))

    result = check(program, calls=[(tensor(2, 2, 3, 8, grad=False), _padding())], in_parts=True, backward=False)
    result.computed().drew_random()
    compiled_at_most(result, 1)


@clause("models.attention-layers", modes=("no_grad", "inference"))
@pytest.mark.parametrize("kind", STACKS)
def test_stacks_out_of_training(check: Check, kind: str) -> None:
    """Out of training eager takes a path of its own; what it says of words and of padding is said compiled."""

    def program(compile_part: Compile, batches: torch.Tensor, padding: torch.Tensor) -> list[torch.Tensor]:
        network = begin(STACKS[kind], batches).eval()
        barred = torch.ones(3, 3, dtype=torch.bool, device=batches.device).triu(1)
        compiled = compile_part(lambda a: _asked(kind, network, a, padding, barred))
        return [compiled(batch) for batch in batches]

    calls = [(tensor(2, 2, 3, 8), _padding())]
    check(program, calls=calls, in_parts=True, backward=False, exact=False).computed()


def _padding() -> Any:
    return tensor(2, 3, dtype=torch.bool, values=[[False, False, True], [False, False, False]])


@clause("models.attention-layers")
def test_padding_that_eager_leaves_out(check: Check) -> None:
    """Out of training an encoder with padding alone packs its sequences; where there is padding it says zeros."""

    def program(compile_part: Compile, batch: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
        network = begin(
            lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 33, batch_first=True), 2), batch
        ).eval()
        compiled: torch.Tensor = compile_part(lambda a: network(a, src_key_padding_mask=padding))(batch)
        return compiled

    calls = [(tensor(2, 3, 8), _padding())]
    result = check(program, calls=calls, in_parts=True, backward=False, exact=False).computed()
    result.happened(not result.value("out")[0, 2].any(), "zeros where there is padding")


@clause("models.attention-layers", modes="train", fullgraph=False)
def test_adaptive_softmax(check: Check) -> None:
    """Words by how often they come: a short list in the head, and clusters for the others, each of its own width."""

    def program(compile_part: Compile, batches: torch.Tensor, words: torch.Tensor) -> dict[str, Any]:
        network = begin(lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 40, [4, 10], div_value=2, head_bias=True), batches)
        compiled = compile_part(lambda batch: network(batch * 2, words).loss)
        return train(network, compiled, zip(batches))

    words = tensor(5, dtype=torch.int64, values=[0, 3, 7, 30, 11])
    calls = [(tensor(2, 5, 8, grad=False), words)]
    check(program, calls=calls, in_parts=True, backward=False, exact=False).computed()


@clause("models.attention-layers", fullgraph=False)
def test_answers_of_an_adaptive_softmax(check: Check) -> None:
    """Each word's logarithm, and the likeliest word, come of head and clusters alike, without a bias, too."""

    def program(compile_part: Compile, batch: torch.Tensor) -> list[torch.Tensor]:
        layer = begin(lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 12, [2, 5], div_value=4), batch)
        return [compile_part(layer.log_prob)(batch), compile_part(layer.predict)(batch * 2)]

    check(program, calls=[(tensor(5, 8),)], in_parts=True, backward=False, exact=False).computed()
