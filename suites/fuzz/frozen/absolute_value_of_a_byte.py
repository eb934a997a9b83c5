"""The absolute value of a byte, negated and widened, is below zero on Inductor.

In scalar loops it is ``std::abs`` (``torch/_inductor/codegen/cpp.py``), which is an ``int``.
"""

import torch


def program(a):
    return (-a.abs()).to(torch.int32)


def inputs():
    return (torch.full((3,), 200, dtype=torch.uint8),)
