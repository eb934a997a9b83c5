"""Autocast that a program switches on for good is off again after the call, on every layer.

Dynamo puts the caller's autocast back behind what it has compiled: the caller's next product is not in bfloat16.
"""

import torch


def program(a):
    before = a @ a
    torch.set_autocast_enabled("cpu", True)
    return before


def inputs():
    return (torch.randn(3, 3),)
