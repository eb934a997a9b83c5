"""A part of an intermediate, which another view writes to, returned beside the intermediate: it is a view of a third
tensor.

After the write the part's ``_base`` and the intermediate are two functional tensors of one storage:
``out_tensor_ids`` does not know the base (``torch/_functorch/_aot_autograd/collect_metadata_analysis.py``), and it
is returned as a base of its own.
"""

import torch

TRAIN = True


def program(a):
    b = a * 2
    c = b[:1]
    b.view(-1).sin_()
    return c, b


def inputs():
    return (torch.randn(3, requires_grad=True),)
