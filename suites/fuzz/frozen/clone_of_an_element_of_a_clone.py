"""The clone of an element of a clone has memory of its own; on Inductor it is a window of the input.

Both clones are taken for no-ops (``remove_noop_ops`` in ``torch/_inductor/fx_passes/post_grad.py``): an element and its
clone have the same strides, none, and where they begin in their storage is not compared.
"""

import torch


def program(a):
    return a.clone()[1].clone()


def inputs():
    return (torch.randn(3),)
