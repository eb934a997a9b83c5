"""An operator that writes to the clone of a slice is handed the elements before the slice on Inductor.

The clone begins where its memory does. It is taken out (``remove_noop_ops`` in
``torch/_inductor/fx_passes/post_grad.py``), and what stands for it is taken of the slice's own memory without its
offset.
"""

import torch


def halve_kernel(x):
    x.mul_(0.5)


halve = torch.library.custom_op("drawn::halve", halve_kernel, mutates_args=("x",), schema="(Tensor(x!) x) -> ()")


def program(a):
    b = a[1:].clone()
    halve(b)
    return b


def inputs():
    return (torch.randn(2),)
