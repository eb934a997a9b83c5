"""A part of what was computed, given other data in the compiled program: its gradient goes to the wrong elements.

``.data=`` leaves autograd alone. AOTAutograd gives the input its data with ``set_`` (``_apply_input_mutations`` in
``torch/_functorch/_aot_autograd/runtime_wrappers.py``), which counts as a write to a view: its history is made again as
``as_strided`` of the base, with the strides of the new data.
"""

import torch

TRAIN = True
made = {}


def program(a):
    a.data = a * 2
    return a


def inputs():
    made["x"] = torch.randn(6, requires_grad=True)
    return ((made["x"] * 2)[::2],)


def leaves():
    return made
