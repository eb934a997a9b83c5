"""A volume in channels last stays so when it is resampled to the nearest; a compiled program put it in plain order."""

import torch
from torch.nn import functional


def program(a):
    return functional.interpolate(a, scale_factor=2)


def inputs():
    return (torch.arange(16.0).view(1, 2, 2, 2, 2).to(memory_format=torch.channels_last_3d),)
