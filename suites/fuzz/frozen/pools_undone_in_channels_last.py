"""What ``max_unpool2d`` makes of images in channels_last is channels_last in eager; decomposed, it is contiguous.

The decomposition (``_max_unpoolnd`` in ``torch/_decomp/decompositions.py``) scatters into zeros of plain order.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.max_unpool2d(*F.max_pool2d(a, 2, return_indices=True), 2)


def inputs():
    return (torch.randn(1, 2, 4, 4).to(memory_format=torch.channels_last),)
