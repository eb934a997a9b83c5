"""The clone of a part of an intermediate begins at its storage's beginning; with symbolic sizes Inductor hands out a
window.

The clone is taken for a no-op (``remove_noop_ops`` in ``torch/_inductor/fx_passes/post_grad.py``): ``same_meta``
compares sizes and strides of the part and of its clone, and not where they begin in their storage.
"""

import torch

DYNAMIC = True


def program(a):
    return (a * 2)[1:].clone()


def inputs():
    return (torch.randn(4),)
