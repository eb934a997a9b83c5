"""A tensor that is joined with another is found overwritten in the joint on Inductor, once its copy is written to.

The joint is moved in front of the write, which is made in place then (``torch/_inductor/fx_passes/reinplace.py``): no
reader is left. But the tensor was computed into the joint's own memory.
"""

import torch


def program(a, place):
    b = a * 2
    changed = b.index_put((place,), a[1])
    return torch.cat([b, a]), changed


def inputs():
    return torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0])
