"""Nearest by a factor that leaves a size as it was takes other rows on every backend.

The decomposition of ``upsample_nearest2d`` (``torch/_decomp/decompositions.py``) scales by the ratio of the sizes, 1
here, and eager by the factor.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.interpolate(a, scale_factor=(1.3, 1.5), mode="nearest")


def inputs():
    return (torch.arange(12.0).view(1, 1, 3, 4),)
