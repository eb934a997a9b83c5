"""An input whose data becomes a part of it: the caller's tensor keeps its shape.

Dynamo makes a ``set_`` of the assignment (``torch/_dynamo/variables/builtin.py``), and AOTAutograd takes ``set_`` for a
mutation of an input where its storage is another one afterwards: a part of it has the same.
"""

import torch


def program(a):
    a.data = a[1:]
    return a * 2


def inputs():
    return (torch.randn(4),)
