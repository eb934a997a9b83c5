"""A clone and its source, which is copied onto itself in between, come back from Inductor as one tensor.

``remove_noop_ops`` (``torch/_inductor/fx_passes/post_grad.py``) asks which storages are outputs' once, before it
removes anything: the copy goes first, and then nothing says that the clone's source is returned too.
"""

import torch


def program(a):
    b = a * 2
    c = b.clone()
    b.copy_(b)
    return c, b


def inputs():
    return (torch.randn(4),)
