"""A write under no_grad to an input with a history: the gradient of what lies behind it is zero on
``aot_eager_decomp_partition``.

The functionalized mutation is copied back by a ``copy_`` in the graph that runs with grad on
(``torch/_functorch/_aot_autograd/graph_capture_wrappers.py``): to autograd the input is what was copied.
"""

import torch

TRAIN = True


made = {}


def program(a):
    with torch.no_grad():
        a.mul_(2)


def inputs():
    made["a"] = torch.randn(3, requires_grad=True)
    return (made["a"] * 1,)


def leaves():
    return made
