"""Small networks of the kinds that Hugging Face's transformers has, made from its code: nothing is downloaded.

They are for those who have the package: ``pip install 'parity-suite[hugging-face]'``. Where it is not there, the
clauses about them say so and do not run. Sizes are the smallest with which a kind still does what it is known for, so
that there are two layers where two differ, a window that is shorter than the text, and as many experts as leave some
without work.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import torch
from torch import nn

#: Releases before name some of these settings otherwise.
PACKAGE = "transformers>=5"
WORDS, IMAGE = 32, 16

#: Tensors and options by name, as a network's ``forward`` takes them.
Batch: TypeAlias = dict[str, Any]
#: A batch of so many samples, which are so long, where they have a length; numbers come from torch's own generator.
MakeBatch: TypeAlias = Callable[[int, int], Batch]


@dataclasses.dataclass(frozen=True)
class Architecture:
    """A network, by the name of its class in transformers and the settings of its configuration.

    ``draws``: in training it draws random numbers. ``lengths``: of the samples of the two batches of its training.
    """

    model: str
    settings: Mapping[str, Any]
    batch: MakeBatch
    draws: bool = False
    lengths: tuple[int, int] = (6, 5)

    def build(self) -> nn.Module:
        """The network with random weights, by torch's own generator. Raises `ImportError` without transformers."""
        import transformers

        # Its warnings are about configurations that nobody trains.
        transformers.logging.set_verbosity_error()
        kind = getattr(transformers, self.model)
        network: nn.Module = kind(kind.config_class(**self.settings))
        return network


def _words(count: int, length: int) -> torch.Tensor:
    """Indices of words that have no meaning of their own (padding, beginning and end are the first three)."""
    return torch.randint(3, WORDS, (count, length))


def _text(count: int, length: int) -> Batch:
    words = _words(count, length)
    return {"input_ids": words, "labels": words}


def _masked_text(count: int, length: int) -> Batch:
    """Texts of which the second ends one word early, and whose labels count in every other place."""
    batch = {"input_ids": _words(count, length), "labels": _words(count, length)}
    batch["labels"][:, ::2] = -100
    batch["attention_mask"] = torch.ones(count, length, dtype=torch.int64)
    batch["attention_mask"][1, -1] = 0
    return batch


def _translation(count: int, length: int) -> Batch:
    return {"input_ids": _words(count, length), "labels": _words(count, length - 1)}


def _images(count: int) -> torch.Tensor:
    return torch.randn(count, 3, IMAGE, IMAGE)


def _classes(count: int, length: int) -> Batch:
    """The second batch of images has another number of them: there, that is what differs."""
    count += length % 2
    return {"pixel_values": _images(count), "labels": torch.arange(count) % 2}


def _segments(count: int, length: int) -> Batch:
    count += length % 2
    return {"pixel_values": _images(count), "labels": torch.randint(0, 3, (count, IMAGE, IMAGE))}


def _captions(count: int, length: int) -> Batch:
    return {"input_ids": _words(count, length), "pixel_values": _images(count), "return_loss": True}


def _speech(count: int, length: int) -> Batch:
    return {"input_values": torch.randn(count, 40 * length), "labels": torch.randint(1, 8, (count, 3))}


def _spectra(count: int, length: int) -> Batch:
    return {"input_features": torch.randn(count, 8, 16), "labels": _words(count, length)}


_SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "vocab_size": WORDS,
    "max_position_embeddings": 32,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_SHARED = {**_SMALL, "num_key_value_heads": 1}
_VISION = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "image_size": IMAGE,
    "patch_size": 8,
}
_PAIR = {
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 24,
    "vocab_size": WORDS,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
}

#: Each for what it is known for.
ARCHITECTURES: Mapping[str, Architecture] = {
    # Rotary positions, keys shared by heads, gated feedforward.
    "llama": Architecture("LlamaForCausalLM", _SHARED, _text),
    # Positions that are learnt, transposed linear layers, dropout everywhere.
    "gpt2": Architecture(
        "GPT2LMHeadModel",
        {"n_embd": 16, "n_layer": 2, "n_head": 2, "vocab_size": WORDS, "n_positions": 16},
        _text,
        draws=True,
    ),
    # Scores that are capped by tanh, every other layer within a window.
    "gemma2": Architecture(
        "Gemma2ForCausalLM", {**_SHARED, "head_dim": 8, "sliding_window": 4, "query_pre_attn_scalar": 8}, _text
    ),
    # Two kinds of rotary positions by layer, normalised queries and keys.
    "gemma3": Architecture(
        "Gemma3ForCausalLM",
        {
            **_SHARED,
            "head_dim": 8,
            "sliding_window": 4,
            "query_pre_attn_scalar": 8,
            "layer_types": ["sliding_attention", "full_attention"],
        },
        _text,
    ),
    # Experts that each word is sent to by its score.
    "mixtral": Architecture("MixtralForCausalLM", {**_SHARED, "num_local_experts": 4, "num_experts_per_tok": 2}, _text),
    # Experts, a window, and a place in the softmax that nothing is read from.
    "gpt_oss": Architecture(
        "GptOssForCausalLM",
        {**_SHARED, "head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 4},
        _text,
    ),
    # Keys and values from a small latent, experts chosen by groups.
    "deepseek_v3": Architecture(
        "DeepseekV3ForCausalLM",
        {
            **_SMALL,
            "num_key_value_heads": 2,
            "n_routed_experts": 4,
            "n_group": 2,
            "topk_group": 1,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 12,
            "q_lora_rank": 8,
            "kv_lora_rank": 8,
            "qk_rope_head_dim": 4,
            "qk_nope_head_dim": 4,
            "v_head_dim": 8,
            "first_k_dense_replace": 1,
        },
        _text,
    ),
    # A scan over time whose rates the input decides; a convolution that sees the past alone.
    "mamba": Architecture(
        "MambaForCausalLM",
        {"hidden_size": 16, "num_hidden_layers": 2, "vocab_size": WORDS, "state_size": 4, "time_step_rank": 2},
        _text,
    ),
    # The same in chunks of products.
    "mamba2": Architecture(
        "Mamba2ForCausalLM",
        {
            "hidden_size": 16,
            "num_hidden_layers": 2,
            "vocab_size": WORDS,
            "state_size": 4,
            "num_heads": 4,
            "head_dim": 8,
            "n_groups": 2,
            "chunk_size": 4,
        },
        _text,
    ),
    # A loop over the words in Python, with a state that each step replaces.
    "rwkv": Architecture(
        "RwkvForCausalLM",
        {
            "hidden_size": 16,
            "num_hidden_layers": 2,
            "vocab_size": WORDS,
            "attention_hidden_size": 16,
            "intermediate_size": 24,
            "context_length": 16,
        },
        _text,
    ),
    # A slope by head instead of positions.
    "bloom": Architecture(
        "BloomForCausalLM", {"hidden_size": 16, "n_layer": 2, "n_head": 2, "vocab_size": WORDS}, _text
    ),
    # Two streams, positions that are relative by a shift of rows.
    "xlnet": Architecture(
        "XLNetLMHeadModel",
        {"d_model": 16, "n_layer": 2, "n_head": 2, "d_inner": 24, "vocab_size": WORDS},
        _text,
        draws=True,
    ),
    # Padding and labels that are left out.
    "bert": Architecture("BertForMaskedLM", _SMALL, _masked_text, draws=True),
    # What a word is and where it is are scored apart, and gathered by distance.
    "deberta_v2": Architecture(
        "DebertaV2ForMaskedLM",
        {
            **_SMALL,
            "relative_attention": True,
            "max_relative_positions": 8,
            "pos_att_type": ["p2c", "c2p"],
            "position_buckets": 4,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
        },
        _masked_text,
        draws=True,
    ),
    # Windows that overlap, read by strides.
    "longformer": Architecture(
        "LongformerForMaskedLM",
        {**_SMALL, "attention_window": [4, 4], "pad_token_id": 1, "max_position_embeddings": 34},
        _masked_text,
        draws=True,
        lengths=(8, 8),
    ),
    # Layers that halve a text, and one that spreads it again.
    "funnel": Architecture(
        "FunnelForMaskedLM",
        {
            "block_sizes": [1, 1],
            "num_decoder_layers": 1,
            "d_model": 16,
            "n_head": 2,
            "d_head": 8,
            "d_inner": 24,
            "vocab_size": WORDS,
        },
        _masked_text,
        draws=True,
        lengths=(8, 6),
    ),
    # Two halves; distances in buckets.
    "t5": Architecture(
        "T5ForConditionalGeneration",
        {
            "d_model": 16,
            "num_layers": 2,
            "num_heads": 2,
            "d_kv": 8,
            "d_ff": 24,
            "vocab_size": WORDS,
            "relative_attention_num_buckets": 8,
            "relative_attention_max_distance": 8,
            "decoder_start_token_id": 0,
            "pad_token_id": 0,
        },
        _translation,
        draws=True,
    ),
    # Two halves; layers that are left out at random.
    "bart": Architecture(
        "BartForConditionalGeneration",
        {**_PAIR, "max_position_embeddings": 16, "decoder_layerdrop": 0.3},
        _translation,
        draws=True,
    ),
    # Spectra into text.
    "whisper": Architecture(
        "WhisperForConditionalGeneration",
        {
            **_PAIR,
            "encoder_layers": 1,
            "decoder_layers": 1,
            "num_mel_bins": 8,
            "max_source_positions": 8,
            "max_target_positions": 16,
        },
        _spectra,
    ),
    # Waves into text, by a loss over all alignments; a convolution whose weight is normalised.
    "wav2vec2": Architecture(
        "Wav2Vec2ForCTC",
        {
            "hidden_size": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 24,
            "conv_dim": [8, 8],
            "conv_stride": [5, 2],
            "conv_kernel": [10, 3],
            "num_feat_extract_layers": 2,
            "num_conv_pos_embeddings": 4,
            "num_conv_pos_embedding_groups": 2,
            "vocab_size": 8,
            "mask_time_prob": 0.0,
            "layerdrop": 0.0,
            # A mask is left out unless this is compiled, and each kernel of attention has its own way to draw.
            "attention_dropout": 0.0,
        },
        _speech,
        draws=True,
    ),
    "vit": Architecture("ViTForImageClassification", _VISION, _classes),
    # A path that is left out by sample, and a scale by channel.
    "dinov2": Architecture("Dinov2ForImageClassification", {**_VISION, "drop_path_rate": 0.4}, _classes, draws=True),
    # Windows that are rolled.
    "swin": Architecture(
        "SwinForImageClassification",
        {
            "image_size": IMAGE,
            "patch_size": 2,
            "embed_dim": 8,
            "depths": [2, 1],
            "num_heads": [2, 2],
            "window_size": 2,
            "drop_path_rate": 0.3,
        },
        _classes,
        draws=True,
    ),
    # Convolutions by channel, normalised over channels that are last.
    "convnext": Architecture(
        "ConvNextForImageClassification", {"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2}, _classes
    ),
    # Statistics of batches.
    "resnet": Architecture(
        "ResNetForImageClassification",
        {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "bottleneck"},
        _classes,
    ),
    # A picture of classes, from features of several sizes that are resampled to one.
    "segformer": Architecture(
        "SegformerForSemanticSegmentation",
        {
            "num_encoder_blocks": 2,
            "depths": [1, 1],
            "sr_ratios": [2, 1],
            "hidden_sizes": [8, 16],
            "patch_sizes": [3, 3],
            "strides": [2, 2],
            "num_attention_heads": [1, 2],
            "mlp_ratios": [2, 2],
            "decoder_hidden_size": 8,
            "num_labels": 3,
            "drop_path_rate": 0.3,
        },
        _segments,
        draws=True,
    ),
    # Two towers, and a loss of which belongs to which.
    "clip": Architecture(
        "CLIPModel",
        {
            "text_config": {**_SMALL, "projection_dim": 8},
            "vision_config": {**_VISION, "projection_dim": 8},
            "projection_dim": 8,
        },
        _captions,
    ),
}

#: Those that generate, by the kinds of what they keep of the past.
GENERATING = {
    "llama": ("dynamic", "static"),
    "gpt2": ("dynamic", "static"),
    "gemma2": ("dynamic", "static"),
    "mixtral": ("dynamic",),
    "mamba": ("dynamic",),
    "t5": ("dynamic", "static"),
}
