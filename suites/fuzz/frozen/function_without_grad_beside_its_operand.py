"""A Function that returns its operand hands out another tensor in eager, also where nothing requires grad; Dynamo
hands out the input.

Where nothing requires grad Dynamo inlines ``forward`` (``AutogradFunctionVariable`` in
``torch/_dynamo/variables/misc.py``); ``apply`` makes a view of an operand that is returned as it is
(``_wrap_outputs`` in ``torch/csrc/autograd/custom_function.cpp``).
"""

import torch


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


def program(a):
    return Same.apply(a), a * 2


def inputs():
    return (torch.randn(3),)
