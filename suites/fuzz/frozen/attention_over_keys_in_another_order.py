"""Attention whose keys are permuted by more than their last two dimensions is attention over other keys on Inductor.

The pattern of scaled dot product attention takes any permutation for a transposition
(``torch/_inductor/fx_passes/fuse_attention.py``).
"""

import torch


def program(a, b, c):
    rows = (a.permute(0, 2, 1, 3) @ b.permute(0, 2, 3, 1)) * 0.5
    return rows.softmax(-1) @ c.permute(0, 2, 1, 3)


def inputs():
    return torch.randn(2, 4, 4, 4), torch.randn(2, 4, 4, 4), torch.randn(2, 4, 4, 4)
