"""A float that is formatted to two places is the float itself in the second call, where it has become a symbol; later
releases raise.
"""

import torch


def program(a, given):
    return a * 2, f"{given:.2f}"


calls = [
    lambda: (torch.randn(3), 0.5),
    lambda: (torch.randn(3), 2.5),
]
