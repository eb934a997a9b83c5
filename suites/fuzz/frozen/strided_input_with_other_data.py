"""A strided input that is given contiguous data is an error on Inductor.

Dynamo makes a ``set_`` of the assignment and forgets the fake tensor that the input was (``torch/_dynamo/variables/
builtin.py``): the graph is lowered for the strides of the new data, and given the old ones.
"""

import torch


def program(a):
    a.data = a * 2


def inputs():
    return (torch.randn(6)[::2],)
