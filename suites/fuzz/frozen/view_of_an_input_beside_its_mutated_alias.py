"""A permuted view of an input whose detached alias is mutated: an error while the view is made anew."""

import torch


def program(a, b):
    b.sin_()
    return a.permute(1, 0)


def inputs():
    a = torch.randn(2, 3)
    return a, a.detach()
