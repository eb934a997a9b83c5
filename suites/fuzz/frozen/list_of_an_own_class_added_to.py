"""What a program adds by ``+=`` to a list of a class of the caller's does not reach the caller.

The list is added up to another one, which the name in the program is bound to.
"""

import torch


class Notes(list):
    pass


def program(a, notes):
    notes += [3]
    return a * 2


def inputs():
    return torch.randn(3), Notes([1])
