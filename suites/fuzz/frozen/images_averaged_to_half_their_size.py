"""Images of symbolic size that are averaged to half of it do not compile on Inductor.

The lowering (``_adaptive_avg_pool2d`` in ``torch/_inductor/lowering.py``) asks for its operand's sizes as numbers, and
compares a window of the symbolic sizes of the result with 25. ``interpolate`` by areas comes down to it.
"""

import torch
import torch.nn.functional as F

DYNAMIC = True


def program(a):
    return F.adaptive_avg_pool2d(a, (a.shape[-2] // 2, a.shape[-1] // 2))


def inputs():
    return (torch.randn(1, 1, 4, 6),)
