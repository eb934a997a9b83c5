"""Dropout outside of training returns its argument in eager, and a copy of it when compiled.

AOTAutograd traces ``dropout`` by a Python implementation for its autograd key (``torch/_decomp/decompositions.py``),
which clones where there is nothing to drop.
"""

import torch
import torch.nn.functional as F

TRAIN = True


def program(a):
    return F.dropout(a, 0.5, training=False)


def inputs():
    return (torch.randn(3, requires_grad=True),)
