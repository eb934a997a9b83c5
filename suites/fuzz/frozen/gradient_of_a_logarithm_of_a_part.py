"""The gradient of a part that becomes its logarithm beside its base is that of the logarithm on Inductor.

The clone of the synthetic base is removed as if it changed nothing (``torch/_inductor/fx_passes/post_grad.py``): what
is saved for backward is a view of the input, which holds the logarithm by then.
"""

import torch

TRAIN = True
made = {}


def program(a, b):
    a.log_()
    return b.sum()


def inputs():
    made["base"] = torch.rand(4).requires_grad_()
    base = made["base"] * 1
    return base[2:], base


def leaves():
    return made
