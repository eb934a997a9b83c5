"""Numbers of a row are scaled in groups of nine, and the last group is short: what lies in it is never written.

Inductor splits a loop whose index is divided by a number greater than 8 in two (``try_loop_split`` in
``torch/_inductor/codegen/cpp.py``): the outer has as many turns as the divisor goes wholly into the size, and the
elements after them get no number. The memory held the running sums before.
"""

import torch


def program(a, scales):
    largest = a.cumsum(0).amax()
    return a * scales[torch.arange(11) // 9] + largest


def inputs():
    return torch.randn(11), torch.randn(2)
