"""A flip that is added in place to a tensor, some rows of which were filled, shows rows that were added to before.

The copy back to the input is fused with the reads of its flip (``torch/_inductor/scheduler.py``).
"""

import torch


def program(a):
    a.index_fill_(0, torch.tensor([1]), 3.0)
    a.add_(a.flip(0))


def inputs():
    return (torch.arange(4.0),)
