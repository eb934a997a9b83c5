"""The gradient of a part of an argument that is squared in place is that of the square on Inductor.

The clone of the argument is removed as if it changed nothing (``torch/_inductor/fx_passes/post_grad.py``): what is
saved for backward is a view of the argument, which holds the square by then.
"""

import torch

TRAIN = True
made = {}


def program(a):
    return a[1, :, 1:4].square_().clone()


def inputs():
    made["a"] = torch.rand(3, 3, 5).requires_grad_()
    return (made["a"] * 1,)


def leaves():
    return made
