"""A write under no_grad to an input that overlaps another: the gradient of what lies behind both is zero.

A synthetic base counts as written under no_grad only if each input of it is said to be, and one that is not written
is not (``create_synthetic_base_metadata`` in ``torch/_functorch/_aot_autograd/input_output_analysis.py``): the copy
back runs with grad on.
"""

import torch

TRAIN = True


made = {}


def program(a, b):
    with torch.no_grad():
        a.mul_(2)
    return b > 0


def inputs():
    made["base"] = torch.randn(4, requires_grad=True)
    base = made["base"] * 1
    return base[1:], base[:2]


def leaves():
    return made
