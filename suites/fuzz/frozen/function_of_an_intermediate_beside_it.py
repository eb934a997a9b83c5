"""A Function that returns an intermediate as it is, returned beside the intermediate: its backward is skipped.

Its output is made again as an alias of the intermediate (``OutputType.alias_of_intermediate_base_is_user_output`` in
``torch/_functorch/_aot_autograd/collect_metadata_analysis.py``); for inputs alone it is asked whether a Function
made it.
"""

import torch

TRAIN = True


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


def program(a):
    b = a * 2
    return Same.apply(b), b


def inputs():
    return (torch.randn(3, requires_grad=True),)
