"""Dropout of probability 1 draws a mask in eager, and nothing when compiled: the generator is elsewhere afterwards.

AOTAutograd traces ``dropout`` by a Python implementation for its autograd key (``torch/_decomp/decompositions.py``),
whose ``native_dropout`` returns zeros for probability 1; eager's own draws first.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.dropout(a, 1.0)


def inputs():
    return (torch.randn(3),)
