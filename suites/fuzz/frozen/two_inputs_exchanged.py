"""Two inputs are exchanged through a clone: the second one keeps what it had.

``remove_noop_ops`` (``torch/_inductor/fx_passes/post_grad.py``) takes the clone away, whose source is overwritten
before it is read.
"""

import torch


def program(a, b):
    c = a.clone()
    a.copy_(b)
    b.copy_(c)


def inputs():
    return torch.randn(3), torch.randn(3)
