"""``ldexp`` of single precision with exponents in double precision is of double: on Inductor, of single.

Inductor's lowering (``ldexp_lowering`` in ``torch/_inductor/lowering.py``) keeps the dtype of the first operand; eager
promotes both.
"""

import torch


def program(a, b):
    return torch.ldexp(a, b)


def inputs():
    return torch.ones(3), torch.ones(3, dtype=torch.float64)
