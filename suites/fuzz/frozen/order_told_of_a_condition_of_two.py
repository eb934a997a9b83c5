"""Whether a spread and a turned operand both hold lies in eager as the turned one; a program is told rows.

The meta function of `logical_and` compares each operand with nought, and joins two that lie apart.
"""

import torch


def program(a, b):
    rows = torch.logical_and(a.expand(2, 3), b.t()).stride(0)
    return b * rows


def inputs():
    return torch.ones(2, 1), torch.ones(3, 2)
