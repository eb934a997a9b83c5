"""A complex constant just below the negative axis has the argument of one above it: the sign of its nought is lost."""

import torch


def program(a):
    return a * torch.full((1,), complex(-1.0, -0.0)).angle()


def inputs():
    return (torch.tensor([2.0]),)
