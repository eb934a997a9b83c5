"""A part of an intermediate, returned beside it, is a view of it in eager and of nothing when compiled."""

import torch

TRAIN = True


def program(a):
    b = a.take(torch.tensor([1, 0]))
    left, right = b.split([1, 1])
    return right, b


def inputs():
    return (torch.randn(2, requires_grad=True),)
