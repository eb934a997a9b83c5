"""Overlapping windows of an intermediate that are returned: their gradient is copied into memory that overlaps, too.

A row of the cotangent overwrites what the row before it left in the elements that they share, which is added twice.
"""

import torch

TRAIN = True


def program(a):
    return (a * 2).unfold(0, 2, 1)


def inputs():
    return (torch.randn(4, requires_grad=True),)
