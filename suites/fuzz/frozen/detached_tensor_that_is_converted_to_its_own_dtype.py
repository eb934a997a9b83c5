"""``to`` of a dtype that a tensor has returns the tensor itself in eager; compiled, the detached alias of an input
and it are two.

Each output that aliases an input is made again by itself, by an ``AliasOfInputHandler`` of its own in
``torch/_functorch/_aot_autograd/runtime_wrappers.py``: which outputs were one object is forgotten.
"""

import torch


def program(a):
    b = a.detach()
    return b.to(torch.float32), b


def inputs():
    return (torch.randn(3),)
