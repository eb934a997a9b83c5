"""``acosh`` of a large number is infinite on Inductor, in vectors of it; eager has 461.

``CppVecOverrides.acosh`` (``torch/_inductor/codegen/cpp.py``) calls a routine that squares its argument.
"""

import torch


def program(a):
    return a.acosh()


def inputs():
    return (torch.full((16,), 1e200, dtype=torch.float64),)
