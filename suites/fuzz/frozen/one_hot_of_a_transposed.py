"""``one_hot`` of a transposed tensor is contiguous in eager; compiled, it is laid out as its operand.

It is traced as a comparison with a range (``one_hot`` in ``torch/_decomp/decompositions.py``), and eager scatters into
zeros.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.one_hot(a, 3)


def inputs():
    return (torch.zeros(2, 3, dtype=torch.int64).t(),)
