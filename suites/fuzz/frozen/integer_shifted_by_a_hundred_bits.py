"""An integer that became a symbol, shifted by more bits than it has, is a name that Inductor's code does not know.

A shift to the right is a division by a power of two, which past some size is written as ``IntInfinity``.
"""

import torch


def program(a, n):
    return a * 2, n >> 100, n << 70


calls = [
    lambda: (torch.randn(3), 7),
    lambda: (torch.randn(3), 9),
]
