"""One over a complex nought is infinite where Inductor's fallback computes it, and NaN in eager."""

import torch


def program(a):
    return 1 / a


def inputs():
    return (torch.tensor([0j, 1 + 2j]),)
