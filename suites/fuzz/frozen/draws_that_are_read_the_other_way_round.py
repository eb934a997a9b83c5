"""Numbers are drawn twice; the second ones are read first, and so 2.11 draws them first.

Where there is no backward, Inductor moves each operator in front of the first that reads it, those that draw from the
generator too (`reorder_for_locality` in fx_passes/post_grad.py): silently, each result is made of the other's numbers.
"""

import torch


def program(a):
    first = torch.rand(3)
    second = torch.rand(3)
    return second * a, first + a


def inputs():
    return (torch.full((3,), 2.0),)
