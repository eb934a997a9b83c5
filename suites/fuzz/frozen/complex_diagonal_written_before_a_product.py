"""A complex product, taken after the diagonal of one of its factors is written, is of the diagonal before.

Complex operators are calls of eager's own in Inductor's wrapper. The ``copy_`` into a diagonal, which is a view by such
a call, is no write to what it is a view of: the scheduler puts the product that reads it first.
"""

import torch


def program(a, b, numbers):
    product = a.mH @ b
    product.diagonal().copy_(numbers)
    return product @ a.mH


def inputs():
    return torch.randn(3, 3, dtype=torch.complex64), torch.randn(3, 3, dtype=torch.complex64), torch.randn(3)
