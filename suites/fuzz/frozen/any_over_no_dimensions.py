"""Whether any number is other than nought is told of each alone where no dimension is named; Inductor asks all at once.

Its lowering of `any` (``torch/_inductor/lowering.py``) takes an empty list of dimensions for all of them.
"""

import torch


def program(a):
    return torch.any(a, dim=())


def inputs():
    return (torch.arange(3.0),)
