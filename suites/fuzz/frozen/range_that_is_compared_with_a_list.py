"""A range equals no list, whatever the list holds: traced, it does.

Dynamo compares the elements (``RangeVariable`` in ``torch/_dynamo/variables/lists.py``).
"""

import torch


def program(a):
    return a * 2 if range(3) == [0, 1, 2] else a + 1


def inputs():
    return (torch.randn(3),)
