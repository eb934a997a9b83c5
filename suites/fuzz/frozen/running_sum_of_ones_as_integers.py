"""The running sum of ones, asked for as integers, comes back as floats.

``pointless_cumsum_replacement`` (``torch/_inductor/fx_passes/post_grad.py``) matches ``full`` and ``cumsum`` and
takes the dtype of ``full``; the one that ``cumsum`` is given is not part of the pattern.
"""

import torch


def program(a):
    return torch.ones_like(a).cumsum(0, dtype=torch.int64)


def inputs():
    return (torch.randn(4),)
