"""Two inputs that alias, one of them written; a later call where they begin elsewhere in their storage writes to the
wrong elements.

The inputs are made from a synthetic base with ``as_strided`` at the first call's offsets (``merge_view_inputs`` in
``torch/_functorch/_aot_autograd/runtime_wrappers.py``), and no guard asks where inputs begin.
"""

import torch


def program(a, b):
    b.mul_(2)
    return a + 1


def inputs():
    a = torch.randn(4)
    return a, a[...]


def later():
    a = torch.randn(5)[1:]
    return a, a[...]


calls = [inputs, later]
