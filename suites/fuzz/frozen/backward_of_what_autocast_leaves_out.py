"""Backward of a product for which a program has turned autocast off runs in bfloat16.

The program is called under autocast, and backward is traced under that of the call, whatever the program turned off.
"""

import torch

TRAIN = True


def program(a, b):
    with torch.autocast("cpu", enabled=False):
        return a @ b


def inputs():
    return torch.randn(3, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True)


def autocast():
    return torch.autocast("cpu", torch.bfloat16)


calls = [(inputs, autocast)]
