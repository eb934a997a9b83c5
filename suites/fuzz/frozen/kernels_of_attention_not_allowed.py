"""Attention runs the kernel of the first call, on ``aot_eager``, where a later call allows that kernel no more.

The graph holds the kernel that was chosen while it was traced, and no guard asks what ``sdpa_kernel`` allows.
"""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


def program(a):
    return torch.nn.functional.scaled_dot_product_attention(a, a, a)


def inputs():
    return (torch.randn(1, 2, 4, 8),)


calls = [inputs, (inputs, lambda: sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION))]
