"""The arctangent of minus zero is minus zero, which has its sign bit set: not so on a GPU by Inductor.

Its code asks for the bit only if the operand's dtype ``is tl.float32`` (``signbit`` in
``torch/_inductor/codegen/triton.py``), and whether it is below zero otherwise. What a function of libdevice returns has
a dtype that is equal to that one, and another object. Rounded to bfloat16 in between, it is converted back to the one:
that looks as if the rounding were what is missing.
"""

import torch


def program(a):
    return torch.signbit(a.atan())


def inputs():
    return (torch.tensor([0.0, -0.0, 1.0, -1.0], dtype=torch.bfloat16),)
