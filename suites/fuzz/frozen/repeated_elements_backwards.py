"""Repeated elements of a transposed tensor, flipped, are read from before the tensor with symbolic sizes on Inductor.

An index that is negative is reduced modulo a size (``ModularIndexing`` of ``torch/utils/_sympy/functions.py``).
"""

import torch

DYNAMIC = True


def program(a):
    return (a.t() * 1).flatten().repeat_interleave(2).flip(0)


def inputs():
    return (torch.arange(1.0, 7.0).view(2, 3),)
