"""Backward of rows that were added at drawn places draws a permutation that nothing reads.

The joint graph's pattern (``torch/_inductor/fx_passes/misc_patterns.py``) draws anew where backward takes rows, and a
draw is no dead code.
"""

import torch

TRAIN = True


def program(a, rows):
    places = torch.randperm(6)[:3]
    return torch.index_add(a, 0, places, rows), torch.rand(3)


def inputs():
    return torch.randn(6, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
