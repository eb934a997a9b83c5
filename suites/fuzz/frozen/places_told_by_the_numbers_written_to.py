"""Numbers are written to places that the tensor's own numbers tell, which Inductor reads anew as it writes.

The index is no tensor of its own but computed in the loop that writes (``index_put_impl_`` in
``torch/_inductor/lowering.py``): what was written tells later places.
"""

import torch


def program(a):
    a[a * 2 % 40] = -1


def inputs():
    return (torch.arange(40) * 7 % 40,)
