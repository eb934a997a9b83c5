"""Backward of a product with a NaN: eager divides the product by each factor, so that all slopes are NaN.

Where it is traced the formula for noughts is taken, whatever the numbers: the product of the others.
"""

import torch

TRAIN = True


def program(a):
    return a.prod()


def inputs():
    return (torch.tensor([float("nan"), 3.0, 2.0], requires_grad=True),)
