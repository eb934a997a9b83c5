"""``put`` of an element into a transposed input keeps its layout in eager, and is contiguous when decomposed.

``put`` in ``torch/_inductor/decomposition.py`` flattens the input, puts, and gives the flat copy its shape back.
"""

import torch


def program(a):
    return a.put(torch.tensor([0]), torch.tensor([1.0]))


def inputs():
    return (torch.randn(2, 3).t(),)
