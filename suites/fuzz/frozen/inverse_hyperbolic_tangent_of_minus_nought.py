"""The inverse hyperbolic tangent of minus nought loses its sign: Inductor's is half the logarithm of a quotient."""

import torch


def program(a):
    return 1 / a.atanh()


def inputs():
    return (torch.tensor([-0.0] * 32),)
