"""A range times a number that fits 32 bits overflows them on Inductor.

The product is an expression of the index (``torch/_inductor/index_propagation.py``), which the kernel computes as an
``int``.
"""

import torch


def program(a):
    return torch.arange(4) * 10**9 + a


def inputs():
    return (torch.zeros(4, dtype=torch.int64),)
