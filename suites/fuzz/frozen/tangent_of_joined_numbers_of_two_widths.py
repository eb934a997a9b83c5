"""A tangent of whole numbers joined with doubles is taken before they are joined on Inductor, in single precision."""

import torch


def program(whole, wide):
    return 1 - torch.cat([whole, wide]).tanh()


def inputs():
    return torch.tensor([9, 8]), torch.tensor([0.3], dtype=torch.float64)
