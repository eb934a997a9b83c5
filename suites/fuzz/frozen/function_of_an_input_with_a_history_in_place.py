"""An input with a history becomes its own sine: backward raises on ``aot_eager``, where eager takes the cosine of what
the input was.

The graph takes the sine of a clone, but the partition saves the input for backward and not the clone; the input is
written to when the graph has run (``torch/_functorch/partitioners.py``).
"""

import torch

TRAIN = True


made = {}


def program(a):
    a.sin_()
    return a + 1


def inputs():
    made["a"] = torch.randn(3, requires_grad=True)
    return (made["a"] * 1,)


def leaves():
    return made
