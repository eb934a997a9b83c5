"""A key is taken from the caller's dict, and with it all keys that the first call's dict had not.

``pop`` guards on the one key alone, and what is written back is the dict of the first call.
"""

import torch


def program(a, given):
    return a * 2, given.pop("p")


calls = [
    lambda: (torch.randn(3), {"p": 1, "q": 2}),
    lambda: (torch.randn(3), {"p": 1, "q": 2, "r": 3}),
]
