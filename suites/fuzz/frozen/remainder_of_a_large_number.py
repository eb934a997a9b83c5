"""The remainder of a large number is 0 on Inductor, where eager has 2.

The vectorized remainder (``CppVecOverrides.remainder``, ``torch/_inductor/codegen/cpp.py``) takes the rounded quotient
times the divisor away; the scalar one, and eager, go by ``fmod``.
"""

import torch


def program(a):
    return a % 3.0


def inputs():
    return (torch.full((16,), 1e20),)
