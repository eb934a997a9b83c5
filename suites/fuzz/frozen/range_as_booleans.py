"""A range made boolean and an integer again is the range on Inductor.

A range is propagated as an expression of its index (``torch/_inductor/index_propagation.py``): a conversion changes the
dtype that is noted, and not the value.
"""

import torch


def program(a):
    return torch.arange(4).bool().int() + a


def inputs():
    return (torch.zeros(4, dtype=torch.int32),)
