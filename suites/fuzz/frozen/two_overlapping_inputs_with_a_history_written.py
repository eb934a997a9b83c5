"""Two inputs that overlap, with a history, are both written and nothing is returned: an assertion fails.

The tangents are counted by what AOTAutograd knows of the two inputs, and the joint graph has their synthetic base
(``create_joint`` in ``torch/_functorch/_aot_autograd/graph_capture_wrappers.py``).
"""

import torch

TRAIN = True
made = {}


def program(a, b):
    b.mul_(2)
    a.zero_()


def inputs():
    made["base"] = torch.randn(2).requires_grad_()
    a = made["base"] * 1
    return a, a[1:]


def leaves():
    return made
