"""``_foreach_copy_`` into an input with a history: eager runs, the compiled program has no derivative for it."""

import torch

TRAIN = True
made = {}


def program(a):
    torch._foreach_copy_([a], [a * 2])


def inputs():
    made["a"] = torch.randn(3, requires_grad=True)
    return (made["a"] * 1,)


def leaves():
    return made
