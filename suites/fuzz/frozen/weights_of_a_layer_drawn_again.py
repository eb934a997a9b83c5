"""A layer without sizes draws its weights at its first input; the generator stays where it was before, on ``eager``.

Dynamo has the layer draw while it traces, and puts the generator back: what is drawn later is the same numbers.
"""

import torch


class Late(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.LazyLinear(2)

    def forward(self, a):
        return self.linear(a)


late = Late()


def program(a):
    return late(a)


def inputs():
    return (torch.ones(2, 3),)
