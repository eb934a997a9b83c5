"""Minus zero becomes zero in ``elu`` and its kin on Inductor.

Their decomposition (``torch/_decomp/decompositions.py``) multiplies ``expm1``, and the kernel's has lost the sign.
"""

import torch
import torch.nn.functional as F


def program(a):
    return 1 / F.elu(a)


def inputs():
    return (torch.tensor([-0.0, 1.0]),)
