"""A read-only view of a dict of the caller's has as many keys as before the program added one.

Its elements are not read so: there Dynamo breaks the graph once the dict was written to.
"""

import types

import torch


def program(a, held, shown):
    held["new"] = 2
    return a + len(shown)


def inputs():
    held = {"old": 1}
    return torch.randn(3), held, types.MappingProxyType(held)
