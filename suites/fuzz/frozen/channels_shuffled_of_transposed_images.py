"""``channel_shuffle`` of transposed images is an error on a GPU in eager, and none when it is compiled.

Eager's implementation for a GPU views its input, and the decomposition (``channel_shuffle`` in
``torch/_refs/nn/functional/__init__.py``) reshapes it.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.channel_shuffle(a, 1)


def inputs():
    return (torch.randn(1, 4, 3, 5).mT,)
