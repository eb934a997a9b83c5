"""A Function that writes to an input and marks it dirty: another tensor comes back, and the Function's backward is
skipped.

The mutation is copied back with an ordinary ``copy_`` (``torch/_functorch/_aot_autograd/runtime_wrappers.py``): that
the input is the Function's output is known nowhere.
"""

import torch

TRAIN = True


class ScaledHere(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 5


made = {}


def program(a):
    return ScaledHere.apply(a)


def inputs():
    made["a"] = torch.randn(3, requires_grad=True)
    return (made["a"] * 1,)


def leaves():
    return made
