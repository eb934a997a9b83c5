"""What a program adds to a caller's set of a class of its own is lost."""

import torch


class Names(set):
    pass


def program(a, names):
    names.symmetric_difference_update(["third"])
    return a * len(names)


def inputs():
    return torch.randn(3), Names(["first"])
