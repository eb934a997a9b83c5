"""A part, taken under no_grad, of an input that is a view requires grad in eager, and what is computed of it does;
not when compiled.

A program is traced with plain tensors for its inputs
(``torch/_functorch/_aot_autograd/collect_metadata_analysis.py``): that one is a view, whose parts find their history
by it, is not part of the trace.
"""

import torch

TRAIN = True
made = {}


def program(a):
    with torch.no_grad():
        b = a[:1]
    return b * 2


def leaves():
    return made


def inputs():
    made["a"] = torch.randn(3, requires_grad=True)
    return (made["a"].view(-1),)
