"""Dropout in evaluation returns its input itself in eager, and a copy of it when compiled.

AOTAutograd traces ``dropout`` by a Python implementation for its autograd key (``dropout`` in
``torch/_decomp/decompositions.py``), which clones where nothing is dropped; eager's own hands its operand on.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.dropout(a, 0.5, training=False), a * 2


def inputs():
    return (torch.randn(4),)
