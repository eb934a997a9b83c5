"""An in-place op returns the tensor that it wrote to; compiled, it and the part of the input are two tensors.

As for any two outputs that alias an input: each is made again by itself (``AliasOfInputHandler`` in
``torch/_functorch/_aot_autograd/runtime_wrappers.py``). Of a whole input the one object is kept.
"""

import torch


def program(a):
    b = a[1:]
    return b.mul_(2), b


def inputs():
    return (torch.randn(3),)
