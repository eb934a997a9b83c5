"""An integer that a half cannot hold is rounded to a half before a product is added to it; decomposed, it is not.

The decomposition of ``addcmul`` (``torch/_refs/__init__.py``) converts its operands to float32, which it computes in,
and eager's kernels convert them to the dtype of the result first: 65516 is 65504 there, the largest of halves, and the
sum still is, where the decomposition's overflows.
"""

import torch


def program(a, b):
    return torch.addcmul(a, a, b)


def inputs():
    return (torch.tensor([65516]), torch.tensor([2**-14], dtype=torch.float16))
