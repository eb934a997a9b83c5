"""Whole numbers that are multiplied in place by a fraction are an error in eager, and are cut off when it is compiled.

The meta function of ``mul_`` (``meta_binop_inplace`` in ``torch/_meta_registrations.py``) looks at sizes alone, and
functionalization casts the product, as it does a complex one that is written to real numbers.
"""

import torch


def program(a):
    b = a + 1
    b *= 0.5
    return b


def inputs():
    return (torch.arange(3),)
