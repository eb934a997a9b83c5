"""Zeroing through an expanded view leaves the element as it was, or a multiple of it.

Functionalization writes an expanded view back with ``expand``'s inverse, which sums what the copies hold
(``aten/src/ATen/FunctionalInverses.cpp``).
"""

import torch


def program(a):
    a[:1].expand(3).fill_(2)


def inputs():
    return (torch.randn(4),)
