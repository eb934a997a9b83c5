"""What a program moves to the end of an ordered dict of its caller's stays where it was.

The dict is told to have changed by its keys and values, which are the same, and not by their order.
"""

import collections

import torch


def program(a, held):
    held.move_to_end("first")
    return a * 2


def inputs():
    return torch.randn(3), collections.OrderedDict(first=1, second=2)
