"""The norm of a vector of one element keeps its dimension, though it is not asked to, and its gradient is another.

For any order but 1, 2 and infinity, where the dimension that is reduced has one element.
"""

import torch

TRAIN = True


def program(a):
    return torch.linalg.vector_norm(a, ord=3, dim=-1)


def inputs():
    return (torch.randn(3, 1, requires_grad=True),)
