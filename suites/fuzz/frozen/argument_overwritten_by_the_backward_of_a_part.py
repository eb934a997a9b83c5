"""The backward of the error function of a part of an argument overwrites that part of the caller's, on Inductor.

What is saved is a view of the argument, as the clone of it was removed, and backward takes it for memory of its own.
"""

import torch

TRAIN = True
made = {}


def program(a):
    return a[1, :, 1:4].erf_().clone()


def inputs():
    made["a"] = torch.rand(3, 3, 5).requires_grad_()
    return (made["a"] * 1,)


def leaves():
    return made
