"""An integer that is in a list, or a tuple, is not found there once the integers of the caller are symbols."""

import torch


def program(a, given):
    return a * 2, 3 in given, given.count(3)


calls = [
    lambda: (torch.randn(3), (1, 2)),
    lambda: (torch.randn(3), (1, 3)),
    lambda: (torch.randn(3), (3, 1)),
]
