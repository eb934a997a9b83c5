"""Numbers that a mask of more rows selects, each more than once, are an error.

The size of the result is bounded by the number of elements of the argument (``torch/_subclasses/fake_impls.py``), and
not of what it and the mask are broadcast to. The graph asserts the bound, and so does Inductor's code.
"""

import torch

CONFIG = {"dynamo.capture_dynamic_output_shape_ops": True}


def program(a, mask):
    return a.masked_select(mask)


def inputs():
    return torch.arange(4.0), torch.ones(3, 4, dtype=torch.bool)
