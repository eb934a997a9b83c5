"""The gradient of a product with a buffer is that of the buffer's value after the program wrote to it.

The min-cut partitioner (``torch/_functorch/partitioners.py``) computes the difference again in backward, from the
buffer, which the copy_ in the forward graph has overwritten.
"""

import torch

TRAIN = True
buffer = torch.zeros(())


def program(a):
    b = (a - buffer) * a
    buffer.add_(1)
    return b


def inputs():
    return (torch.randn(3, requires_grad=True),)
