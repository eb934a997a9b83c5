"""Booleans shifted to the left are integers in eager; the rule for tensors without data refuses them.

``shift_dtype_check`` in ``torch/_meta_registrations.py``.
"""

import torch


def program(a):
    return a << 1


def inputs():
    return (torch.tensor([True, False]),)
