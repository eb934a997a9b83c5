"""The text of a counter that the program has filled is that of an empty one on ``eager``.

Dynamo has the text of the object that stands for the counter, into which nothing was counted (``call_str`` of
``torch/_dynamo/variables/builtin.py``).
"""

import collections

import torch


def program(a):
    counts = collections.Counter("abca")
    return a * 2, str(counts)


def inputs():
    return (torch.randn(3),)
