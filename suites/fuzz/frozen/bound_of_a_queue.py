"""A queue that holds at most two elements is told to be unbounded, as the one before it was."""

import collections

import torch


def program(a, given):
    return a * 2, given.maxlen


calls = [
    lambda: (torch.randn(3), collections.deque([1, 2])),
    lambda: (torch.randn(3), collections.deque([1, 2], maxlen=2)),
]
