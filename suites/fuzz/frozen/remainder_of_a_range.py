"""``fmod`` of a range that begins below zero is the remainder of another range on Inductor.

``fmod`` of an expression of the index becomes ``ModularIndexing`` (``torch/_inductor/index_propagation.py``), out of
which multiples of the divisor are dropped, as if no sign depended on them.
"""

import torch


def program(a):
    return torch.fmod(torch.arange(10) - 5, 5) + a


def inputs():
    return (torch.zeros(10, dtype=torch.int64),)
