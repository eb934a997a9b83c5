"""What a Function returns of its operand, an input, is the input's memory in eager; once it is written to, a copy
when compiled.

``OutputType.custom_function_view`` (``torch/_functorch/_aot_autograd/collect_metadata_analysis.py``) is not made
again from the input, so that the Function's own backward stays: of a written input the graph hands out the
functional copy.
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


made = {}


def program(a):
    b = Same.apply(a)
    b.data.mul_(2)
    return b


def inputs():
    made["a"] = torch.randn(3, requires_grad=True)
    return (made["a"] * 1,)


def leaves():
    return made
