"""``torch.Tensor`` of a size is a tensor of that size: traced, it is one that holds the size's numbers.

Dynamo hands the constructor a tuple, which it takes for data.
"""

import torch


def program(a):
    return torch.Tensor(a.size()).fill_(1)


def inputs():
    return (torch.randn(2, 3),)
