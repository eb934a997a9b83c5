"""Whether an object has an attribute of a name, asked of its ``__dict__``, is what the object of the first call had."""

import types

import torch


def program(a, given):
    return a * 2, "z" in given.__dict__


calls = [
    lambda: (torch.randn(3), types.SimpleNamespace(y=1)),
    lambda: (torch.randn(3), types.SimpleNamespace(y=1, z=2)),
]
