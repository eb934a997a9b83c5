"""Gradients stay off behind the block of a ``no_grad`` that was made before a graph break and is entered behind it, on
``eager``, and after the call as well.

What stands for the object (``GradModeVariable`` in ``torch/_dynamo/variables/ctx_manager.py``) sets back the mode in
which it was made, and it is made anew behind the break.
"""

import torch

TRAIN = True


def program(a):
    off = torch.no_grad()
    doubled = a * 2
    torch._dynamo.graph_break()
    with off:
        inside = doubled + 1
    return inside, doubled * 3


def inputs():
    return (torch.randn(3, requires_grad=True),)
