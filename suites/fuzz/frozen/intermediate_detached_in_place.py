"""A program that detaches an intermediate in place is told that it still requires grad."""

import torch

TRAIN = True


def program(a):
    b = a * 2
    b.detach_()
    return a + 1 if b.requires_grad else a - 1


def inputs():
    return (torch.randn(3, requires_grad=True),)
