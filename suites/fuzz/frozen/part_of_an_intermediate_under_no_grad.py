"""A part of an intermediate with a history, taken under no_grad, is a leaf; compiled, it is none, or an error.

It is made again as a view of the intermediate after the call, with grad on.
"""

import torch

TRAIN = True


def program(a):
    b = a * 2
    with torch.no_grad():
        return b[:1]


def inputs():
    return (torch.randn(3, requires_grad=True),)
