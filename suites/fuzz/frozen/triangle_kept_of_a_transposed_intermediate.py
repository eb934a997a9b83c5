"""``tril_`` of an intermediate that lies transposed in memory: what comes back is contiguous.

Functionalization runs ``tril`` for it, whose result is contiguous, and takes that for the tensor from then on; so it
is for ``cumsum_``, ``scatter_add_`` and ``masked_scatter_`` (``aten/src/ATen/FunctionalTensorWrapper.cpp``,
``replace_``).
"""

import torch


def program(a):
    b = a.t() * 2
    b.tril_()
    return b


def inputs():
    return (torch.randn(2, 3),)
