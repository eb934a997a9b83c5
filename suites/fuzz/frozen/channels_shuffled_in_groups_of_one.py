"""Channels that are shuffled in as many groups come back as they were: a copy of eager's, a view when decomposed.

Nothing moves, so that all of the decomposition (``channel_shuffle`` in ``torch/_refs/nn/functional/__init__.py``) is
views: a write to the result is one to the input. On a GPU eager hands out the input's memory as well, as no view of it.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.channel_shuffle(a, 4)


def inputs():
    return (torch.randn(1, 4, 2, 3),)
