"""What ``fmax`` makes of a transposed matrix and a plain one is transposed in eager; decomposed, it is plain.

The decomposition (``fmax`` in ``torch/_refs/__init__.py``) ends in a choice whose first operand is the second.
"""

import torch


def program(a, b):
    return torch.fmax(a, b)


def inputs():
    return torch.randn(3, 2).mT, torch.randn(2, 3)
