"""A view that shows all of an intermediate, handed out beside it under no_grad, is the intermediate on Inductor.

A slice of everything is dropped as one that does nothing: one object comes back twice, and has no base. What a caller
does to the shape of one of them in place is done to the other.
"""

import torch


def program(a):
    b = a * 2
    return b, b[:]


def inputs():
    return (torch.randn(3),)
