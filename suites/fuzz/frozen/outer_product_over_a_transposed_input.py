"""``addr`` with ``beta=0`` onto a transposed input is transposed in eager, and contiguous when decomposed.

``addr`` in ``torch/_refs/__init__.py`` leaves the input out where ``beta`` is 0, with its layout.
"""

import torch


def program(a):
    return torch.addr(a, a[:, 0], a[0], beta=0)


def inputs():
    return (torch.randn(2, 3).t(),)
