"""The gradient of a product with a module's buffer that the program has scaled is that of the buffer scaled twice.

The min-cut partitioner (``torch/_functorch/partitioners.py``) computes the scaled one again in backward, from the
buffer, which the copy_ in the forward graph has overwritten. So does a spectral norm's power iteration in training.
"""

import torch

TRAIN = True


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rate", torch.ones(4))

    def forward(self, a):
        self.rate.mul_(2)
        return a * self.rate.clone()


scaled = Scaled()


def program(a):
    return scaled(a)


def inputs():
    return (torch.randn(4, requires_grad=True),)
