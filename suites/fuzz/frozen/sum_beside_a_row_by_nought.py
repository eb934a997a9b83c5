"""``addmm`` of one row with ``alpha=0`` is NaN where the product holds a NaN; eager does not look at the product.

Inductor's ``addmm`` (``torch/_inductor/decomposition.py``) takes a product of one row apart on a CPU, and multiplies it
by ``alpha``, whatever that is.
"""

import torch


def program(a, row, matrix):
    return torch.addmm(a, row, matrix, alpha=0)


def inputs():
    return torch.ones(1, 2), torch.full((1, 3), float("nan")), torch.ones(3, 2)
