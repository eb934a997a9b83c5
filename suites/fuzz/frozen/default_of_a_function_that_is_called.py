"""A default that a called function was given anew is the one that it had in the first call."""

import torch


def scaled(a, by=2):
    return a * by


def program(a, given):
    return scaled(a)


def of(by):
    scaled.__defaults__ = (by,)
    return torch.randn(3), by


calls = [
    lambda: of(2),
    lambda: of(3),
]
