"""``pixel_unshuffle`` of channels_last images is contiguous on a GPU; decomposed, it is channels_last.

The decomposition (``pixel_unshuffle`` in ``torch/_refs/nn/functional/__init__.py``) keeps the layout as the kernel of
the CPU does.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.pixel_unshuffle(a, 1)


def inputs():
    return (torch.randn(1, 2, 4, 4).to(memory_format=torch.channels_last),)
