"""The sum with a complex infinity has a NaN in eager, which multiplies what it adds by one, and a nought decomposed."""

import torch


def program(a, b):
    return a + b


def inputs():
    return torch.tensor([1 + 0j]), torch.tensor([complex(float("inf"), 0)])
