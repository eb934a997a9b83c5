"""Two views of an intermediate share memory in eager; on Inductor they do not, where one leaves its shape alone.

A tensor expanded to the size that it has is to its lowering the tensor itself, of which nothing is stored yet. It is
copied to lie as the result must (``require_exact_strides`` in ``torch/_inductor/ir.py``), and the other view is one of
what is stored later. What a caller writes to one is not seen in the other.
"""

import torch


def program(a):
    b = a * 2
    return b.expand(2, 3), b[0]


def inputs():
    return (torch.randn(2, 3),)
