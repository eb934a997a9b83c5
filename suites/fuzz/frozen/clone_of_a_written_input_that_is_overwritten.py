"""A clone of an input that was written by index and is overwritten afterwards: Inductor hands out the input,
overwritten.

``index_copy`` is put back in place, into the input, since its last ``copy_`` is that of the zeros
(``reinplace_inplaceable_ops_core`` in ``torch/_inductor/fx_passes/reinplace.py``), after the clone was dropped as a
no-op (``remove_noop_ops`` in ``post_grad.py``).
"""

import torch


def program(a):
    a.index_copy_(0, torch.tensor([1]), a[:1] * 3)
    b = a.clone()
    a.zero_()
    return b


def inputs():
    return (torch.randn(4),)
