"""``channel_shuffle`` keeps channels_last in eager; decomposed, it makes the images contiguous.

The decomposition (``channel_shuffle`` in ``torch/_refs/nn/functional/__init__.py``) ends with ``contiguous()``.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.channel_shuffle(a, 2)


def inputs():
    return (torch.randn(1, 4, 2, 3).to(memory_format=torch.channels_last),)
