"""Batch normalisation of a transposed matrix is contiguous in eager; decomposed, it is laid out as its operand.

The kernel makes its result in the suggested memory format, which is plain for all but channels_last; the decomposition
(``native_batch_norm_helper`` in ``torch/_decomp/decompositions.py``) ends in elementwise operators, which keep a dense
layout.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.batch_norm(a, None, None, training=True)


def inputs():
    return (torch.randn(3, 2).mT,)
