"""``-0.0`` is taken for the ``0.0`` of the first call: guards compare by equality."""

import math

import torch


def program(a, given):
    return a * 2, math.copysign(1, given), str(given)


calls = [
    lambda: (torch.randn(3), 0.0),
    lambda: (torch.randn(3), -0.0),
]
