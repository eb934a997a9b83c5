"""An in-place op that needs its own result for backward raises for an input of one element of dtype float64."""

import torch

TRAIN = True
made = {}


def program(a):
    a.sin_()


def inputs():
    made["a"] = torch.randn(1, 1, dtype=torch.float64, requires_grad=True)
    return (made["a"] * 1,)


def leaves():
    return made
