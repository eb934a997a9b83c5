"""Two tensors that an operator tagged out writes to are one to Inductor: both hold what was written last.

The dense form of the wrapped call makes an ``empty_strided`` for each
(``torch/_higher_order_ops/auto_functionalize.py``), and two that are equal are merged.
"""

import torch

TORCH = ">=2.13"  # torch.Tag.inplace and torch.Tag.out


def fill_kernel(x, *, out):
    out.copy_(x)
    return out


if not hasattr(torch.ops.drawn, "fill_of_two"):
    torch.library.define(
        "drawn::fill_of_two.out", "(Tensor x, *, Tensor(out!) out) -> Tensor(out!)", tags=(torch.Tag.out,)
    )
    torch.library.impl("drawn::fill_of_two.out", "CPU", fill_kernel)
fill = torch.ops.drawn.fill_of_two.out


def program(a):
    b, c = torch.zeros(3), torch.zeros(3)
    fill(a, out=b)
    fill(a + 1, out=c)
    return b, c


def inputs():
    return (torch.tensor([1.0, 2.0, 3.0]),)
