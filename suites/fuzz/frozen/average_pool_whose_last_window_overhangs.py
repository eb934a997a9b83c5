"""The gradient of an average pool, where ``ceil_mode`` lets the last window hang over: too small, by a factor of 4.

Inductor's lowering of ``avg_pool2d_backward`` (``torch/_inductor/lowering.py``) divides by the whole window; the
forward and eager divide by the part of it that is inside.
"""

import torch
import torch.nn.functional as F

TRAIN = True


def program(a):
    return F.avg_pool2d(a, 2, ceil_mode=True)


def inputs():
    return (torch.randn(1, 3, 3, requires_grad=True),)
