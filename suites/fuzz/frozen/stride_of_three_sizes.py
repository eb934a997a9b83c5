"""A stride that is a product of three symbolic sizes is the product of two of them; Inductor raises.

A product of symbols becomes one node ``operator.mul`` of all of them (``torch/fx/experimental/proxy_tensor.py``), of
which the code that is made of the graph says the first two.
"""

import torch

DYNAMIC = True


def program(a, b):
    a.add_(1)
    return b * 2


def inputs():
    a = torch.arange(120).view(2, 3, 5, 4)
    return a, a.mT
