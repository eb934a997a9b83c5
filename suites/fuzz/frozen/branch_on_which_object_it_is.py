"""A branch on whether two attributes are one object is that of the first call in later ones.

Dynamo answers ``is`` of lists and plain objects when it compiles, without a guard
(``torch/_dynamo/variables/builtin.py``).
"""

import types

import torch

holder = types.SimpleNamespace(left=[1], right=[1])
holder.current = holder.left


def program(a):
    if holder.current is holder.left:
        holder.current = holder.right
        return a + 1
    holder.current = holder.left
    return a - 1


def inputs():
    return (torch.ones(1),)


calls = [inputs] * 4
