"""``addmv`` with ``alpha=0`` is NaN where the product holds a NaN; eager does not look at the product.

``addmv`` in ``torch/_decomp/decompositions.py`` multiplies the product by ``alpha``, whatever that is.
"""

import torch


def program(a, matrix, vector):
    return torch.addmv(a, matrix, vector, alpha=0)


def inputs():
    return torch.ones(2), torch.full((2, 3), float("nan")), torch.ones(3)
