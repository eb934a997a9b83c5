"""An operator writes to a slice of an input that does not begin where its memory does: other elements are written.

``try_use_slice`` (``torch/_higher_order_ops/auto_functionalize.py``) takes the slice's start from its storage
offset, and forgets the base's own.
"""

import torch


def zero_kernel(x):
    x.zero_()


zero = torch.library.custom_op(
    "drawn::zero_of_a_slice", zero_kernel, mutates_args=("x",), schema="(Tensor(x!) x) -> ()"
)


def program(a):
    zero(a[1:])


def inputs():
    return (torch.tensor([1.0, 2.0, 3.0, 4.0])[1:],)
