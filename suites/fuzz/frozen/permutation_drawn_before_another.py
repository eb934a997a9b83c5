"""A permutation whose beginning tells rows is drawn where they are used: after one that is written behind it.

The pattern of ``torch/_inductor/fx_passes/misc_patterns.py`` puts the draw, with all else, where the last of what it
replaces stood.
"""

import torch

TRAIN = True


def program(a):
    order, other = torch.randperm(6), torch.randperm(6)
    return a[order[:3]] * other[:3, None]


def inputs():
    return (torch.randn(6, 4, requires_grad=True),)
