"""A power is differentiated with one exponent, and fails an assertion with the next.

The exponent is a symbol by then, and the formula of the gradient asks whether it is zero, which the ``Scalar`` of C++
cannot say.
"""

import torch


def program(a, n):
    return a**n


def inputs():
    return (torch.randn(3, requires_grad=True), 2)


def inputs_2():
    return (torch.randn(3, requires_grad=True), 3)


calls = [inputs, inputs_2]
