"""A module that counts its calls by ``self.count += 1``, called where an argument with a history is written, returns
the count, and not its result.
"""

import torch


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.count += 1
        return x * 2


counting = Counting()
made = {}


def program(a, b):
    b.mul_(3)
    return counting(a)


def inputs():
    made["b"] = torch.randn(2).requires_grad_()
    return torch.ones(3), made["b"] * 1
