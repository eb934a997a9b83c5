"""The gradient of an average pool whose padding is a list of one number, which stands for both dimensions.

Inductor's lowering of ``avg_pool2d_backward`` (``torch/_inductor/lowering.py``) asserts that there are two, where that
of the forward takes one for both.
"""

import torch
import torch.nn.functional as F

TRAIN = True


def program(a):
    return F.avg_pool2d(a, (4, 4), (2, 2), (2,))


def inputs():
    return (torch.randn(1, 2, 6, 6, requires_grad=True),)
