"""The sum with a complex infinity has NaN for its imaginary part in eager, which multiplies by one; decomposed, nought."""

import torch


def program(a, b):
    return a + b


def inputs():
    return torch.tensor([1 + 0j]), torch.tensor([complex(float("inf"), 0)])
