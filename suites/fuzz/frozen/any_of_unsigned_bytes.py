"""``any`` of a uint8 tensor is uint8 in eager, and a boolean on Inductor.

Inductor's lowering of ``any`` (``torch/_inductor/lowering.py``) always reduces to booleans; eager keeps uint8 for
compatibility (``aten/src/ATen/native/ReduceOps.cpp``).
"""

import torch


def program(a):
    return a.any()


def inputs():
    return (torch.ones(3, dtype=torch.uint8),)
