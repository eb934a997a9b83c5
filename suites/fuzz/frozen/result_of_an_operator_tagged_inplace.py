"""What an operator tagged inplace returns is the argument that it wrote to; compiled, it is another tensor.

``_do_auto_functionalize_v2_for_inplace_operator`` (``torch/_higher_order_ops/auto_functionalize.py``) hands out the
first result of the wrapped call, beside the base that it updates.
"""

import torch

TORCH = ">=2.13"  # torch.Tag.inplace and torch.Tag.out


def twice_kernel(x):
    return x.mul_(2)


if not hasattr(torch.ops.drawn, "twice_in_place"):
    torch.library.define("drawn::twice_in_place", "(Tensor(x!) x) -> Tensor(x!)", tags=(torch.Tag.inplace,))
    torch.library.impl("drawn::twice_in_place", "CPU", twice_kernel)
twice = torch.ops.drawn.twice_in_place.default


def program(a):
    b = twice(a)
    b.add_(1)


def inputs():
    return (torch.tensor([1.0, 2.0, 3.0]),)
