"""The default that a program gives a dict of its caller's is forgotten: the caller's makes what it made before."""

import collections

import torch


def program(a, held):
    held.default_factory = list
    return a * 2


def inputs():
    return torch.randn(3), collections.defaultdict(int)
