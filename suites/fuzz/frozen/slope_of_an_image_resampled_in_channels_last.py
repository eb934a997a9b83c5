"""The slope of an image in channels last that is resampled is contiguous, if the program takes it itself.

``torch.func.grad`` differentiates the formula that resampling is traced by; eager's kernel for it keeps the format.
"""

import torch
import torch.nn.functional as F


def program(a):
    return torch.func.grad(lambda a: F.interpolate(a, scale_factor=2).square().sum())(a)


def inputs():
    return (torch.ones(2, 4, 5, 4).to(memory_format=torch.channels_last),)
