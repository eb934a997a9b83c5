"""Attention by each of its ways: the choice of a kernel is no choice of a meaning."""

import pytest
import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from suites.harness import Check, clause, tensor

#: Batch, heads, length, width of a head.
SHAPE = (2, 4, 64, 32)


@pytest.mark.parametrize("way", ("MATH", "EFFICIENT_ATTENTION", "FLASH_ATTENTION", "CUDNN_ATTENTION"))
@clause("gpu.attention", modes=("no_grad", "train"), devices="cuda")
def test_scaled_dot_product_by_one_way(check: Check, way: str) -> None:
    """Causal attention restricted to one way of computing it is eager's by the same way, with its gradients."""
    kind = getattr(SDPBackend, way)

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel(kind):
            left, right, values = q.to(torch.bfloat16), k.to(torch.bfloat16), v.to(torch.bfloat16)
            return functional.scaled_dot_product_attention(left, right, values, is_causal=True).float() * 2

    check(program, *(tensor(*SHAPE) for _ in range(3))).gradient(0, 1, 2).computed()


@clause("gpu.attention", modes=("no_grad", "train"), shapes=("static", "dynamic"), devices="cuda")
def test_attention_with_a_bias(check: Check) -> None:
    """Attention with a bias that is added to the scores, of lengths that no block divides, has eager's result."""

    def program(q: torch.Tensor, k: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, k, attn_mask=bias)

    calls = [(tensor(1, 2, size, 16), tensor(1, 2, size + 3, 16), tensor(size, size + 3)) for size in (13, 30)]
    check(program, calls=calls).gradient(0, 1, 2).computed()


@clause("gpu.attention", modes=("no_grad", "train"), devices="cuda")
def test_flexible_attention_with_a_captured_bias(check: Check) -> None:
    """A function of the scores that reads a tensor of the program's is applied to each; that tensor has a gradient."""

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
        def bend(
            score: torch.Tensor, b: torch.Tensor, h: torch.Tensor, row: torch.Tensor, column: torch.Tensor
        ) -> torch.Tensor:
            return score + slope[h] * (column - row) / 128

        out = flex_attention(q, k, v, score_mod=bend)
        assert isinstance(out, torch.Tensor)
        return out

    shape = (1, 2, 128, 32)
    # The slope's gradient is a sum over 16,384 scores, which atomic additions make in any order.
    result = check(program, tensor(*shape), tensor(*shape), tensor(*shape), tensor(2), exact=False)
    result.gradient(0, 1, 2).computed()


@clause("gpu.attention", modes=("no_grad", "train"), devices="cuda")
def test_flexible_attention_of_blocks(check: Check) -> None:
    """Blocks that a mask leaves out take no part, and those that it cuts take part up to the cut."""

    def causal(b: torch.Tensor, h: torch.Tensor, row: torch.Tensor, column: torch.Tensor) -> torch.Tensor:
        return row >= column

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        mask = create_block_mask(causal, None, None, q.shape[2], k.shape[2], device="cuda")
        out = flex_attention(q, k, v, block_mask=mask, enable_gqa=True)
        assert isinstance(out, torch.Tensor)
        return out

    check(program, tensor(1, 4, 256, 32), tensor(1, 2, 256, 32), tensor(1, 2, 256, 32)).gradient(0, 1, 2).computed()
