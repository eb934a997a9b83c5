"""A foreach operator in place whose operands are its own tensors flipped reads what it has written.

The flips are fused into the kernel that writes (``torch/_inductor/scheduler.py``).
"""

import torch


def program(a):
    torch._foreach_add_([a], [a.flip(0)])


def inputs():
    return (torch.arange(4.0),)
