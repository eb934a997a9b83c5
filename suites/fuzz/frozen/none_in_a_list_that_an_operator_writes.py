"""An operator writes to a list of optional tensors one of which is None: compiling raises an error of its own
making.

``_do_auto_functionalize_v2_for_generic_mutable_operator`` (``torch/_higher_order_ops/auto_functionalize.py``)
appends to a dict.
"""

import torch


def zero_kernel(x):
    for item in x:
        if item is not None:
            item.zero_()


if not hasattr(torch.ops.drawn, "zero_of_some"):
    torch.library.define("drawn::zero_of_some", "(Tensor(x!)?[] x) -> ()")
    torch.library.impl("drawn::zero_of_some", "CPU", zero_kernel)
zero = torch.ops.drawn.zero_of_some.default


def program(a):
    zero([a, None])


def inputs():
    return (torch.tensor([1.0, 2.0, 3.0]),)
