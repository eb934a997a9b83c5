"""The inverse of the hyperbolic tangent of minus nought is nought: Inductor's is half the logarithm of a quotient."""

import torch


def program(a):
    return 1 / a.atanh()


def inputs():
    return (torch.tensor([-0.0] * 3),)
