"""``list`` of a dict is the keys of an earlier call: what the program is handed instead is not looked at.

A loop over the same dict, and its ``keys``, are guarded.
"""

import torch


def program(a, given):
    return a * 2, list(given)


calls = [
    lambda: (torch.randn(3), {"p": 1}),
    lambda: (torch.randn(3), {"r": 1}),
]
