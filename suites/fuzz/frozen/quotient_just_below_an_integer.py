"""``1.0 // 0.1`` is 9, as in Python: on Inductor it is 10, and infinity by a number is infinity and not nan.

Inductor lowers a floor division of floats (``div_mode`` in ``torch/_inductor/lowering.py``) as the floor of the rounded
quotient; eager takes the remainder away first.
"""

import torch


def program(a):
    return a // 0.1


def inputs():
    return (torch.tensor([1.0, 6.0, float("inf")]),)
