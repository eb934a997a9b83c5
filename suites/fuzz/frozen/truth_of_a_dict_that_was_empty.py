"""A dict that was empty when the program was compiled is false in later calls, too, whatever it holds.

``bool`` and ``not`` of an empty dict install no guard on it (``if`` does).
"""

import torch


def program(a, given):
    return a * 2, bool(given), not given


calls = [
    lambda: (torch.randn(3), {}),
    lambda: (torch.randn(3), {"p": 1}),
]
